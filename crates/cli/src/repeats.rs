//! Runs that repeat each other: of one machine and the same code, and each another one.
use std::path::PathBuf;

use ciphertune_results::{Library, Machine, Run};

/// Answers which two of these files do not, and why.
pub fn expect(files: &[PathBuf], runs: &[Run]) -> Result<(), String> {
    for (n, (file, run)) in files.iter().zip(runs).enumerate() {
        let mut before = files.iter().zip(&runs[..n]);
        if let Some((other, why)) = before.find_map(|(other, before)| Some((other, refusal(before, run)?))) {
            return Err(format!("'{}' and '{}' {why}", other.display(), file.display()));
        }
    }
    Ok(())
}

/// Why two runs do not repeat each other.
fn refusal(one: &Run, other: &Run) -> Option<String> {
    if one == other {
        return Some("are one run twice".to_owned());
    }
    if origin(&one.machine) != origin(&other.machine) {
        return Some("are of different machines, or by different versions of what measured".to_owned());
    }
    let is_other = |library: &&Library| {
        let other = other.machine.library(&library.implementation);
        other.is_some_and(|other| code(other) != code(library))
    };
    let library = one.machine.libraries.iter().find(is_other)?;
    Some(format!("have different builds of {}", library.implementation))
}

/// What all runs that repeat each other have in common.
fn origin(machine: &Machine) -> impl PartialEq {
    let Machine {
        ciphertune,
        imported,
        cpu,
        cpu_signature,
        microcode,
        hypervisor,
        ..
    } = machine;
    let tool = imported.as_ref().map(|from| (&from.tool, &from.version));
    (ciphertune, tool, cpu, cpu_signature, microcode, hypervisor)
}

/// What ran, wherever it lay.
fn code(library: &Library) -> impl PartialEq {
    (&library.version, &library.goes_by, &library.build)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{cell, run};

    #[test]
    fn runs_of_other_code_or_of_another_machine_do_not_repeat_each_other() {
        let of = |date: &str, change: &dyn Fn(&mut Machine)| {
            let mut run = run(vec![cell("openssl@3.0.19/default", "AES-128-GCM", 1350, 1e9)]);
            run.machine.date = date.to_owned();
            run.machine.libraries.push(Library {
                implementation: "openssl@3.0.19/default".to_owned(),
                origin: "/usr/lib/libcrypto.so.3".to_owned(),
                version: Some("OpenSSL 3.0.19".to_owned()),
                goes_by: Some("AES-NI".to_owned()),
                build: Some("gcc".to_owned()),
            });
            change(&mut run.machine);
            run
        };
        let first = of("first", &|_| ());
        let against = |date: &str, change: &dyn Fn(&mut Machine)| refusal(&first, &of(date, change));
        assert_eq!(against("second", &|_| ()), None);
        assert_eq!(against("second", &|machine| machine.libraries.clear()), None);
        assert_eq!(
            against("second", &|machine| machine.libraries[0].origin =
                "elsewhere".to_owned()),
            None
        );
        let is = |refused: Option<String>, why: &str| assert!(refused.unwrap().contains(why));
        is(against("first", &|_| ()), "one run twice");
        let others: [&dyn Fn(&mut Machine); 3] = [
            &|machine| machine.cpu_signature = Some("GenuineIntel 6.85.7".to_owned()),
            &|machine| machine.microcode = Some("0x2".to_owned()),
            &|machine| machine.hypervisor = Some("KVMKVMKVM".to_owned()),
        ];
        for other in others {
            is(against("second", other), "different machines");
        }
        let others: [&dyn Fn(&mut Library); 3] = [
            &|library| library.version = Some("OpenSSL 3.0.18".to_owned()),
            &|library| library.goes_by = None,
            &|library| library.build = Some("clang".to_owned()),
        ];
        for other in others {
            let refused = against("second", &|machine| other(&mut machine.libraries[0]));
            is(refused, "different builds of openssl@3.0.19/default");
        }
    }
}
