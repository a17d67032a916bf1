use std::{error, fmt};

use crate::{Context, Contract, Envelope, Fault, New, Operation, Task};

/// One message and what must become of it.
#[derive(Clone, Copy)]
pub(crate) struct Case<'a> {
    /// Where the case comes from, for the report; empty for a random one.
    pub(crate) name: &'a str,
    pub(crate) key: &'a [u8],
    /// Where the stream begins, or the message's own.
    pub(crate) iv: &'a [u8],
    pub(crate) aad: &'a [u8],
    pub(crate) input: &'a [u8],
    /// The input again where only a tag is made.
    pub(crate) expected: &'a [u8],
    /// That is made, or given to be checked.
    pub(crate) tag: &'a [u8],
    pub(crate) place: Place,
    /// The lengths of the calls that the message is given in; their sum is its own.
    pub(crate) updates: &'a [usize],
    /// Bytes that a stream has come before, or that a new context took as a message, twice: whole blocks, up to
    /// [`LONGEST_LEAD`].
    pub(crate) lead: usize,
}

/// Enough for code that prepares something once a key has come far, as Ciphertune's own does after 8 KiB of a stream and
/// 16 KiB more, and after 64 KiB of sealed messages and as many more with nonces that are counted.
pub(crate) const LONGEST_LEAD: usize = 65_536 + 512;

/// Bytes of a call in the lead of a stream: what one call makes ready is there for the next.
const STREAM_CALL: usize = 8192;

/// Where a message lies, each offset counted in bytes from a multiple of 64.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Inside { at: usize },
    Apart { from: usize, to: usize },
}

impl Place {
    fn of_output(self) -> usize {
        match self {
            Self::Inside { at } | Self::Apart { to: at, .. } => at,
        }
    }
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

/// Runs cases of one task on one implementation, with canaries around all that it is given.
pub(crate) struct Bench<'a> {
    task: Task,
    new: New<'a>,
    /// A context that takes one message after another, and its key.
    kept: Option<(Vec<u8>, Box<dyn Context>)>,
    input: Arena,
    output: Arena,
    beside: Beside,
    /// Where leads are encrypted from, and to.
    lead: Vec<u8>,
}

impl<'a> Bench<'a> {
    pub(crate) fn new(task: Task, new: New<'a>) -> Self {
        Self {
            task,
            new,
            kept: None,
            input: Arena::new(0),
            output: Arena::new(0),
            beside: Beside([0; 3].map(Arena::new)),
            lead: vec![0; 3 * LONGEST_LEAD],
        }
    }

    /// Passes over a case in place where the implementation does not work in place.
    pub(crate) fn run(&mut self, case: &Case<'_>) -> Result<(), Failure> {
        self.try_run(case).map_err(|symptom| Failure {
            case: describe(self.task, case),
            symptom,
        })
    }

    fn try_run(&mut self, case: &Case<'_>) -> Result<(), String> {
        let (mut kept, is_new) = self.context(case)?;
        let context = &mut *kept;
        if matches!(case.place, Place::Inside { .. }) && !context.in_place() {
            return Ok(());
        }
        if case.lead > 0 && is_new {
            let (from, to) = self.lead.split_at_mut(2 * LONGEST_LEAD);
            let calls = match self.task.contract {
                Contract::Stream => from[..case.lead].chunks(STREAM_CALL),
                _ => from[..2 * case.lead].chunks(case.lead),
            };
            for input in calls {
                let mut tag = case.tag.to_vec();
                let led = context.apply_to(envelope(case, &mut tag), input, &mut to[..input.len()]);
                // What opens refuses it, after all the work.
                if self.task.operation != Operation::Open {
                    led.map_err(words)?;
                }
            }
        }
        self.apply(context, case).map_err(words)?;
        self.check(case)?;
        let tag = self.beside.tag(case);
        if tag != case.tag {
            let what = match self.task.operation {
                Operation::Digest => "digest",
                _ => "tag",
            };
            return Err(format!("{what}: {}", first_difference(tag, case.tag)));
        }
        if self.task.operation == Operation::Open {
            self.check_forgeries(context, case)?;
        }
        if self.task.contract != Contract::Stream {
            self.kept = Some((case.key.to_vec(), kept));
        }
        Ok(())
    }

    /// A new one for each stream, and otherwise the same for as long as the key stays: a message must not feel
    /// the one before it. And whether it is new.
    fn context(&mut self, case: &Case<'_>) -> Result<(Box<dyn Context>, bool), String> {
        match self.kept.take() {
            Some((key, context)) if key == case.key => Ok((context, false)),
            _ => {
                let new = (self.new)(case.key, case.iv).map_err(|fault| format!("no context: {fault}"))?;
                Ok((new, true))
            }
        }
    }

