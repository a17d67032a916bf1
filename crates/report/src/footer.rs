//! What stands once, below all tables of a run: the marks, what was skipped, and the machine.
use ciphertune_results::{Bound, Cell, Machine, Run, Status};

use crate::{
    block::{Block, Mark, Note, at, is_counted},
    libraries,
    text::plain,
    units::{counted, frequency, length, rate, significant},
};

/// Whether a mark stands anywhere and has to be explained.
pub(crate) fn is_used(mark: Mark, blocks: &[Block]) -> bool {
    blocks
        .iter()
        .flat_map(|block| &block.lines)
        .flat_map(|line| &line.entries)
        .any(|entry| entry.mark == mark)
}

/// What was skipped, and then figures with something to know about them: those together that have the same reason
/// at the same place. What is so everywhere names no place.
pub(crate) fn remarks(run: &Run) -> Vec<Note> {
    let mut notes = of_status(run, Status::Skipped, "Skipped");
    notes.extend(of_status(run, Status::Ok, "Doubtful"));
    notes
}

fn of_status(run: &Run, status: Status, what: &'static str) -> Vec<Note> {
    let mut groups: Vec<Vec<&Cell>> = Vec::new();
    let is_told = |cell: &&Cell| cell.status == status && (status != Status::Ok || cell.reason.is_some());
    for cell in run.cells.iter().filter(is_told) {
        let same = |group: &&mut Vec<&Cell>| {
            group[0].implementation == cell.implementation && group[0].reason == cell.reason
        };
        match groups.iter_mut().find(same) {
            Some(group) => group.push(cell),
            None => groups.push(vec![cell]),
        }
    }

    let mut notes: Vec<Note> = Vec::new();
    for group in &groups {
        let implementation = plain(&group[0].implementation);
        let reason = plain(group[0].reason.as_deref().unwrap_or("no reason is given"));
        let place = place(group, run);
        match notes
            .iter_mut()
            .find(|note| note.reason == reason && note.place == place)
        {
            Some(note) => note.implementations.push(implementation),
            None => notes.push(Note {
                what,
                implementations: vec![implementation],
                place,
                reason,
            }),
        }
    }
    notes
}

/// Where one implementation has one reason: ` on AES-128-CTR at 16 B, 1 KiB; on AES-256-CTR at 16 B`.
fn place(group: &[&Cell], run: &Run) -> String {
    let of_it = |cell: &&Cell| cell.implementation == group[0].implementation;
    if run.cells.iter().filter(of_it).count() == group.len() {
        return String::new();
    }
    let mut lengths: Vec<(&str, Vec<u64>)> = Vec::new();
    for cell in group {
        let of_algorithm = lengths
            .iter_mut()
            .find(|(algorithm, _)| *algorithm == cell.algorithm);
        let here = match of_algorithm {
            Some((_, here)) => here,
            None => &mut lengths.push_mut((&cell.algorithm, Vec::new())).1,
        };
        here.extend((!is_counted(cell)).then_some(cell.length));
    }
    let places: Vec<String> = lengths
        .iter()
        .map(|(algorithm, lengths)| format!(" on {}{}", plain(algorithm), at(lengths)))
        .collect();
    places.join(";")
}

/// The machine, its limits where shares of them are shown, and the run's circumstances: a heading and a sentence each.
pub(crate) fn circumstances(run: &Run, has_shares: bool) -> Vec<(&'static str, String)> {
    let mut lines: Vec<_> = libraries::numbered(&run.machine)
        .map(|text| ("Libraries", text))
        .into_iter()
        .collect();
    lines.push(("Machine", machine(&run.machine)));
    let limits: Vec<_> = run
        .bounds
        .iter()
        .filter(|b| is_telling(b, &run.bounds))
        .map(bound)
        .collect();
    if has_shares && !limits.is_empty() {
        lines.push(("Limits", limits.join("; ")));
    }
    let timed = run.machine.timed_share;
    let timed = timed.map(|share| format!(", {:.0} % of its time in timed calls", 100.0 * share));
    lines.push(("Run", origin(&run.machine) + &timed.unwrap_or_default()));
    lines
        .into_iter()
        .map(|(head, text)| (head, plain(&text)))
        .collect()
}

