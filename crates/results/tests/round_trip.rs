//! What is written is read back the same, whatever the run.
mod common;

use ciphertune_results::{Bound, Cell, Figures, Imported, Interval, Machine, Run, Spread, Status};
use proptest::{collection::vec, option, prelude::*};

proptest! {
    #[test]
    fn what_is_written_is_read(run in run()) {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("run.jsonl");
        run.write(&path).unwrap();
        prop_assert_eq!(Run::read(&path).unwrap(), run);
    }
}

fn run() -> impl Strategy<Value = Run> {
    (machine(), vec(bound(), 0..4), vec(cell(), 0..8)).prop_map(|(machine, bounds, cells)| Run {
        machine,
        bounds,
        cells,
    })
}

/// As a regular expression.
const DATE: &str = "[0-9]{4}-0[1-9]-[0-2][1-8]T[0-1][0-9]:[0-5][0-9]:[0-5][0-9](\\.[0-9]{1,9})?Z";

fn machine() -> impl Strategy<Value = Machine> {
    (
        any::<[String; 2]>(),
        DATE,
        any::<[Option<String>; 4]>(),
        any::<Option<u32>>(),
        [
            option::of(positive()),
            option::of(positive()),
            option::of(positive()),
            option::of(positive()),
        ],
        option::of(imported()),
        vec(any::<String>(), 0..3),
    )
        .prop_map(
            |(texts, date, optional, processors, numbers, imported, features)| {
                let [ciphertune, cpu] = texts;
                let [cpu_signature, system, microcode, hypervisor] = optional;
                let [tsc_hz, core_hz, noise_floor, timed_share] = numbers;
                Machine {
                    imported,
                    ciphertune,
                    date,
                    cpu,
                    cpu_signature,
                    microcode,
                    hypervisor,
                    processors,
                    system,
                    tsc_hz,
                    core_hz,
                    features,
                    noise_floor,
                    timed_share,
                    ..common::run().machine
                }
            },
        )
}

fn imported() -> impl Strategy<Value = Imported> {
    (
        any::<[String; 2]>(),
        any::<Option<String>>(),
        vec(any::<String>(), 0..3),
    )
        .prop_map(|([tool, file], version, details)| Imported {
            tool,
            version,
            file,
            details,
        })
}

fn bound() -> impl Strategy<Value = Bound> {
    (
        any::<String>(),
        any::<u32>(),
        any::<Option<u64>>(),
        interval(),
        option::of(positive()),
    )
        .prop_map(|(name, width, length, bytes_per_second, per_cycle)| Bound {
            name,
            width,
            length,
            bytes_per_second,
            per_cycle,
        })
}

fn cell() -> impl Strategy<Value = Cell> {
    (
        any::<[String; 5]>(),
        1..u64::MAX,
        any::<u64>(),
        1..u32::MAX,
        any::<[bool; 3]>(),
        option::of(figures()),
    )
        .prop_map(
            |(texts, length, aad, threads, [in_place, selectable, chosen], figures)| {
                let [algorithm, operation, contract, implementation, reason] = texts;
                let ok = figures.is_some();
                Cell {
                    algorithm,
                    operation,
                    contract,
                    aad,
                    length,
                    threads,
                    workers: threads / 3,
                    implementation,
                    status: match (ok, in_place) {
                        (true, _) => Status::Ok,
                        (false, true) => Status::Failed,
                        (false, false) => Status::Skipped,
                    },
                    reason: (!ok || !in_place).then_some(reason),
                    in_place,
                    selectable,
                    figures,
                    chosen: chosen && selectable && ok,
                }
            },
        )
}

fn figures() -> impl Strategy<Value = Figures> {
    (
        (interval(), option::of(spread())),
        [positive(), positive()],
        [option::of(positive()), option::of(positive())],
        any::<[u32; 3]>(),
        vec(option::of(positive()), 0..4),
        vec(vec(option::of(positive()), 0..4), 0..4),
    )
        .prop_map(
            |((bytes_per_second, spread), costs, optional, counts, replicates, rounds)| Figures {
                bytes_per_second,
                spread,
                ns_per_byte: costs[0],
                replicates,
                rounds,
                tsc_ticks_per_byte: Some(costs[1]),
                cycles_per_byte: optional[0],
                bound_share: optional[1],
                quanta: counts[0],
                dropped: counts[1],
                processes: counts[2],
            },
        )
}

fn spread() -> impl Strategy<Value = Spread> {
    [positive(), positive()].prop_map(|[one, other]| Spread {
        low: one.min(other),
        high: one.max(other),
    })
}

fn interval() -> impl Strategy<Value = Interval> {
    let ends = [positive(), positive(), positive()].prop_map(|mut ends| {
        ends.sort_by(f64::total_cmp);
        let [low, median, high] = ends;
        Interval { low, median, high }
    });
    prop_oneof![4 => ends, 1 => positive().prop_map(Interval::point)]
}

/// Every double that a figure may be: reading must give back the last bit.
fn positive() -> impl Strategy<Value = f64> {
    (1e-30_f64.to_bits()..=1e30_f64.to_bits()).prop_map(f64::from_bits)
}
