//! The kernel's own code through the gate. A kernel without AF_ALG has none; `tests/af-alg` boots one that has.
use std::env;

use ciphertune_catalog::{Implementation, Kind, Source, Task, gate};

const SEED: u64 = 20_261_122;

#[test]
fn streams_are_right() {
    are_right(&[Kind::Stream], &["AES-128-CTR", "AES-192-CTR", "AES-256-CTR"]);
}

#[test]
fn blocks_and_units_are_right() {
    let kinds = [Kind::Blocks, Kind::Feedback, Kind::Units];
    are_right(&kinds, &["AES-128-CBC", "AES-192-ECB", "AES-256-XTS"]);
}

#[test]
fn what_is_sealed_is_right() {
    are_right(
        &[Kind::Aead, Kind::EncryptThenMac],
        &["AES-128-GCM", "AES-256-GCM"],
    );
}

#[test]
fn tags_and_digests_are_right() {
    are_right(&[Kind::Mac, Kind::Digest], &["SHA1", "SHA2-256", "HMAC-SHA2-256"]);
}

/// What the kernel has of these kinds, among it what kernels have had for long.
fn are_right(kinds: &[Kind], expected: &[&str]) {
    let drivers = Source::Kernel.load().unwrap().implementations;
    if let [absent] = &*drivers
        && let Some(why) = &absent.description().unavailable
    {
        assert_eq!(absent.description().id, "linux");
        assert!(why.starts_with("Linux ") && why.contains(" AF_ALG"), "{why}");
        assert!(env::var_os("CIPHERTUNE_AF_ALG").is_none(), "wanted, but {why}");
        eprintln!("skipped: {why}");
        return;
    }
    let mut right = Vec::new();
    for driver in &drivers {
        let is_meant = |task: &&Task| kinds.contains(&task.algorithm.kind());
        let tasks: Vec<Task> = driver.tasks().iter().filter(is_meant).copied().collect();
        if tasks.is_empty() {
            continue;
        }
        is_right(&**driver, &tasks);
        eprintln!("right: {}", driver.description().id);
        right.extend(tasks);
    }
    for name in expected {
        assert!(
            right.iter().any(|task| task.algorithm.name() == *name),
            "nothing computes {name}"
        );
    }
}

fn is_right(driver: &dyn Implementation, tasks: &[Task]) {
    let description = driver.description();
    assert!(description.id.starts_with("linux@"), "{description:?}");
    assert!(
        !description.selectable && !description.id.contains(','),
        "{description:?}"
    );
    for &task in tasks {
        gate::check(driver, task, SEED).unwrap_or_else(|failure| panic!("{failure}"));
        if task.contract == Task::usual(task.algorithm).contract {
            gate::recheck(driver, task, SEED).unwrap_or_else(|failure| panic!("{failure}"));
        }
    }
}
