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
        if self.0.length().is_none() {
            self.0.reset_elapsed();
        }
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
        let left = at_this_pace(state.elapsed(), state.fraction());
        // There is nobody to tell that it cannot be written.
        let _ = write!(out, "{:#} left  ", HumanDuration(left));
    }
}

/// What is left takes as long as what was done: of all of it, since steps of long messages take many times as long as others,
/// and come in any order, so that the last few say little of the rest.
fn at_this_pace(elapsed: Duration, done: f32) -> Duration {
    elapsed.mul_f32((1.0 - done) / done)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_takes_as_long_as_what_was_done() {
        let left = |seconds, done| at_this_pace(Duration::from_secs(seconds), done).as_secs_f32();
        assert_eq!(left(60, 0.25), 180.0);
        assert_eq!(left(60, 1.0), 0.0);
    }
}
