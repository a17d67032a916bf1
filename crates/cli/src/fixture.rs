//! Runs that are made up, for tests.
use ciphertune_results::{Cell, Figures, Machine, Run};

/// Sealing at about this rate, which differs from process to process.
pub fn cell(implementation: &str, algorithm: &str, length: u64, rate: f64) -> Cell {
    Cell {
        aad: 13,
        figures: Some(Figures {
            replicates: [0.997, 1.002, 1.0, 0.999, 1.004]
                .map(|factor| Some(factor * rate))
                .to_vec(),
            quanta: 30,
            processes: 5,
            ..Figures::point(rate)
        }),
        ..Cell::new(implementation, algorithm, "seal", "new-iv/1", length)
    }
}

/// With a noise floor of 2 %.
pub fn run(cells: Vec<Cell>) -> Run {
    Run {
        machine: Machine {
            noise_floor: Some(0.02),
            ..Machine::new(
                "VIA Nano".to_owned(),
                "0.1.0".to_owned(),
                "2026-01-02T03:04:05Z".to_owned(),
            )
        },
        bounds: Vec::new(),
        cells,
    }
}
