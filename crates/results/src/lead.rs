//! When something is called faster than something else: one rule for what is chosen, advised and told.
use crate::Interval;

/// A lead of less is not worth a change, however sure it is.
pub const LEAST: f64 = 0.01;

/// What a lead has to exceed in a run that cannot tell less than `floor`, as a share.
pub fn least(floor: f64) -> f64 {
    floor.max(LEAST)
}

/// Whether to be so many times as fast is a lead: by more than `floor`, and by more than one per cent wherever in the
/// interval the truth lies.
pub fn is_lead(times: Interval, floor: f64) -> bool {
    times.low > 1.0 + LEAST && times.median > 1.0 + floor
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lead_is_beyond_one_per_cent_at_the_low_end_and_beyond_the_floor_in_the_middle() {
        for (low, median, floor, expected) in [
            (1.011, 1.2, 0.0, true),
            (1.009, 1.2, 0.0, false),
            (1.011, 1.019, 0.02, false),
            (1.011, 1.021, 0.02, true),
        ] {
            let times = Interval {
                low,
                median,
                high: 1.5,
            };
            assert_eq!(is_lead(times, floor), expected, "{times:?}, {floor}");
        }
    }
}
