//! Contexts by what is done to each message, mostly closures: one for each mode, direction and contract would otherwise be
//! a type of its own.
use ciphertune_testkit::{Context, Contract, Envelope, Fault};
use inout::InOutBuf;

use crate::Timed;

/// A context that keeps `state` and, under `new-key`, calls `renew` before each message.
pub(crate) fn both<S, R, A, B>(
    contract: Contract,
    state: S,
    renew: R,
    apply: A,
    apply_to: B,
) -> Box<dyn Timed>
where
    S: 'static,
    R: FnMut(&mut S) -> Result<(), Fault> + 'static,
    A: FnMut(&mut S, &mut Envelope<'_>, &mut [u8]) -> Result<(), Fault> + 'static,
    B: FnMut(&mut S, &mut Envelope<'_>, &[u8], &mut [u8]) -> Result<(), Fault> + 'static,
{
    renewing(contract, Way::Both, state, renew, Pair(apply, apply_to))
}

/// As [`both`], of code that cannot work in place.
pub(crate) fn apart<S, R, B>(contract: Contract, state: S, renew: R, apply_to: B) -> Box<dyn Timed>
where
    S: 'static,
    R: FnMut(&mut S) -> Result<(), Fault> + 'static,
    B: FnMut(&mut S, &mut Envelope<'_>, &[u8], &mut [u8]) -> Result<(), Fault> + 'static,
{
    let apply = |_: &mut S, _: &mut Envelope<'_>, _: &mut [u8]| {
        Err(Fault("works from buffer to buffer alone".to_owned()))
    };
    renewing(contract, Way::Apart, state, renew, Pair(apply, apply_to))
}

/// As [`both`], of code that works in place alone: from buffer to buffer it goes by way of a copy.
pub(crate) fn copying<S, R, A>(contract: Contract, state: S, renew: R, apply: A) -> Box<dyn Timed>
where
    S: 'static,
    R: FnMut(&mut S) -> Result<(), Fault> + 'static,
    A: Fn(&mut S, &mut Envelope<'_>, &mut [u8]) -> Result<(), Fault> + Copy + 'static,
{
    let apply_to = move |state: &mut S, envelope: &mut Envelope<'_>, input: &[u8], output: &mut [u8]| {
        output.copy_from_slice(input);
        apply(state, envelope, output)
    };
    renewing(contract, Way::InPlace, state, renew, Pair(apply, apply_to))
}

/// As [`both`], of code that makes a tag or digest and nothing else.
pub(crate) fn tagging<S, R, T>(contract: Contract, state: S, renew: R, tag: T) -> Box<dyn Timed>
where
    S: 'static,
    R: FnMut(&mut S) -> Result<(), Fault> + 'static,
    T: Fn(&mut S, &mut Envelope<'_>, &[u8]) -> Result<(), Fault> + Copy + 'static,
{
    let apply = move |state: &mut S, envelope: &mut Envelope<'_>, data: &mut [u8]| tag(state, envelope, data);
    let apply_to = move |state: &mut S, envelope: &mut Envelope<'_>, input: &[u8], _: &mut [u8]| {
        tag(state, envelope, input)
    };
    renewing(contract, Way::Both, state, renew, Pair(apply, apply_to))
}

/// GMAC by what seals in GCM: the tag of no text, whose additional data are the message.
pub(crate) fn gmac<S, R, T>(contract: Contract, state: S, renew: R, seal: T) -> Box<dyn Timed>
where
    S: 'static,
    R: FnMut(&mut S) -> Result<(), Fault> + 'static,
    T: Fn(&mut S, &mut Envelope<'_>, InOutBuf<'_, '_, u8>) -> Result<(), Fault> + Copy + 'static,
{
    tagging(contract, state, renew, move |state, envelope, message| {
        let mut envelope = Envelope {
            iv: envelope.iv,
            aad: message,
            tag: envelope.tag,
        };
        seal(state, &mut envelope, InOutBuf::from(&mut [][..]))
    })
}

/// As [`both`], of code that takes both ways as one.
pub(crate) fn inout<S, R, F>(contract: Contract, state: S, renew: R, run: F) -> Box<dyn Timed>
where
    S: 'static,
    R: FnMut(&mut S) -> Result<(), Fault> + 'static,
    F: Fn(&mut S, &mut Envelope<'_>, InOutBuf<'_, '_, u8>) -> Result<(), Fault> + Copy + 'static,
{
    renewing(contract, Way::Both, state, renew, AsOne(run))
}

/// As [`inout`], of code that copies each message.
pub(crate) fn gathering<S, R, F>(contract: Contract, state: S, renew: R, run: F) -> Box<dyn Timed>
where
    S: 'static,
    R: FnMut(&mut S) -> Result<(), Fault> + 'static,
    F: Fn(&mut S, &mut Envelope<'_>, InOutBuf<'_, '_, u8>) -> Result<(), Fault> + Copy + 'static,
{
    renewing(contract, Way::Neither, state, renew, AsOne(run))
}

/// As [`inout`], of code that is compiled into the timed loop whatever its size. A closure may be a call there, with what
/// belongs to a message stored for it and loaded again: 25 ns of the 51 that CCM took to open 16 bytes.
pub(crate) fn inlined<S, R, M>(contract: Contract, state: S, renew: R, each: M) -> Box<dyn Timed>
where
    S: 'static,
    R: FnMut(&mut S) -> Result<(), Fault> + 'static,
    M: Each<S> + 'static,
{
    renewing(contract, Way::Both, state, renew, AsOne(each))
}

/// What is done to each message, both ways as one.
pub(crate) trait Each<S> {
    /// To be inlined always.
    fn run(
        &self,
        state: &mut S,
        envelope: &mut Envelope<'_>,
        data: InOutBuf<'_, '_, u8>,
    ) -> Result<(), Fault>;
}

impl<S, F> Each<S> for F
where
    F: Fn(&mut S, &mut Envelope<'_>, InOutBuf<'_, '_, u8>) -> Result<(), Fault>,
{
    #[inline(always)]
    fn run(
        &self,
        state: &mut S,
        envelope: &mut Envelope<'_>,
        data: InOutBuf<'_, '_, u8>,
    ) -> Result<(), Fault> {
        self(state, envelope, data)
    }
}

/// How code works without a copy of the message.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Both,
    InPlace,
    /// And in place not at all.
    Apart,
    Neither,
}

fn renewing<S, R, W>(contract: Contract, way: Way, state: S, renew: R, work: W) -> Box<dyn Timed>
where
    S: 'static,
    R: FnMut(&mut S) -> Result<(), Fault> + 'static,
    W: Work<S> + 'static,
{
    Box::new(Renewing {
        state,
        renew: (contract == Contract::NewKey).then_some(renew),
        work,
        way,
    })
}

/// What is done to a message in place, and what from buffer to buffer.
trait Work<S> {
    fn apply(&mut self, state: &mut S, envelope: &mut Envelope<'_>, data: &mut [u8]) -> Result<(), Fault>;

    fn apply_to(
        &mut self,
        state: &mut S,
        envelope: &mut Envelope<'_>,
        input: &[u8],
        output: &mut [u8],
    ) -> Result<(), Fault>;
}

struct Pair<A, B>(A, B);

impl<S, A, B> Work<S> for Pair<A, B>
where
    A: FnMut(&mut S, &mut Envelope<'_>, &mut [u8]) -> Result<(), Fault>,
    B: FnMut(&mut S, &mut Envelope<'_>, &[u8], &mut [u8]) -> Result<(), Fault>,
{
    #[inline(always)]
    fn apply(&mut self, state: &mut S, envelope: &mut Envelope<'_>, data: &mut [u8]) -> Result<(), Fault> {
        (self.0)(state, envelope, data)
    }

    #[inline(always)]
    fn apply_to(
        &mut self,
        state: &mut S,
        envelope: &mut Envelope<'_>,
        input: &[u8],
        output: &mut [u8],
    ) -> Result<(), Fault> {
        (self.1)(state, envelope, input, output)
    }
}

struct AsOne<M>(M);

impl<S, M: Each<S>> Work<S> for AsOne<M> {
    #[inline(always)]
    fn apply(&mut self, state: &mut S, envelope: &mut Envelope<'_>, data: &mut [u8]) -> Result<(), Fault> {
        self.0.run(state, envelope, data.into())
    }

    #[inline(always)]
    fn apply_to(
        &mut self,
        state: &mut S,
        envelope: &mut Envelope<'_>,
        input: &[u8],
        output: &mut [u8],
    ) -> Result<(), Fault> {
        self.0.run(state, envelope, buffers(input, output)?)
    }
}

/// One type for a key that is kept and one that is not: with two callers what is done to a message would be a call of its own,
/// with its outcome in memory, which takes 3 ns where a look at whether there is a key to renew takes none.
struct Renewing<S, R, W> {
    state: S,
    renew: Option<R>,
    work: W,
    way: Way,
}

impl<S, R, W> Renewing<S, R, W>
where
    R: FnMut(&mut S) -> Result<(), Fault>,
{
    #[inline(always)]
    fn renew(&mut self) -> Result<(), Fault> {
        match &mut self.renew {
            Some(renew) => renew(&mut self.state),
            None => Ok(()),
        }
    }
}

impl<S, R, W> Context for Renewing<S, R, W>
where
    R: FnMut(&mut S) -> Result<(), Fault>,
    W: Work<S>,
{
    #[inline(always)]
    fn apply(&mut self, mut envelope: Envelope<'_>, data: &mut [u8]) -> Result<(), Fault> {
        self.renew()?;
        self.work.apply(&mut self.state, &mut envelope, data)
    }

    #[inline(always)]
    fn apply_to(&mut self, mut envelope: Envelope<'_>, input: &[u8], output: &mut [u8]) -> Result<(), Fault> {
        // Timed calls never differ in this, but foreign functions behind `work` are told one length for both.
        check_lengths(input, output)?;
        self.renew()?;
        self.work.apply_to(&mut self.state, &mut envelope, input, output)
    }

    fn in_place(&self) -> bool {
        self.way != Way::Apart
    }

    fn copies(&self, in_place: bool) -> bool {
        match self.way {
            Way::Both | Way::Apart => false,
            Way::InPlace => !in_place,
            Way::Neither => true,
        }
    }
}

/// From one to the other, as one.
#[inline]
pub(crate) fn buffers<'i, 'o>(input: &'i [u8], output: &'o mut [u8]) -> Result<InOutBuf<'i, 'o, u8>, Fault> {
    InOutBuf::new(input, output).map_err(|error| Fault(error.to_string()))
}

#[inline]
pub(crate) fn check_lengths(input: &[u8], output: &[u8]) -> Result<(), Fault> {
    let (input, output) = (input.len(), output.len());
    if input == output {
        Ok(())
    } else {
        Err(Fault(format!(
            "{input} bytes of input do not fit {output} of output"
        )))
    }
}

/// An IV of a block's length, where blocks have sixteen bytes.
#[inline]
pub(crate) fn block(iv: &[u8]) -> Result<[u8; 16], Fault> {
    block_of(iv)
}

/// An IV of a block's length.
#[inline]
pub(crate) fn block_of<const BLOCK: usize>(iv: &[u8]) -> Result<[u8; BLOCK], Fault> {
    let len = iv.len();
    iv.try_into()
        .map_err(|_| Fault(format!("an IV of {len} bytes, where a block is wanted")))
}

/// Whether two tags are the same, in a time that does not tell where they differ.
pub(crate) fn equal(one: &[u8], other: &[u8]) -> bool {
    let difference = one
        .iter()
        .zip(other)
        .fold(0, |all, (one, other)| all | one ^ other);
    one.len() == other.len() && difference == 0
}

/// The private key of 32 bytes in PKCS #8 of what has no other structure (RFC 8410): they are its end.
pub(crate) fn seed(key: &[u8]) -> Result<&[u8; 32], Fault> {
    let seed = key.last_chunk().filter(|_| key.len() == 48);
    seed.ok_or_else(|| Fault("a private key that is not as RFC 8410 has it".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Loops that are timed cut both from one place, so that nobody else gets to ask.
    #[test]
    fn code_never_sees_different_lengths() {
        for renew in [None, Some(|_: &mut ()| panic!("the key is set"))] {
            let mut context = Renewing {
                state: (),
                renew,
                work: Pair(
                    |_: &mut (), _: &mut Envelope<'_>, _: &mut [u8]| panic!("works in place"),
                    |_: &mut (), _: &mut Envelope<'_>, _: &[u8], _: &mut [u8]| panic!("works"),
                ),
                way: Way::Both,
            };
            for (input, output) in [(16, 17), (17, 16), (0, 1)] {
                let envelope = Envelope {
                    iv: &[],
                    aad: &[],
                    tag: &mut [],
                };
                let fault = context.apply_to(envelope, &vec![0; input], &mut vec![0; output]);
                assert!(fault.is_err(), "{input} to {output}");
            }
        }
    }
}
