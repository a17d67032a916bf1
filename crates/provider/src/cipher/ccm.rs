use std::sync::Arc;

use ciphertune::{Ccm, InOutBuf};
use zeroize::Zeroize;

use super::{
    Aligned, Cipher, Way, copied,
    record::{self, EXPLICIT_IV, FIXED_IV},
};
use crate::{
    BLOCK,
    abi::{RawParam, mode},
    call::Call,
    error::{Failure, Reason},
    param::Param,
    settings::Decisions,
};

/// Of the IV of a new context.
const BEGINNING_IV: usize = 7;

/// CCM. A message is taken in one piece, and its additional data too, since both lengths come before everything else;
/// what is given is the length of the text where there are additional data, these, and the text.
pub(crate) struct CcmCipher {
    key: Option<Ccm>,
    /// The lengths of nonce and tag with which it was set.
    key_lens: (usize, usize),
    way: Way,
    /// Nonce, and how long it is.
    iv: [u8; BLOCK],
    iv_len: usize,
    state: State,
    /// The length that was announced.
    announced: Option<usize>,
    /// A copy of the context has them too, without memory of its own for them.
    aad: Option<Arc<Vec<u8>>>,
    /// Made by encrypting, or to be checked by decrypting.
    tag: Aligned,
    tag_len: usize,
    tag_set: bool,
    /// For records of TLS 1.2.
    tls_aad: Option<[u8; record::AAD]>,
    /// What a record grows by.
    tls_growth: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// There is no nonce, or it has served.
    NoIv,
    Ready,
    /// To be encrypted: [`Cipher::cipher`] was told that there is no text. Additional data may follow, or the tag is taken.
    Empty,
    /// Encrypted; the tag has not been taken yet.
    Sealed,
    /// Decrypted, with the right tag.
    Opened,
    /// Additional data were refused, or the tag is wrong: the message that would end here is not the one that was meant.
    Refused,
}

impl CcmCipher {
    /// The key, if nonce and tag have the lengths with which it was set. OpenSSL goes by these until a key is set again, and
    /// so takes less of a nonce than it is given, or seals with a length that nobody asked for.
    fn key(&self) -> Result<&Ccm, Failure> {
        match &self.key {
            Some(key) if self.key_lens == (self.iv_len, self.tag_len) => Ok(key),
            _ => Err(Failure::Silent),
        }
    }

    /// One of the calls that make up a message.
    fn part(&mut self, call: Call<'_>) -> Result<usize, Failure> {
        self.key()?;
        if self.tls_aad.is_some() {
            return self.record(call);
        }
        if !call.has_input() && call.has_output() {
            return Ok(0);
        }
        match self.state {
            State::Ready => {}
            State::Empty => self.state = State::Ready,
            State::Opened => {
                // This would have been another message, and is not opened.
                self.state = State::NoIv;
                return Err(Failure::Silent);
            }
            State::NoIv | State::Sealed | State::Refused => return Err(Failure::Silent),
        }
        let len = call.len();
        match (call.has_input(), call.has_output()) {
            (false, _) => {
                self.announced = Some(len);
                self.aad = None;
            }
            (true, false) => {
                if self.aad.is_some() || (self.announced.is_none() && len > 0) {
                    return Err(Failure::Silent);
                }
                if len > 0 {
                    self.keep(call.input())?;
                }
            }
            (true, true) => self.text(call.buffer()?)?,
        }
        Ok(len)
    }

    /// Keeps additional data until the text comes. Where there is no memory for them the message ends: without them it
    /// would be another.
    fn keep(&mut self, data: &[u8]) -> Result<(), Failure> {
        let mut kept = Vec::new();
        if kept.try_reserve_exact(data.len()).is_err() {
            self.state = State::Refused;
            return Err(Failure::Silent);
        }
        kept.extend_from_slice(data);
        self.aad = Some(Arc::new(kept));
        Ok(())
    }

