use ciphertune_engine::{
    Implementation, InvalidKeyLength,
    cpu::{self, Feature},
};

/// What can go wrong with a cipher. Nothing has been encrypted when one is returned, and nothing decrypted, except by a
/// message in parts whose tag turns out to be wrong: its parts have been given out already.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The key is not 16, 24 or 32 bytes long; holds its length in bytes.
    #[error("an AES key has 16, 24 or 32 bytes, not {0}")]
    KeyLength(usize),
    /// The first counter block is not 16 bytes long; holds its length in bytes.
    #[error("the IV of AES-CTR has 16 bytes (the first counter block), not {0}")]
    IvLength(usize),
    /// Input and output differ in length; holds both, in bytes.
    #[error("the output has {output} bytes where the input has {input}; they must be as long as each other")]
    OutputLength {
        /// The input's length.
        input: usize,
        /// The output's length.
        output: usize,
    },
    /// The stream would pass its last position, 2^128 − 1 bytes. A counter that went on would repeat keystream.
    #[error("the stream ends at 2^128 - 1 bytes; take a new key")]
    Exhausted,
    /// ECB and CBC take whole blocks; holds the length in bytes.
    #[error("ECB and CBC take whole blocks of 16 bytes and pad nothing; {0} bytes are not a multiple")]
    WholeBlocks(usize),
    /// Rijndael takes whole blocks, and in CFB whole segments.
    #[error(
        "Rijndael takes whole blocks or segments, here of {unit} bytes, and pads nothing; {len} bytes are not a multiple"
    )]
    RijndaelLength {
        /// The block's or segment's length in bytes.
        unit: usize,
        /// The data's length in bytes.
        len: usize,
    },
    /// A segment of CFB is longer than a block of Rijndael, or empty.
    #[error("a segment of CFB has 1 to {block} bytes where a block has {block}, not {len}")]
    RijndaelSegment {
        /// The block's length in bytes.
        block: usize,
        /// The segment's length in bytes.
        len: usize,
    },
    /// The key of XTS is not two AES keys of 16 or 32 bytes; holds its length in bytes.
    #[error("a key of AES-XTS has 32 or 64 bytes (two AES keys of 16 or 32), not {0}")]
    XtsKeyLength(usize),
    /// Both keys of XTS are the same (FIPS 140-3 IG, C.I).
    #[error("the two halves of the AES-XTS key are the same; take two independent keys")]
    XtsKeyHalves,
    /// The data unit is shorter than a block or longer than 2^20 of them; holds its length in bytes.
    #[error("a data unit of AES-XTS has 16 to 16777216 bytes (2^20 blocks), not {0}")]
    XtsUnitLength(usize),
    /// The tag to be checked has not 8 to 16 bytes; holds its length in bytes.
    #[error("a tag of AES-CMAC has 8 to 16 bytes, not {0}")]
    CmacTagLength(usize),
    /// The tag is not that of the message.
    #[error("the tag is wrong: the message or the tag has been changed, or the key is another one")]
    WrongTag,
    /// There are not as many tags as messages; holds both numbers.
    #[error("{tags} tags for {messages} messages; there must be one for each")]
    TagCount {
        /// How many messages.
        messages: usize,
        /// Room for how many tags.
        tags: usize,
    },
    /// This processor lacks CPU features that the implementation needs.
    #[error("'{}' needs the CPU features {}, and this processor lacks {}", .0.name(), names(.0.features(), false), names(.0.features(), true))]
    Unavailable(Implementation),
    /// This processor lacks CPU features that the implementation's GCM needs, or it has no GCM.
    #[error("{}", no_gcm(.0))]
    GcmUnavailable(Implementation),
    /// A nonce of GCM without a byte.
    #[error("a nonce of GCM has at least one byte, and best twelve")]
    EmptyNonce,
    /// The message sealed before had the same nonce: whoever sees both could forge others, and learns of their texts.
    #[error("the last message was sealed with this nonce and key; each needs a nonce of its own")]
    NonceUsed,
    /// The key has sealed all that it may; holds what that is.
    #[error("this key has sealed {0}, and no more is safe; take a new key")]
    KeyExhausted(&'static str),
    /// The mode has no tags of that length; holds it in bytes.
    #[error(
        "a tag of {0} bytes: GCM's tags have 12 to 16 bytes, or from 4 on where short ones are asked for, CCM's 4, 6, 8, \
         10, 12, 14 or 16, and OCB's 4 to 16"
    )]
    TagLength(usize),
    /// The tag has another length than this key's tags.
    #[error("this key's tags have {own} bytes, not {given}")]
    OtherTagLength {
        /// How many bytes all of this key's tags have.
        own: usize,
        /// How many bytes were given.
        given: usize,
    },
    /// A nonce of CCM or OCB has another length.
    #[error("a nonce of {mode} has {least} to {most} bytes, not {len}")]
    NonceLength {
        /// The mode.
        mode: &'static str,
        /// How many bytes the shortest has.
        least: usize,
        /// How many bytes the longest has.
        most: usize,
        /// How many bytes were given.
        len: usize,
    },
    /// The message passes the limit of CCM, which is the shorter the longer the nonce.
    #[error("a message of CCM with a nonce of {nonce} bytes has at most {longest} bytes, not {len}")]
    CcmMessageLength {
        /// The nonce's length in bytes.
        nonce: usize,
        /// The longest message in bytes.
        longest: u64,
        /// The message's length in bytes.
        len: u64,
    },
    /// A part of a message of CCM is longer than what its start promised, or the message ended before that.
    #[error("the message's start promised {left} more bytes of {what}, not {len}")]
    CcmPromise {
        /// Additional data or text.
        what: &'static str,
        /// How many bytes are still to come.
        left: u64,
        /// How many were given; none where the message was to end.
        len: usize,
    },
    /// The message passes the limit of GCM; holds its length in bytes.
    #[error("a message of GCM has at most 2^36 - 32 bytes, not {0}")]
    MessageLength(usize),
    /// The additional data or the nonce pass the limit of GCM; holds their length in bytes.
    #[error("additional data and nonce of GCM have at most 2^61 - 1 bytes, not {0}")]
    AadLength(usize),
    /// The tag belongs to other data: somebody changed key, nonce, additional data, message or tag. What was
    /// decrypted in one piece is zeros; what was decrypted in parts must not be used.
    #[error("the message is not authentic")]
    NotAuthentic,
    /// No message has been started, or the last one has its tag already.
    #[error("no message is in progress: start one with its nonce")]
    NoMessage,
    /// Additional data were given after text.
    #[error("additional data come before a message's text, and there is text already")]
    AadAfterText,
    /// More text of a message of OCB was given after a part that had not whole blocks.
    #[error(
        "the text ended within a block; of OCB's parts only the last may have less than whole blocks of 16 bytes"
    )]
    TextEnded,
    /// A message cannot be encrypted in one part and decrypted in another; one that was encrypted gets a tag, one
    /// that was decrypted has its tag checked.
    #[error("a message is either encrypted and gets a tag, or decrypted and has its tag checked")]
    Direction,
    /// `CIPHERTUNE_IMPLEMENTATION` names no implementation; holds what it says.
    #[error("CIPHERTUNE_IMPLEMENTATION names '{0}', which is no implementation; known are {names}", names = all_names())]
    UnknownImplementation(String),
    /// Nothing goes by a selection under that name; holds what was asked for.
    #[error("'{0}' is no operation of an algorithm; such are 'AES-128-CTR encrypt' and 'AES-256-GCM open'")]
    UnknownOperation(String),
    /// `CIPHERTUNE_CPU` lists something that hides no CPU feature; holds what.
    #[error("CIPHERTUNE_CPU lists '{0}', which hides no CPU feature; what can be hidden: {names}", names = all_hidden())]
    UnknownFeature(String),
    /// Two implementations that take keys in different layouts cannot serve one context.
    #[error("'{}' and '{}' keep their keys in different layouts and cannot serve one plan", .0.name(), .1.name())]
    Mixed(Implementation, Implementation),
}

fn all_hidden() -> String {
    let names: Vec<_> = cpu::ALL
        .iter()
        .map(|feature| format!("-{}", feature.name()))
        .collect();
    names.join(",")
}

fn no_gcm(implementation: &Implementation) -> String {
    let name = implementation.name();
    if !implementation.has_gcm() {
        return format!("'{name}' has no GCM");
    }
    let features = implementation.features();
    format!(
        "the GCM of '{name}' needs the CPU features {}, and this processor lacks {}",
        names(features, false),
        names(features, true)
    )
}

fn names(features: &[Feature], missing: bool) -> String {
    let names: Vec<_> = features
        .iter()
        .filter(|f| !missing || !f.is_present())
        .map(|f| f.name())
        .collect();
    names.join(", ")
}

fn all_names() -> String {
    let names: Vec<_> = Implementation::all().iter().map(|i| i.name()).collect();
    names.join(", ")
}

impl From<InvalidKeyLength> for Error {
    fn from(InvalidKeyLength(length): InvalidKeyLength) -> Self {
        Self::KeyLength(length)
    }
}
