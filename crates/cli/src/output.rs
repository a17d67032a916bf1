//! What becomes of a run: shown, and kept in a file.
use std::path::Path;

use ciphertune_report as report;
use ciphertune_results::{Run, WriteError, writable};

use crate::{
    Result, Usage,
    args::{Format, Output},
    remark, say, stdout,
};

impl Output {
    /// Fails now rather than after all that measuring, where the run could not be kept.
    pub fn check(&self) -> Result<()> {
        if self.is_on_stdout() && self.format.is_some() {
            let both = "--output - and --format both want standard output; leave one of them out";
            return Err(Usage::error(both.to_owned()));
        }
        Ok(self.path().map_or(Ok(()), writable)?)
    }

    /// Writes the run to its file, if it has one.
    pub fn keep(&self, run: &Run) -> std::result::Result<(), WriteError> {
        self.path().map_or(Ok(()), |path| run.write(path))
    }

    /// Writes what there is of the run for now: whoever ends the program before the rest is there keeps that. Where it
    /// cannot be written [`Output::keep`] will say so.
    pub fn keep_so_far(&self, run: &Run) {
        let _ = self.path().map_or(Ok(()), |path| run.write_so_far(path));
    }

    fn path(&self) -> Option<&Path> {
        match self.is_on_stdout() {
            true => Some(Path::new("/dev/stdout")),
            false => self.output.as_deref(),
        }
    }

    /// Whether the run stands on standard output, and so nothing else does.
    fn is_on_stdout(&self) -> bool {
        self.output.as_deref() == Some(Path::new("-"))
    }

    /// Shows the run on standard output, what a `mix` of messages costs, and below it `sentences`. Where the output is
    /// for programs, people read them on standard error.
    pub fn show(&self, run: &Run, mix: &[report::Portion], sentences: &[String]) -> Result<()> {
        let view = report::View {
            intervals: self.intervals,
            shares: self.shares,
            costs: self.costs,
            fit: self.fit,
            mix,
        };
        let format = self.format.unwrap_or_default();
        let screen = stdout::screen();
        stdout::print(|out| {
            if self.is_on_stdout() {
                return Ok(());
            }
            match format {
                Format::Table => report::terminal(run, view, screen, out)?,
                Format::Markdown => report::markdown(run, view, out)?,
                Format::Csv => return report::csv(run, out),
                Format::Json => return report::json(run, out),
                Format::Classic => return report::classic(run, out),
                Format::Mr => return report::mr(run, out),
            }
            if !sentences.is_empty() {
                writeln!(out)?;
            }
            stdout::sentences(sentences, out)
        })?;
        if !self.is_for_people() {
            sentences.iter().for_each(|line| say(line));
        }
        self.idle(run, mix).iter().for_each(|idle| remark(idle));
        let left_out = report::left_out_of_mr(run);
        if format == Format::Mr && !left_out.is_empty() {
            remark(&format!(
                "--format mr has no lines for {}; --format classic has",
                left_out.join(", ")
            ));
        }
        Ok(())
    }

    fn is_for_people(&self) -> bool {
        let format = self.format.unwrap_or_default();
        !self.is_on_stdout() && matches!(format, Format::Table | Format::Markdown)
    }

    /// What was asked for and shows nothing.
    fn idle(&self, run: &Run, mix: &[report::Portion]) -> Vec<String> {
        let options = [
            ("--intervals", self.intervals),
            ("--shares", self.shares),
            ("--costs", self.costs),
            ("--fit", self.fit),
        ];
        let asked = options.iter().filter(|(_, is_asked)| *is_asked);
        let asked: Vec<&str> = asked.map(|(option, _)| *option).collect();
        if self.is_for_people() {
            let is_idle = self.fit && !report::has_fit(run);
            let lengths = "--fit shows nothing, as nothing was measured at three lengths up to 16 KiB; name more with --lengths";
            return Vec::from_iter(is_idle.then(|| lengths.to_owned()));
        }
        let asked = (!asked.is_empty()).then(|| {
            format!(
                "no effect on this format: {}; --format table and markdown show that",
                asked.join(", ")
            )
        });
        let average = (!mix.is_empty()).then(|| {
            "this format has the rates at --mix's lengths, and not what a message of the mix takes on average; --format \
             table and markdown show that"
                .to_owned()
        });
        asked.into_iter().chain(average).collect()
    }
}
