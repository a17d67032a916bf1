//! What becomes of a run: shown, and kept in a file.
use std::{
    fs,
    path::{Path, PathBuf},
};

use ciphertune::wisdom::{Refusal, Wisdom, WisdomError};
use ciphertune_report as report;
use ciphertune_results::{Run, WriteError, replaces, writable};

use crate::{
    Result, Usage,
    args::{Format, Output},
    interrupt, remark, say, stdout,
};

impl Output {
    /// Fails now rather than after all that measuring, where the run could not be kept, or would be in the place of one of
    /// these libraries.
    pub fn check(&self, libraries: &[PathBuf]) -> Result<()> {
        if self.is_on_stdout() && self.format.is_some() {
            let both = "--output - and --format both want standard output; leave one of them out";
            return Err(Usage::error(both.to_owned()));
        }
        let Some(path) = self.path() else { return Ok(()) };
        let is_wisdom = match Wisdom::read(path) {
            Ok(_) => true,
            Err(WisdomError::Refused { why, .. }) => why != Refusal::NotWisdom,
            Err(_) => false,
        };
        if is_wisdom {
            let lost = format!(
                "--output is the wisdom at {}, which it would replace; name another file",
                path.display()
            );
            return Err(Usage::error(lost));
        }
        if let Some(library) = libraries.iter().find(|library| is_same(library, path)) {
            return Err(Usage::error(format!(
                "--output is the library {}, which it would replace; name another file",
                library.display()
            )));
        }
        Ok(writable(path)?)
    }

    /// Writes the run to its file, if it has one, and says so where it does not.
    pub fn keep(&self, run: &Run) -> std::result::Result<(), WriteError> {
        match self.path() {
            Some(path) if is_worth_less(run, path) => {
                let what_of_it = match path.exists() {
                    true => "stays as it was",
                    false => "is not written",
                };
                remark(&format!(
                    "no rate was measured, so {} {what_of_it}",
                    path.display()
                ));
                Ok(())
            }
            Some(path) => interrupt::whole(|| run.write(path)),
            None => Ok(()),
        }
    }

    /// Writes what there is of the run for now: whoever ends the program before the rest is there keeps that. Where it
    /// cannot be written [`Output::keep`] will say so.
    pub fn keep_so_far(&self, run: &Run) {
        if let Some(path) = self.path().filter(|path| !is_worth_less(run, path)) {
            let _ = interrupt::whole(|| run.write_so_far(path));
        }
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

    /// What was asked for and shows nothing, or would be shown in any case.
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
            let remedy = match mix {
                [] => "name more with --lengths",
                _ => "leave --mix out, or name three such lengths in it",
            };
            return Vec::from_iter(is_idle.then(|| {
                format!(
                    "--fit shows nothing, as nothing was measured at three lengths up to 16 KiB; {remedy}"
                )
            }));
        }
        // Data has the figures of all of them but the fit.
        let is_data = self.is_on_stdout() || matches!(self.format, Some(Format::Csv | Format::Json));
        let (had, missing): (Vec<&str>, Vec<&str>) = asked
            .into_iter()
            .partition(|&option| is_data && option != "--fit");
        let had = (!had.is_empty()).then(|| {
            format!(
                "no effect on this format, which has that in any case: {}",
                had.join(", ")
            )
        });
        let missing = (!missing.is_empty()).then(|| {
            format!(
                "no effect on this format: {}; --format table and markdown show that",
                missing.join(", ")
            )
        });
        let average = (!mix.is_empty()).then(|| {
            "this format has the rates at --mix's lengths, and not what a message of the mix takes on average; --format \
             table and markdown show that"
                .to_owned()
        });
        had.into_iter().chain(missing).chain(average).collect()
    }
}

/// Whether a file is there, perhaps a good run, and nothing was timed to take its place, as where the session was
/// interrupted at once; or none is, and the run does not even say of anything why not.
fn is_worth_less(run: &Run, path: &Path) -> bool {
    let is_without = run.cells.iter().all(|cell| cell.figures.is_none());
    is_without && replaces(path) || run.cells.is_empty() && !path.exists()
}

/// Whether both name one file, by whatever path.
pub fn is_same(file: &Path, other: &Path) -> bool {
    let place = |path| fs::canonicalize(path).ok();
    place(file).is_some_and(|file| place(other) == Some(file))
}

#[cfg(test)]
mod tests {
    use ciphertune_results::Status;

    use super::*;
    use crate::fixture::{cell, run};

    #[test]
    fn a_run_without_a_rate_replaces_no_other() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.jsonl");
        let output = Output {
            output: Some(path.clone()),
            ..Output::default()
        };
        let timed = cell("a/b", "AES-128-GCM", 16, 1e9);
        let mut skipped = timed.clone();
        (skipped.status, skipped.figures) = (Status::Skipped, None);
        skipped.reason = Some("not finished".to_owned());
        let (good, without) = (run(vec![timed]), run(vec![skipped]));

        output.keep(&run(Vec::new())).unwrap();
        assert!(!path.exists());
        // Where there is nothing, or as little as mktemp leaves, it is kept.
        for _ in 0..2 {
            output.keep(&without).unwrap();
            assert_eq!(Run::read(&path).unwrap(), without);
            fs::write(&path, "").unwrap();
        }
        output.keep(&good).unwrap();
        for keep in [
            |output: &Output, run: &Run| output.keep(run).unwrap(),
            |output: &Output, run: &Run| output.keep_so_far(run),
        ] {
            keep(&output, &without);
            assert_eq!(Run::read(&path).unwrap(), good);
        }
    }
}
