//! What the types alone cannot promise: the reader and the writer both refuse a line that breaks these rules.
use crate::{Bound, Cell, FORMAT, Interval, Line, Machine, Spread, Status, date::is_utc};

/// Says what is wrong with a line, in words that fit behind "line 7: ".
pub(crate) fn check(line: &Line) -> Result<(), String> {
    match line {
        Line::Machine(machine) => check_machine(machine),
        Line::Bound(bound) => check_bound(bound),
        Line::Cell(cell) => check_cell(cell),
    }
}

fn check_machine(machine: &Machine) -> Result<(), String> {
    if machine.format == 0 || machine.format > FORMAT {
        return Err(format!(
            "format is {}; this version knows 1 to {FORMAT}",
            machine.format
        ));
    }
    if !is_utc(&machine.date) {
        return Err(format!(
            "date must be a time in UTC, as in 2026-01-02T03:04:05Z, not {:?}",
            machine.date
        ));
    }
    optional("tsc_hz", machine.tsc_hz)?;
    optional("core_hz", machine.core_hz)?;
    share("noise_floor", machine.noise_floor)?;
    share("stolen", machine.stolen)?;
    if let Some(confidence) = machine
        .confidence
        .filter(|&confidence| !(confidence > 0.0 && confidence < 1.0))
    {
        return Err(format!("confidence must be between 0 and 1, not {confidence}"));
    }
    share("timed_share", machine.timed_share)
}

fn check_bound(bound: &Bound) -> Result<(), String> {
    check_interval(&bound.bytes_per_second)?;
    optional("per_cycle", bound.per_cycle)
}

fn check_cell(cell: &Cell) -> Result<(), String> {
    if cell.length == 0 || cell.threads == 0 {
        return Err("length and threads must be at least 1".into());
    }
    if cell.workers >= cell.threads {
        return Err("one of the threads at least must be no worker".into());
    }
    if cell.status != Status::Ok && cell.reason.is_none() {
        return Err("a cell whose status is not ok must give its reason".into());
    }
    if cell.chosen && !(cell.selectable && cell.status == Status::Ok) {
        return Err("chosen is true, but only a selectable cell with status ok can be chosen".into());
    }
    let figures = match (&cell.figures, cell.status) {
        (Some(figures), Status::Ok) => figures,
        (None, Status::Ok) => return Err("status is ok, but the figures are missing".into()),
        (Some(_), _) => return Err("only a cell with status ok can have figures".into()),
        (None, _) => return Ok(()),
    };
    check_interval(&figures.bytes_per_second)?;
    figures.spread.as_ref().map_or(Ok(()), check_spread)?;
    positive("ns_per_byte", figures.ns_per_byte)?;
    optional("tsc_ticks_per_byte", figures.tsc_ticks_per_byte)?;
    optional("cycles_per_byte", figures.cycles_per_byte)?;
    optional("bound_share", figures.bound_share)?;
    let replicates = figures.replicates.iter().flatten();
    replicates
        .copied()
        .try_for_each(|rate| positive("replicates", rate))?;
    let mut rounds = figures.rounds.iter().flatten().flatten();
    rounds.try_for_each(|&rate| positive("rounds", rate))
}

fn check_interval(rate: &Interval) -> Result<(), String> {
    // Where the ends are left out they are the median.
    positive("bytes_per_second.median", rate.median)?;
    positive("bytes_per_second.low", rate.low)?;
    positive("bytes_per_second.high", rate.high)?;
    if rate.low <= rate.median && rate.median <= rate.high {
        return Ok(());
    }
    Err(format!(
        "bytes_per_second must have low <= median <= high, not {}, {}, {}",
        rate.low, rate.median, rate.high
    ))
}

fn check_spread(spread: &Spread) -> Result<(), String> {
    positive("spread.low", spread.low)?;
    positive("spread.high", spread.high)?;
    if spread.low <= spread.high {
        return Ok(());
    }
    Err(format!(
        "spread must have low <= high, not {}, {}",
        spread.low, spread.high
    ))
}

fn share(field: &str, value: Option<f64>) -> Result<(), String> {
    match value {
        Some(share) if !(share >= 0.0 && share.is_finite()) => {
            Err(format!("{field} must be a share, not {share}"))
        }
        _ => Ok(()),
    }
}

fn optional(field: &str, value: Option<f64>) -> Result<(), String> {
    value.map_or(Ok(()), |value| positive(field, value))
}

/// What no machine has is none of its figures, and a product of several stays a number.
pub(crate) fn is_possible(value: f64) -> bool {
    (1e-30..=1e30).contains(&value)
}

fn positive(field: &str, value: f64) -> Result<(), String> {
    if is_possible(value) {
        return Ok(());
    }
    Err(format!(
        "{field} must be a positive number, from 1e-30 to 1e30, not {value:?}"
    ))
}
