/// Which chunk of the keystream is where: the bookkeeping of the ring, without locks, threads or keystream.
///
/// One consumer goes through the chunks; anybody makes those to come. A chunk is claimed once, in order, by whoever
/// makes it. `B` is a chunk's memory, and there is as much of it as chunks can be ahead.
pub(crate) struct Window<B> {
    /// The first chunk that the consumer may still want made.
    wanted: u128,
    /// The next chunk that nobody has claimed. Never before `wanted`.
    next: u128,
    /// How often the consumer jumped. What was claimed before a jump is of no use after it.
    jumps: u64,
    made: Vec<(u128, B)>,
    free: Vec<B>,
}

/// The right and the duty to make one chunk.
pub(crate) struct Claim<B> {
    pub(crate) chunk: u128,
    pub(crate) buffer: B,
    jump: u64,
}

/// What the consumer finds of a chunk.
pub(crate) enum Found<B> {
    /// It is made.
    Made(B),
    /// It is nobody's, and the consumer's now: to be encrypted directly.
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
            jumps: 0,
            made: Vec::with_capacity(buffers.len()),
            free: buffers,
        }
    }

    /// The next chunk to be made, while there is room.
    pub(crate) fn claim(&mut self) -> Option<Claim<B>> {
        let buffer = self.free.pop()?;
        let chunk = self.next;
        self.next += 1;
        Some(Claim {
            chunk,
            buffer,
            jump: self.jumps,
        })
    }

    /// Takes a claim back, its chunk made.
    pub(crate) fn finish(&mut self, claim: Claim<B>) {
        if claim.jump == self.jumps && claim.chunk >= self.wanted {
            self.made.push((claim.chunk, claim.buffer));
        } else {
            self.free.push(claim.buffer);
        }
    }

    /// The consumer comes to `chunk`.
    pub(crate) fn go_to(&mut self, chunk: u128) -> Found<B> {
        if chunk < self.wanted || chunk > self.next {
            self.jumps += 1;
            self.next = chunk;
        }
        self.wanted = chunk;
        let jumped = self.next == chunk;
        let behind = |(made, _): &mut (u128, B)| jumped || *made < chunk;
        self.free
            .extend(self.made.extract_if(.., behind).map(|(_, buffer)| buffer));

        if let Some(i) = self.made.iter().position(|(made, _)| *made == chunk) {
            self.wanted = chunk + 1;
            Found::Made(self.made.swap_remove(i).1)
        } else if self.next == chunk {
            self.pass();
            self.next = self.wanted;
            Found::Unclaimed
        } else {
            Found::Claimed
        }
    }

    /// The consumer does without the chunk that it came to: whoever is making it does so in vain.
    pub(crate) fn pass(&mut self) {
        self.wanted += 1;
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
