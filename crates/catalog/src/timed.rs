//! The loops that are timed, and the messages that they go round.
use std::ops::{Deref, DerefMut, Range};

use ciphertune_testkit::{Context, Contract, Envelope, Fault, Task};
use inout::InOutBuf;

use crate::context::check_lengths;

/// What is timed of a [`Context`].
///
/// The methods are provided, so they are compiled once for each context, with the call itself inlined: no virtual
/// call is timed. They are also the only way to what is boxed, so that what is proved ([`Once`]) is the very code
/// that is timed, and the compiler has no second caller to keep it out of line for.
pub trait Timed {
    /// `calls` calls of [`Context::apply`] on the messages of the ring in turn, which begin in `data`. Where
    /// [many](Contract::is_many) go into a call, each is for all of them.
    fn repeat(&mut self, data: &mut [u8], ring: &mut Ring, calls: u64) -> Result<(), Fault>;

    /// As [`Timed::repeat`], buffer to buffer.
    fn repeat_to(
        &mut self,
        input: &[u8],
        output: &mut [u8],
        ring: &mut Ring,
        calls: u64,
    ) -> Result<(), Fault>;

    /// Whether [`Timed::repeat`] works: [`Context::in_place`].
    fn repeats_in_place(&self) -> bool;

    /// Whether [`Timed::repeat`], or else [`Timed::repeat_to`], copies each message besides: [`Context::copies`].
    fn repeats_with_copies(&self, in_place: bool) -> bool;
}

impl<C: Context> Timed for C {
    fn repeat(&mut self, data: &mut [u8], ring: &mut Ring, calls: u64) -> Result<(), Fault> {
        let mut turn = ring.first;
        for _ in 0..calls {
            let (place, envelope) = ring.message(turn);
            self.apply(envelope, &mut data[place])?;
            turn = ring.after(turn);
        }
        Ok(())
    }

    fn repeat_to(
        &mut self,
        input: &[u8],
        output: &mut [u8],
        ring: &mut Ring,
        calls: u64,
    ) -> Result<(), Fault> {
        let mut turn = ring.first;
        for _ in 0..calls {
            let (place, envelope) = ring.message(turn);
            self.apply_to(envelope, &input[place.clone()], &mut output[place])?;
            turn = ring.after(turn);
        }
        Ok(())
    }

    fn repeats_in_place(&self) -> bool {
        self.in_place()
    }

    fn repeats_with_copies(&self, in_place: bool) -> bool {
        self.copies(in_place)
    }
}

/// What is timed, as a context for single messages: the timed loop, gone round once for each.
pub struct Once<T = Box<dyn Timed>>(pub T);

impl<T: DerefMut<Target: Timed>> Context for Once<T> {
    fn apply(&mut self, envelope: Envelope<'_>, data: &mut [u8]) -> Result<(), Fault> {
        let length = data.len();
        self.0.repeat(data, &mut Ring::once(envelope, length), 1)
    }

    fn apply_to(&mut self, envelope: Envelope<'_>, input: &[u8], output: &mut [u8]) -> Result<(), Fault> {
        check_lengths(input, output)?;
        self.0
            .repeat_to(input, output, &mut Ring::once(envelope, input.len()), 1)
    }

    fn in_place(&self) -> bool {
        self.0.repeats_in_place()
    }
}

/// Where the messages of a timed loop lie in its buffer, and what goes with them.
///
/// Short messages take turns in several places. On one place alone, each call would read what the one before has
/// just written: a stream's calls begin at changing offsets in their vectors, so that the processor could not
/// forward the stores still under way and would wait for them. Programs have a packet's input in cache, and not
/// in the store queue.
pub struct Ring<'a> {
    /// Bytes a message, as they are counted.
    pub length: usize,
    /// Bytes that a call works on: as many, but for operations by public keys, each of which counts as one.
    size: usize,
    stride: usize,
    extras: Vec<Extra<'a>>,
    /// The additional data of all of them.
    aad: Held<&'a [u8]>,
    /// Messages that a call takes.
    at_once: usize,
    /// The message that [`Timed::repeat`] begins with.
    pub(crate) first: usize,
}

/// What goes with one message.
struct Extra<'a> {
    iv: Held<&'a [u8]>,
    tag: Held<&'a mut [u8]>,
}

/// Bytes of a ring's own or, of a single message, its caller's: who looks for what is written beside them must have
/// placed them.
enum Held<T> {
    Own(Box<[u8]>),
    Lent(T),
}

