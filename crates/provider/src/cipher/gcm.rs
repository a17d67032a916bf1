use std::ops::Range;

use ciphertune::{Gcm, GcmStream};
use zeroize::{Zeroize, Zeroizing};

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
    random,
    settings::Decisions,
};

/// The longest IV (`GCM_IV_MAX_SIZE`).
const LONGEST_IV: usize = 128;

/// Galois/counter mode, with what TLS 1.2 and SSH add to it: IVs that are counted here.
pub(crate) struct GcmCipher {
    /// Once there is a key.
    stream: Option<GcmStream>,
    /// The key, by which the same one is known again.
    key: Zeroizing<[u8; 32]>,
    way: Way,
    iv: [u8; LONGEST_IV],
    iv_len: usize,
    iv_state: IvState,
    /// Whether a fixed part was set, so that the rest may be counted.
    iv_counts: bool,
    /// Whether the IV was drawn here.
    iv_drawn: bool,
    /// Made by encrypting, or to be checked by decrypting.
    tag: Aligned,
    tag_len: Option<usize>,
    /// For the next record of TLS 1.2.
    tls_aad: Option<[u8; record::AAD]>,
    /// What a record grows by.
    tls_growth: usize,
    records: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum IvState {
    Unset,
    /// Set, and no message has been started with it.
    Set,
    /// A message goes on.
    Started,
    /// It served a message, and must not serve another.
    Used,
    /// None was given, and none is drawn: a record was begun, or refused.
    Refused,
}

impl GcmCipher {
    fn iv(&self) -> &[u8] {
        &self.iv[..self.iv_len]
    }

    fn set_iv(&mut self, iv: &[u8]) {
        self.iv[..iv.len()].copy_from_slice(iv);
        self.iv_len = iv.len();
        self.iv_state = IvState::Set;
        self.iv_drawn = false;
    }

    /// Programs that set a key for each message set mostly the same: what was made of it, which costs as much as ten KiB
    /// of text, stays.
    fn set_key(&mut self, key: &[u8], decisions: &Decisions) {
        let checked = "its length was checked";
        let last = &mut self.key[..key.len()];
        let differ = key.iter().zip(&*last).fold(0, |differ, (a, b)| differ | (a ^ b));
        match &mut self.stream {
            // A message that goes on ends here, as with another key.
            Some(stream) if differ == 0 => drop(stream.key()),
            Some(stream) => stream.rekey(key).expect(checked),
            None => {
                let gcm = Gcm::with_selection(&decisions.selection, key).expect(checked);
                self.stream = Some(GcmStream::new(gcm));
            }
        }
        last.copy_from_slice(key);
        // Comparing and copying take some, after what was made of the key has left them clear.
        ciphertune::clear_registers();
    }

    /// No message comes by this IV any more.
    fn use_up(&mut self) {
        self.iv_state = match self.iv_state {
            IvState::Unset | IvState::Refused => IvState::Refused,
            IvState::Set | IvState::Started | IvState::Used => IvState::Used,
        };
    }

    /// Starts a message with the IV as it is.
    fn start(&mut self) -> Result<(), Failure> {
        let stream = self.stream.as_mut().ok_or(Failure::Silent)?;
        stream
            .start_again(&self.iv[..self.iv_len])
            .map_err(|_| Failure::Silent)?;
        self.iv_state = IvState::Started;
        Ok(())
    }

    /// Starts a message if none goes on.
    #[inline]
    fn go_on(&mut self) -> Result<(), Failure> {
        if self.iv_state == IvState::Started {
            return Ok(());
        }
        self.begin()
    }

    fn begin(&mut self) -> Result<(), Failure> {
        match self.iv_state {
            IvState::Started | IvState::Set => self.start(),
            IvState::Used | IvState::Refused => Err(Failure::Silent),
            IvState::Unset => {
                if self.stream.is_none() {
                    return Err(Failure::Silent);
                }
                self.draw()?;
                self.start()
            }
        }
    }