    /// The text, whole.
    fn text(&mut self, buffer: InOutBuf<'_, '_, u8>) -> Result<(), Failure> {
        if self.announced.is_some_and(|len| len != buffer.len()) {
            return Err(Failure::Silent);
        }
        if self.way == Way::Decrypt && !self.tag_set {
            // Not silent: that is how a wrong tag is told.
            return Err(Reason::TagNotSet.into());
        }
        let key = self.key()?;
        let (nonce, aad) = (
            &self.iv[..self.iv_len],
            self.aad.as_ref().map_or(&[][..], |aad| aad),
        );
        match self.way {
            Way::Encrypt => {
                let tag = key.seal_inout(nonce, aad, buffer);
                let tag = tag.map_err(|_| Failure::Silent)?;
                tag.copy_to(&mut self.tag.0[..tag.len()]);
                self.tag_set = true;
                self.state = State::Sealed;
            }
            Way::Decrypt => {
                let opened = key.open_inout(nonce, aad, buffer, &self.tag.0[..self.tag_len]);
                if opened.is_err() {
                    self.state = State::Refused;
                    return Err(Failure::Silent);
                }
                self.tag_set = false;
                self.state = State::Opened;
            }
        }
        self.announced = None;
        self.aad = None;
        Ok(())
    }

    /// A message without text has not met it yet when it ends.
    fn end(&mut self) -> Result<usize, Failure> {
        self.key()?;
        if self.tls_aad.is_some() {
            // A record has no end of its own, and nothing was checked.
            return Err(Failure::Silent);
        }
        match self.state {
            State::Ready | State::Empty => self.text((&mut [][..]).into())?,
            State::Refused => return Err(Failure::Silent),
            State::NoIv | State::Sealed | State::Opened => {}
        }
        Ok(0)
    }

    /// A record of TLS 1.2, in place: explicit IV, text, tag.
    fn record(&mut self, call: Call<'_>) -> Result<usize, Failure> {
        let aad = self.tls_aad.as_ref().ok_or(Failure::Silent)?;
        if self.iv_len != FIXED_IV + EXPLICIT_IV {
            return Err(Failure::Silent);
        }
        let len = call.len();
        let record = call.record(0).map_err(|_| Failure::Silent)?;
        let (explicit, text, tag) = record::split(record, self.tag_len).ok_or(Failure::Silent)?;
        if self.way == Way::Encrypt {
            // The record's number, with which its additional data begin.
            explicit.copy_from_slice(&aad[..EXPLICIT_IV]);
        }
        self.iv[FIXED_IV..FIXED_IV + EXPLICIT_IV].copy_from_slice(explicit);
        let (key, nonce) = (self.key()?, &self.iv[..self.iv_len]);
        match self.way {
            Way::Encrypt => {
                let made = key.seal_in_place(nonce, aad, text);
                made.map_err(|_| Failure::Silent)?.copy_to(tag);
                Ok(len)
            }
            Way::Decrypt => {
                let opened = key.open_in_place(nonce, aad, text, tag);
                opened.map_err(|_| Failure::Silent)?;
                Ok(text.len())
            }
        }
    }
}

