//! The rounds of AES over several vectors at once, whatever the mode.

use core::arch::asm;

use crate::{key::RoundKeys, lanes::Lanes};

/// The round keys of vectors in flight: [`Keys`], or a key for each lane ([`crate::lane_keys`]).
///
/// # Safety
/// As [`Lanes`].
pub(crate) trait Schedule<L: Lanes>: Copy {
    type Round: Round<L>;
    /// Whether each lane has a key of its own: then there is a load for each round of each vector.
    #[cfg(target_arch = "x86_64")]
    const OF_LANES: bool = false;

    /// 10, 12 or 14.
    fn rounds(&self) -> usize;
    /// The key of a round counted from the front, 0 being the one that is added before the first round, up to 1, and of
    /// [`Stored`] up to 2.
    unsafe fn front(&self, round: usize) -> Self::Round;
    /// The key at one of the fifteen places of [`RoundKeys`].
    unsafe fn place(&self, place: usize) -> Self::Round;
    /// To be called once a batch.
    fn anew(self) -> Self;
}

/// A round's key, or keys.
///
/// # Safety
/// As [`Lanes`].
pub(crate) trait Round<L>: Copy {
    /// What of it is for the lanes of that vector.
    unsafe fn of(self, vector: usize) -> L;
}

/// The same for all: a vector of it is made once.
impl<L: Lanes> Round<L> for L {
    #[inline(always)]
    unsafe fn of(self, _: usize) -> L {
        self
    }
}

/// Where a batch takes its round keys from, the same for all lanes.
///
/// # Safety
/// As [`Lanes`].
pub(crate) trait Keys<L: Lanes>: Schedule<L, Round = L> {
    /// # Safety
    /// The keys outlive what is answered, and stay what they are as long as that is used.
    unsafe fn of(keys: &RoundKeys) -> Self;
}

/// In memory, and loaded for each batch again.
#[derive(Clone, Copy)]
pub(crate) struct Stored(*const RoundKeys);

impl Stored {
    /// The keys, but as far as the compiler can tell others than those of the batch before.
    ///
    /// # Safety
    /// As [`Keys::of`].
    #[inline(always)]
    pub(crate) unsafe fn new(keys: &RoundKeys) -> Self {
        Self(anew(keys))
    }

    /// # Safety
    /// As long as the caller has lent them to whoever made this.
    #[inline(always)]
    pub(crate) unsafe fn keys<'a>(self) -> &'a RoundKeys {
        // SAFETY: as the caller.
        unsafe { &*self.0 }
    }
}

/// The same pointer, but as far as the compiler can tell to something else. Left to itself it would load what several
/// batches or both ends of one need once and for all, and where there are fewer registers than that leave copies on the
/// stack: slower than the originals, and never wiped.
#[inline(always)]
#[expect(
    clippy::pointers_in_nomem_asm_block,
    reason = "the pointer is hidden, not used"
)]
pub(crate) fn anew<T>(mut pointer: *const T) -> *const T {
    if cfg!(miri) {
        return pointer;
    }
    // SAFETY: the instruction sequence is empty: the pointer is what it was.
    unsafe { asm!("/* {0} */", inout(reg) pointer, options(nomem, nostack, preserves_flags)) };
    pointer
}

impl<L: Lanes> Keys<L> for Stored {
    #[inline(always)]
    unsafe fn of(keys: &RoundKeys) -> Self {
        // SAFETY: as the caller.
        unsafe { Self::new(keys) }
    }
}

impl<L: Lanes> Schedule<L> for Stored {
    type Round = L;

    #[inline(always)]
    fn rounds(&self) -> usize {
        // SAFETY: the keys outlive this, as whoever made it has promised.
        unsafe { (*self.0).rounds }
    }

    #[inline(always)]
    unsafe fn front(&self, round: usize) -> L {
        // SAFETY: as above; the first key stands at one of the first five places.
        unsafe {
            L::broadcast(
                (&raw const (*self.0).blocks)
                    .cast::<u128>()
                    .add((*self.0).start() + round),
            )
        }
    }

    #[inline(always)]
    unsafe fn place(&self, place: usize) -> L {
        // SAFETY: as above.
        unsafe { L::broadcast((&raw const (*self.0).blocks).cast::<u128>().add(place)) }
    }

    #[inline(always)]
    fn anew(self) -> Self {
        Self(anew(self.0))
    }
}

