//! What a mix of messages costs: from the cells of its lengths to packets a second.
use ciphertune_results::{Cell, Figures};

use crate::{
    block::{Block, Entry, Kind, Line, Mark, bare},
    text::plain,
    units::{length, significant},
};

/// One length of a mix, and how many of its messages have it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Portion {
    /// Bytes.
    pub length: u64,
    /// Compared with the other portions.
    pub weight: f64,
}

/// The table of one group of cells, an implementation a line, fastest first; `None` where none has a figure for each
/// length, or there is no mix. `rows` are the implementations and their cells.
pub(crate) fn block<'a>(
    title: &str,
    mix: &[Portion],
    rows: impl Iterator<Item = (&'a str, Vec<&'a Cell>)>,
) -> Option<Block> {
    let bits = 8.0 * mean(mix, |portion| Some(portion.length as f64))?;
    let mut costs: Vec<(&str, Cost)> = rows
        .filter_map(|(name, cells)| Some((name, cost(mix, &cells)?)))
        .collect();
    costs.sort_by(|(_, a), (_, b)| a.median.total_cmp(&b.median));
    let fastest = costs.first()?.1.median;
    let line = |(name, cost): &(&str, Cost)| Line {
        kind: Kind::Rates,
        label: plain(name),
        entries: vec![
            Entry {
                mark: if cost.median == fastest {
                    Mark::Fastest
                } else {
                    Mark::None
                },
                text: significant(cost.median),
                aside: cost.ends.map(|ends| ends.map(significant).join("-")),
            },
            bare(significant(bits / cost.median)),
            bare(significant(1e3 / cost.median)),
        ],
    };
    let parts: Vec<String> = mix
        .iter()
        .map(|portion| format!("{} × {}", portion.weight, length(portion.length)))
        .collect();
    // In brackets as a message's time beside its rate, which in the table above is no interval.
    let each = match costs.iter().any(|(_, cost)| cost.ends.is_some()) {
        true => "ns per packet (interval)",
        false => "ns per packet",
    };
    Some(Block {
        title: format!("{title}: a mix of {}", parts.join(", ")),
        unit: "on average",
        columns: [each, "Gbit/s", "million packets/s"].map(str::to_owned).into(),
        lines: costs.iter().map(line).collect(),
        notes: Vec::new(),
    })
}

/// Nanoseconds a message.
struct Cost {
    median: f64,
    ends: Option<[f64; 2]>,
}

/// What the lengths' own figures come to. The interval is as wide as if all were off to the same side at once; there is
/// none where a length has none.
fn cost(mix: &[Portion], cells: &[&Cell]) -> Option<Cost> {
    let figures = |portion: &Portion| -> Option<&Figures> {
        let cell = cells.iter().find(|cell| cell.length == portion.length)?;
        cell.figures.as_ref()
    };
    let at = |rate: fn(&Figures) -> f64| {
        mean(mix, |portion| {
            Some(1e9 * portion.length as f64 / rate(figures(portion)?))
        })
    };
    let is_sure = |portion| figures(portion).is_some_and(|figures| !figures.bytes_per_second.is_point());
    let ends = [
        at(|figures| figures.bytes_per_second.high)?,
        at(|figures| figures.bytes_per_second.low)?,
    ];
    Some(Cost {
        median: at(|figures| figures.bytes_per_second.median)?,
        ends: mix.iter().all(is_sure).then_some(ends),
    })
}

/// The weighted mean over a mix of something that each portion has; `None` where one lacks it, or there is no portion.
fn mean(mix: &[Portion], of: impl Fn(&Portion) -> Option<f64>) -> Option<f64> {
    mix.first()?;
    let sum = mix
        .iter()
        .try_fold(0.0, |sum, portion| Some(sum + portion.weight * of(portion)?))?;
    Some(sum / mix.iter().map(|portion| portion.weight).sum::<f64>())
}
