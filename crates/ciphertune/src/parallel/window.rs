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