    fn apply(&mut self, context: &mut dyn Context, case: &Case<'_>) -> Result<(), Fault> {
        let given = self.task.operation.is_backward();
        let mut envelope = self.beside.place(case, given);
        let input = case.input;
        let len = input.len();
        match case.place {
            Place::Inside { at } => {
                let mut rest = self.output.place(at, len);
                rest.copy_from_slice(input);
                for &update in case.updates {
                    let (now, later) = rest.split_at_mut(update);
                    context.apply(again(&mut envelope), now)?;
                    rest = later;
                }
            }
            Place::Apart { from, to } => {
                self.input.place(from, len).copy_from_slice(input);
                let mut rest_in = self.input.placed(from, len);
                let mut rest_out = self.output.place(to, len);
                for &update in case.updates {
                    let (now_in, later_in) = rest_in.split_at(update);
                    let (now_out, later_out) = rest_out.split_at_mut(update);
                    context.apply_to(again(&mut envelope), now_in, now_out)?;
                    (rest_in, rest_out) = (later_in, later_out);
                }
            }
        }
        Ok(())
    }

    /// Whether the output is right, and nothing else was written to.
    fn check(&self, case: &Case<'_>) -> Result<(), String> {
        let len = case.input.len();
        let found = self.output.placed(case.place.of_output(), len);
        // Where a tag alone is made, an output of its own stays as it was.
        let untouched = vec![CANARY; len];
        let expected = match case.place {
            Place::Apart { .. } if !self.task.operation.writes() => &untouched,
            _ => case.expected,
        };
        if found != expected {
            return Err(first_difference(found, expected));
        }
        self.check_rest(case)
    }

    /// Whether what is only read is as it was, and what lies around everything.
    fn check_rest(&self, case: &Case<'_>) -> Result<(), String> {
        if let Place::Apart { from, .. } = case.place {
            self.input.check_unchanged("input", from, case.input)?;
        }
        self.output
            .check_canaries("buffer", case.place.of_output(), case.input.len())?;
        self.beside.check(case)
    }

    /// Whether the same message is refused with a bit of whatever its tag is over changed, or of the tag itself, and
    /// nothing is written to then but the place for the plaintext.
    fn check_forgeries(&mut self, context: &mut dyn Context, case: &Case<'_>) -> Result<(), String> {
        let parts = [
            ("tag", case.tag),
            ("ciphertext", case.input),
            ("additional data", case.aad),
            ("IV", case.iv),
        ];
        for (part, bytes) in parts {
            // Somewhere else each time, also where all lengths are whole blocks. Nonces that are counted stay near.
            let at = match part {
                "IV" if case.lead > 0 => bytes.len() - 1,
                _ => (case.input.len() / 16 + case.input.len()) % bytes.len().max(1),
            };
            let mut forged = bytes.to_vec();
            let Some(byte) = forged.get_mut(at) else {
                continue;
            };
            *byte ^= 1 << (at % 8);
            let mut case = *case;
            match part {
                "tag" => case.tag = &forged,
                "ciphertext" => case.input = &forged,
                "additional data" => case.aad = &forged,
                _ => case.iv = &forged,
            }
            if self.apply(context, &case).is_ok() {
                return Err(format!(
                    "was opened although a bit of its {part} had been changed"
                ));
            }
            self.check_rest(&case)
                .map_err(|symptom| format!("{symptom} as it refused a message with a changed {part}"))?;
        }
        Ok(())
    }
}

fn envelope<'a>(case: &Case<'a>, tag: &'a mut [u8]) -> Envelope<'a> {
    Envelope {
        iv: case.iv,
        aad: case.aad,
        tag,
    }
}

/// The same for another call.
fn again<'a>(envelope: &'a mut Envelope<'_>) -> Envelope<'a> {
    Envelope {
        iv: envelope.iv,
        aad: envelope.aad,
        tag: envelope.tag,
    }
}

fn words(Fault(words): Fault) -> String {
    words
}

fn first_difference(found: &[u8], expected: &[u8]) -> String {
    match found.iter().zip(expected).position(|(f, e)| f != e) {
        Some(i) => format!("byte {i} is {:02x}, should be {:02x}", found[i], expected[i]),
        None => format!("{} bytes, should be {}", found.len(), expected.len()),
    }
}

