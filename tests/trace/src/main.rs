//! Whether a branch or an address depends on a key or on data, in the machine code that is shipped: the processor steps
//! through it with one secret and then with others, and whatever instructions and addresses it came by must be the same.
//!
//! This sees what `constant-time` cannot: the code of VAES and AVX-512 as the compiler's back end leaves it, inline
//! assembly included. What a secret decides but did not decide otherwise for these secrets, it does not see; and each
//! instruction is taken to last as long as ever, but for divisions and their like, whose operands must be the same too.
//!
//! Run: every mode of every implementation that this processor has, [`modes`]. Lengths, IVs and nonces are public, and
//! so is whether a tag is the right one: each time it is, or each time it is not.
//!
//! The check must find what is there to be found: look-ups, branches and divisions that depend on a secret come first,
//! an AES by tables among them.
#[expect(unsafe_code, reason = "an allocator")]
mod arena;
mod decoded;
mod modes;
#[expect(unsafe_code, reason = "the trap flag, and a signal's handler")]
mod step;
mod tape;

use std::{env, hint::black_box, process::ExitCode, time::Instant};

use arena::Arena;
use ciphertune::{Error, Implementation};
use simple_rijndael::{impls::RijndaelCbc, paddings::ZeroPadding};
use step::Stepper;

#[global_allocator]
static ARENA: Arena = Arena::new();

/// Bytes of a key of AES-128, AES-192 and AES-256.
const KEY_LENGTHS: [usize; 3] = [16, 24, 32];

/// Keys and data that are compared: the first with each of the others.
const SECRETS: u8 = 3;

fn main() -> ExitCode {
    let start = Instant::now();
    let words: Vec<String> = env::args().skip(1).collect();
    let mut check = Check {
        stepper: Stepper::new(),
        secret: vec![0; 32 + modes::LONG],
        steps: 0,
    };
    for (what, leak) in LEAKS {
        match check.of(32, |_, data| leak(&data[..32])) {
            Err(why) if !why.starts_with(OTHERWISE) => println!("trace: {what}: found, as it must be"),
            _ => {
                println!("trace: FAILED: {what} was not found, so this check finds nothing");
                return ExitCode::FAILURE;
            }
        }
    }

    let (mut checked, mut passed) = (0, 0);
    let mut run = |what: &str, implementation, key_length, run: modes::Run| {
        if !words.iter().all(|word| what.contains(word)) {
            return;
        }
        checked += 1;
        let verdict = check.of(key_length, |key, data| {
            run(implementation, key, data).unwrap_or_else(fails)
        });
        passed += usize::from(verdict.is_ok());
        let verdict = match verdict {
            Ok(steps) => {
                format!("the same {steps} instructions, at the same addresses, for {SECRETS} secrets")
            }
            Err(why) => format!("FAILED: {why}"),
        };
        println!("trace: {what}: {verdict}");
    };
    for &implementation in Implementation::all() {
        let name = implementation.name();
        if !implementation.is_available() {
            println!("trace: {name}: left out: this processor lacks what it needs");
            continue;
        }
        for (mode, of) in modes::MODES {
            // With the first rounds ahead, counter mode alone is another.
            if (mode == "GCM" && implementation.gcm().is_none()) || (mode != "CTR" && name.ends_with("-r2")) {
                continue;
            }
            // XTS has no keys of 24 bytes.
            for key_length in KEY_LENGTHS.into_iter().filter(|&len| mode != "XTS" || len != 24) {
                run(
                    &format!("{name}, AES-{}, {mode}", 8 * key_length),
                    implementation,
                    key_length,
                    of,
                );
            }
        }
    }
    for key_length in KEY_LENGTHS {
        let key = format!("Rijndael with a key of {key_length} bytes, blocks of");
        run(
            &format!("{key} 24"),
            Implementation::PORTABLE,
            key_length,
            modes::rijndael::<24>,
        );
        run(
            &format!("{key} 32"),
            Implementation::PORTABLE,
            key_length,
            modes::rijndael::<32>,
        );
    }
    let seconds = start.elapsed().as_secs();
    println!(
        "trace: {passed} of {checked} passed: {} instructions in {seconds} s",
        check.steps
    );
    if checked > 0 && passed == checked {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// What runs here has the right lengths.
fn fails(error: Error) {
    panic!("{error}");
}

/// What this check cannot decide.
const OTHERWISE: &str = "with the same secret it is not the same either";

struct Check {
    stepper: Stepper,
    /// A key and data, always in one place.
    secret: Vec<u8>,
    /// Instructions of all runs.
    steps: usize,
}

impl Check {
    /// Steps through `run` with each secret: how many instructions that were, if it were the same ones.
    fn of(&mut self, key_length: usize, run: impl Fn(&[u8], &[u8])) -> Result<usize, String> {
        // Once without looking: what a process does once is done.
        self.with(u8::MAX, key_length, &run, |_, run| run());
        self.stepper.tape.record();
        for secret in 0..SECRETS {
            self.with(secret, key_length, &run, Stepper::step);
            if let Some(difference) = self.stepper.tape.difference() {
                self.stepper.tape.compare();
                self.with(0, key_length, &run, Stepper::step);
                return Err(match self.stepper.tape.difference() {
                    None => format!("{difference}"),
                    Some(difference) => format!("{OTHERWISE}: {difference}"),
                });
            }
            self.steps += self.stepper.tape.steps();
            self.stepper.tape.compare();
        }
        Ok(self.stepper.tape.steps())
    }

    /// Not inlined, so that the stack is as deep wherever it is called from.
    #[inline(never)]
    fn with(
        &mut self,
        secret: u8,
        key_length: usize,
        run: &impl Fn(&[u8], &[u8]),
        step: impl FnOnce(&mut Stepper, &mut dyn FnMut()),
    ) {
        fill(&mut self.secret, secret);
        let (key, data) = self.secret.split_at(32);
        let stepper = &mut self.stepper;
        let run = || step(stepper, &mut || run(&key[..key_length], data));
        #[expect(
            unsafe_code,
            reason = "nothing that `run` allocates outlives it: it answers nothing"
        )]
        // SAFETY: the reason above; the standard library keeps nothing either after it was run once.
        unsafe {
            ARENA.lend(run);
        }
    }
}

/// Makes it a secret of that number: bytes of no pattern, or zeros.
fn fill(secret: &mut [u8], number: u8) {
    let mut state = u64::from(number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    for byte in secret {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(u64::from(number));
        *byte = (state >> 56) as u8;
    }
}

/// What it is, and what it does with 32 secret bytes.
type Leak = (&'static str, fn(&[u8]));

/// Leaks that have to be found.
const LEAKS: [Leak; 4] = [
    ("a table indexed by a secret", |secret| {
        let table: [u8; 256] = black_box(std::array::from_fn(|i| i as u8));
        black_box(table[usize::from(secret[0])]);
    }),
    ("a branch on a secret", |secret| {
        if secret.iter().fold(0, |all, byte| all ^ byte) & 1 == 1 {
            black_box("odd");
        }
    }),
    ("a division of a secret", |secret| {
        black_box(u64::from(secret[0]) / black_box(3));
    }),
    ("AES by tables", |secret| {
        let cipher = RijndaelCbc::<ZeroPadding>::new(&secret[..16], 16).expect("a key");
        black_box(cipher.encrypt(&[0; 16], secret[16..].to_vec()).expect("a block"));
    }),
];
