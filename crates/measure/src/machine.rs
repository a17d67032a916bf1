use ciphertune::Processor;
use ciphertune_engine::cpu;
use ciphertune_results::{FORMAT, Library, Machine};

use crate::noise::Noise;

/// What the run was measured on.
pub(crate) fn describe(
    began: jiff::Timestamp,
    processors: u32,
    tsc_hz: Option<f64>,
    core_hz: Option<f64>,
    timed_share: f64,
    noise: Noise,
    libraries: Vec<Library>,
) -> Machine {
    let processor = Processor::current();
    Machine {
        format: FORMAT,
        ciphertune: env!("CARGO_PKG_VERSION").to_owned(),
        date: began.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
        cpu: processor.brand,
        imported: None,
        cpu_signature: Some(processor.signature),
        microcode: processor.microcode,
        hypervisor: processor.hypervisor,
        processors: Some(processors),
        system: Some(system()),
        tsc_hz,
        core_hz,
        features: cpu::ALL
            .iter()
            .filter(|feature| feature.is_present())
            .map(|feature| feature.name().to_owned())
            .collect(),
        noise_floor: noise.floor,
        stolen: noise.stolen,
        confidence: None,
        timed_share: Some(timed_share),
        libraries,
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
        let machine = describe(
            began,
            2,
            Some(2.6e9),
            None,
            0.8,
            Noise {
                floor: Some(0.01),
                stolen: None,
            },
            Vec::new(),
        );
        assert_eq!(machine.date, "2026-09-21T14:13:20Z");
        assert!(machine.date.parse::<jiff::Timestamp>().is_ok());
        assert!(machine.system.is_some_and(|system| !system.is_empty()));
    }
}
