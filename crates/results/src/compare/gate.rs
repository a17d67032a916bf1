//! What fails a comparison: a gate over many cells, of which chance alone would make some look slower.
use super::{Compared, Comparison, Entry, Row, Verdict};
use crate::statistics::{holm, least_samples, left};

/// What is too slow.
#[derive(Debug)]
pub struct Gate<'a> {
    /// Each cell, and where it stands.
    pub slower: Vec<(&'a Compared, &'a Row, &'a Entry)>,
    /// How many cells were looked at, and how many runs on either side it takes to be certain of one of so many; `None`
    /// where there are enough of them.
    pub too_few: Option<(usize, usize)>,
    /// Of how many cells nobody can say how sure they are: they count as they stand.
    pub unsure: usize,
    /// How many cells are as much slower and certainly so, but by no more than what code differs from itself in these runs.
    pub noisy: usize,
}

impl Comparison {
    /// The cells that lack more than this share of the baseline's rate, and lack some of it beyond doubt, though there
    /// are so many cells to be in doubt about: the probability that any of those named is as fast as the baseline is what
    /// the confidence leaves (Holm, Scandinavian Journal of Statistics 6, 1979). Runs may be too few for that: then each
    /// cell is judged as if there were no other. Where nobody can say how sure a figure is, it counts as it stands.
    pub fn gate(&self, share: f64) -> Gate<'_> {
        let cells: Vec<(&Compared, &Row, &Entry)> = self.cells().collect();
        let chances = cells.iter().filter_map(|(_, _, entry)| entry.change.chance);
        let mut corrected = holm(&chances.collect::<Vec<_>>()).into_iter();
        let count = corrected.len();
        let left = left(self.confidence);
        let is_unsure = |(.., entry): &&(_, _, &Entry)| entry.change.verdict == Verdict::Unknown;
        let unsure = cells.iter().filter(is_unsure).count();
        let mut too_few = None;
        let mut slower = Vec::new();
        let mut noisy = 0;
        for cell in cells {
            let change = &cell.2.change;
            let corrected = change.chance.and_then(|_| corrected.next());
            let is_possible = change.least_chance * count as f64 <= left;
            if !is_possible {
                too_few = Some((count, least_samples(1.0 - left / count as f64)));
            }
            if change.ratio.median >= 1.0 - share {
                continue;
            }
            let is_apart = change.chance.is_some_and(|chance| chance <= left);
            let verdict = match change.verdict {
                Verdict::Same if is_apart && change.least_chance > 0.0 => Verdict::Slower,
                verdict => verdict,
            };
            noisy += usize::from(verdict == Verdict::Same && is_apart);
            let is_sure = match (verdict, corrected) {
                (Verdict::Slower, Some(chance)) => chance <= left || !is_possible,
                (Verdict::Slower | Verdict::Unknown, None) | (Verdict::Unknown, _) => true,
                (Verdict::Faster | Verdict::Same, _) => false,
            };
            if is_sure {
                slower.push(cell);
            }
        }
        Gate {
            slower,
            too_few,
            unsure,
            noisy,
        }
    }

    fn cells(&self) -> impl Iterator<Item = (&Compared, &Row, &Entry)> {
        self.compared.iter().flat_map(|compared| {
            let rows = compared.rows.iter();
            rows.flat_map(move |row| row.cells.iter().map(move |entry| (compared, row, entry)))
        })
    }
}
