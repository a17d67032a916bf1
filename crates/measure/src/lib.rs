//! Clocks, quanta, worker processes and statistics: how Ciphertune finds out what is fastest.
//!
//! # What is timed
//!
//! A `Task`: one operation of an algorithm under a contract, which says what one call includes.
//!
//! | contract | one call |
//! |---|---|
//! | `stream/1` | goes on in one long message where the call before it stopped; it sets no key and no IV |
//! | `new-iv/1` | takes a whole message: sets its IV, takes its additional data in, makes or checks its tag |
//! | `new-key/1` | does the same with a key that it sets first |
//! | `one-shot/1` | takes a whole message without an IV, or does an operation by a public key; the key is kept, where there is one |
//! | `many/1` | takes thirty-two whole messages of one length, each with an IV of its own; the key is kept |
//! | `many-keys/1` | does the same, each message under a key of its own |
//!
//! A context with a random key is made beforehand. Calls work in place; short messages take turns in 8 KiB of
//! memory (`Ring` says why), each with an IV and a tag of its own, longer ones have one place each. An
//! implementation that cannot work in place goes from one buffer to another, and its results say so. So does
//! whatever opens sealed messages: it needs them sealed the next time too. They are sealed beforehand by the same
//! implementation, and their tags are really checked. Code that opens in place alone works on a copy of each, which is
//! timed with it, as its results say. The loop around the calls is compiled for each implementation
//! (`Timed::repeat`), so no virtual call is timed; what is taken off is the cost of the two clock readings around a
//! loop of no calls. Calls that fail end the timing and are never counted.
//!
//! Under `many/1` and `many-keys/1` the messages lie one behind the other with a cache line or a little more between them. What is made for
//! that has all of them in one call; all else has a call for each, as under `new-iv/1`. A length is that of each message,
//! and rates are of all their bytes.
//!
//! An operation by a public key is on a message, a key or a ciphertext of one length, and counts as one byte: rates are
//! operations per second. It takes in and gives out bytes, as a protocol has them, and includes reading the other's public
//! key where there is one. What verifies or decapsulates has what other libraries signed or encapsulated, from
//! `testkit/vectors/keys`.
//!
//! A *quantum* is a batch of such calls between two serialised readings of the time-stamp counter: 0.2 to
//! 1 ms, by public keys 4, or a few calls where they take longer, or one that fills several quanta by itself; lengthened by a random part
//! of up to a fifth. A few untimed calls come before each, but for half a millisecond and more of code that is slower than any
//! memory, which is warm when it is through with a small part of that. The counter is calibrated against CLOCK_MONOTONIC_RAW
//! over the whole session, or, where the two lost step as by a suspend, over its first hundredth of a second. Where it does
//! not tick at a constant rate, CLOCK_MONOTONIC_RAW itself is the clock and a tick is a nanosecond.
//!
//! # How it is compared
//!
//! Each source of implementations runs in a worker process of its own; several generations of fresh workers
//! follow each other, each with a random environment size and random places for the buffers, at multiples
//! of 16 bytes. They are the replicates. All workers are pinned to one processor, where the session sleeps
//! until they answer: to wake it on another takes an interrupt there. One worker is at work at a time, so all of
//! a generation have their messages in the same memory (a lock says so if two were); only what a worker opens or verifies stays in memory of its own. In each cell, every
//! candidate has one quantum in each round, in an order drawn anew. What is more than three times slower than the best
//! that may be chosen gets only a few, half as long, and where one call takes as long as several quanta, in three
//! processes alone. A quantum during which the system gave the processor to someone else, or changed it, is dropped
//! and counted; a merely slow one never is.
//!
//! A worker that has run or slept for twenty seconds over one answer (more for long messages) hangs, and is given up. That
//! it waits for a processor does not count: on a busy machine it may wait for minutes.
//!
//! Every implementation is checked by the catalog's gate before the first quantum and again after the last, workers side by
//! side, since nothing is timed then, and all on the same cases. That makes contexts of its own; so after its last quantum in
//! each process every context that was timed does a little more, on its own messages, and that is compared with the reference
//! (`catalog::Witness`). All workers share a key, by which one of them goes to the reference for all; messages of more than
//! 64 KiB, and what goes by public keys, are looked at in the first process alone. What
//! threads help is compared with the serial stream for each cell, before it is warmed up.
//!
//! # Several threads
//!
//! A plan names teams, and each is one way to do every cell; all ways take turns. [`Team::Each`]: so many threads of one
//! worker, each with a context and messages of its own, on a processor of its own, one of each core first. They begin
//! together; what counts is what all of them did from when the last had begun until the first was done with its calls,
//! after which the others stop. [`Team::Helped`]: one context, and threads of the implementation's own, which may run on
//! every processor, come anew for each quantum, and have settled before it begins: a quantum is four times as long as that
//! takes. With `Plan::hashed` the thread that calls hashes each message with SHA-256 besides, which is the contract
//! `stream-sha256/1`.
//!
//! # What comes out
//!
//! The interval of a figure is Student's t over the logarithms of its processes' medians; beside it stand SUPERCOP's
//! stabilised quartiles of all its quanta. A choice rests on paired ratios: two candidates in the same round, the median over
//! the rounds of a process, and Student's t over processes. A challenger replaces the default when the low end of the interval
//! (95 % unless said otherwise) clears one per cent, and the ratio itself the noise floor, which is what one implementation
//! timed as two candidates differs from itself by: in nine cells of ten or, of fewer than ten cells, at the far end of their
//! intervals. Where fewer than two processes timed both, or other work spoiled all that was timed twice, the default stays.
//!
//! A session may go on in further processes until each rate is known to one per cent (`Plan::until_stable`), by the
//! interval that is shown and however far behind the others it is; only cells that are not steady yet take part. What the
//! system tells of steal time, load, frequency governor and SMT during the session becomes advice where the noise floor is
//! high.
//!
//! Core cycles are estimated by chains of dependent instructions around each cell, and left out where two
//! kinds of chain, or the estimates before and after, disagree. The machine's limits (AES rounds and carry-less
//! multiplications in registers, memory read, changed and written) are candidates among the others; a figure's
//! `bound_share` is against the slowest of those that the task needs. Where each block waits for the one before it,
//! as in encryption by CBC, latency is the limit, and there is no share. Code that saves part of the rounds, as by a
//! table of first-round outputs, can exceed its limit a little.
#![forbid(unsafe_code)]

mod affinity;
mod bench;
mod bounds;
mod buffers;
mod choice;
mod clock;
mod crew;
mod cycles;
mod guests;
mod losses;
mod machine;
mod names;
mod noise;
mod others;
mod outcome;
mod patience;
mod plan;
mod process;
mod protocol;
mod quantum;
mod schedule;
mod session;
mod statistics;
mod team;
mod topology;
mod trial;
mod work;
pub mod worker;

pub use bounds::Demand;
pub use choice::Choice;
pub use losses::losses;
pub use names::{matching, near};
pub use others::Others;
pub use outcome::Gain;
pub use plan::{Error, Observer, Outcome, Plan, Which};
pub use process::Launcher;
pub use protocol::Team;
pub use session::{Found, find, measure, names_of};
