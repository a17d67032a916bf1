//! Where the messages lie that a worker times its work on.
use ciphertune_catalog::{Fault, Ring};
use ciphertune_system::{Part, Taken};
use ciphertune_testkit::Random;

use crate::protocol::Room;

/// Messages that begin at a random offset in a page, at a multiple of 16 bytes as memory from `malloc`
/// does: where a buffer happens to lie changes its speed, so each process draws its own place.
///
/// They lie in memory that all workers share: long ones for each would be hundreds of megabytes. So what is in it may
/// be another's at the next turn. What must stay, the sealed messages, has a place of its own.
pub(crate) struct Buffers {
    shared: Part,
    input: Place,
    output: Place,
    kept: Option<Kept>,
    random: Random,
}

/// Where a message lies in the shared memory.
struct Place {
    begin: usize,
    /// Bytes of it whose pages are mapped.
    ready: usize,
}

struct Kept {
    memory: Vec<u8>,
    begin: usize,
}

impl Buffers {
    /// The bytes of shared memory that each bench has for messages of up to `longest` bytes, and for as many short ones
    /// as take turns.
    pub(crate) fn size(longest: usize) -> Option<usize> {
        let one = longest.max(Ring::LONGEST_SPAN).checked_next_multiple_of(PAGE)?;
        one.checked_add(PAGE)?.checked_mul(2)
    }

    /// Those of the bench with this number.
    pub(crate) fn new(room: &Room, bench: usize, mut random: Random) -> Result<Self, Fault> {
        let Room { number, bytes_each } = *room;
        let shared = Part::of(number, bench * bytes_each, bytes_each)
            .map_err(|error| Fault(format!("there is no memory for messages: {error}")))?;
        let mut place = |begin| Place {
            begin: begin + 16 * random.up_to(PAGE / 16 - 1),
            ready: 0,
        };
        Ok(Self {
            input: place(0),
            output: place(bytes_each / 2),
            shared,
            kept: None,
            random,
        })
    }

    /// For a turn, in which nobody else has them.
    pub(crate) fn take(&mut self) -> Result<Turn<'_>, Fault> {
        let Self {
            shared,
            input,
            output,
            kept,
            random,
        } = self;
        let memory = shared
            .take()
            .map_err(|error| Fault(format!("the memory for messages is not to be had: {error}")))?;
        Ok(Turn {
            memory,
            input,
            output,
            kept,
            random,
        })
    }
}

/// The buffers while it is their worker's turn.
pub(crate) struct Turn<'a> {
    memory: Taken<'a>,
    input: &'a mut Place,
    output: &'a mut Place,
    kept: &'a mut Option<Kept>,
    random: &'a mut Random,
}

impl Turn<'_> {
    /// Maps the pages of both messages, or of the first alone, so that none is mapped while the clock runs.
    pub(crate) fn provide(&mut self, length: usize, with_output: bool) {
        self.input.provide(&mut self.memory, length);
        if with_output {
            self.output.provide(&mut self.memory, length);
        }
    }

    /// Makes the place for what must stay, where it is not there yet, or too short.
    pub(crate) fn keep(&mut self, length: usize) -> Result<&mut [u8], Fault> {
        let kept = match self.kept.take() {
            Some(kept) if kept.begin + length <= kept.memory.len() => kept,
            _ => Kept::new(length, self.random)?,
        };
        Ok(self.kept.insert(kept).message(length))
    }

    pub(crate) fn one(&mut self, length: usize) -> &mut [u8] {
        &mut self.memory[self.input.begin..][..length]
    }

    /// What is read, and what is written.
    pub(crate) fn two(&mut self, length: usize) -> (&mut [u8], &mut [u8]) {
        let (input, output) = self.memory.split_at_mut(self.output.begin);
        (&mut input[self.input.begin..][..length], &mut output[..length])
    }

    /// What stays; without [`Turn::keep`] it is empty.
    pub(crate) fn kept(&mut self, length: usize) -> &mut [u8] {
        self.kept.as_mut().map_or(&mut [], |kept| kept.message(length))
    }

    /// What stays, and what is written.
    pub(crate) fn kept_and_output(&mut self, length: usize) -> (&mut [u8], &mut [u8]) {
        let kept = self
            .kept
            .as_mut()
            .map_or(&mut [][..], |kept| kept.message(length));
        (kept, &mut self.memory[self.output.begin..][..length])
    }
}

