//! A bar on standard error with the time that is left; nothing where that is not a terminal.
use std::time::Duration;

use ciphertune_measure::Observer;
use indicatif::{ProgressBar, ProgressStyle};

#[derive(Clone)]
pub struct Progress(ProgressBar);

impl Progress {
    /// Begins with the loading, of which nobody knows how long it takes.
    pub fn new() -> Self {
        let bar = ProgressBar::no_length().with_style(style("{spinner} {wide_msg}"));
        bar.set_message("finding implementations");
        bar.enable_steady_tick(Duration::from_millis(100));
        Self(bar)
    }

    /// Says that the rest is left out.
    pub fn stopping(&self) {
        self.0
            .abandon_with_message("stopping, to show what was finished; Ctrl-C again to leave at once");
    }

    pub fn end(&self) {
        self.0.finish_and_clear();
    }
}

impl Observer for Progress {
    fn planned(&mut self, steps: u64) {
        self.0.set_length(steps);
        self.0
            .set_style(style("{bar:24} {percent:>3} %  {eta:>3} left  {wide_msg}"));
    }

    fn advanced(&mut self, steps: u64, now: &str) {
        // What `stopping` said stays.
        if !self.0.is_finished() {
            self.0.set_message(now.to_owned());
            self.0.inc(steps);
        }
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template)
        .expect("the templates are constant")
        .progress_chars("=> ")
}
