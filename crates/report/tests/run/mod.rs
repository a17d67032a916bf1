//! A small run, written out: two lengths of messages, and every way in which an implementation can end.
use std::io;

use ciphertune_results::{Bound, Cell, FORMAT, Figures, Interval, Machine, Run, Spread, Status};

pub fn run() -> Run {
    Run {
        machine: Machine {
            format: FORMAT,
            ciphertune: "0.1.0".into(),
            date: "2026-01-02T03:04:05Z".into(),
            cpu: "AMD EPYC 9B45".into(),
            imported: None,
            cpu_signature: Some("AuthenticAMD 26.2.1".into()),
            microcode: Some("0xb002161".into()),
            hypervisor: Some("KVMKVMKVM".into()),
            processors: Some(2),
            system: Some("Linux 6.12.0".into()),
            tsc_hz: Some(2.7e9),
            core_hz: Some(4.2849e9),
            features: vec!["aes".into(), "vaes".into()],
            noise_floor: None,
            stolen: None,
            confidence: Some(0.95),
            timed_share: Some(0.812),
            libraries: Vec::new(),
        },
        bounds: vec![
            Bound {
                per_cycle: Some(8.0),
                ..bound("aes-rounds", None, 548e9)
            },
            // Not the longest: its table has it.
            bound("read-xor-write", Some(16), 123e9),
            bound("read-xor-write", Some(1 << 20), 99e9),
        ],
        // In the order in which a run ends them, which is not that of the table.
        cells: vec![
            ok("openssl@3.0.19/default", 16384, 18.3),
            ok("ciphertune/vaes512", 16384, 52.8),
            failed("openssl@3.0.19/no-ssse3", 16384),
            ok("ciphertune/portable", 16384, 0.0987),
            skipped("nettle@3.10/default", 16384, "libnettle.so.8 is not installed"),
            skipped("ciphertune/armv8", 16384, "needs a processor by ARM"),
            ok("ciphertune/vaes512", 16, 1.03),
            Cell {
                selectable: false,
                in_place: false,
                ..ok("openssl@3.0.19/default", 16, 1.07)
            },
            ok("ciphertune/portable", 16, 0.0123),
            ok("openssl@3.0.19/no-ssse3", 16, 0.97),
            skipped("nettle@3.10/default", 16, "libnettle.so.8 is not installed"),
            ok("tor2007/rijndael", 16, 0.201),
            skipped("tor2007/rijndael", 16384, "other work disturbed every quantum"),
        ]
        .into_iter()
        .map(|cell| Cell {
            chosen: cell.implementation == "ciphertune/vaes512",
            ..cell
        })
        .collect(),
    }
}

/// AES-128 of this machine starts 54.8 GB/s.
fn ok(implementation: &str, length: u64, gigabytes: f64) -> Cell {
    Cell {
        selectable: true,
        figures: Some(Figures {
            bytes_per_second: interval(gigabytes * 1e9),
            spread: Some(Spread {
                low: gigabytes * 0.97e9,
                high: gigabytes * 1.03e9,
            }),
            ns_per_byte: 1.0 / gigabytes,
            replicates: Vec::new(),
            rounds: Vec::new(),
            tsc_ticks_per_byte: Some(2.7 / gigabytes),
            cycles_per_byte: Some(4.2849 / gigabytes),
            bound_share: Some(gigabytes / 54.8),
            quanta: 300,
            dropped: 2,
            processes: 5,
        }),
        ..Cell::new(implementation, "AES-128-CTR", "encrypt", "stream/1", length)
    }
}

fn failed(implementation: &str, length: u64) -> Cell {
    Cell {
        status: Status::Failed,
        reason: Some("wrong ciphertext, \"case 7\": 4113 bytes, offset 3\n".into()),
        figures: None,
        ..ok(implementation, length, 1.0)
    }
}

fn skipped(implementation: &str, length: u64, reason: &str) -> Cell {
    Cell {
        status: Status::Skipped,
        reason: Some(reason.into()),
        figures: None,
        ..ok(implementation, length, 1.0)
    }
}

fn bound(name: &str, length: Option<u64>, bytes_per_second: f64) -> Bound {
    Bound {
        name: name.into(),
        width: 512,
        length,
        bytes_per_second: interval(bytes_per_second),
        per_cycle: None,
    }
}

fn interval(median: f64) -> Interval {
    Interval {
        low: median * 0.99,
        median,
        high: median * 1.02,
    }
}

/// What is written.
pub fn text(write: impl FnOnce(&mut dyn io::Write) -> io::Result<()>) -> String {
    let mut out = Vec::new();
    write(&mut out).unwrap();
    String::from_utf8(out).unwrap()
}
