//! Which figures one `openssl speed` printed: those of its table, and what it said of them while it measured, which comes
//! before the table. A text may hold what several printed.
use std::collections::HashMap;

/// Tells tables apart, line by line.
#[derive(Default)]
pub(super) struct Tables {
    number: usize,
    /// Whether the table itself has begun.
    has_header: bool,
    /// The algorithms that were told before it, each with its lengths in ascending order.
    measured: HashMap<String, Vec<u64>>,
}

impl Tables {
    /// A line of lengths, which a table has once.
    pub(super) fn header(&mut self, lengths: &[u64]) {
        let mut measured = self.measured.values().flatten();
        if self.has_header || measured.any(|length| !lengths.contains(length)) {
            self.next();
        }
        self.has_header = true;
    }

    /// A figure that is told before its table. One command measures an algorithm's lengths once, in ascending order.
    pub(super) fn measuring(&mut self, algorithm: &str, length: u64) {
        let measured = self.measured.get(algorithm);
        let last = measured.and_then(|lengths| lengths.last());
        if self.has_header || last.is_some_and(|&last| length <= last) {
            self.next();
        }
        self.measured
            .entry(algorithm.to_owned())
            .or_default()
            .push(length);
    }

    /// The one that what is told now is of.
    pub(super) fn number(&self) -> usize {
        self.number
    }

    fn next(&mut self) {
        *self = Self {
            number: self.number + 1,
            ..Self::default()
        };
    }
}
