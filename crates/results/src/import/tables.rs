//! Which figures one `openssl speed` printed: those of its table, and what it said of them while it measured, which comes
//! before the table. A text may hold what several printed.

/// Tells tables apart, line by line.
#[derive(Default)]
pub(super) struct Tables {
    number: usize,
    /// Whether the table itself has begun.
    has_header: bool,
    /// The algorithms and lengths that were told before it.
    measured: Vec<(String, u64)>,
}

impl Tables {
    /// A line of lengths, which a table has once.
    pub(super) fn header(&mut self, lengths: &[u64]) {
        let is_other = |(_, length): &(String, u64)| !lengths.contains(length);
        if self.has_header || self.measured.iter().any(is_other) {
            self.next();
        }
        self.has_header = true;
    }

    /// A figure that is told before its table. One command measures an algorithm's lengths once, in ascending order.
    pub(super) fn measuring(&mut self, algorithm: &str, length: u64) {
        let is_over = |(known, last): &(String, u64)| known == algorithm && length <= *last;
        if self.has_header || self.measured.iter().any(is_over) {
            self.next();
        }
        self.measured.push((algorithm.to_owned(), length));
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