impl Place {
    fn provide(&mut self, memory: &mut [u8], length: usize) {
        if self.ready < length {
            memory[self.begin..][self.ready..length].fill(0xa5);
            self.ready = length;
        }
    }
}

impl Kept {
    fn new(length: usize, random: &mut Random) -> Result<Self, Fault> {
        let mut memory = Vec::new();
        let size = length + 2 * PAGE;
        if memory.try_reserve_exact(size).is_err() {
            return Err(Fault(format!(
                "there is no memory for messages of {length} bytes"
            )));
        }
        memory.resize(size, 0xa5);
        let to_page = memory.as_ptr().align_offset(PAGE).min(PAGE);
        Ok(Self {
            memory,
            begin: to_page + 16 * random.up_to(PAGE / 16 - 1),
        })
    }

    fn message(&mut self, length: usize) -> &mut [u8] {
        &mut self.memory[self.begin..][..length]
    }
}

const PAGE: usize = 4096;

#[cfg(test)]
mod tests {
    use ciphertune_system::Shared;

    use super::*;

    fn shared(longest: usize, benches: usize) -> (Shared, Room) {
        let bytes_each = Buffers::size(longest).unwrap();
        let shared = Shared::new(benches * bytes_each).unwrap();
        let number = shared.number();
        (shared, Room { number, bytes_each })
    }

    #[test]
    fn buffers_hold_the_longest_message_at_many_offsets() {
        let mut offsets = std::collections::BTreeSet::new();
        let (_shared, room) = shared(13_500, 1);
        for seed in 0..50 {
            let mut buffers = Buffers::new(&room, 0, Random::new(seed)).unwrap();
            let mut turn = buffers.take().unwrap();
            turn.provide(13_500, true);
            let (input, output) = turn.two(13_500);
            assert!(input.iter().chain(output.iter()).all(|&byte| byte == 0xa5));
            for part in [&*input, &*output] {
                assert_eq!(part.as_ptr() as usize % 16, 0);
                offsets.insert(part.as_ptr() as usize % PAGE);
            }
        }
        assert!(offsets.len() > 60, "{offsets:?}");
    }

    #[test]
    fn what_must_stay_is_not_shared() {
        let (_shared, room) = shared(100, 1);
        let [mut one, mut other] = [1, 2].map(|seed| Buffers::new(&room, 0, Random::new(seed)).unwrap());
        one.take().unwrap().keep(100).unwrap().fill(1);
        let mut turn = other.take().unwrap();
        assert!(turn.kept(0).is_empty());
        turn.memory.fill(2);
        drop(turn);
        let mut turn = one.take().unwrap();
        assert_eq!(turn.kept_and_output(100), (&mut [1; 100][..], &mut [2; 100][..]));
        // A longer message takes another place, a shorter one the same.
        assert_eq!(turn.keep(50).unwrap(), [1; 50]);
        assert_eq!(turn.keep(100_000).unwrap(), [0xa5; 100_000]);
    }

    #[test]
    fn benches_of_several_threads_have_them_at_once() {
        let (_shared, room) = shared(1 << 20, 2);
        let mut benches = [0, 1].map(|bench| Buffers::new(&room, bench, Random::new(7)).unwrap());
        let mut turns = benches.each_mut().map(|buffers| buffers.take().unwrap());
        for turn in &mut turns {
            turn.provide(1 << 20, true);
        }
        assert!(Buffers::new(&room, 1, Random::new(8)).unwrap().take().is_err());
        assert!(Buffers::new(&room, 2, Random::new(9)).is_err());
    }

    #[test]
    fn no_size_is_beyond_reckoning() {
        assert_eq!(Buffers::size(16), Some(2 * (8192 + PAGE)));
        assert_eq!(Buffers::size(16 << 20), Some(2 * ((16 << 20) + PAGE)));
        for longest in [usize::MAX, usize::MAX / 2] {
            assert_eq!(Buffers::size(longest), None);
        }
    }
}
