//! How many calls make a quantum, how many quanta a candidate gets, and in which order.
use ciphertune_testkit::Random;

/// A candidate's share of a cell, in one process.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Pace {
    /// Calls a quantum, before the jitter.
    pub(crate) calls: u64,
    /// Untimed calls before each quantum.
    pub(crate) warm: u64,
    /// Rounds in which it takes part.
    pub(crate) rounds: u32,
    /// The first so many processes are those in which it takes part, unless its rate has to become steady.
    pub(crate) processes: u32,
}

/// What the calls of a candidate cost, and what it is there for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Load {
    /// Infinite where it cannot be timed; so are those per byte.
    pub(crate) ticks_per_call: f64,
    pub(crate) ticks_per_byte: f64,
    pub(crate) role: Role,
    /// Calls until it goes at its lasting speed. As many go before a quantum, which has four times as many.
    pub(crate) settling: u64,
    /// It goes by keys of two halves: a call takes long, and little memory.
    pub(crate) by_keys: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Role {
    /// It may be chosen.
    Selectable,
    /// It is there to be compared with.
    Compared,
    /// It measures the machine.
    Probe,
}

/// A cell's rounds and the pace of each of its candidates.
///
/// `budget` is what one candidate may take in this process, in ticks; `second` is a second in ticks.
pub(crate) fn paces(loads: &[Load], budget: f64, second: f64) -> (u32, Vec<Pace>) {
    let by_keys = loads.iter().any(|load| load.by_keys);
    let (longest, warm_part) = match by_keys {
        true => (LONGEST_BY_KEYS, WARM_PART_BY_KEYS),
        false => (LONGEST, WARM_PART),
    };
    let quantum = (budget / 10.0).clamp(SHORTEST * second, longest * second);
    let least = |field: fn(&Load) -> f64, of: fn(Role) -> bool| {
        loads
            .iter()
            // By what cannot be timed nothing is measured.
            .filter(|load| load.ticks_per_call.is_finite() && of(load.role))
            .map(field)
            .min_by(f64::total_cmp)
    };
    let reference = |field: fn(&Load) -> f64| {
        least(field, |role| role == Role::Selectable).or_else(|| least(field, |role| role != Role::Probe))
    };
    let best_call = reference(|load| load.ticks_per_call).unwrap_or(0.0);
    let best_byte = reference(|load| load.ticks_per_byte).unwrap_or(f64::INFINITY);

    // A call that fills several quanta is one by itself.
    let is_long = |ticks_per_call: f64| ticks_per_call > LONG_CALL * quantum.min(LONGEST * second);
    let few_calls = |ticks_per_call| match (is_long(ticks_per_call), by_keys) {
        (true, _) => 1,
        (false, true) => FEW_CALLS_BY_KEYS,
        (false, false) => FEW_CALLS,
    };
    let quantum_of_best = (quantum * (1.0 + JITTER / 2.0)).max(few_calls(best_call) as f64 * best_call);
    let fewest_rounds = if best_call > budget { 1 } else { FEWEST_ROUNDS };
    let rounds = ((budget / quantum_of_best).round() as u32).max(fewest_rounds);
    let paces = loads
        .iter()
        .map(|load| {
            let far_behind =
                !by_keys && load.role != Role::Probe && load.ticks_per_byte > FAR_BEHIND * best_byte;
            let filled = match far_behind {
                true => (quantum / 2.0).max(SHORTEST * second),
                false => quantum,
            };
            let fit = (filled / load.ticks_per_call.max(1e-9)).ceil() as u64;
            // Slower code takes no longer for its few calls than the best: there are as many rounds for either.
            let few = match far_behind {
                true => 1,
                false if by_keys => few_calls(load.ticks_per_call),
                false => few_calls(load.ticks_per_call)
                    .min((quantum_of_best / load.ticks_per_call.max(1e-9)).ceil() as u64),
            };
            let calls = fit.max(few).max(4 * load.settling);
            let one_long_call = far_behind && calls == 1 && is_long(load.ticks_per_call);
            let warm_by_itself = match by_keys {
                true => calls == 1 && is_long(load.ticks_per_call),
                false => {
                    load.ticks_per_byte > SLOWEST_MEMORY * second
                        && load.ticks_per_call > LONG_FOR_MEMORY * second
                }
            };
            Pace {
                calls,
                warm: match one_long_call || warm_by_itself {
                    true => load.settling,
                    false => (calls / warm_part).max(load.settling).max(1),
                },
                rounds: match load.role {
                    _ if one_long_call => 1,
                    _ if far_behind => ROUNDS_FAR_BEHIND,
                    _ if by_keys => rounds.min((budget / (calls as f64 * load.ticks_per_call)).ceil() as u32),
                    Role::Probe => (rounds / PROBED_PART).max(fewest_rounds),
                    _ => rounds,
                },
                processes: if one_long_call { FEWEST_PROCESSES } else { u32::MAX },
            }
        })
        .collect();
    (rounds, paces)
}

