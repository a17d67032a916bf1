//! What a run did, word for word, and where another one first did otherwise.
use std::fmt;

pub struct Tape {
    words: Vec<u64>,
    /// Where the run that is compared has come to; none while one is recorded.
    at: Option<usize>,
    /// The instruction that it is at, and the one before.
    instruction: [u64; 2],
    steps: usize,
    difference: Option<Difference>,
}

/// What depends on a secret, and the address of the instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Difference {
    Branch(u64),
    Address(u64),
    /// Addresses are in a vector, which is not looked into.
    Gather(u64),
    /// The run was longer than there is room for.
    Full,
}

/// Words of the longest run.
const ROOM: usize = 32 << 20;

impl Tape {
    pub fn new() -> Self {
        Self {
            words: Vec::with_capacity(ROOM),
            at: None,
            instruction: [0; 2],
            steps: 0,
            difference: None,
        }
    }

    /// The next run is recorded.
    pub fn record(&mut self) {
        self.words.clear();
        self.at = None;
        self.steps = 0;
        self.difference = None;
    }

    /// The next run is compared with what was recorded.
    pub fn compare(&mut self) {
        self.at = Some(0);
        self.difference = None;
    }

    /// Instructions that were recorded.
    pub fn steps(&self) -> usize {
        self.steps
    }

    pub fn difference(&self) -> Option<Difference> {
        self.difference
    }

    /// Whether there is nothing more to be learned from the run.
    pub fn is_over(&self) -> bool {
        self.difference.is_some()
    }

    /// The next instruction is at this address.
    pub fn next(&mut self, instruction: u64) {
        self.instruction = [instruction, self.instruction[0]];
        self.steps += usize::from(self.at.is_none());
        self.word(instruction, Difference::Branch(self.instruction[1]));
    }

    /// It goes to memory at this one, or what its time depends on is this.
    pub fn goes_to(&mut self, address: u64) {
        self.word(address, Difference::Address(self.instruction[0]));
    }

    /// It goes to memory at addresses that are in a vector.
    pub fn gathers(&mut self) {
        self.difference = Some(Difference::Gather(self.instruction[0]));
    }

    fn word(&mut self, word: u64, otherwise: Difference) {
        match &mut self.at {
            _ if self.difference.is_some() => {}
            Some(at) if self.words.get(*at) == Some(&word) => *at += 1,
            Some(_) => self.difference = Some(otherwise),
            // In a signal's handler nothing may be allocated.
            None if self.words.len() == self.words.capacity() => self.difference = Some(Difference::Full),
            None => self.words.push(word),
        }
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (what, at) = match *self {
            Self::Branch(at) => ("a branch depends on it", at),
            Self::Address(at) => ("an address, or an instruction's time, depends on it", at),
            Self::Gather(at) => ("addresses in a vector may depend on it", at),
            Self::Full => return f.write_str("it takes longer than there is room for"),
        };
        write!(
            f,
            "{what}: addr2line -Cfie PROGRAM {:#x}",
            at.wrapping_sub(base())
        )
    }
}

/// Where the program was loaded.
#[expect(
    unsafe_code,
    reason = "a symbol of the linker's, of which only the address is taken"
)]
fn base() -> u64 {
    unsafe extern "C" {
        static __ehdr_start: u8;
    }
    (&raw const __ehdr_start).addr() as u64
}
