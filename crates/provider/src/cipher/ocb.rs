use ciphertune::{InOutBuf, Ocb, OcbStream};
use zeroize::Zeroize;

use super::{Aligned, Cipher, Way, copied};
use crate::{
    BLOCK,
    abi::{RawParam, mode},
    call::Call,
    error::{Failure, Reason},
    param::Param,
    settings::Decisions,
};

/// The longest IV.
const LONGEST_IV: usize = 15;

/// OCB. Text comes out by whole blocks: what is left over is held back for the next call or the end.
pub(crate) struct OcbCipher {
    /// Once there is a key.
    stream: Option<OcbStream>,
    way: Way,
    iv: [u8; LONGEST_IV],
    iv_len: usize,
    state: State,
    /// Text that waits for the rest of its block.
    held: [u8; BLOCK],
    held_len: usize,
    /// Bytes of additional data that wait likewise, in the stream: they are told to have come out later.
    aad_held: usize,
    /// Made by encrypting, or to be checked by decrypting.
    tag: Aligned,
    tag_len: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// There is no IV, or it has served.
    NoIv,
    /// There is one, and no message has been started with it.
    Ready,
    /// A message goes on.
    Started,
}

impl OcbCipher {
    /// Starts a message if none goes on.
    fn go_on(&mut self) -> Result<(), Failure> {
        if self.state == State::Started {
            return Ok(());
        }
        self.start()
    }

    fn start(&mut self) -> Result<(), Failure> {
        let stream = self.stream.as_mut().ok_or(Failure::Silent)?;
        if self.state == State::NoIv {
            return Err(Failure::Silent);
        }
        let iv = &self.iv[..self.iv_len];
        let started = stream
            .set_tag_len(self.tag_len)
            .and_then(|()| stream.start_again(iv));
        started.map_err(|_| Failure::Silent)?;
        self.state = State::Started;
        Ok(())
    }

    /// Text: whole blocks.
    #[inline(always)]
    fn text(&mut self, buffer: InOutBuf<'_, '_, u8>) -> Result<(), Failure> {
        let stream = self.stream.as_mut().ok_or(Failure::Silent)?;
        text(stream, self.way, buffer)
    }

    /// [`Cipher::update`] with blocks held back, or of additional data.
    #[inline(never)]
    fn update_held(&mut self, call: Call<'_>) -> Result<usize, Failure> {
        self.go_on()?;
        let len = call.len();
        if len == 0 {
            return Ok(0);
        }
        if !call.has_output() {
            if !call.has_input() {
                return Err(Reason::CipherOperationFailed.into());
            }
            let stream = self.stream.as_mut().ok_or(Failure::Silent)?;
            stream.aad(call.input()).map_err(|_| Failure::Silent)?;
            let all = self.aad_held + len;
            self.aad_held = all % BLOCK;
            return Ok(all - self.aad_held);
        }
        let all = self.held_len + len;
        let whole = all - all % BLOCK;
        let blocks = call.take_blocks(&mut self.held, &mut self.held_len, whole)?;
        self.text(blocks)?;
        Ok(whole)
    }

    /// The text that was held back, where it lies, and the tag, made or checked.
    fn end(&mut self) -> Result<(), Failure> {
        let stream = self.stream.as_mut().ok_or(Failure::Silent)?;
        if self.held_len > 0 {
            text(stream, self.way, (&mut self.held[..self.held_len]).into())?;
        }
        let tag = &mut self.tag.0[..self.tag_len];
        match self.way {
            Way::Encrypt => stream.finish().map(|made| made.copy_to(tag)),
            Way::Decrypt => stream.verify(tag),
        }
        .map_err(|_| Failure::Silent)
    }

    /// A message that goes on with tags of another length ends: theirs are other messages.
    fn set_tag_len(&mut self, len: usize) -> Result<(), Reason> {
        if !(4..=BLOCK).contains(&len) {
            return Err(Reason::InvalidTagLength);
        }
        if len != self.tag_len && self.state == State::Started {
            self.state = State::NoIv;
        }
        self.tag_len = len;
        Ok(())
    }
}

/// Whole blocks, or the rest of a text.
#[inline(always)]
fn text(stream: &mut OcbStream, way: Way, buffer: InOutBuf<'_, '_, u8>) -> Result<(), Failure> {
    match way {
        Way::Encrypt => stream.encrypt_inout(buffer),
        Way::Decrypt => stream.decrypt_unverified_inout(buffer),
    }
    .map_err(|_| Reason::CipherOperationFailed.into())
}