/// By what the run was made, and when.
pub(crate) fn origin(machine: &Machine) -> String {
    let Machine { ciphertune, date, .. } = machine;
    match &machine.imported {
        None => format!("ciphertune {ciphertune}, {date}"),
        Some(imported) => {
            let version = imported.version.as_ref().map(|version| format!(" {version}"));
            format!(
                "{}{} in {}, imported {date}",
                imported.tool,
                version.unwrap_or_default(),
                imported.file
            )
        }
    }
}

/// What people call a hypervisor, of which CPUID has a signature.
fn known_as(signature: &str) -> &str {
    match signature {
        "KVMKVMKVM" => "KVM",
        "Microsoft Hv" => "Hyper-V",
        "TCGTCGTCGTCG" => "QEMU",
        "VMwareVMware" => "VMware",
        "XenVMMXenVMM" => "Xen",
        other => other,
    }
}

pub(crate) fn machine(machine: &Machine) -> String {
    let identity = [
        machine.cpu_signature.clone(),
        machine
            .microcode
            .as_ref()
            .map(|microcode| format!("microcode {microcode}")),
    ];
    let identity: Vec<String> = identity.into_iter().flatten().collect();
    let mut text = machine.cpu.clone();
    if !identity.is_empty() {
        text += &format!(" ({})", identity.join(", "));
    }
    if let Some(hypervisor) = &machine.hypervisor {
        text += &format!(" under {}", known_as(hypervisor));
    }
    let more = [
        machine
            .processors
            .map(|number| counted(number as usize, "processor")),
        machine
            .core_hz
            .map(|hz| format!("core at about {}", frequency(hz))),
        machine
            .tsc_hz
            .map(|hz| format!("time-stamp counter {}", frequency(hz))),
        machine.system.clone(),
    ];
    more.into_iter()
        .flatten()
        .fold(text, |text, part| format!("{text}, {part}"))
}

/// Of the memory's limits only those over the most of it say something about memory; each table has its own
/// row for the others.
fn is_telling(bound: &Bound, all: &[Bound]) -> bool {
    let same = all.iter().filter(|other| other.name == bound.name);
    bound.length == same.map(|other| other.length).max().flatten()
}

/// To three digits where it is no round number: so it is of many messages with what lies between them.
fn working_set(bytes: u64) -> String {
    let units = [(1 << 20, "MiB"), (1 << 10, "KiB")];
    match units.into_iter().find(|(unit, _)| bytes >= *unit) {
        Some((unit, name)) if !bytes.is_multiple_of(unit) => {
            format!("{} {name}", significant(bytes as f64 / unit as f64))
        }
        _ => length(bytes),
    }
}

fn bound(bound: &Bound) -> String {
    let mut text = format!("{} {}", bound.name, rate(bound.bytes_per_second.median));
    text += &match bound.length {
        Some(bytes) => format!(" over {}", working_set(bytes)),
        None => format!(" at {} bits", bound.width),
    };
    if let Some(blocks) = bound.per_cycle {
        let through = match &*bound.name {
            "aes-rounds" => " through one round",
            "carry-less-multiplications" => " through one multiplication",
            _ => "",
        };
        text += &format!(" ({} blocks a cycle{through})", significant(blocks));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_that_is_no_round_number_has_three_digits() {
        let shown = [16, 8144, 8192, 16384, 1 << 20, 33_556_416, 1 << 30].map(working_set);
        let expected = [
            "16 B", "7.95 KiB", "8 KiB", "16 KiB", "1 MiB", "32.0 MiB", "1 GiB",
        ];
        assert_eq!(shown, expected);
    }
}