    /// An IV of 96 random bits or more (SP 800-38D, section 8.2.2), where none was given.
    fn draw(&mut self) -> Result<(), Failure> {
        if self.way == Way::Decrypt || self.iv_len < 12 {
            return Err(Failure::Silent);
        }
        random::fill(&mut self.iv[..self.iv_len]).map_err(|_| Failure::Silent)?;
        self.iv_drawn = true;
        self.iv_state = IvState::Set;
        Ok(())
    }

    /// Additional data or text.
    #[inline(always)]
    fn part(&mut self, call: Call<'_>) -> Result<usize, Failure> {
        if self.tls_aad.is_some() {
            return self.record(call.moved());
        }
        self.go_on()?;
        let stream = self.stream.as_mut().ok_or(Failure::Silent)?;
        let len = call.len();
        if !call.has_output() {
            if !call.has_input() {
                return Err(Failure::Silent);
            }
            stream.aad(call.input())
        } else {
            let buffer = call.buffer()?;
            match self.way {
                Way::Encrypt => stream.encrypt_inout(buffer),
                Way::Decrypt => stream.decrypt_unverified_inout(buffer),
            }
        }
        .map_err(|_| Failure::Silent)?;
        Ok(len)
    }

    /// Makes the tag, or checks it.
    fn end(&mut self) -> Result<(), Failure> {
        if self.tls_aad.take().is_some() {
            // A record has no end of its own.
            self.use_up();
            return Err(Failure::Silent);
        }
        self.go_on()?;
        let stream = self.stream.as_mut().ok_or(Failure::Silent)?;
        let outcome = match self.way {
            Way::Encrypt => stream
                .set_tag_len(BLOCK)
                .and_then(|()| stream.finish())
                .map(|tag| {
                    tag.copy_to(&mut self.tag.0);
                    self.tag_len = Some(BLOCK);
                }),
            Way::Decrypt => {
                // Not silent: that is how a wrong tag is told.
                let len = self.tag_len.ok_or(Reason::TagNotSet)?;
                stream
                    .set_short_tag_len(len)
                    .and_then(|()| stream.verify(&self.tag.0[..len]))
            }
        };
        outcome.map_err(|_| Failure::Silent)?;
        self.iv_state = IvState::Used;
        Ok(())
    }

    /// A record of TLS 1.2, in place: explicit IV, text, tag.
    #[inline(never)]
    fn record(&mut self, call: Call<'_>) -> Result<usize, Failure> {
        let outcome = self.run_record(call);
        self.use_up();
        self.tls_aad = None;
        outcome
    }

    fn run_record(&mut self, call: Call<'_>) -> Result<usize, Failure> {
        let invocation = self.invocation()?;
        let (Some(stream), Some(aad)) = (&mut self.stream, &self.tls_aad) else {
            return Err(Failure::Silent);
        };
        let len = call.len();
        let record = call.record(0).map_err(|_| Failure::Silent)?;
        let (explicit, text, tag) = record::split(record, BLOCK).ok_or(Failure::Silent)?;
        stream.set_tag_len(BLOCK).map_err(|_| Failure::Silent)?;
        match self.way {
            Way::Encrypt => {
                self.records = self.records.checked_add(1).ok_or(Reason::TooManyRecords)?;
                explicit.copy_from_slice(&self.iv[invocation.clone()]);
                let made = stream.key().seal_in_place(&self.iv[..self.iv_len], aad, text);
                made.map_err(|_| Failure::Silent)?.copy_to(tag);
                count(&mut self.iv[invocation]);
                Ok(len)
            }
            Way::Decrypt => {
                self.iv[invocation].copy_from_slice(explicit);
                let opened = stream
                    .key()
                    .open_in_place(&self.iv[..self.iv_len], aad, text, tag);
                opened.map_err(|_| Failure::Silent)?;
                Ok(text.len())
            }
        }
    }

