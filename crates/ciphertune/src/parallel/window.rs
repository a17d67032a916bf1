/// Which chunk of the keystream is where: the bookkeeping of the ring, without locks, threads or keystream.
///
/// One consumer goes through the chunks; anybody makes those to come. They are claimed in order, each by whoever makes
/// it. `B` is a chunk's memory, and there is as much of it as chunks can be ahead.
pub(crate) struct Window<B> {
    /// The first chunk that the consumer may still want made.
    wanted: u128,
    /// The first chunk that nobody has claimed. Never before `wanted`.
    next: u128,
    made: Vec<Claim<B>>,
    free: Vec<B>,
}

/// The right and the duty to make one chunk.
#[derive(Debug)]
pub(crate) struct Claim<B> {
    pub(crate) chunk: u128,
    pub(crate) buffer: B,
}

/// What the consumer finds of a chunk.
#[derive(Debug)]
pub(crate) enum Found<B> {
    /// It is made.
    Made(B),
    /// It was nobody's, and is the consumer's now: to be encrypted directly.
    Unclaimed,
    /// Somebody is making it.
    Claimed,
}

impl<B> Window<B> {
    /// Nothing made, and the consumer somewhere in `chunk`, which it encrypts directly.
    pub(crate) fn new(chunk: u128, buffers: Vec<B>) -> Self {
        Self {
            wanted: chunk + 1,
            next: chunk + 1,
            made: Vec::with_capacity(buffers.len()),
            free: buffers,
        }
    }

    /// The next chunk to be made, while there is room.
    pub(crate) fn claim(&mut self) -> Option<Claim<B>> {
        let buffer = self.free.pop()?;
        let chunk = self.next;
        self.next += 1;
        Some(Claim { chunk, buffer })
    }

    /// Takes a claim back, its chunk made.
    pub(crate) fn finish(&mut self, claim: Claim<B>) {
        // After a jump it may be of no use, or be claimed once more, of which nobody minds the second.
        if (self.wanted..self.next).contains(&claim.chunk) {
            self.made.push(claim);
        } else {
            self.free.push(claim.buffer);
        }
    }

    /// The consumer comes to `chunk`.
    pub(crate) fn go_to(&mut self, chunk: u128) -> Found<B> {
        if !(self.wanted..=self.next).contains(&chunk) {
            self.next = chunk;
        }
        self.wanted = chunk;
        let useful = chunk..self.next;
        let useless = self.made.extract_if(.., |made| !useful.contains(&made.chunk));
        self.free.extend(useless.map(|made| made.buffer));

        if let Some(i) = self.made.iter().position(|made| made.chunk == chunk) {
            self.wanted = chunk + 1;
            Found::Made(self.made.swap_remove(i).buffer)
        } else if self.next == chunk {
            self.wanted = chunk + 1;
            self.next = chunk + 1;
            Found::Unclaimed
        } else {
            Found::Claimed
        }
    }

    /// Memory that nobody needs any more.
    pub(crate) fn give_back(&mut self, buffer: B) {
        self.free.push(buffer);
    }

    /// For how many chunks there is room.
    pub(crate) fn room(&self) -> usize {
        self.free.len()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn chunks_are_claimed_in_order_until_there_is_no_room() {
        let mut window = Window::new(7, vec![(); 3]);
        let claims: Vec<_> = (0..3).map(|_| window.claim().unwrap()).collect();
        assert_eq!(
            claims.iter().map(|claim| claim.chunk).collect::<Vec<_>>(),
            [8, 9, 10]
        );
        assert!(window.claim().is_none());
        assert!(matches!(window.go_to(8), Found::Claimed));
        claims.into_iter().rev().for_each(|claim| window.finish(claim));
        assert!(matches!(window.go_to(8), Found::Made(())));
        // It skips one, whose memory is free.
        assert!(matches!(window.go_to(10), Found::Made(())));
        assert_eq!(window.room(), 1);
    }

    #[test]
    fn what_the_consumer_encrypts_nobody_makes() {
        let mut window = Window::new(0, vec![(); 3]);
        assert!(matches!(window.go_to(1), Found::Unclaimed));
        assert_eq!(window.claim().unwrap().chunk, 2);
        assert!(matches!(window.go_to(3), Found::Unclaimed));
        assert_eq!(window.claim().unwrap().chunk, 4);
    }

    #[test]
    fn after_a_jump_nothing_from_before_is_kept() {
        for to in [100, 2] {
            let mut window = Window::new(5, vec![(); 3]);
            let claim = window.claim().unwrap();
            let late = window.claim().unwrap();
            window.finish(claim);
            assert!(matches!(window.go_to(to), Found::Unclaimed));
            window.finish(late);
            assert_eq!(window.room(), 3);
            assert_eq!(window.claim().unwrap().chunk, to + 1);
        }
    }

    proptest! {
        /// Whatever is done in whatever order: what is given out as made is that chunk, what somebody is making
        /// nobody claims, and no memory is lost or doubled.
        #[test]
        fn it_keeps_its_books(steps in prop::collection::vec((0..4_u8, 0..12_usize), 0..200)) {
            const BUFFERS: usize = 4;
            // A buffer holds the number of the chunk that was made in it.
            let mut window = Window::new(0, vec![u128::MAX; BUFFERS]);
            let mut own = None;
            let mut making: Vec<Claim<u128>> = Vec::new();
            let mut at = 0;
            for (step, n) in steps {
                let jumped = step == 3;
                match step {
                    0 => making.extend(window.claim()),
                    1 if !making.is_empty() => {
                        let mut claim = making.swap_remove(n % making.len());
                        claim.buffer = claim.chunk;
                        window.finish(claim);
                    }
                    2 | 3 => {
                        at = if jumped { n as u128 } else { at + 1 };
                        own.take().into_iter().for_each(|buffer| window.give_back(buffer));
                        match window.go_to(at) {
                            Found::Made(buffer) => {
                                prop_assert_eq!(buffer, at);
                                own = Some(buffer);
                            }
                            Found::Unclaimed => {}
                            Found::Claimed => prop_assert!(making.iter().any(|claim| claim.chunk == at)),
                        }
                    }
                    _ => {}
                }
                let held = window.room() + window.made.len() + making.len() + usize::from(own.is_some());
                prop_assert_eq!(held, BUFFERS);
                prop_assert!(window.wanted <= window.next && window.next > at);
            }
        }
    }
}
