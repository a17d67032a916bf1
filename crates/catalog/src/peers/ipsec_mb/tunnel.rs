//! Packets of IPsec: AES in CBC, and HMAC.
use ciphertune_testkit::{Envelope, Fault, Operation, Task};
use inout::InOutBuf;
use zeroize::{Zeroize, Zeroizing};

use super::{
    IpsecMb,
    aes::Keyed,
    header::{CIPHER_HASH, HASH_CIPHER, NO_CIPHER},
    hmac::{HmacKey, LONGEST_HASH},
    job::LONGEST_CHAIN,
};
use crate::{
    Timed,
    context::{equal, gathering},
    library::check,
    pair,
};

/// AES in CBC and HMAC by one job, as a packet of IPsec has them. What is hashed lies together, so that a packet is put
/// together here as a network has it: additional data, IV and ciphertext. A user who has it so saves a copy.
pub(super) struct Tunnel {
    cipher: Keyed,
    mac: HmacKey,
    packet: Vec<u8>,
}

impl Tunnel {
    pub(super) fn context(library: &IpsecMb, task: Task, key: &[u8]) -> Result<Box<dyn Timed>, Fault> {
        let kept = Zeroizing::new(key.to_vec());
        let mut tunnel = Self::new(library, task)?;
        tunnel.set_keys(key);
        let renew = move |tunnel: &mut Self| {
            tunnel.set_keys(&kept);
            Ok(())
        };
        Ok(match task.operation {
            Operation::Open => gathering(task.contract, tunnel, renew, Self::open),
            _ => gathering(task.contract, tunnel, renew, Self::seal),
        })
    }

    fn new(library: &IpsecMb, task: Task) -> Result<Self, Fault> {
        let lacking = || Fault(format!("ipsec-mb has no {task}"));
        let (cipher, mac) = pair::parts(task).ok_or_else(lacking)?;
        Ok(Self {
            cipher: Keyed::new(library, cipher),
            mac: HmacKey::new(library, mac).ok_or_else(lacking)?,
            packet: Vec::new(),
        })
    }

    fn set_keys(&mut self, key: &[u8]) {
        let (cipher_key, mac_key) = key.split_at(self.cipher.key_len);
        self.cipher.set_key(cipher_key);
        self.mac.set_key(mac_key);
    }

    #[inline]
    fn seal(&mut self, envelope: &mut Envelope<'_>, mut buffer: InOutBuf<'_, '_, u8>) -> Result<(), Fault> {
        let len = buffer.len();
        let head = self.head(envelope, len);
        let input = buffer.get_in().as_ptr();
        let packet = self.packet.as_mut_ptr();
        // SAFETY: the packet has room for as many bytes behind its head.
        let output = unsafe { packet.add(head) };
        // SAFETY: `input` is readable and `output` ours to write for `len` bytes, and they do not overlap; the packet is
        // readable as a whole, and the tag ours to write.
        unsafe {
            self.run(
                CIPHER_HASH,
                envelope.iv,
                (input, output, len),
                (packet, head + len),
                envelope.tag,
            )?;
        }
        buffer.get_out().copy_from_slice(&self.packet[head..][..len]);
        Ok(())
    }

    #[inline]
    fn open(&mut self, envelope: &mut Envelope<'_>, mut buffer: InOutBuf<'_, '_, u8>) -> Result<(), Fault> {
        let len = buffer.len();
        let head = self.head(envelope, len);
        self.packet[head..][..len].copy_from_slice(buffer.get_in());
        let packet = self.packet.as_ptr();
        let output = buffer.get_out().as_mut_ptr();
        // SAFETY: the packet has as many bytes behind its head.
        let input = unsafe { packet.add(head) };
        let mut made = [0; LONGEST_HASH];
        let made = &mut made[..envelope.tag.len()];
        // SAFETY: as in `seal`, with the roles of packet and buffer changed.
        unsafe {
            self.run(
                HASH_CIPHER,
                envelope.iv,
                (input, output, len),
                (packet, head + len),
                made,
            )?;
        }
        if equal(made, envelope.tag) {
            return Ok(());
        }
        // The job decrypts whatever it hashes.
        buffer.get_out().zeroize();
        Err(Fault("the tag is wrong".to_owned()))
    }

    /// Begins a packet of `len` bytes of text; answers how long its head is. What is behind it is an older packet's, with
    /// which nothing is done before it is written over.
    #[inline]
    fn head(&mut self, envelope: &Envelope<'_>, len: usize) -> usize {
        let (aad, iv) = (envelope.aad, envelope.iv);
        let head = aad.len() + iv.len();
        if self.packet.len() < head + len {
            // Wiped first: to grow may leave the memory of before to others.
            self.packet.zeroize();
            self.packet.resize(head + len, 0);
        }
        self.packet[..aad.len()].copy_from_slice(aad);
        self.packet[aad.len()..head].copy_from_slice(iv);
        head
    }

    /// Input, output and length of what is ciphered; begin and length of what is hashed.
    ///
    /// # Safety
    /// The input is readable and the output writable for the length, and so is what is hashed readable for its.
    #[inline]
    unsafe fn run(
        &mut self,
        order: u32,
        iv: &[u8],
        (input, output, len): (*const u8, *mut u8, usize),
        (hashed, hashed_len): (*const u8, usize),
        tag: &mut [u8],
    ) -> Result<(), Fault> {
        // It counts in sixteen bits, with room for padding.
        check(
            hashed_len <= LONGEST_CHAIN,
            "a packet of more than 64 KiB: submit_job",
        )?;
        let job = self.cipher.job();
        job.input = input;
        job.output = output;
        job.cipher_len = len as u64;
        // It does not cipher nothing.
        if len == 0 {
            job.cipher = NO_CIPHER;
        }
        job.iv = iv.as_ptr();
        job.iv_len = iv.len() as u64;
        job.order = order;
        // Counted from the input, wherever the packet lies.
        job.hash_offset = (hashed as u64).wrapping_sub(input as u64);
        job.hash_len = hashed_len as u64;
        self.mac.fill(job, tag);
        // SAFETY: the job is filled in by the header's rules; the caller vouches for the memory. The tag has one of the
        // lengths that IPsec gives it, which it takes, and no more is written.
        unsafe { self.cipher.submit() }
    }
}

impl Drop for Tunnel {
    fn drop(&mut self) {
        self.packet.zeroize();
    }
}
