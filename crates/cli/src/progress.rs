//! A bar on standard error with the time that is left; nothing where that is not a terminal.
use std::{fmt, time::Duration};

use ciphertune_measure::Observer;
use indicatif::{HumanDuration, ProgressBar, ProgressState, ProgressStyle};

#[derive(Clone)]
pub struct Progress(ProgressBar);

impl Progress {
    /// Begins with the loading, of which nobody knows how long it takes.
    pub fn new() -> Self {
        let bar = ProgressBar::no_length().with_style(style("{spinner} {msg}"));
        bar.set_message("finding implementations");
        bar.enable_steady_tick(Duration::from_millis(100));
        Self(bar)
    }

    /// Says that the rest is left out.
    pub fn stopping(&self) {
        self.0.set_style(style(
            "{spinner} stopping, to show what was finished (Ctrl-C again: at once)",
        ));
        self.0.tick();
    }

    pub fn end(&self) {
        self.0.finish_and_clear();
    }
}

impl Observer for Progress {
    fn planned(&mut self, steps: u64) {
        self.0.set_length(steps);
        self.0.set_style(style("{bar:20} {percent:>3} %  {left}{msg}"));
    }

    fn advanced(&mut self, steps: u64, now: &str) {
        self.0.set_message(now.to_owned());
        self.0.inc(steps);
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template)
        .expect("the templates are constant")
        .with_key("left", left)
        .progress_chars("=> ")
}

/// The time that is left, once enough is done to tell.
fn left(state: &ProgressState, out: &mut dyn fmt::Write) {
    if state.fraction() >= 0.04 {
        // There is nobody to tell that it cannot be written.
        let _ = write!(out, "{:#} left  ", HumanDuration(state.eta()));
    }
}