    /// Sets the fixed part of an IV; the rest is drawn for encrypting, and comes with each message for decrypting.
    fn set_fixed(&mut self, param: &Param<'_>) -> Result<(), Reason> {
        let refused = Err(Reason::FailedToGetParameter);
        if !param.is_bytes() || param.is_null() {
            return refused;
        }
        // SSH restores the whole of it by a length of -1.
        if param.size() == usize::MAX {
            if self.iv_len < EXPLICIT_IV {
                return refused;
            }
            // SAFETY: the whole IV is what the caller has there then.
            let iv = unsafe { param.leading_bytes(self.iv_len) };
            self.iv[..self.iv_len].copy_from_slice(iv);
            self.iv_drawn = false;
        } else {
            let Some(fixed) = param.bytes()? else {
                return refused;
            };
            let n = fixed.len();
            if n < FIXED_IV || self.iv_len < n + EXPLICIT_IV {
                return refused;
            }
            self.iv[..n].copy_from_slice(fixed);
            if self.way == Way::Encrypt {
                random::fill(&mut self.iv[n..self.iv_len]).map_err(|_| Reason::FailedToGetParameter)?;
                self.iv_drawn = true;
            }
        }
        self.iv_counts = true;
        self.iv_state = IvState::Set;
        Ok(())
    }

    /// Where the invocation field is, which is counted: the last eight bytes of the IV. It fails without a fixed part, or
    /// where the IV has become too short for the field since.
    fn invocation(&self) -> Result<Range<usize>, Failure> {
        match self.iv_len.checked_sub(EXPLICIT_IV) {
            Some(first) if self.iv_counts => Ok(first..self.iv_len),
            _ => Err(Failure::Silent),
        }
    }

    /// Starts a message with the next IV, and answers its last bytes, as many as there is room for.
    fn next_iv(&mut self, param: &mut Param<'_>) -> Result<(), Failure> {
        if !param.is_bytes() || param.is_null() {
            return Err(Failure::Silent);
        }
        let invocation = self.invocation()?;
        self.start()?;
        let n = match param.size() {
            0 => self.iv_len,
            n => n.min(self.iv_len),
        };
        // SAFETY: the size given, or, where that is 0, room for a whole IV: so EVP_CTRL_GCM_IV_GEN has it.
        unsafe { param.set_leading_bytes(&self.iv[self.iv_len - n..self.iv_len]) };
        count(&mut self.iv[invocation]);
        Ok(())
    }

