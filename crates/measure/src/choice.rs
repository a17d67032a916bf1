//! Which implementation a cell should use.
use ciphertune_catalog::Task;
use ciphertune_results::{
    Figures, Interval,
    lead::is_lead,
    statistics::{Rounds, log_ratios, quantile},
};

use crate::statistics::{mean_over_processes, middle_over_processes, stabilised_quartiles};

/// What one cell should use, and how sure that is.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// What is done.
    pub task: Task,
    /// With how many bytes of additional data.
    pub aad: usize,
    /// The message length in bytes.
    pub length: usize,
    /// The implementation's id.
    pub chosen: String,
    /// Its figures.
    pub figures: Figures,
    /// The fastest of the others that could have been chosen.
    pub runner_up: Option<String>,
    /// How many times as fast as the runner-up, with its interval. Below 1 where the default stays
    /// although the runner-up was faster, by no more than the run can tell; a point where fewer than two processes timed
    /// both, of which nobody knows how sure that is.
    pub margin: Option<Interval>,
    /// How many times as fast as the default; 1 where the default is chosen, absent where it was not measured.
    pub over_default: Option<Interval>,
    /// Whether the run cannot tell the chosen and the runner-up apart.
    pub tie: bool,
}

/// [`Choice`] by numbers instead of names.
#[derive(Debug, PartialEq)]
pub(crate) struct Verdict {
    pub(crate) chosen: usize,
    pub(crate) runner_up: Option<usize>,
    pub(crate) margin: Option<Interval>,
    pub(crate) over_default: Option<Interval>,
    pub(crate) tie: bool,
}

/// Chooses among contenders, of whom each round's ticks per byte are known. The default stays unless a challenger is faster
/// by more than one per cent at the low end of the interval, and by more than `floor` in its middle; of several such
/// challengers the one with the fastest median wins. Where fewer than two processes timed both there is no interval, so that
/// the default stays, and it is a tie. `None` where nobody has samples.
pub(crate) fn choose(
    contenders: &[Rounds],
    default: Option<usize>,
    floor: f64,
    confidence: f64,
) -> Option<Verdict> {
    let mut ranking: Vec<(usize, f64)> = contenders
        .iter()
        .enumerate()
        .filter_map(|(n, contender)| Some((n, median_ticks(contender)?)))
        .collect();
    ranking.sort_by(|a, b| a.1.total_cmp(&b.1));
    let ranking: Vec<usize> = ranking.into_iter().map(|(n, _)| n).collect();
    let ratio = |a: usize, b: usize| times_as_fast(&contenders[a], &contenders[b], confidence);

    let default = default.filter(|default| ranking.contains(default));
    let (chosen, over_default) = match default {
        None => (*ranking.first()?, None),
        Some(default) => ranking
            .iter()
            .take_while(|&&n| n != default)
            .find_map(|&challenger| {
                let lead = ratio(challenger, default)?;
                is_lead(lead, floor).then_some((challenger, Some(lead)))
            })
            .unwrap_or((default, Some(SAME))),
    };
    let runner_up = ranking.iter().copied().find(|&n| n != chosen);
    let sure = runner_up.and_then(|runner_up| ratio(chosen, runner_up));
    let unsure = || roughly(&contenders[chosen], &contenders[runner_up?]);
    Some(Verdict {
        chosen,
        runner_up,
        margin: sure.or_else(unsure),
        over_default,
        tie: runner_up.is_some() && sure.is_none_or(|margin| !is_lead(margin, floor)),
    })
}

/// Of several ways to help the last contender: the best, how many times as fast as the last it is, and whether it wins by
/// as much, which of fewer than two processes nobody knows.
pub(crate) fn gain(contenders: &[Rounds], floor: f64, confidence: f64) -> Option<(usize, Interval, bool)> {
    let alone = contenders.len().checked_sub(1)?;
    let median = |n: &usize| median_ticks(&contenders[*n]).unwrap_or(f64::INFINITY);
    let best = (0..alone).min_by(|a, b| median(a).total_cmp(&median(b)))?;
    let [best_of_all, alone] = [best, alone].map(|n| &contenders[n]);
    match times_as_fast(best_of_all, alone, confidence) {
        Some(times) => Some((best, times, is_lead(times, floor))),
        None => Some((best, roughly(best_of_all, alone)?, false)),
    }
}

const SAME: Interval = Interval {
    low: 1.0,
    median: 1.0,
    high: 1.0,
};

fn median_ticks(rounds: &Rounds) -> Option<f64> {
    let ticks: Vec<f64> = rounds.iter().flatten().flatten().copied().collect();
    Some(stabilised_quartiles(&ticks)?.median)
}