/// In registers, for vectors that have enough of them.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
pub(crate) struct Resident<L> {
    places: [L; 15],
    front: [L; 2],
    rounds: usize,
}

#[cfg(target_arch = "x86_64")]
impl<L: Lanes> Keys<L> for Resident<L> {
    #[inline(always)]
    unsafe fn of(keys: &RoundKeys) -> Self {
        // SAFETY: the caller has the features, and keys that outlive this.
        unsafe {
            let stored = Stored::new(keys);
            let mut places = [stored.front(0); 15];
            for (i, place) in places.iter_mut().enumerate() {
                *place = stored.place(i);
            }
            Self {
                places,
                front: [stored.front(0), stored.front(1)],
                rounds: keys.rounds,
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
impl<L: Lanes> Schedule<L> for Resident<L> {
    type Round = L;

    #[inline(always)]
    fn rounds(&self) -> usize {
        self.rounds
    }

    #[inline(always)]
    unsafe fn front(&self, round: usize) -> L {
        self.front[round]
    }

    #[inline(always)]
    unsafe fn place(&self, place: usize) -> L {
        self.places[place]
    }

    #[inline(always)]
    fn anew(self) -> Self {
        self
    }
}

/// The keys of the last ten rounds in registers and those before them in memory, for modes that keep more than states
/// in registers.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
pub(crate) struct LastTen<L> {
    first: L,
    last: [L; 10],
    stored: Stored,
    rounds: usize,
}

#[cfg(target_arch = "x86_64")]
impl<L: Lanes> Keys<L> for LastTen<L> {
    #[inline(always)]
    unsafe fn of(keys: &RoundKeys) -> Self {
        // SAFETY: the caller has the features, and keys that outlive this.
        unsafe {
            let stored = Stored::new(keys);
            let first = stored.front(0);
            let mut last = [first; 10];
            for (i, place) in last.iter_mut().enumerate() {
                *place = stored.place(5 + i);
            }
            let rounds = keys.rounds;
            Self {
                first,
                last,
                stored,
                rounds,
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
impl<L: Lanes> Schedule<L> for LastTen<L> {
    type Round = L;

    #[inline(always)]
    fn rounds(&self) -> usize {
        self.rounds
    }

    #[inline(always)]
    unsafe fn front(&self, round: usize) -> L {
        // SAFETY: as the caller.
        unsafe {
            if round == 0 {
                self.first
            } else {
                self.stored.front(round)
            }
        }
    }

    #[inline(always)]
    unsafe fn place(&self, place: usize) -> L {
        // SAFETY: as the caller.
        unsafe {
            if place < 5 {
                let blocks = (&raw const (*self.stored.0).blocks).cast::<u128>();
                L::broadcast_beside(blocks.add(place))
            } else {
                self.last[place - 5]
            }
        }
    }

    #[inline(always)]
    fn anew(self) -> Self {
        let stored = Schedule::<L>::anew(self.stored);
        Self { stored, ..self }
    }
}

/// As [`Stored`], by ports that AES leaves free ([`Lanes::broadcast_beside`]): three instructions a key, which a batch of
/// sixteen vectors hides. So no register holds a key for longer than its round, and none is spilled.
#[cfg(target_arch = "x86_64")]
#[derive(Clone, Copy)]
pub(crate) struct Beside(Stored);

#[cfg(target_arch = "x86_64")]
impl<L: Lanes> Keys<L> for Beside {
    #[inline(always)]
    unsafe fn of(keys: &RoundKeys) -> Self {
        // SAFETY: as the caller.
        unsafe { Self(Stored::new(keys)) }
    }
}

#[cfg(target_arch = "x86_64")]
impl<L: Lanes> Schedule<L> for Beside {
    type Round = L;

    #[inline(always)]
    fn rounds(&self) -> usize {
        Schedule::<L>::rounds(&self.0)
    }

    #[inline(always)]
    unsafe fn front(&self, round: usize) -> L {
        // SAFETY: the keys outlive this; the first one stands at one of the first five places.
        unsafe { self.place((*self.0.0).start() + round) }
    }

    #[inline(always)]
    unsafe fn place(&self, place: usize) -> L {
        // SAFETY: as above.
        unsafe { L::broadcast_beside((&raw const (*self.0.0).blocks).cast::<u128>().add(place)) }
    }

    #[inline(always)]
    fn anew(self) -> Self {
        Self(Schedule::<L>::anew(self.0))
    }
}

/// Other work for the ports that AES leaves free, in eight parts, each of them between two rounds.
///
/// A processor looks ahead some hundred instructions, no more than a batch has: what comes before or after all of
/// the rounds is not done beside them.
pub(crate) trait Filler {
    /// Does part `slot`, 0 to 7.
    ///
    /// # Safety
    /// As the rounds that it stands between.
    unsafe fn fill(&mut self, slot: usize);
}

/// Nothing else to do.
impl Filler for () {
    #[inline(always)]
    unsafe fn fill(&mut self, _: usize) {}
}

/// The rounds that are left after `DONE` (0 to 2) of them.
///
/// # Safety
/// As [`Lanes`].
#[inline(always)]
pub(crate) unsafe fn encrypt<L: Lanes, K: Keys<L>, const N: usize, const DONE: usize>(
    keys: K,
    states: [L; N],
) -> [L; N] {
    // SAFETY: as the caller.
    unsafe {
        let mut states = middle::<L, K, N, DONE, 0, false>(keys, states, L::FEW_REGISTERS, &mut ());
        let key = keys.place(14);
        for state in &mut states {
            *state = state.last_round(key);
        }
        states
    }
}

/// Encryption or decryption, after the first key was added; `keys` are those of the direction.
///
/// # Safety
/// As [`Lanes`].
#[inline(always)]
pub(crate) unsafe fn crypt<L: Lanes, S: Schedule<L>, const N: usize, const DECRYPT: bool>(
    keys: S,
    states: [L; N],
    filler: &mut impl Filler,
) -> [L; N] {
    // SAFETY: as the caller.
    unsafe {
        let mut states = middle::<L, S, N, 0, 0, DECRYPT>(keys, states, true, filler);
        let last = keys.place(14);
        for (i, state) in states.iter_mut().enumerate() {
            *state = last_round::<L, DECRYPT>(*state, last.of(i));
        }
        states
    }
}

/// The last round of encryption or decryption. What a mode adds to its output it adds to `key` instead, and the store
/// comes next: few instructions between the rounds of one batch and those of the next let a processor look from one into
/// the other.
///
/// # Safety
/// As [`Lanes`].
#[inline(always)]
pub(crate) unsafe fn last_round<L: Lanes, const DECRYPT: bool>(state: L, key: L) -> L {
    // SAFETY: as the caller.
    unsafe {
        if DECRYPT {
            state.inv_last_round(key)
        } else {
            state.last_round(key)
        }
    }
}

/// The rounds between the first `DONE` (0 to 2) and the last, without `LEFT` (0 or 1) of them at the end.
///
/// With `pin` the rounds stay in the order in which they are written ([`Lanes::pin`]): that keeps work between them in
/// its place, and costs 3 to 6 % where there is none and registers enough.
///
/// Written out: a loop over a number of rounds known only at run time costs a cycle in ten. AES-192 and
/// AES-256 differ from AES-128 by two and four rounds at the front.
///
/// # Safety
/// As [`Lanes`].
#[inline(always)]
pub(crate) unsafe fn middle<
    L: Lanes,
    S: Schedule<L>,
    const N: usize,
    const DONE: usize,
    const LEFT: usize,
    const DECRYPT: bool,
>(
    keys: S,
    mut states: [L; N],
    pin: bool,
    filler: &mut impl Filler,
) -> [L; N] {
    macro_rules! rounds {
        ($($place:expr $(=> $slot:literal)?),*) => {
            $(
                let round = keys.place($place);
                for (i, state) in states.iter_mut().enumerate() {
                    let key = round.of(i);
                    let next = if DECRYPT { state.inv_round(key) } else { state.round(key) };
                    *state = if pin { next.pin() } else { next };
                }
                $(filler.fill($slot);)?
            )*
        };
    }
    // SAFETY: as the caller; all places are below fifteen.
    unsafe {
        if keys.rounds() > 10 {
            if keys.rounds() > 12 {
                rounds!(1 + DONE, 2 + DONE);
            }
            rounds!(3 + DONE, 4 + DONE);
        }
        if DONE < 1 {
            rounds!(5);
        }
        if DONE < 2 {
            rounds!(6 => 0);
        }
        rounds!(7 => 1, 8 => 2, 9 => 3, 10 => 4, 11 => 5, 12 => 6);
        if LEFT == 0 {
            rounds!(13 => 7);
        }
        states
    }
}