/// The case in one line.
fn describe(task: Task, case: &Case<'_>) -> String {
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let mut line = String::new();
    if !case.name.is_empty() {
        line += &format!("{}: ", case.name);
    }
    line += &format!("{task}, {} bytes ", case.input.len());
    line += &match case.place {
        Place::Inside { at } => format!("in place at offset {at}"),
        Place::Apart { from, to } => format!("from offset {from} to offset {to}"),
    };
    line += &match case.updates {
        [_] => " in one update".to_owned(),
        updates => format!(" in updates of {updates:?}"),
    };
    if case.lead > 0 {
        line += &format!(" after {} bytes", case.lead);
    }
    if task.takes_aad() {
        line += &format!(", {} bytes of additional data", case.aad.len());
    }
    line += &format!(", key {}", hex(case.key));
    if !case.iv.is_empty() {
        line += &format!(", IV {}", hex(case.iv));
    }
    line
}

/// What goes with a message: IV, additional data and tag, each at an offset that follows from the message's.
struct Beside([Arena; 3]);

impl Beside {
    /// A tag that is given stands there; any other is made of canaries.
    fn place<'a>(&'a mut self, case: &Case<'_>, tag_is_given: bool) -> Envelope<'a> {
        let [at_iv, at_aad, at_tag] = Self::offsets(case);
        let [iv, aad, tag] = &mut self.0;
        let (iv, aad) = (iv.place(at_iv, case.iv.len()), aad.place(at_aad, case.aad.len()));
        iv.copy_from_slice(case.iv);
        aad.copy_from_slice(case.aad);
        let tag = tag.place(at_tag, case.tag.len());
        if tag_is_given {
            tag.copy_from_slice(case.tag);
        }
        Envelope { iv, aad, tag }
    }

    fn tag(&self, case: &Case<'_>) -> &[u8] {
        let [_, _, at] = Self::offsets(case);
        self.0[2].placed(at, case.tag.len())
    }

    fn check(&self, case: &Case<'_>) -> Result<(), String> {
        let [at_iv, at_aad, at_tag] = Self::offsets(case);
        let [iv, aad, tag] = &self.0;
        iv.check_unchanged("IV", at_iv, case.iv)?;
        aad.check_unchanged("additional data", at_aad, case.aad)?;
        tag.check_canaries("tag", at_tag, case.tag.len())
    }

    /// No two of them are ever aligned alike, nor as the message is.
    fn offsets(case: &Case<'_>) -> [usize; 3] {
        [17, 35, 53].map(|further| (case.place.of_output() + further) % ALIGNMENT)
    }
}

/// Memory for one message, or what goes with it, at any offset, filled with canaries around it.
struct Arena {
    memory: Vec<u8>,
    /// Bytes of the longest that it has room for.
    longest: usize,
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
        Self {
            memory,
            longest,
            aligned,
        }
    }

    /// Room for a message, canaries all around and inside it.
    fn place(&mut self, offset: usize, len: usize) -> &mut [u8] {
        if len > self.longest {
            *self = Self::new(len);
        }
        let start = self.aligned + offset;
        self.memory[start - MARGIN..start + len + MARGIN].fill(CANARY);
        &mut self.memory[start..start + len]
    }

    fn placed(&self, offset: usize, len: usize) -> &[u8] {
        &self.memory[self.aligned + offset..][..len]
    }

    /// Whether what was placed is still there, and nothing else.
    fn check_unchanged(&self, what: &str, offset: usize, placed: &[u8]) -> Result<(), String> {
        if self.placed(offset, placed.len()) != placed {
            return Err(format!("the {what} was written to"));
        }
        self.check_canaries(what, offset, placed.len())
    }

    fn check_canaries(&self, what: &str, offset: usize, len: usize) -> Result<(), String> {
        let start = self.aligned + offset;
        let damaged = |margin: &[u8]| margin.iter().position(|&byte| byte != CANARY);
        if let Some(first) = damaged(&self.memory[start - MARGIN..start]) {
            return Err(format!("wrote {} bytes before the {what}", MARGIN - first));
        }
        if let Some(first) = damaged(&self.memory[start + len..][..MARGIN]) {
            return Err(format!("wrote at byte {}, behind the {what}", len + first));
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
            assert_eq!(arena.check_canaries("buffer", offset, len), Ok(()));

            let start = arena.aligned + offset;
            arena.memory[start - 3] = 0;
            assert_eq!(
                arena.check_canaries("buffer", offset, len),
                Err("wrote 3 bytes before the buffer".to_owned())
            );
            arena.place(offset, len);
            arena.memory[start + len] = 0;
            assert_eq!(
                arena.check_canaries("buffer", offset, len),
                Err(format!("wrote at byte {len}, behind the buffer"))
            );
        }
    }
}
