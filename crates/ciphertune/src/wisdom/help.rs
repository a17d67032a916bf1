//! What threads gain in counter mode, and what a context makes of it.

use ciphertune_engine::{Implementation, Kernel};

use super::{Rates, Wisdom};
use crate::{Threads, parallel::Steps};

/// Whether threads help calls of one length in counter mode, and what speaks for it.
#[derive(Clone, Debug, PartialEq)]
pub struct Help {
    /// OpenSSL's name, as in `AES-128-CTR`.
    pub algorithm: String,
    /// Under which contract it was timed: [`AHEAD`] or [`SPLIT`].
    pub contract: String,
    /// Bytes of the calls that were timed.
    pub length: usize,
    /// Whose keystream it is.
    pub implementation: Implementation,
    /// Threads besides the one that calls: of the numbers tried, the best.
    pub workers: usize,
    /// Whether they are to be used: they win by more than the run could tell.
    pub pays: bool,
    /// How many times as fast it was with them as without.
    pub times: Rates,
}

/// The contract of streams for which keystream is made ahead: the thread that calls hashes each message too, as real
/// programs do.
pub const AHEAD: &str = "stream-sha256/1";

/// The contract of long calls that are split.
pub const SPLIT: &str = "stream/1";

impl Wisdom {
    /// The threads that pay for counter mode by the plan that [`Wisdom::plan`] makes of the same algorithm;
    /// [`Threads::NONE`] where nothing was measured.
    ///
    /// For calls from the shortest length on at which threads paid there and at all longer ones that were measured.
    pub fn threads(&self, algorithm: &str) -> Threads {
        let Some(plan) = self.plan::<Kernel>(algorithm, "encrypt", super::contract(algorithm)) else {
            return Threads::NONE;
        };
        let steps = |contract| {
            let mut measured: Vec<&Help> = self
                .help()
                .filter(|help| help.algorithm == algorithm && help.contract == contract)
                .filter(|help| help.implementation == plan.implementation(help.length))
                .collect();
            measured.sort_by_key(|help| help.length);
            let until = measured.iter().rposition(|help| !help.pays).map_or(0, |n| n + 1);
            Steps::new(measured[until..].iter().map(|help| (help.length, help.workers)))
        };
        Threads::by(steps(AHEAD), steps(SPLIT))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tuned::tuned;

    fn help(contract: &str, length: usize, workers: usize, pays: bool) -> Help {
        let times = Rates {
            low: 1.0,
            median: 1.5,
            high: 2.0,
        };
        Help {
            algorithm: "AES-128-CTR".to_owned(),
            contract: contract.to_owned(),
            length,
            implementation: Implementation::PORTABLE,
            workers,
            pays,
            times,
        }
    }

    fn wisdom(help: Vec<Help>) -> Wisdom {
        let mut tuning = tuned(
            &[["AES-128-CTR", "encrypt", "stream/1"]],
            Implementation::PORTABLE,
        );
        tuning.help = help;
        Wisdom::new(vec![tuning])
    }

    #[test]
    fn threads_help_from_where_they_pay_at_every_longer_length() {
        let measured = wisdom(vec![
            help(SPLIT, 4 << 20, 1, true),
            help(SPLIT, 1 << 18, 2, true),
            help(SPLIT, 1 << 20, 2, false),
            help(SPLIT, 16 << 20, 3, true),
            help(AHEAD, 32 << 10, 1, true),
        ]);
        let expected = Threads::by(
            Steps::new([(32 << 10, 1)]),
            Steps::new([(4 << 20, 1), (16 << 20, 3)]),
        );
        assert_eq!(measured.threads("AES-128-CTR"), expected);
        assert_eq!(measured.threads("AES-256-CTR"), Threads::NONE);
    }

    #[test]
    fn what_another_implementation_gained_says_nothing() {
        let other = Implementation::all()
            .iter()
            .find(|i| **i != Implementation::PORTABLE);
        let mut of_another = help(AHEAD, 32 << 10, 1, true);
        of_another.implementation = *other.unwrap();
        let none = Threads::by(Steps::new([]), Steps::new([]));
        assert_eq!(wisdom(vec![of_another]).threads("AES-128-CTR"), none);
    }
}
