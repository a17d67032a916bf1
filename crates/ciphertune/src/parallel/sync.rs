//! What ring and pool are built on. The model checker (`tests/loom`) has their own source on its own kind of these.

pub(super) use std::sync::{
    Arc, Condvar, Mutex,
    atomic::{AtomicUsize, Ordering},
};

pub(super) use ciphertune_system::{Here, Loan, Secret};