impl<T: Deref<Target = [u8]>> Deref for Held<T> {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        match self {
            Self::Own(bytes) => bytes,
            Self::Lent(bytes) => bytes,
        }
    }
}

impl<T: DerefMut<Target = [u8]>> DerefMut for Held<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [u8] {
        match self {
            Self::Own(bytes) => bytes,
            Self::Lent(bytes) => bytes,
        }
    }
}

/// Messages that take turns where a call takes tens of microseconds or more.
const FEW: usize = 8;

/// The IV of a message by its number, as records of TLS (RFC 8446, 5.3) and packets of IPsec (RFC 3686, RFC 4106) have it:
/// big-endian, before the four bytes of a block that count its blocks. What code knows of a key's next nonce is worth as
/// much here as there.
fn counted(number: usize, len: usize) -> Box<[u8]> {
    let mut iv = vec![0; len];
    let places = iv.iter_mut().take(12).rev();
    for (place, byte) in places.zip(number.to_le_bytes()) {
        *place = byte;
    }
    iv.into()
}

impl<'a> Ring<'a> {
    /// What several messages span at most that take turns, in bytes.
    pub const LONGEST_SPAN: usize = 8192;

    /// For messages of `length` bytes with `aad` bytes of additional data: as many as fit into 8 KiB, each beginning
    /// a multiple of 64 bytes after the one before, with an IV of its own.
    ///
    /// What goes by public keys has few: no call waits for the store of the one before.
    ///
    /// Where [many](Contract::is_many) go into a call there are as many as it takes, with a cache line between each and the next: one
    /// multiple of 4 KiB after the other would all be in the same places of the cache.
    pub fn new(task: Task, length: usize, aad: usize) -> Self {
        let size = task.fixed_len().unwrap_or(length);
        let stride = size.next_multiple_of(64).max(64);
        match task.contract {
            contract if contract.is_many() => Self::of(task, size, stride + 64, Contract::MANY, aad),
            _ => {
                let count = match task.algorithm.is_public_key() {
                    true => FEW,
                    false => (Self::LONGEST_SPAN / stride).max(1),
                };
                Self {
                    length,
                    at_once: 1,
                    ..Self::of(task, size, stride, count, aad)
                }
            }
        }
    }

    /// So many messages of `size` bytes for each call, `stride` bytes apart.
    pub(crate) fn of(task: Task, size: usize, stride: usize, count: usize, aad: usize) -> Self {
        let extra = |n: usize| Extra {
            iv: Held::Own(counted(n, task.algorithm.iv_len())),
            tag: Held::Own(vec![0; task.algorithm.tag_len()].into()),
        };
        Self {
            length: size,
            size,
            stride,
            extras: (0..count).map(extra).collect(),
            aad: Held::Own(vec![0xaa; aad].into()),
            at_once: count,
            first: 0,
        }
    }

    /// A single message, with what goes with it.
    fn once(envelope: Envelope<'a>, length: usize) -> Self {
        Self {
            length,
            size: length,
            stride: length,
            extras: vec![Extra {
                iv: Held::Lent(envelope.iv),
                tag: Held::Lent(envelope.tag),
            }],
            aad: Held::Lent(envelope.aad),
            at_once: 1,
            first: 0,
        }
    }

    /// Makes every message this one, with a tag that begins so.
    pub fn fill(&mut self, data: &mut [u8], message: &[u8], tag: &[u8]) {
        for turn in 0..self.count() {
            let (place, envelope) = self.message(turn);
            data[place].copy_from_slice(message);
            envelope.tag.fill(0);
            envelope.tag[..tag.len()].copy_from_slice(tag);
        }
    }

    /// How many messages there are.
    pub fn count(&self) -> usize {
        self.extras.len()
    }

    /// Bytes that a call works on, as they are counted.
    pub fn bytes_per_call(&self) -> u64 {
        (self.at_once * self.length) as u64
    }