    /// Starts a message with the last bytes of its IV as they came with it.
    fn set_invocation(&mut self, param: &Param<'_>) -> Result<(), Failure> {
        let given = param.bytes().map_err(|_| Failure::Silent)?;
        let given = given.ok_or(Failure::Silent)?;
        self.invocation()?;
        if self.stream.is_none() || self.way == Way::Encrypt || given.len() > self.iv_len {
            return Err(Failure::Silent);
        }
        self.iv[self.iv_len - given.len()..self.iv_len].copy_from_slice(given);
        self.start()
    }
}

/// A number as it is sent, plus one.
fn count(field: &mut [u8]) {
    for byte in field.iter_mut().rev() {
        *byte = byte.wrapping_add(1);
        if *byte != 0 {
            break;
        }
    }
}

impl Cipher for GcmCipher {
    const MODE: u32 = mode::GCM;
    const BLOCK_SIZE: usize = 1;
    const IV_LEN: usize = 12;
    const BUSY_AFTER: usize = Gcm::BUSY_AFTER;
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
        RawParam::bytes(c"tlsivgen"),
        RawParam::unsigned(c"iv-generated"),
        RawParam::END,
    ];
    const SETTABLE: &'static [RawParam] = &[
        RawParam::bytes(c"tag"),
        RawParam::size(c"ivlen"),
        RawParam::bytes(c"tlsaad"),
        RawParam::bytes(c"tlsivfixed"),
        RawParam::bytes(c"tlsivinv"),
        RawParam::END,
    ];

    fn new() -> Self {
        Self {
            stream: None,
            key: Zeroizing::default(),
            way: Way::Encrypt,
            iv: [0; LONGEST_IV],
            iv_len: Self::IV_LEN,
            iv_state: IvState::Unset,
            iv_counts: false,
            iv_drawn: false,
            tag: Aligned([0; BLOCK]),
            tag_len: None,
            tls_aad: None,
            tls_growth: 0,
            records: 0,
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
        if let Some(iv) = iv {
            if !(1..=LONGEST_IV).contains(&iv.len()) {
                return Err(Reason::InvalidIvLength.into());
            }
            self.set_iv(iv);
        }
        if let Some(key) = key {
            self.set_key(key, decisions);
            self.records = 0;
        }
        Ok(())
    }

    // Always: see `Block::run`.
    #[inline(always)]
    fn update(&mut self, call: Call<'_>) -> Result<usize, Failure> {
        if call.len() == 0 {
            return Ok(0);
        }
        self.part(call).map_err(Failure::said)
    }

    fn finish(&mut self, _call: Call<'_>) -> Result<usize, Failure> {
        self.end().map(|()| 0)
    }

    #[inline]
    fn cipher(&mut self, call: Call<'_>) -> Result<usize, Failure> {
        if !call.has_input() {
            return self.end().map(|()| 0);
        }
        // Of a record, too, its whole length.
        let len = call.len();
        if len == 0 && self.tls_aad.is_none() {
            // No text yet: additional data may follow.
            return self.go_on().map(|()| 0);
        }
        self.part(call).map(|_| len)
    }

    fn get(&mut self, param: &mut Param<'_>) -> Result<(), Failure> {
        match param.name() {
            b"ivlen" => param.set_unsigned(self.iv_len)?,
            b"taglen" => param.set_unsigned(self.tag_len.unwrap_or(BLOCK))?,
            b"iv" | b"updated-iv" => {
                // Who asks before the first data wants to send it. A record has one by a fixed part, or not at all.
                match self.iv_state {
                    IvState::Unset if self.tls_aad.is_none() => self.draw()?,
                    IvState::Unset | IvState::Refused => return Err(Failure::Silent),
                    IvState::Set | IvState::Started | IvState::Used => {}
                }
                if !param.is_null() && param.size() < self.iv_len {
                    return Err(Reason::InvalidIvLength.into());
                }
                param.set_bytes_or_place(self.iv())?;
            }
            b"tag" => {
                // Without room its size is asked for.
                let len = if param.is_null() { BLOCK } else { param.size() };
                if !(1..=BLOCK).contains(&len) || self.way == Way::Decrypt || self.tag_len.is_none() {
                    return Err(Reason::InvalidTag.into());
                }
                param.set_bytes(&self.tag.0[..len])?;
            }
            b"tlsaadpad" => param.set_unsigned(self.tls_growth)?,
            b"tlsivgen" => self.next_iv(param)?,
            b"iv-generated" => param.set_unsigned(self.iv_drawn.into())?,
            _ => {}
        }
        Ok(())
    }

    fn set(&mut self, param: &Param<'_>) -> Result<(), Failure> {
        match param.name() {
            b"tag" => {
                let tag = param.bytes()?.ok_or(Reason::FailedToGetParameter)?;
                if tag.len() > BLOCK {
                    return Err(Reason::FailedToGetParameter.into());
                }
                if tag.is_empty() || self.way == Way::Encrypt {
                    return Err(Reason::InvalidTag.into());
                }
                self.tag.0[..tag.len()].copy_from_slice(tag);
                self.tag_len = Some(tag.len());
            }
            b"ivlen" => {
                let len = param.unsigned()?;
                if !(1..=LONGEST_IV).contains(&len) {
                    return Err(Reason::InvalidIvLength.into());
                }
                if len != self.iv_len {
                    if !matches!(self.iv_state, IvState::Unset | IvState::Refused) {
                        self.iv_state = IvState::Used;
                    }
                    self.iv_len = len;
                }
            }
            b"tlsaad" => {
                let aad = record::given(param, self.way, BLOCK, Reason::InvalidAad);
                self.tls_aad = aad.ok();
                if aad.is_err() {
                    self.use_up();
                }
                aad?;
                self.tls_growth = BLOCK;
            }
            b"tlsivfixed" => self.set_fixed(param)?,
            b"tlsivinv" => self.set_invocation(param)?,
            _ => {}
        }
        Ok(())
    }

    copied!(stream key way iv iv_len iv_state iv_counts iv_drawn tag tag_len tls_aad tls_growth records);
}

impl Drop for GcmCipher {
    fn drop(&mut self) {
        self.tag.0.zeroize();
    }
}
