//! Which code the names of implementations stand for.
use ciphertune_results::{Library, Machine, compare::Named};

/// What numbers behind names stand for, as `#2`: builds of one version.
pub(crate) fn numbered(machine: &Machine) -> Option<String> {
    fn plain(one: &Library) -> Option<&str> {
        one.implementation.split('#').next()
    }
    let all = &machine.libraries;
    let has_numbers = |one: &&Library| {
        let mut others = all.iter().filter(|other| plain(other) == plain(one));
        others.any(|other| other.implementation.contains('#'))
    };
    let each = all.iter().filter(has_numbers);
    let each = each.map(|one| format!("{} is {}", one.implementation, one.origin));
    let text = each.collect::<Vec<_>>().join(", ");
    (!text.is_empty()).then_some(text)
}

/// What the runs have under one name though it is not the same: another file, other instructions, another build. Those of
/// whom the same is to be said stand together.
pub(crate) fn differences(runs: &[Named]) -> Option<String> {
    type Field = (&'static str, fn(&Library) -> Option<&str>);
    const FIELDS: [Field; 4] = [
        ("file", |one| Some(&one.origin)),
        ("version", |one| one.version.as_deref()),
        ("instructions", |one| one.goes_by.as_deref()),
        ("build", |one| one.build.as_deref()),
    ];
    let sides: Vec<(&str, &Machine)> = runs
        .iter()
        .filter_map(|named| Some((&*named.name, &named.runs.first()?.machine)))
        .collect();
    let (_, first) = sides.first()?;
    let mut told: Vec<(Vec<&str>, String)> = Vec::new();
    for Library { implementation, .. } in &first.libraries {
        let found: Vec<(&str, &Library)> = sides
            .iter()
            .filter_map(|(name, machine)| Some((*name, machine.library(implementation)?)))
            .collect();
        for (what, field) in FIELDS {
            let values: Vec<(&str, &str)> = found
                .iter()
                .filter_map(|(name, one)| Some((*name, field(one)?)))
                .collect();
            if values.iter().all(|(_, value)| *value == values[0].1) {
                continue;
            }
            let values = values.iter().map(|(name, value)| format!("{value} in {name}"));
            let text = format!("{what} {}", values.collect::<Vec<_>>().join(", "));
            match told.iter_mut().find(|(_, same)| *same == text) {
                Some((who, _)) => who.push(implementation),
                None => told.push((vec![implementation], text)),
            }
        }
    }
    let texts = told
        .iter()
        .map(|(who, text)| format!("{}: {text}", who.join(", ")));
    let text = texts.collect::<Vec<_>>().join("; ");
    (!text.is_empty()).then_some(text)
}
