//! A run with every field set, and what is easier to change than to write anew.
use ciphertune_results::{
    Bound, Cell, FORMAT, Figures, Imported, Interval, Library, Machine, Run, Spread, Status,
};

pub fn run() -> Run {
    Run {
        machine: Machine {
            format: FORMAT,
            ciphertune: "0.1.0".into(),
            date: "2026-01-02T03:04:05Z".into(),
            cpu: "AMD EPYC 9B45".into(),
            imported: Some(Imported {
                tool: "openssl speed".into(),
                version: Some("0.9.7c".into()),
                file: "speed.txt".into(),
                details: vec!["compiler: cl /O2".into()],
            }),
            cpu_signature: Some("AuthenticAMD 26.2.1".into()),
            microcode: Some("0xb002161".into()),
            hypervisor: Some("KVMKVMKVM".into()),
            processors: Some(2),
            system: Some("Linux 6.12.0".into()),
            tsc_hz: Some(2.7e9),
            core_hz: Some(4.3e9),
            features: vec!["aes".into(), "vaes".into()],
            noise_floor: Some(0.01),
            stolen: Some(0.02),
            confidence: Some(0.95),
            timed_share: Some(0.81),
            libraries: vec![Library {
                implementation: "openssl@3.0.19/default#2".into(),
                origin: "/opt/openssl/lib/libcrypto.so.3".into(),
                version: Some("OpenSSL 3.0.19 27 Jan 2026".into()),
                goes_by: Some("OPENSSL_ia32cap=0xfffa3203078bffff:0x405fc6f1bf07ab".into()),
                build: Some("gcc -fPIC -O2".into()),
            }],
        },
        bounds: vec![Bound {
            name: "read-xor-write".into(),
            width: 512,
            length: Some(16384),
            bytes_per_second: INTERVAL,
            per_cycle: Some(2.0),
        }],
        cells: vec![ok(), failed()],
    }
}

pub const INTERVAL: Interval = Interval {
    low: 50.1e9,
    median: 50.2e9,
    high: 50.4e9,
};

pub fn ok() -> Cell {
    Cell {
        algorithm: "AES-128-CTR".into(),
        operation: "encrypt".into(),
        contract: "stream/1".into(),
        aad: 13,
        length: 16384,
        threads: 1,
        workers: 0,
        implementation: "ciphertune/vaes512".into(),
        status: Status::Ok,
        reason: None,
        in_place: true,
        selectable: true,
        figures: Some(Figures {
            bytes_per_second: INTERVAL,
            spread: Some(Spread {
                low: 49.9e9,
                high: 50.5e9,
            }),
            ns_per_byte: 0.0199,
            replicates: [50.1e9, 50.2e9, 50.3e9].map(Some).into(),
            rounds: vec![vec![Some(50.1e9)], vec![None, Some(50.2e9)], vec![Some(50.3e9)]],
            tsc_ticks_per_byte: Some(0.0538),
            cycles_per_byte: Some(0.0857),
            bound_share: Some(0.91),
            quanta: 300,
            dropped: 2,
            processes: 5,
        }),
        chosen: true,
    }
}

pub fn failed() -> Cell {
    Cell {
        threads: 2,
        workers: 1,
        implementation: "openssl@3.0.19/default".into(),
        status: Status::Failed,
        reason: Some("wrong ciphertext in case 7".into()),
        selectable: false,
        figures: None,
        chosen: false,
        ..ok()
    }
}