/// Seconds of the shortest quantum: several thousand times the timer's own cost.
const SHORTEST: f64 = 0.2e-3;

/// Seconds of the longest, unless a few calls take longer.
const LONGEST: f64 = 1e-3;

/// The same by keys, whose calls are warm later.
const LONGEST_BY_KEYS: f64 = 4e-3;

/// A quantum has at least so many calls of a candidate that could win, unless they are long ones.
const FEW_CALLS: u64 = 3;

/// By keys there is little else to do in a cell, so that the call before them counts for more.
const FEW_CALLS_BY_KEYS: u64 = 8;

/// The share by which a quantum is longer, at most.
const JITTER: f64 = 0.2;

/// A call that takes more quanta than this is long.
const LONG_CALL: f64 = 4.0;

/// What is slower than the best by more than this cannot win, and gets few quanta, half as long.
const FAR_BEHIND: f64 = 3.0;

const ROUNDS_FAR_BEHIND: u32 = 2;

/// Enough to see a spread between processes, for what is far behind and takes as long for one call as others for all of
/// theirs.
const FEWEST_PROCESSES: u32 = 3;

/// Too few to see a spread otherwise. Where a single call of the best takes more than a process may spend on it, the
/// processes alone show the spread: that call is the mean of as much time as all quanta of a shorter message.
const FEWEST_ROUNDS: u32 = 3;

/// Of a cell's rounds one part in so many is enough for the machine's limits: there are several of them, and they are
/// the same in many cells.
const PROBED_PART: u32 = 6;

/// Of the calls in a quantum one part in so many runs before it, untimed: the candidate before has filled the
/// caches with its own code and keys.
const WARM_PART: u64 = 16;

/// Of quanta four times as long a quarter takes as long.
const WARM_PART_BY_KEYS: u64 = 4 * WARM_PART;

/// Seconds a byte of code for which all memory is fast enough.
const SLOWEST_MEMORY: f64 = 0.5e-9;

/// A call of such code that takes longer, in seconds, is warm when it is through with a small part of itself: a mebibyte at
/// 2 GB/s from a cold cache is off by a percent, of one call in two or three. By keys any long call is.
const LONG_FOR_MEMORY: f64 = 0.5e-3;

impl Pace {
    /// With quanta a third as long, and of a single call, or of three by keys, where they have few.
    pub(crate) fn shortened(self) -> Self {
        Self {
            calls: self.calls.div_ceil(FEW_CALLS),
            ..self
        }
    }

    /// Whether it takes part in a round, so that its rounds are spread evenly over all of them.
    pub(crate) fn takes_part(&self, round: u32, of: u32) -> bool {
        let (round, of, mine) = (u64::from(round), u64::from(of), u64::from(self.rounds));
        mine >= of || round * mine % of < mine
    }

    /// Whether it is far behind, and takes as long for one call as others for all of theirs.
    pub(crate) fn is_hopeless(&self) -> bool {
        self.processes == FEWEST_PROCESSES
    }

