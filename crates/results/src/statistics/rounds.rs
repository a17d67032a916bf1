//! What stands side by side in time: the quanta of one round follow each other at once, so that what a machine does to one
//! it mostly does to the others.

/// Of each process, in their order, what was timed in each round; `None` where nothing was that counts.
pub type Rounds = Vec<Vec<Option<f64>>>;

/// The logarithm of the second over the first, for each process, in each round that both have.
pub fn log_ratios(first: &Rounds, second: &Rounds) -> Vec<Vec<f64>> {
    let of_process = |(first, second): (&Vec<Option<f64>>, &Vec<Option<f64>>)| {
        let both = first
            .iter()
            .zip(second)
            .filter_map(|(first, second)| first.zip(*second));
        both.map(|(first, second)| (second / first).ln()).collect()
    };
    first.iter().zip(second).map(of_process).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_timed_in_the_same_round_of_the_same_process_is_paired() {
        let first = vec![
            vec![Some(1.0), Some(1.0)],
            vec![],
            vec![Some(4.0), None, Some(1.0)],
        ];
        let second = vec![vec![None, Some(2.0)], vec![Some(9.0)], vec![Some(2.0), Some(1.0)]];
        let ln2 = std::f64::consts::LN_2;
        assert_eq!(log_ratios(&first, &second), [vec![ln2], vec![], vec![-ln2]]);
    }
}
