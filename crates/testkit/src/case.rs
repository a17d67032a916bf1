use std::{error, fmt};

use crate::Stream;

/// One message and what must become of it.
pub(crate) struct Case<'a> {
    /// Where the case comes from, for the report; empty for a random one.
    pub(crate) name: &'a str,
    pub(crate) key: &'a [u8],
    pub(crate) iv: u128,
    pub(crate) input: &'a [u8],
    pub(crate) expected: &'a [u8],
    pub(crate) place: Place,
    /// The lengths of the calls that the message is encrypted in; their sum is its own.
    pub(crate) updates: &'a [usize],
    /// Bytes that the context has encrypted before: whole blocks, up to [`LONGEST_LEAD`].
    pub(crate) lead: usize,
}

/// Enough for code that prepares something once a key has come far, as Ciphertune's own does after 8 KiB.
pub(crate) const LONGEST_LEAD: usize = 8192 + 512;

/// Where a message lies, each offset counted in bytes from a multiple of 64.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Inside { at: usize },
    Apart { from: usize, to: usize },
}

/// The first case that went wrong, in one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Algorithm, length, place, updates, key and IV.
    pub case: String,
    /// What was wrong with it.
    pub symptom: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.case, self.symptom)
    }
}

impl error::Error for Failure {}

/// Runs cases on one implementation, with canaries around both of its buffers.
pub(crate) struct Bench<N> {
    new: N,
    input: Arena,
    output: Arena,
    /// Where leads are encrypted from and to.
    lead: Vec<u8>,
}

impl<N, S> Bench<N>
where
    N: Fn(&[u8], &[u8; 16]) -> Result<S, String>,
    S: Stream,
{
    /// For messages of at most `longest` bytes.
    pub(crate) fn new(new: N, longest: usize) -> Self {
        Self {
            new,
            input: Arena::new(longest),
            output: Arena::new(longest),
            lead: vec![0; 2 * LONGEST_LEAD],
        }
    }

    /// Passes over a case in place where the implementation does not work in place.
    pub(crate) fn run(&mut self, case: &Case<'_>) -> Result<(), Failure> {
        self.try_run(case).map_err(|symptom| Failure {
            case: case.to_string(),
            symptom,
        })
    }

    fn try_run(&mut self, case: &Case<'_>) -> Result<(), String> {
        let len = case.input.len();
        let first = case.iv.wrapping_sub(case.lead as u128 / 16);
        let mut stream =
            (self.new)(case.key, &first.to_be_bytes()).map_err(|fault| format!("no context: {fault}"))?;
        if case.lead > 0 {
            let (from, to) = self.lead.split_at_mut(LONGEST_LEAD);
            stream.apply_to(&from[..case.lead], &mut to[..case.lead])?;
        }

        let (output, at) = match case.place {
            Place::Inside { .. } if !stream.in_place() => return Ok(()),
            Place::Inside { at } => {
                let data = self.output.place(at, len);
                data.copy_from_slice(case.input);
                let mut rest = data;
                for &update in case.updates {
                    let (now, later) = rest.split_at_mut(update);
                    stream.apply(now)?;
                    rest = later;
                }
                (&self.output, at)
            }
            Place::Apart { from, to } => {
                self.input.place(from, len).copy_from_slice(case.input);
                let mut rest_in = self.input.placed(from, len);
                let mut rest_out = self.output.place(to, len);
                for &update in case.updates {
                    let (now_in, later_in) = rest_in.split_at(update);
                    let (now_out, later_out) = rest_out.split_at_mut(update);
                    stream.apply_to(now_in, now_out)?;
                    (rest_in, rest_out) = (later_in, later_out);
                }
                if self.input.placed(from, len) != case.input {
                    return Err("the input was written to".to_owned());
                }
                self.input.check_canaries(from, len)?;
                (&self.output, to)
            }
        };
        let found = output.placed(at, len);
        if found != case.expected {
            return Err(first_difference(found, case.expected));
        }
        output.check_canaries(at, len)
    }
}