/// How many times as fast the first is as the second. `None` unless two processes timed both.
fn times_as_fast(first: &Rounds, second: &Rounds, confidence: f64) -> Option<Interval> {
    let times = mean_over_processes(&log_ratios(first, second), confidence).map(Interval::exp);
    times.filter(|times| times.low > 0.0 && times.high.is_finite())
}

/// The same by one process too, of which nobody knows how sure it is.
fn roughly(first: &Rounds, second: &Rounds) -> Option<Interval> {
    middle_over_processes(&log_ratios(first, second)).map(|log| Interval::point(log.exp()))
}

/// What this run cannot tell apart, from the cells in which one implementation ran as two candidates: in nine
/// of ten cells they differed by no more than this share. `None` where there is no such cell.
pub(crate) fn floor(controls: impl Iterator<Item = [Rounds; 2]>, confidence: f64) -> Option<f64> {
    let cells: Vec<_> = controls
        .filter_map(|[one, other]| {
            let ratios = log_ratios(&one, &other);
            Some((middle_over_processes(&ratios)?, ratios))
        })
        .collect();
    // That a few agreed may be luck: then they count by how far they may be apart.
    let is_few = cells.len() < 10;
    let differences = cells.iter().map(|(middle, ratios)| {
        let sure = mean_over_processes(ratios, confidence).filter(|_| is_few);
        sure.map_or(middle.abs(), |sure| sure.high.max(-sure.low))
    });
    let floor = quantile(differences.collect(), 0.9).map(f64::exp_m1);
    // Two processes that disagree are, at great confidence, anything apart.
    floor.filter(|floor| floor.is_finite())
}

#[cfg(test)]
mod tests {
    use ciphertune_testkit::Random;

    use super::*;

    /// Three processes of ten rounds: what a round and a process do to everyone, and noise of `noise`.
    fn rounds(ticks: f64, noise: f64, random: &mut Random) -> Rounds {
        let mut shared = Random::new(99);
        let mut round = |_| Some(ticks * (1.0 + 0.3 * shared.unit()) * (1.0 + noise * (random.unit() - 0.5)));
        (0..3).map(|_| (0..10).map(&mut round).collect()).collect()
    }

    fn verdict(all: &[Rounds], default: Option<usize>, floor: f64) -> Verdict {
        choose(all, default, floor, 0.95).unwrap()
    }

    #[test]
    fn a_default_planted_slower_by_a_fifth_is_found_behind_noise_that_all_share() {
        let mut random = Random::new(1);
        let all = [
            rounds(1.2, 0.02, &mut random),
            rounds(1.0, 0.02, &mut random),
            rounds(1.5, 0.02, &mut random),
        ];
        let verdict = verdict(&all, Some(0), 0.003);
        assert_eq!(
            (verdict.chosen, verdict.runner_up, verdict.tie),
            (1, Some(0), false)
        );
        let lead = verdict.over_default.unwrap();
        assert!(
            lead.low < 1.2 && 1.2 < lead.high + 0.01 && lead.low > 1.18,
            "{lead:?}"
        );
        assert!((verdict.margin.unwrap().median - 1.2).abs() < 0.01);
    }

    #[test]
    fn the_same_twice_is_a_tie_and_the_default_stays() {
        for seed in 0..20 {
            let mut random = Random::new(seed);
            let all = [rounds(1.0, 0.02, &mut random), rounds(1.0, 0.02, &mut random)];
            for default in [0, 1] {
                let verdict = verdict(&all, Some(default), 0.003);
                assert_eq!((verdict.chosen, verdict.tie), (default, true));
                assert_eq!(verdict.over_default, Some(SAME));
            }
        }
    }

    #[test]
    fn a_lead_within_one_per_cent_or_the_floor_changes_nothing() {
        let mut random = Random::new(1);
        let all = [rounds(1.03, 0.001, &mut random), rounds(1.0, 0.001, &mut random)];
        assert_eq!(verdict(&all, Some(0), 0.0).chosen, 1);
        assert_eq!(verdict(&all, Some(0), 0.05).chosen, 0);
        let near = [rounds(1.008, 0.001, &mut random), rounds(1.0, 0.001, &mut random)];
        let verdict = verdict(&near, Some(0), 0.0);
        assert_eq!((verdict.chosen, verdict.tie), (0, true));
        assert!(verdict.margin.unwrap().median < 1.0);
    }

    #[test]
    fn a_challenger_that_leads_in_two_processes_and_loses_in_one_does_not_win() {
        let mut random = Random::new(1);
        let default = rounds(1.0, 0.01, &mut random);
        let mut challenger = rounds(0.9, 0.01, &mut random);
        for ticks in challenger[2].iter_mut().flatten() {
            *ticks *= 1.3;
        }
        let verdict = verdict(&[default, challenger], Some(0), 0.003);
        assert_eq!((verdict.chosen, verdict.tie), (0, true));
    }