    /// All messages, each with what goes with it.
    pub(crate) fn all<'b>(
        &'b mut self,
        buffer: InOutBuf<'b, 'b, u8>,
    ) -> impl Iterator<Item = (Envelope<'b>, InOutBuf<'b, 'b, u8>)> + use<'a, 'b> {
        let Self {
            extras,
            size,
            stride,
            aad,
            ..
        } = self;
        let (size, stride, aad) = (*size, *stride, &**aad);
        let mut rest = Some(buffer);
        extras.iter_mut().map_while(move |extra| {
            let now = rest.take()?;
            let next = stride.min(now.len());
            let (now, later) = now.split_at(next);
            rest = Some(later);
            let envelope = Envelope {
                iv: &extra.iv,
                aad,
                tag: &mut extra.tag,
            };
            Some((envelope, now.split_at(size).0))
        })
    }

    /// The tags of all messages, each of which is zeros then.
    pub(crate) fn take_tags(&mut self) -> Vec<Vec<u8>> {
        let tags = self.extras.iter_mut().map(|extra| {
            let tag = extra.tag.to_vec();
            extra.tag.fill(0);
            tag
        });
        tags.collect()
    }

    /// Bytes from its first message's begin to its last one's end.
    pub fn span(&self) -> usize {
        self.stride * (self.count() - 1) + self.size
    }

    /// Where a message lies, and what goes with it.
    #[inline]
    pub(crate) fn message(&mut self, turn: usize) -> (Range<usize>, Envelope<'_>) {
        let begin = self.stride * turn;
        let extra = &mut self.extras[turn];
        let envelope = Envelope {
            iv: &extra.iv,
            aad: &self.aad,
            tag: &mut extra.tag,
        };
        (begin..begin + self.size, envelope)
    }

    #[inline]
    fn after(&self, turn: usize) -> usize {
        if turn + 1 == self.extras.len() {
            0
        } else {
            turn + 1
        }
    }
}

#[cfg(test)]
mod tests {
    use ciphertune_testkit::Algorithm;

    use super::*;

    /// Tells by the tag where its message's IV, additional data and tag lie.
    struct Places;

    impl Context for Places {
        fn apply(&mut self, envelope: Envelope<'_>, _: &mut [u8]) -> Result<(), Fault> {
            let places = [envelope.iv.as_ptr(), envelope.aad.as_ptr(), envelope.tag.as_ptr()];
            for (part, place) in envelope.tag.chunks_mut(8).zip(places) {
                part.copy_from_slice(&place.addr().to_le_bytes());
            }
            Ok(())
        }

        fn apply_to(&mut self, envelope: Envelope<'_>, _: &[u8], _: &mut [u8]) -> Result<(), Fault> {
            self.apply(envelope, &mut [])
        }
    }

    #[test]
    fn nonces_count_as_records_do() {
        assert_eq!(*counted(0x0102, 12), [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2]);
        assert_eq!(*counted(3, 16), [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0]);
        assert_eq!(*counted(3, 8), [0, 0, 0, 0, 0, 0, 0, 3]);
        assert_eq!(*counted(3, 0), []);
    }

    #[test]
    fn what_goes_with_a_single_message_stays_in_its_place() {
        let (iv, aad, mut tag) = ([1; 12], [2; 13], [0; 24]);
        let places = [iv.as_ptr(), aad.as_ptr(), tag.as_ptr()].map(|place| place.addr().to_le_bytes());
        let envelope = Envelope {
            iv: &iv,
            aad: &aad,
            tag: &mut tag,
        };
        let mut once = Once(Box::new(Places) as Box<dyn Timed>);
        once.apply_to(envelope, &[], &mut []).unwrap();
        assert_eq!(tag, *places.as_flattened());
    }

    #[test]
    fn a_ring_goes_round_within_its_span() {
        for (length, count) in [
            (1, 128),
            (16, 128),
            (64, 128),
            (65, 64),
            (1350, 5),
            (8192, 1),
            (1 << 20, 1),
        ] {
            let task = Task::usual(Algorithm::named("AES-128-GCM").unwrap());
            let mut ring = Ring::new(task, length, 13);
            assert_eq!(ring.count(), count, "{length}");
            let mut turn = 0;
            let mut ivs = std::collections::BTreeSet::new();
            for _ in 0..count {
                let span = ring.span();
                let (place, envelope) = ring.message(turn);
                assert!(place.start % 64 == 0 && place.len() == length && place.end <= span);
                assert_eq!(
                    (envelope.iv.len(), envelope.aad.len(), envelope.tag.len()),
                    (12, 13, 16)
                );
                ivs.insert(envelope.iv.to_vec());
                turn = ring.after(turn);
            }
            assert_eq!((turn, ivs.len()), (0, count));
        }
    }
}
