//! What the ring is built on. The model checker (`tests/loom`) has the ring's own source on its own kind of these.

pub(super) use std::sync::{Arc, Condvar, Mutex};

pub(super) use ciphertune_system::Secret;