    #[test]
    fn a_challenger_that_leads_in_the_only_process_of_both_does_not_win() {
        // As far apart as they may be, and as often as may be.
        let only_process = |ticks: f64, quanta| vec![vec![], vec![Some(ticks); quanta], vec![]];
        for quanta in [1, 18] {
            let all = [only_process(1.5, quanta), only_process(1.0, quanta)];
            let verdict = verdict(&all, Some(0), 0.005);
            assert_eq!((verdict.chosen, verdict.tie), (0, true));
            assert_eq!(verdict.over_default, Some(SAME));
            let margin = verdict.margin.unwrap();
            assert!(
                margin.is_point() && (margin.median * 1.5 - 1.0).abs() < 1e-9,
                "{margin:?}"
            );

            let (best, times, pays) = gain(&[all[1].clone(), all[0].clone()], 0.005, 0.95).unwrap();
            assert!(
                best == 0 && times.is_point() && (times.median - 1.5).abs() < 1e-9,
                "{times:?}"
            );
            assert!(!pays, "one process says nothing of others");
        }
        // None that timed both: not even a guess.
        let one = vec![vec![Some(1.5)], vec![]];
        let other = vec![vec![], vec![Some(1.0)]];
        let verdict = verdict(&[one, other], Some(0), 0.005);
        assert_eq!((verdict.chosen, verdict.margin, verdict.tie), (0, None, true));
    }

    #[test]
    fn a_default_that_was_not_measured_makes_way_for_the_fastest() {
        let mut random = Random::new(1);
        let all = [rounds(1.0, 0.01, &mut random), Vec::new()];
        let verdict = verdict(&all, Some(1), 0.003);
        assert_eq!(
            verdict,
            Verdict {
                chosen: 0,
                runner_up: None,
                margin: None,
                over_default: None,
                tie: false
            }
        );
        assert_eq!(choose(&[], None, 0.0, 0.95), None);
    }

    #[test]
    fn help_pays_where_it_wins_by_more_than_the_run_can_tell() {
        let gain = |ticks: &[f64], floor| {
            let mut random = Random::new(1);
            let all: Vec<_> = ticks
                .iter()
                .map(|&ticks| rounds(ticks, 0.01, &mut random))
                .collect();
            let (best, times, pays) = gain(&all, floor, 0.95).unwrap();
            (best, (100.0 * times.median).round(), pays)
        };
        assert_eq!(gain(&[0.8, 0.5, 1.0], 0.05), (1, 200.0, true));
        assert_eq!(gain(&[0.5, 1.0], 1.1), (0, 200.0, false));
        assert_eq!(gain(&[2.0, 4.0, 1.0], 0.0), (0, 50.0, false));
        assert!(super::gain(&[], 0.0, 0.95).is_none());
    }

    #[test]
    fn the_floor_is_what_nine_cells_of_ten_stay_within() {
        let flat = |ticks: f64| vec![vec![Some(ticks); 5]];
        let sign = |n| if n % 2 == 0 { 1.0 } else { -1.0 };
        // Of fewer than ten that is all of them.
        for (cells, within) in [(1, 0.0), (7, 0.006), (9, 0.008), (10, 0.008), (11, 0.009)] {
            let pairs = (0..cells).map(|n| [flat(1.0), flat((sign(n) * f64::from(n) / 1000.0).exp())]);
            let floor = floor(pairs, 0.95).unwrap();
            assert!((floor - f64::exp_m1(within)).abs() < 1e-9, "{cells}: {floor}");
        }
    }

    #[test]
    fn two_processes_that_may_be_anything_apart_tell_no_floor() {
        let processes = |ticks: [f64; 2]| ticks.map(|ticks| vec![Some(ticks); 5]).to_vec();
        let apart = [processes([0.5, 2.0]), processes([1.0; 2])];
        assert!(floor([apart.clone()].into_iter(), 0.95).is_some());
        assert_eq!(floor([apart].into_iter(), 0.999_999_999), None);
    }

    #[test]
    fn that_a_few_cells_agree_on_the_whole_does_not_make_processes_agree() {
        let apart = |share: f64| {
            let ticks = [1.0 - share, 1.0 + share, 1.0 - share, 1.0 + share, 1.0];
            [ticks, [1.0; 5]].map(|ticks| ticks.map(|ticks| vec![Some(ticks); 5]).to_vec())
        };
        let floor = |cells| floor((0..cells).map(|_| apart(0.05)), 0.95).unwrap();
        assert!(floor(1) > 0.05 && floor(9) > 0.05, "{} {}", floor(1), floor(9));
        assert!(floor(10) < 0.01, "{}", floor(10));
    }
}