    /// The calls of one quantum, longer by a random part: a fixed length could fall into step with something periodic
    /// on the machine.
    pub(crate) fn jittered(&self, random: &mut Random) -> u64 {
        self.calls + (self.calls as f64 * random.unit() * JITTER) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: f64 = 1e9;

    fn load(ns_per_call: f64, bytes: f64, role: Role) -> Load {
        Load {
            ticks_per_call: ns_per_call,
            ticks_per_byte: ns_per_call / bytes,
            role,
            settling: 0,
            by_keys: false,
        }
    }

    #[test]
    fn short_messages_fill_quanta_and_the_budget() {
        let loads = [
            load(10.0, 16.0, Role::Selectable),
            load(25.0, 16.0, Role::Compared),
        ];
        let (rounds, paces) = paces(&loads, 2.5e6, SECOND);
        assert_eq!(rounds, 9);
        assert_eq!(
            paces,
            [
                Pace {
                    calls: 25_000,
                    warm: 1562,
                    rounds: 9,
                    processes: u32::MAX
                },
                Pace {
                    calls: 10_000,
                    warm: 625,
                    rounds: 9,
                    processes: u32::MAX
                },
            ]
        );
    }

    #[test]
    fn what_is_timed_takes_what_was_asked_for_and_the_limits_less() {
        let loads = [load(10.0, 16.0, Role::Selectable), load(10.0, 16.0, Role::Probe)];
        let (_, paces) = paces(&loads, 20e6, SECOND);
        let mut random = Random::new(1);
        let mut timed = |pace: Pace| (0..pace.rounds).map(|_| pace.jittered(&mut random)).sum::<u64>() * 10;
        let least = timed(paces[0]);
        assert!((19_000_000..21_000_000).contains(&least), "{least}");
        assert_eq!((paces[0].rounds, paces[1].rounds), (18, 3));
    }

    #[test]
    fn quanta_stay_between_their_limits() {
        let loads = [load(1000.0, 16384.0, Role::Selectable)];
        let (rounds, paced) = paces(&loads, 1e9, SECOND);
        assert_eq!((rounds, paced[0].calls), (909, 1000));
        let (rounds, paced) = paces(&loads, 1e3, SECOND);
        assert_eq!((rounds, paced[0].calls), (3, 200));
    }

    #[test]
    fn long_messages_get_a_few_calls_and_slow_code_a_single_one() {
        let bytes = 16.0 * 1048576.0;
        let loads = [
            load(0.4e6, bytes, Role::Selectable),
            load(1.0e6, bytes, Role::Compared),
            load(1.4e6, bytes, Role::Compared),
            load(60e6, bytes, Role::Selectable),
            load(0.2e6, bytes, Role::Probe),
        ];
        let (rounds, paces) = paces(&loads, 2.5e6, SECOND);
        assert_eq!(rounds, 3);
        assert_eq!(
            paces[0],
            Pace {
                calls: 3,
                warm: 1,
                rounds: 3,
                processes: u32::MAX
            }
        );
        assert_eq!(
            paces[1],
            Pace {
                calls: 2,
                warm: 1,
                rounds: 3,
                processes: u32::MAX
            }
        );
        assert_eq!(
            paces[2],
            Pace {
                calls: 1,
                warm: 0,
                rounds: 1,
                processes: 3
            }
        );
        assert_eq!(
            paces[3],
            Pace {
                calls: 1,
                warm: 0,
                rounds: 1,
                processes: 3
            }
        );
        assert_eq!(
            paces[4],
            Pace {
                calls: 3,
                warm: 1,
                rounds: 3,
                processes: u32::MAX
            }
        );
    }

    #[test]
    fn a_call_that_fills_several_quanta_is_one_by_itself() {
        // Of 16 MiB: AES-CTR without vectors, and CBC encryption, which needs no warm memory.
        for (ns_per_call, warm) in [(6e6, 1), (14e6, 0)] {
            let loads = [load(ns_per_call, 16.0 * 1048576.0, Role::Selectable)];
            let (rounds, paces) = paces(&loads, 20e6, SECOND);
            assert_eq!(rounds, 3);
            assert_eq!(
                (paces[0].calls, paces[0].warm, paces[0].processes),
                (1, warm, u32::MAX)
            );
        }
    }

    #[test]
    fn code_slower_than_memory_needs_no_warm_call_if_it_is_a_long_one() {
        // SHA-256 of a mebibyte and of 16 KiB, and counter mode of 16 MiB.
        for (ns_per_call, bytes, expected) in [
            (0.6e6, 1048576.0, (3, 0)),
            (9e3, 16384.0, (112, 7)),
            (0.6e6, 16.0 * 1048576.0, (3, 1)),
        ] {
            let (_, paces) = paces(&[load(ns_per_call, bytes, Role::Selectable)], 20e6, SECOND);
            assert_eq!((paces[0].calls, paces[0].warm), expected, "{ns_per_call}");
        }
    }

    #[test]
    fn a_call_that_takes_all_the_time_there_is_comes_once_in_each_process() {
        // SHA-256 of 16 MiB.
        let bytes = 16.0 * 1048576.0;
        let loads = [
            load(40e6, bytes, Role::Compared),
            load(50e6, bytes, Role::Compared),
        ];
        let (rounds, paces) = paces(&loads, 20e6, SECOND);
        assert_eq!(rounds, 1);
        for pace in paces {
            assert_eq!((pace.calls, pace.warm, pace.processes), (1, 0, u32::MAX));
        }
    }

    #[test]
    fn code_far_behind_the_best_that_may_be_chosen_gets_few_quanta() {
        let loads = [
            load(10.0, 16.0, Role::Compared),
            load(40.0, 16.0, Role::Selectable),
            load(119.0, 16.0, Role::Compared),
            load(121.0, 16.0, Role::Compared),
        ];
        let (_, paces) = paces(&loads, 2.5e6, SECOND);
        let rounds: Vec<u32> = paces.iter().map(|pace| pace.rounds).collect();
        assert_eq!(rounds, [9, 9, 9, 2]);
        assert_eq!((paces[2].calls, paces[3].calls), (2101, 1653));
    }

    #[test]
    fn what_takes_time_to_settle_has_it_before_and_a_longer_quantum() {
        let settling = Load {
            settling: 32,
            ..load(10_000.0, 32768.0, Role::Selectable)
        };
        let (_, paces) = paces(&[settling], 2.5e6, SECOND);
        assert_eq!((paces[0].calls, paces[0].warm), (128, 32));
    }

    #[test]
    fn by_keys_slow_code_has_its_time_and_a_small_part_of_it_is_warm() {
        // RSA verified, ECDSA on one curve and on another, RSA signed, and by libraries without assembly.
        let loads = [0.01e6, 0.4e6, 0.8e6, 1.5e6, 5e6, 30e6].map(|ns_per_call| Load {
            by_keys: true,
            ..load(ns_per_call, 1.0, Role::Compared)
        });
        let (rounds, paces) = paces(&loads, 20e6, SECOND);
        let paces = paces.iter().map(|pace| (pace.calls, pace.warm, pace.rounds));
        assert_eq!(rounds, 9);
        assert_eq!(
            Vec::from_iter(paces),
            [(200, 3, 9), (8, 1, 7), (8, 1, 4), (8, 1, 2), (1, 0, 4), (1, 0, 1)]
        );
    }

    #[test]
    fn nothing_selectable_is_no_reason_to_time_all_of_them_briefly() {
        let loads = [load(10.0, 16.0, Role::Compared), load(50.0, 16.0, Role::Compared)];
        let (_, paces) = paces(&loads, 2.5e6, SECOND);
        assert_eq!((paces[0].rounds, paces[1].rounds), (9, 2));
    }

    #[test]
    fn what_cannot_be_timed_sets_nobodys_pace() {
        let lost = load(f64::INFINITY, 1.0, Role::Selectable);
        let others = [load(10.0, 16.0, Role::Compared), load(50.0, 16.0, Role::Compared)];
        let alone = paces(&others, 2.5e6, SECOND);
        let (rounds, beside) = paces(&[&others[..], &[lost]].concat(), 2.5e6, SECOND);
        assert_eq!((rounds, &beside[..2]), (alone.0, &alone.1[..]));
        // Where another may be chosen, that one is the best.
        let slower = load(40.0, 16.0, Role::Selectable);
        let (_, paces) = paces(&[lost, slower, others[1]], 2.5e6, SECOND);
        assert_eq!((paces[1].rounds, paces[2].rounds), (9, 9));
    }

    #[test]
    fn rounds_are_spread_evenly_and_number_what_was_said() {
        for of in 1..40 {
            for rounds in 1..=of {
                let pace = Pace {
                    calls: 1,
                    warm: 1,
                    rounds,
                    processes: u32::MAX,
                };
                let taken = (0..of).filter(|&round| pace.takes_part(round, of)).count();
                assert_eq!(taken as u32, rounds, "{rounds} of {of}");
            }
        }
    }

    #[test]
    fn the_jitter_is_up_to_a_fifth_and_uses_all_of_it() {
        let pace = Pace {
            calls: 100,
            warm: 1,
            rounds: 1,
            processes: u32::MAX,
        };
        let mut random = Random::new(3);
        let drawn: Vec<u64> = (0..1000).map(|_| pace.jittered(&mut random)).collect();
        assert_eq!(drawn.iter().min(), Some(&100));
        assert_eq!(drawn.iter().max(), Some(&119));
    }
}
