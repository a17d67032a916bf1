//! Sockets of the family AF_ALG: one that stands for a driver with its key, and one that takes messages.
use std::{
    io::{IoSlice, IoSliceMut},
    os::fd::{AsRawFd, OwnedFd},
};

use ciphertune_testkit::Fault;
use inout::InOutBuf;
use nix::{
    errno::Errno,
    libc::{ALG_OP_DECRYPT, ALG_OP_ENCRYPT, MSG_MORE, c_int},
    sys::{
        socket::{
            self, AddressFamily, AlgAddr, ControlMessage, MsgFlags, SockFlag, SockType, setsockopt, sockopt,
        },
        uio::readv,
    },
};

use super::drivers::Class;

/// What is bound to a driver.
pub(super) struct Transform {
    bound: OwnedFd,
    /// What takes messages, once there is a key.
    open: Option<OwnedFd>,
}

#[derive(Clone, Copy)]
pub(super) enum Direction {
    Encrypt,
    Decrypt,
}

impl Direction {
    fn number(self) -> &'static c_int {
        match self {
            Self::Encrypt => &ALG_OP_ENCRYPT,
            Self::Decrypt => &ALG_OP_DECRYPT,
        }
    }
}

impl Transform {
    /// By a driver's name or an algorithm's.
    pub(super) fn new(class: Class, name: &str) -> Result<Self, Errno> {
        let bound = new_socket()?;
        socket::bind(bound.as_raw_fd(), &AlgAddr::new(class.name(), name))?;
        Ok(Self { bound, open: None })
    }

    /// Before the key.
    pub(super) fn set_tag_len(&mut self, len: usize) -> Result<(), Fault> {
        setsockopt(&self.bound, sockopt::AlgSetAeadAuthSize, &len).map_err(failed("ALG_SET_AEAD_AUTHSIZE"))
    }

    /// The kernel takes no new key while there is a socket for messages, so that one is opened anew. What has no key gets
    /// an empty one.
    pub(super) fn set_key(&mut self, key: &[u8]) -> Result<(), Fault> {
        self.open = None;
        if !key.is_empty() {
            setsockopt(&self.bound, sockopt::AlgSetKey::default(), &key).map_err(failed("ALG_SET_KEY"))?;
        }
        self.open = Some(socket::accept4(&self.bound, SockFlag::SOCK_CLOEXEC).map_err(failed("accept"))?);
        Ok(())
    }

    /// Sets the IV of a stream.
    pub(super) fn begin(&mut self, direction: Direction, iv: &[u8]) -> Result<(), Fault> {
        // nix has no name for it.
        let more = MsgFlags::from_bits_retain(MSG_MORE);
        self.send(&[], &[operation(direction), ControlMessage::AlgSetIv(iv)], more)
    }

    /// The next piece of a stream: the kernel keeps the IV.
    #[inline]
    pub(super) fn go_on(&mut self, mut buffer: InOutBuf<'_, '_, u8>) -> Result<(), Fault> {
        while !buffer.is_empty() {
            let len = buffer.len().min(PIECE);
            let (mut piece, rest) = buffer.split_at(len);
            self.send(&[piece.get_in()], &[], MsgFlags::empty())?;
            self.receive(&mut [IoSliceMut::new(piece.get_out())])?;
            buffer = rest;
        }
        Ok(())
    }

    /// A message in pieces that a socket has room for.
    #[inline]
    pub(super) fn message(
        &mut self,
        direction: Direction,
        iv: &[u8],
        buffer: InOutBuf<'_, '_, u8>,
    ) -> Result<(), Fault> {
        let len = buffer.len().min(PIECE);
        let (first, rest) = buffer.split_at(len);
        self.unit(direction, iv, first)?;
        self.go_on(rest)
    }

    /// A message in one piece.
    #[inline]
    pub(super) fn unit(
        &mut self,
        direction: Direction,
        iv: &[u8],
        mut buffer: InOutBuf<'_, '_, u8>,
    ) -> Result<(), Fault> {
        if buffer.is_empty() {
            return Ok(());
        }
        let control = [operation(direction), ControlMessage::AlgSetIv(iv)];
        let control = match iv {
            [] => &control[..1],
            _ => &control,
        };
        self.send(&[buffer.get_in()], control, MsgFlags::empty())?;
        self.receive(&mut [IoSliceMut::new(buffer.get_out())])
    }