impl Cipher for CcmCipher {
    const MODE: u32 = mode::CCM;
    const BLOCK_SIZE: usize = 1;
    const IV_LEN: usize = 12;
    // What the algorithm says of its IV and what a context begins with differ in OpenSSL.
    const TESTED_IV: usize = BEGINNING_IV;
    const AEAD: bool = true;
    const CUSTOM_IV: bool = true;
    const GETTABLE: &'static [RawParam] = &[
        RawParam::size(c"keylen"),
        RawParam::size(c"ivlen"),
        RawParam::size(c"taglen"),
        RawParam::bytes(c"iv"),
        RawParam::bytes(c"updated-iv"),
        RawParam::bytes(c"tag"),
        RawParam::size(c"tlsaadpad"),
        RawParam::END,
    ];
    const SETTABLE: &'static [RawParam] = &[
        RawParam::bytes(c"tag"),
        RawParam::size(c"ivlen"),
        RawParam::bytes(c"tlsaad"),
        RawParam::bytes(c"tlsivfixed"),
        RawParam::END,
    ];

    fn new() -> Self {
        Self {
            key: None,
            key_lens: (0, 0),
            way: Way::Encrypt,
            iv: [0; BLOCK],
            iv_len: BEGINNING_IV,
            state: State::NoIv,
            announced: None,
            aad: None,
            tag: Aligned([0; BLOCK]),
            tag_len: 12,
            tag_set: false,
            tls_aad: None,
            tls_growth: 0,
        }
    }

    fn init(
        &mut self,
        way: Way,
        key: Option<&[u8]>,
        iv: Option<&[u8]>,
        decisions: &Decisions,
    ) -> Result<(), Failure> {
        if way != self.way {
            // A tag that was made is none that was given to be checked, and what is to be sealed nothing to be opened.
            self.tag_set = false;
            if self.state == State::Empty {
                self.state = State::Ready;
            }
        }
        self.way = way;
        if let Some(iv) = iv {
            if iv.len() != self.iv_len {
                return Err(Reason::InvalidIvLength.into());
            }
            self.iv[..iv.len()].copy_from_slice(iv);
            self.state = State::Ready;
            self.announced = None;
            self.aad = None;
        }
        if let Some(key) = key {
            let checked = "both lengths were checked";
            let ccm = match self.key.take() {
                Some(mut ccm) => ccm.rekey(key).map(|()| ccm),
                None => Ccm::with_selection(&decisions.selection, key),
            };
            let ccm = ccm.and_then(|ccm| ccm.with_tag_len(self.tag_len));
            self.key = Some(ccm.expect(checked));
            self.key_lens = (self.iv_len, self.tag_len);
        }
        Ok(())
    }

    fn update(&mut self, call: Call<'_>) -> Result<usize, Failure> {
        self.part(call).map_err(Failure::said)
    }

    fn finish(&mut self, _call: Call<'_>) -> Result<usize, Failure> {
        self.end()
    }

    fn cipher(&mut self, call: Call<'_>) -> Result<usize, Failure> {
        let len = call.len();
        if !call.has_input() && (call.has_output() || len == 0) {
            // Unlike `finish`, which the default provider lets end what never began, this is never told that all is well
            // where nothing was opened.
            if self.way == Way::Decrypt && !matches!(self.state, State::Ready | State::Opened) {
                return Err(Failure::Silent);
            }
            let begins = matches!(self.state, State::Ready | State::Empty) && self.aad.is_none();
            if self.way == Way::Encrypt && begins && self.tls_aad.is_none() && !call.has_output() {
                self.part(call)?;
                self.state = State::Empty;
                return Ok(0);
            }
            return self.end();
        }
        self.part(call).map(|_| len)
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
                let takes_it = param.is_bytes() && !param.is_null() && param.size() == self.tag_len;
                if self.state == State::Empty && self.tls_aad.is_none() && takes_it {
                    self.text((&mut [][..]).into())?;
                }
                if self.way == Way::Decrypt || !self.tag_set {
                    return Err(Reason::TagNotSet.into());
                }
                self.key()?;
                if param.size() != self.tag_len {
                    return Err(Failure::Silent);
                }
                param.set_bytes(&self.tag.0[..self.tag_len])?;
                self.tag_set = false;
                self.state = State::NoIv;
            }
            b"tlsaadpad" => param.set_unsigned(self.tls_growth)?,
            _ => {}
        }
        Ok(())
    }

    fn set(&mut self, param: &Param<'_>) -> Result<(), Failure> {
        match param.name() {
            b"tag" => {
                if !param.is_bytes() {
                    return Err(Reason::FailedToGetParameter.into());
                }
                let len = param.size();
                if !(4..=BLOCK).contains(&len) || !len.is_multiple_of(2) {
                    return Err(Reason::InvalidTagLength.into());
                }
                if let Some(tag) = param.bytes()? {
                    if self.way == Way::Encrypt {
                        return Err(Reason::TagNotNeeded.into());
                    }
                    self.tag.0[..len].copy_from_slice(tag);
                    self.tag_set = true;
                    if self.state == State::Opened {
                        // Of a message that has no nonce yet.
                        self.state = State::NoIv;
                    }
                }
                self.tag_len = len;
            }
            b"ivlen" => {
                let len = param.unsigned()?;
                if !(7..=13).contains(&len) {
                    return Err(Reason::InvalidIvLength.into());
                }
                if len != self.iv_len {
                    self.iv_len = len;
                    self.state = State::NoIv;
                }
            }
            b"tlsaad" => {
                let aad = record::given(param, self.way, self.tag_len, Reason::InvalidData);
                self.tls_aad = aad.ok();
                if aad.is_err() {
                    self.state = State::Refused;
                }
                aad?;
                self.tls_growth = self.tag_len;
            }
            b"tlsivfixed" => {
                // GCM takes a whole IV by a length of -1, and CCM does not: the length is wrong there, not the parameter.
                if param.is_bytes() && param.size() != FIXED_IV {
                    return Err(Reason::InvalidIvLength.into());
                }
                let fixed = param.bytes()?.ok_or(Reason::InvalidIvLength)?;
                self.iv[..FIXED_IV].copy_from_slice(fixed);
            }
            _ => {}
        }
        Ok(())
    }

    copied!(key key_lens way iv iv_len state announced aad tag tag_len tag_set tls_aad tls_growth);
}

impl Drop for CcmCipher {
    fn drop(&mut self) {
        self.tag.0.zeroize();
    }
}
