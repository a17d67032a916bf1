use ciphertune::Processor;
use ciphertune_engine::cpu;
use ciphertune_results::Machine;

/// What the run was measured on; nothing yet of the run itself.
pub(crate) fn describe(
    began: jiff::Timestamp,
    processors: u32,
    tsc_hz: Option<f64>,
    core_hz: Option<f64>,
) -> Machine {
    let processor = Processor::current();
    let present = cpu::ALL.iter().filter(|feature| feature.is_present());
    Machine {
        cpu_signature: Some(processor.signature),
        microcode: processor.microcode,
        hypervisor: processor.hypervisor,
        processors: Some(processors),
        system: Some(system()),
        tsc_hz,
        core_hz,
        features: present.map(|feature| feature.name().to_owned()).collect(),
        ..Machine::new(
            processor.brand,
            env!("CARGO_PKG_VERSION").to_owned(),
            began.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
        )
    }
}

/// Operating system and release, as in `Linux 6.1.0`.
fn system() -> String {
    nix::sys::utsname::uname().map_or_else(
        |_| std::env::consts::OS.to_owned(),
        |name| {
            format!(
                "{} {}",
                name.sysname().to_string_lossy(),
                name.release().to_string_lossy()
            )
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_date_is_rfc_3339_to_the_second() {
        let began = jiff::Timestamp::from_second(1_790_000_000).unwrap();
        let machine = describe(began, 2, Some(2.6e9), None);
        assert_eq!(machine.date, "2026-09-21T14:13:20Z");
        assert!(machine.date.parse::<jiff::Timestamp>().is_ok());
        assert!(machine.system.is_some_and(|system| !system.is_empty()));
    }
}