impl Cipher for OcbCipher {
    const MODE: u32 = mode::OCB;
    const BLOCK_SIZE: usize = BLOCK;
    const IV_LEN: usize = 12;
    const AEAD: bool = true;
    const CUSTOM_IV: bool = true;
    const OTHER_KEY_LEN: Option<Failure> = Some(Failure::Raise(Reason::InvalidKeyLength));
    const GETTABLE: &'static [RawParam] = &[
        RawParam::size(c"keylen"),
        RawParam::size(c"ivlen"),
        RawParam::size(c"taglen"),
        RawParam::bytes(c"iv"),
        RawParam::bytes(c"updated-iv"),
        RawParam::bytes(c"tag"),
        RawParam::END,
    ];
    const SETTABLE: &'static [RawParam] = &[
        RawParam::bytes(c"tag"),
        RawParam::size(c"ivlen"),
        RawParam::size(c"keylen"),
        RawParam::END,
    ];

    fn new() -> Self {
        Self {
            stream: None,
            way: Way::Encrypt,
            iv: [0; LONGEST_IV],
            iv_len: Self::IV_LEN,
            state: State::NoIv,
            held: [0; BLOCK],
            held_len: 0,
            aad_held: 0,
            tag: Aligned([0; BLOCK]),
            tag_len: BLOCK,
        }
    }

    fn init(
        &mut self,
        way: Way,
        key: Option<&[u8]>,
        iv: Option<&[u8]>,
        decisions: &Decisions,
    ) -> Result<(), Failure> {
        self.way = way;
        self.held_len = 0;
        self.aad_held = 0;
        // What was held back is lost, and so is the message.
        if self.state == State::Started {
            self.state = State::NoIv;
        }
        if let Some(iv) = iv {
            if !(1..=LONGEST_IV).contains(&iv.len()) {
                return Err(Reason::InvalidIvLength.into());
            }
            self.iv[..iv.len()].copy_from_slice(iv);
            self.iv_len = iv.len();
            self.state = State::Ready;
        }
        if let Some(key) = key {
            let checked = "its length was checked";
            match &mut self.stream {
                Some(stream) => stream.rekey(key).expect(checked),
                None => {
                    let ocb = Ocb::with_selection(&decisions.selection, key).expect(checked);
                    self.stream = Some(OcbStream::new(ocb));
                }
            }
        }
        Ok(())
    }

    // Always: see `Block::run`.
    #[inline(always)]
    fn update(&mut self, call: Call<'_>) -> Result<usize, Failure> {
        let len = call.len();
        let is_whole = self.held_len == 0 && len > 0 && len.is_multiple_of(BLOCK);
        if is_whole && call.has_output() {
            self.go_on()?;
            self.text(call.buffer()?)?;
            return Ok(len);
        }
        self.update_held(call)
    }

    fn finish(&mut self, call: Call<'_>) -> Result<usize, Failure> {
        self.go_on()?;
        if self.held_len > 0 {
            call.room_for(self.held_len).map_err(|_| Failure::Silent)?;
        }
        let outcome = self.end();
        self.state = State::NoIv;
        // Of what was decrypted, this part waits for the tag.
        let written = outcome.and_then(|()| Ok(call.write(&self.held[..self.held_len])?));
        self.held = [0; BLOCK];
        self.held_len = 0;
        written
    }

    fn cipher(&mut self, call: Call<'_>) -> Result<usize, Failure> {
        // Whoever ends a message so takes the answer for the tag's (CVE-2026-75803).
        if !call.has_input() {
            return self.finish(call);
        }
        let len = call.len();
        if len > 0 {
            if self.held_len > 0 {
                return Err(Reason::CipherOperationFailed.into());
            }
            // Not silent: that is how a wrong tag is told.
            self.go_on().map_err(Failure::said)?;
            self.text(call.buffer()?)?;
        }
        Ok(len)
    }

    fn get(&mut self, param: &mut Param<'_>) -> Result<(), Failure> {
        match param.name() {
            b"ivlen" => param.set_unsigned(self.iv_len)?,
            b"taglen" => param.set_unsigned(self.tag_len)?,
            b"iv" | b"updated-iv" => {
                if param.size() < self.iv_len {
                    return Err(Reason::InvalidIvLength.into());
                }
                param.set_bytes_or_place(&self.iv[..self.iv_len])?;
            }
            b"tag" => {
                if !param.is_bytes() {
                    return Err(Reason::FailedToGetParameter.into());
                }
                if self.way == Way::Decrypt || param.size() != self.tag_len {
                    return Err(Reason::InvalidTagLength.into());
                }
                param.set_bytes(&self.tag.0[..self.tag_len])?;
            }
            _ => {}
        }
        Ok(())
    }

    fn set(&mut self, param: &Param<'_>) -> Result<(), Failure> {
        match param.name() {
            b"tag" => {
                let len = param.size();
                match param.bytes()? {
                    None => self.set_tag_len(len)?,
                    Some(_) if self.way == Way::Encrypt => return Err(Reason::PassedInvalidArgument.into()),
                    Some(tag) if len == self.tag_len => self.tag.0[..len].copy_from_slice(tag),
                    Some(_) => return Err(Reason::InvalidTagLength.into()),
                }
            }
            b"ivlen" => {
                let len = param.unsigned()?;
                if !(1..=LONGEST_IV).contains(&len) {
                    return Err(Failure::Silent);
                }
                if len != self.iv_len {
                    self.iv_len = len;
                    self.state = State::NoIv;
                }
            }
            _ => {}
        }
        Ok(())
    }

    copied!(stream way iv iv_len state held held_len aad_held tag tag_len);
}

impl Drop for OcbCipher {
    fn drop(&mut self) {
        self.held.zeroize();
        self.tag.0.zeroize();
    }
}
