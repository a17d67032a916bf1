//! `openssl speed -multi`: several processes do the same at once, and the first adds up what they tell it.
//!
//! ```text
//! Forked child 0
//! Forked child 1
//! Got: +H:1024 from 0
//! Got: +F:25:AES-128-CTR:4168642154.46 from 0
//! Got: +H:1024 from 1
//! Got: +F:25:AES-128-CTR:4256607232.00 from 1
//! ```
//!
//! The rows behind these lines are of all of them, and have no lengths above them. A text may hold what several commands
//! printed, of which not all started processes. The line of the last process is written when all are done: where it is
//! the only one, what it said while it measured comes before.

use super::{length, odd_length};

/// How many processes a row is of, line by line.
#[derive(Default)]
pub(super) struct Processes {
    /// 0 where the one started no others.
    forked: u32,
    /// Whether they have told it, and their rows are to come.
    have_told: bool,
}

/// What such a line tells of the rows to come.
pub(super) enum Line {
    Lengths(Vec<u64>),
    /// What stands in the place of a length.
    Odd(String),
    /// That a process was started.
    Forked,
    Nothing,
}

impl Processes {
    /// `None` for a line of anything else.
    pub(super) fn line(&mut self, line: &str) -> Option<Line> {
        if let Some(number) = line.strip_prefix("Forked child ") {
            let number: Option<u32> = number.trim_end().parse().ok();
            self.forked = number.unwrap_or(0).saturating_add(1);
            self.have_told = false;
            return Some(Line::Forked);
        }
        let told = line.strip_prefix("Got: ")?;
        self.have_told = true;
        let lengths = told
            .strip_prefix("+H:")
            .and_then(|told| told.split_once(" from "));
        Some(match lengths {
            Some((lengths, _)) if !lengths.is_empty() => match odd_length(lengths.split(':')) {
                Some(odd) => Line::Odd(odd),
                None => Line::Lengths(lengths.split(':').filter_map(length).collect()),
            },
            _ => Line::Nothing,
        })
    }

    /// The version, which each command tells once, ahead of its rows.
    pub(super) fn version(&mut self) {
        if !self.have_told {
            self.forked = 0;
        }
        self.have_told = false;
    }

    /// What one alone prints that measures, or one of those started before they have told: if they have, it is of the
    /// next command.
    pub(super) fn measuring(&mut self) {
        if self.have_told {
            *self = Self::default();
        }
    }

    /// Whether a figure that was told while it was measured is a part of those to come.
    pub(super) fn are_there(&self) -> bool {
        self.forked > 0
    }

    pub(super) fn at_once(&self) -> u32 {
        self.forked.max(1)
    }
}
