//! What a loan is built on. The model checker (`tests/loom`) has its source on its own kind of these.

pub(super) use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread::{Thread, current, park},
};
