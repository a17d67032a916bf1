//! AES at the speed this machine has: the implementation is chosen by measurement.
//!
//! ```
//! use ciphertune::Ctr;
//!
//! let mut data = *b"attack at dawn";
//! Ctr::new(&[0x2b; 16], &[0; 16])?.apply(&mut data)?;
//! assert_ne!(&data, b"attack at dawn");
//! Ctr::new(&[0x2b; 16], &[0; 16])?.apply(&mut data)?;
//! assert_eq!(&data, b"attack at dawn");
//! # Ok::<(), ciphertune::Error>(())
//! ```
#![forbid(unsafe_code)]

// The name by which what tests share knows this crate.
#[cfg(test)]
extern crate self as ciphertune;

mod cbc;
mod ccm;
mod cfb;
mod cfb8;
mod cmac;
mod ctr;
mod ecb;
mod error;
mod gcm;
mod keyed;
mod ocb;
mod ofb;
mod parallel;
mod plan;
mod processor;
mod progress;
mod rijndael;
#[cfg(feature = "rustcrypto")]
pub mod rustcrypto;
mod selection;
mod tag;
#[cfg(test)]
#[path = "../../../tests/tuned.rs"]
mod tuned;
mod wiped;
pub mod wisdom;
mod xts;

pub use cbc::{Cbc, CbcMany};
pub use ccm::{Ccm, CcmStream};
pub use cfb::Cfb;
pub use cfb8::Cfb8;
pub use ciphertune_engine::{BUILD, Feedback, Implementation, Message, clear_registers, cpu, cpu::Feature};
pub use cmac::{Cmac, CmacStream};
pub use ctr::Ctr;
pub use ecb::Ecb;
pub use error::Error;
pub use gcm::{Gcm, GcmStream};
pub use inout::InOutBuf;
pub use ocb::{Ocb, OcbStream};
pub use ofb::Ofb;
pub use parallel::Threads;
pub use plan::{GcmPlan, LengthClass, Plan, PlanOf, Plans, Runs};
pub use processor::{Processor, hide_features};
pub use rijndael::{Rijndael, Rijndael192, Rijndael256};
pub use selection::{Basis, Mode, Selection, TooLate, selection, use_wisdom};
pub use tag::Tag;
pub use xts::Xts;