fn first_difference(found: &[u8], expected: &[u8]) -> String {
    match found.iter().zip(expected).position(|(f, e)| f != e) {
        Some(i) => format!("byte {i} is {:02x}, should be {:02x}", found[i], expected[i]),
        None => format!("{} bytes, should be {}", found.len(), expected.len()),
    }
}

impl fmt::Display for Case<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.name.is_empty() {
            write!(f, "{}: ", self.name)?;
        }
        let (bits, len) = (8 * self.key.len(), self.input.len());
        write!(f, "AES-{bits}-CTR, {len} bytes ")?;
        match self.place {
            Place::Inside { at } => write!(f, "in place at offset {at}")?,
            Place::Apart { from, to } => write!(f, "from offset {from} to offset {to}")?,
        }
        match self.updates {
            [_] => write!(f, " in one update")?,
            updates => write!(f, " in updates of {updates:?}")?,
        }
        if self.lead > 0 {
            write!(f, " after {} bytes", self.lead)?;
        }
        write!(f, ", key ")?;
        for byte in self.key {
            write!(f, "{byte:02x}")?;
        }
        write!(f, ", IV {:032x}", self.iv)
    }
}

/// Memory for one message at any offset, filled with canaries around it.
struct Arena {
    memory: Vec<u8>,
    /// The first index from [`MARGIN`] on whose address is a multiple of [`ALIGNMENT`].
    aligned: usize,
}

/// Offsets are counted from a multiple of this: a cache line, and the widest vector.
const ALIGNMENT: usize = 64;

/// Canaries on each side: two of the widest vectors.
const MARGIN: usize = 128;

const CANARY: u8 = 0xa5;

impl Arena {
    fn new(longest: usize) -> Self {
        let memory = vec![CANARY; MARGIN + 2 * ALIGNMENT + longest + MARGIN];
        let aligned = MARGIN + memory[MARGIN..].as_ptr().align_offset(ALIGNMENT);
        Self { memory, aligned }
    }

    /// Room for a message, canaries all around and inside it.
    fn place(&mut self, offset: usize, len: usize) -> &mut [u8] {
        let start = self.aligned + offset;
        self.memory[start - MARGIN..start + len + MARGIN].fill(CANARY);
        &mut self.memory[start..start + len]
    }

    fn placed(&self, offset: usize, len: usize) -> &[u8] {
        &self.memory[self.aligned + offset..][..len]
    }

    fn check_canaries(&self, offset: usize, len: usize) -> Result<(), String> {
        let start = self.aligned + offset;
        let damaged = |margin: &[u8]| margin.iter().position(|&byte| byte != CANARY);
        if let Some(first) = damaged(&self.memory[start - MARGIN..start]) {
            return Err(format!("wrote {} bytes before the buffer", MARGIN - first));
        }
        if let Some(first) = damaged(&self.memory[start + len..][..MARGIN]) {
            return Err(format!("wrote at byte {}, behind the buffer", len + first));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{ALIGNMENT, Arena, CANARY};

    #[test]
    fn canaries_on_both_sides_are_watched() {
        let mut arena = Arena::new(100);
        for (offset, len) in [(0, 0), (0, 100), (63, 100), (17, 33)] {
            let room = arena.place(offset, len);
            assert!(room.iter().all(|&byte| byte == CANARY));
            room.fill(0);
            assert_eq!(arena.placed(offset, len).as_ptr() as usize % ALIGNMENT, offset);
            assert_eq!(arena.check_canaries(offset, len), Ok(()));

            let start = arena.aligned + offset;
            arena.memory[start - 3] = 0;
            assert_eq!(
                arena.check_canaries(offset, len),
                Err("wrote 3 bytes before the buffer".to_owned())
            );
            arena.place(offset, len);
            arena.memory[start + len] = 0;
            assert_eq!(
                arena.check_canaries(offset, len),
                Err(format!("wrote at byte {len}, behind the buffer"))
            );
        }
    }
}