    /// A message with its tag. The additional data, in two parts, comes back into `scratch`, which is as long as both.
    #[inline]
    pub(super) fn authenticated(
        &mut self,
        direction: Direction,
        iv: &[u8],
        aad: [&[u8]; 2],
        scratch: &mut [u8],
        mut buffer: InOutBuf<'_, '_, u8>,
        tag: &mut [u8],
    ) -> Result<(), Fault> {
        let aad_len = scratch.len() as u32;
        let control = [
            operation(direction),
            ControlMessage::AlgSetIv(iv),
            ControlMessage::AlgSetAeadAssoclen(&aad_len),
        ];
        let [one, other] = aad;
        match direction {
            Direction::Encrypt => {
                self.send(&[one, other, buffer.get_in()], &control, MsgFlags::empty())?;
                self.receive(&mut [scratch, buffer.get_out(), tag].map(IoSliceMut::new))
            }
            Direction::Decrypt => {
                self.send(&[one, other, buffer.get_in(), tag], &control, MsgFlags::empty())?;
                let wanted = scratch.len() + buffer.len();
                // The kernel only begins, and looks at the tag, where it is asked for a byte, and waits for more to come
                // where it is asked for too many.
                let spare = &mut [0][usize::from(wanted > 0)..];
                self.receive_some(
                    wanted,
                    &mut [scratch, buffer.get_out(), spare].map(IoSliceMut::new),
                )
            }
        }
    }

    /// The tag or digest of a message.
    #[inline]
    pub(super) fn hash(&mut self, message: &[u8], tag: &mut [u8]) -> Result<(), Fault> {
        self.send(&[message], &[], MsgFlags::empty())?;
        self.receive(&mut [IoSliceMut::new(tag)])
    }

    #[inline]
    fn send<const N: usize>(
        &self,
        parts: &[&[u8]; N],
        control: &[ControlMessage<'_>],
        flags: MsgFlags,
    ) -> Result<(), Fault> {
        let open = self.open()?;
        let parts = parts.map(IoSlice::new);
        let len: usize = parts.iter().map(|part| part.len()).sum();
        let sent = socket::sendmsg::<()>(open.as_raw_fd(), &parts, control, flags, None)
            .map_err(failed("sendmsg"))?;
        whole(sent, len, "sendmsg")
    }

    #[inline]
    fn receive(&self, parts: &mut [IoSliceMut<'_>]) -> Result<(), Fault> {
        let len = parts.iter().map(|part| part.len()).sum();
        self.receive_some(len, parts)
    }

    #[inline]
    fn receive_some(&self, len: usize, parts: &mut [IoSliceMut<'_>]) -> Result<(), Fault> {
        let received = readv(self.open()?, parts).map_err(failed("readv"))?;
        whole(received, len, "readv")
    }

    #[inline]
    fn open(&self) -> Result<&OwnedFd, Fault> {
        self.open
            .as_ref()
            .ok_or_else(|| Fault("AF_ALG has no key yet".to_owned()))
    }
}

fn new_socket() -> Result<OwnedFd, Errno> {
    socket::socket(
        AddressFamily::Alg,
        SockType::SeqPacket,
        SockFlag::SOCK_CLOEXEC,
        None,
    )
}

/// Bytes that a socket takes at once, in and out, unless its owner has more rights than others; an error where this process
/// has no such sockets.
pub(super) fn room() -> Result<usize, Errno> {
    let socket = new_socket()?;
    let [out, back] = [
        socket::getsockopt(&socket, sockopt::SndBuf)?,
        socket::getsockopt(&socket, sockopt::RcvBuf)?,
    ];
    Ok(out.min(back).saturating_sub(PAGES))
}

/// The kernel counts in pages, and the first and the last may be begun.
pub(super) const PAGES: usize = 2 * 4096;

/// Bytes of a message that is handed over in pieces: what is sent is still in the cache when it comes back.
pub(super) const PIECE: usize = 64 << 10;

fn operation(direction: Direction) -> ControlMessage<'static> {
    ControlMessage::AlgSetOp(direction.number())
}

fn failed(call: &'static str) -> impl Fn(Errno) -> Fault {
    move |error| Fault(format!("AF_ALG's {call}: {}", error.desc()))
}

#[inline]
fn whole(done: usize, len: usize, call: &str) -> Result<(), Fault> {
    match done == len {
        true => Ok(()),
        false => Err(Fault(format!("AF_ALG's {call} did {done} of {len} bytes"))),
    }
}
