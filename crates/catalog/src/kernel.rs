//! The kernel's own code, reached as a program reaches it: through sockets of the family AF_ALG.
//!
//! What is timed of it is what such a program pays: one system call hands a message over with what goes with it, another
//! brings back what came of it, and the kernel copies both ways. Each driver that the kernel lists is an implementation
//! of its own. Which of several it takes by itself goes by a number that its authors gave it, not by a measurement.
use std::collections::BTreeSet;

use ciphertune_testkit::{Algorithm, Contract, Envelope, Fault, Kind, Operation, Task};
use inout::InOutBuf;
use nix::{errno::Errno, sys::utsname};
use zeroize::Zeroizing;

use crate::{
    Description, Implementation, Timed,
    context::{inout, tagging},
    implementation::check_request,
    peers::Counter,
};

mod drivers;
#[allow(unsafe_code)]
mod socket;

use drivers::{Class, Driver};
use socket::{Direction, PAGES, PIECE, Transform};

/// What the kernel has, or a line that says why it has nothing.
pub(crate) fn all() -> Vec<Box<dyn Implementation>> {
    let release = release();
    let room = match offer(socket::room()) {
        Ok(room) => room,
        Err(why) => return vec![absent(&release, &why)],
    };
    let drivers: Vec<_> = drivers()
        .into_iter()
        .map(|driver| Kernel::new(&release, driver, room))
        .filter(|kernel| !kernel.tasks.is_empty())
        .collect();
    if drivers.is_empty() {
        let lacking = "has AF_ALG, but none of its kinds; load algif_skcipher, algif_aead and algif_hash";
        return vec![absent(&release, lacking)];
    }
    drivers
        .into_iter()
        .map(|kernel| Box::new(kernel) as Box<dyn Implementation>)
        .collect()
}

fn release() -> String {
    utsname::uname().map_or_else(
        |_| "unknown".to_owned(),
        |names| names.release().to_string_lossy().into_owned(),
    )
}

/// Bytes that a socket has room for, if that is enough, or why there is nothing. With less the kernel would wait, in the
/// midst of a message, for room that nobody makes.
fn offer(room: Result<usize, Errno>) -> Result<usize, String> {
    match room {
        Ok(room) if room < PIECE => Err(format!(
            "has AF_ALG with room for {room} bytes, too few; raise net.core.wmem_default and net.core.rmem_default to {} or more",
            PIECE + PAGES
        )),
        Ok(room) => Ok(room),
        Err(Errno::EAFNOSUPPORT) => Err(
            "has no AF_ALG, or keeps it from this process; kernels built with CRYPTO_USER_API have it, Debian's among them"
                .to_owned(),
        ),
        Err(error) => Err(format!("keeps AF_ALG from this process: {}", error.desc())),
    }
}

fn absent(release: &str, why: &str) -> Box<dyn Implementation> {
    Box::new(Kernel {
        description: Description {
            id: "linux".to_owned(),
            unavailable: Some(format!("Linux {release} {why}")),
            ..describe(release, String::new(), false)
        },
        driver: String::new(),
        room: 0,
        tasks: Vec::new(),
    })
}

fn describe(release: &str, module: String, constant_time: bool) -> Description {
    Description {
        id: String::new(),
        origin: match &*module {
            "" => "AF_ALG".to_owned(),
            module => format!("AF_ALG, {module}"),
        },
        version: release.to_owned(),
        goes_by: None,
        build: None,
        features: Vec::new(),
        constant_time,
        selectable: false,
        unavailable: None,
    }
}

/// Every driver of what is measured that passed the kernel's own tests.
fn drivers() -> Vec<Driver> {
    let wanted: BTreeSet<(Class, String)> = Algorithm::all().filter_map(name).collect();
    // Asked for by its name, a module is loaded, and a mode is put together with a cipher.
    for (class, name) in &wanted {
        let _ = Transform::new(*class, name);
    }
    let mut drivers: Vec<Driver> = Vec::new();
    // Each may bring others, which it falls back to.
    loop {
        let known = drivers.len();
        for driver in drivers::listed() {
            let is_wanted = wanted.contains(&(driver.class, driver.name.clone()));
            let is_new = || drivers.iter().all(|known| known.driver != driver.driver);
            if is_wanted && is_new() {
                let _ = Transform::new(driver.class, &driver.driver);
                drivers.push(driver);
            }
        }
        if drivers.len() == known {
            return drivers;
        }
    }
}

/// The kernel's name for an algorithm.
fn name(algorithm: Algorithm) -> Option<(Class, String)> {
    let is_camellia = algorithm.name().starts_with("CAMELLIA-");
    let cipher = if is_camellia { "camellia" } else { "aes" };
    let mode = match is_camellia {
        true => algorithm.name().rsplit('-').next(),
        false => algorithm.aes_mode(),
    };
    Some(match (mode, algorithm.name()) {
        // OFB is not among them: from call to call, the kernel forgets what is left of a block.
        (Some(mode @ ("CTR" | "CBC" | "CFB" | "ECB" | "XTS")), _) => {
            (Class::Cipher, format!("{}({cipher})", mode.to_ascii_lowercase()))
        }
        (Some(mode @ ("GCM" | "CCM")), _) => (Class::Aead, format!("{}(aes)", mode.to_ascii_lowercase())),
        (Some("CMAC"), _) => (Class::Hash, "cmac(aes)".to_owned()),
        (_, name) if algorithm.kind() == Kind::EncryptThenMac => {
            let (_, hash) = name.strip_suffix("-ESP")?.split_once("-HMAC-")?;
            (
                Class::Aead,
                format!("authenc(hmac({}),cbc(aes))", hash.to_ascii_lowercase()),
            )
        }
        (_, name) => {
            let (class, name) = match name {
                "ChaCha20-Poly1305" => (Class::Aead, "rfc7539(chacha20,poly1305)"),
                "DES-CBC" => (Class::Cipher, "cbc(des)"),
                "DES-EDE3-CBC" => (Class::Cipher, "cbc(des3_ede)"),
                "BF-CBC" => (Class::Cipher, "cbc(blowfish)"),
                "CAST5-CBC" => (Class::Cipher, "cbc(cast5)"),
                "SEED-CBC" => (Class::Cipher, "cbc(seed)"),
                "MD4" => (Class::Hash, "md4"),
                "MD5" => (Class::Hash, "md5"),
                "RIPEMD-160" => (Class::Hash, "rmd160"),
                "WHIRLPOOL" => (Class::Hash, "wp512"),
                "SHA1" => (Class::Hash, "sha1"),
                "SHA2-224" => (Class::Hash, "sha224"),
                "SHA2-256" => (Class::Hash, "sha256"),
                "SHA2-384" => (Class::Hash, "sha384"),
                "SHA2-512" => (Class::Hash, "sha512"),
                "SHA3-256" => (Class::Hash, "sha3-256"),
                "SHA3-512" => (Class::Hash, "sha3-512"),
                "SM3" => (Class::Hash, "sm3"),
                "BLAKE2B-512" => (Class::Hash, "blake2b-512"),
                "BLAKE2S-256" => (Class::Hash, "blake2s-256"),
                "HMAC-SHA1" => (Class::Hash, "hmac(sha1)"),
                "HMAC-SHA2-256" => (Class::Hash, "hmac(sha256)"),
                "HMAC-SHA2-512" => (Class::Hash, "hmac(sha512)"),
                _ => return None,
            };
            (class, name.to_owned())
        }
    })
}

/// One of the kernel's drivers.
struct Kernel {
    description: Description,
    driver: String,
    /// Bytes that a message handed over whole may have with all that goes with it.
    room: usize,
    tasks: Vec<Task>,
}

impl Kernel {
    fn new(release: &str, driver: Driver, room: usize) -> Self {
        let mut kernel = Self {
            description: Description {
                // A comma would end the name in a list of them.
                id: format!("linux@{release}/{}", driver.driver.replace(',', "+")),
                ..describe(release, driver.module.clone(), driver.is_constant_time())
            },
            room: usize::MAX,
            driver: driver.driver,
            tasks: Vec::new(),
        };
        let computed = Algorithm::all()
            .filter(|&algorithm| name(algorithm) == Some((driver.class, driver.name.clone())));
        // There is no asking for the keys that a driver takes but by trying.
        let key: Vec<u8> = (1..=LONGEST_KEY).collect();
        let takes = |&algorithm: &Algorithm| {
            let made = kernel.transform(algorithm, driver.class);
            made.and_then(|mut transform| transform.set_key(&packed(algorithm, &key[..algorithm.key_len()])))
                .is_ok()
        };
        kernel.tasks = computed.filter(takes).flat_map(Task::of).collect();
        let is_unit = |task: &Task| task.algorithm.kind() == Kind::Units;
        if driver.class == Class::Aead || kernel.tasks.iter().any(is_unit) {
            kernel.room = room;
        }
        kernel
    }

    fn transform(&self, algorithm: Algorithm, class: Class) -> Result<Transform, Fault> {
        let mut transform = Transform::new(class, &self.driver).map_err(|error| {
            Fault(format!(
                "{}: AF_ALG's bind: {}",
                self.description.id,
                error.desc()
            ))
        })?;
        if class == Class::Aead {
            transform.set_tag_len(algorithm.tag_len())?;
        }
        Ok(transform)
    }
}

const LONGEST_KEY: u8 = 96;

impl Implementation for Kernel {
    fn description(&self) -> &Description {
        &self.description
    }

    fn tasks(&self) -> &[Task] {
        &self.tasks
    }

    fn longest(&self, _: Task) -> usize {
        self.room
    }

    fn context(&self, task: Task, key: &[u8], iv: &[u8]) -> Result<Box<dyn Timed>, Fault> {
        check_request(self, task, key, iv)?;
        let Task {
            algorithm,
            operation,
            contract,
        } = task;
        let (class, _) = name(algorithm).ok_or_else(|| Fault(format!("AF_ALG has no {algorithm}")))?;
        let mut transform = self.transform(algorithm, class)?;
        let kept = packed(algorithm, key);
        transform.set_key(&kept)?;
        let renew = move |transform: &mut Transform| transform.set_key(&kept);
        let direction = match operation.is_backward() {
            true => Direction::Decrypt,
            false => Direction::Encrypt,
        };
        Ok(match (class, contract) {
            (Class::Hash, _) => tagging(contract, transform, renew, |transform, envelope, message| {
                transform.hash(message, envelope.tag)
            }),
            (Class::Aead, _) => {
                let aead = Aead {
                    transform,
                    form: Form::of(algorithm),
                    scratch: Vec::new(),
                };
                let renew = move |aead: &mut Aead| renew(&mut aead.transform);
                match operation {
                    Operation::Open => inout(contract, aead, renew, Aead::open),
                    _ => inout(contract, aead, renew, Aead::seal),
                }
            }
            (Class::Cipher, Contract::Stream) if algorithm.kind() == Kind::Stream => {
                let state = (transform, Counter::new(iv)?);
                inout(
                    contract,
                    state,
                    |_| Ok(()),
                    |(transform, counter), _, buffer| {
                        // Encryption and decryption are one.
                        counter.run(buffer, |iv, part| transform.message(Direction::Encrypt, iv, part))
                    },
                )
            }
            (Class::Cipher, Contract::Stream) => {
                transform.begin(direction, iv)?;
                inout(contract, transform, renew, |transform, _, buffer| {
                    transform.go_on(buffer)
                })
            }
            (Class::Cipher, _) => match algorithm.kind() {
                Kind::Units => inout(contract, transform, renew, move |transform, envelope, buffer| {
                    transform.unit(direction, envelope.iv, buffer)
                }),
                _ => inout(contract, transform, renew, move |transform, envelope, buffer| {
                    transform.message(direction, envelope.iv, buffer)
                }),
            },
        })
    }
}

/// A key as the kernel wants it. A pair's has a head that says where the cipher's begins, as in crypto/authenc.h, and the
/// MAC's comes first.
fn packed(algorithm: Algorithm, key: &[u8]) -> Zeroizing<Vec<u8>> {
    const KEY_PARAM: u16 = 1;
    let Some([cipher, _]) = algorithm.cipher_and_mac() else {
        return Zeroizing::new(key.to_vec());
    };
    let (cipher_key, mac_key) = key.split_at(cipher.key_len());
    let mut packed = Zeroizing::new(Vec::with_capacity(8 + key.len()));
    packed.extend_from_slice(&8_u16.to_ne_bytes());
    packed.extend_from_slice(&KEY_PARAM.to_ne_bytes());
    packed.extend_from_slice(&(cipher_key.len() as u32).to_be_bytes());
    packed.extend_from_slice(mac_key);
    packed.extend_from_slice(cipher_key);
    packed
}

/// What authenticates and encrypts.
struct Aead {
    transform: Transform,
    form: Form,
    /// The kernel gives the additional data back in front of the message.
    scratch: Vec<u8>,
}

/// How an IV goes to the kernel.
#[derive(Clone, Copy)]
enum Form {
    Plain,
    /// As CCM's first block: bytes of the length less one, the nonce, zeros.
    Ccm,
    /// As ESP has it, a part of what is authenticated besides.
    Authenticated,
}

impl Form {
    fn of(algorithm: Algorithm) -> Self {
        match (algorithm.kind(), algorithm.aes_mode()) {
            (Kind::EncryptThenMac, _) => Self::Authenticated,
            (_, Some("CCM")) => Self::Ccm,
            _ => Self::Plain,
        }
    }
}

impl Aead {
    #[inline]
    fn seal(&mut self, envelope: &mut Envelope<'_>, buffer: InOutBuf<'_, '_, u8>) -> Result<(), Fault> {
        self.run(Direction::Encrypt, envelope, buffer)
    }

    #[inline]
    fn open(&mut self, envelope: &mut Envelope<'_>, buffer: InOutBuf<'_, '_, u8>) -> Result<(), Fault> {
        self.run(Direction::Decrypt, envelope, buffer)
    }

    #[inline]
    fn run(
        &mut self,
        direction: Direction,
        envelope: &mut Envelope<'_>,
        buffer: InOutBuf<'_, '_, u8>,
    ) -> Result<(), Fault> {
        let &mut Envelope { iv, aad, ref mut tag } = envelope;
        let block = first_block(iv);
        let (iv, aad) = match self.form {
            Form::Plain => (iv, [aad, &[]]),
            Form::Ccm => (&block[..], [aad, &[]]),
            Form::Authenticated => (iv, [aad, iv]),
        };
        self.scratch.resize(aad[0].len() + aad[1].len(), 0);
        self.transform
            .authenticated(direction, iv, aad, &mut self.scratch, buffer, tag)
    }
}

/// CCM's, of the nonce that algorithms here have.
#[inline]
fn first_block(nonce: &[u8]) -> [u8; 16] {
    const NONCE: usize = 12;
    let mut block = [0; 16];
    if nonce.len() == NONCE {
        block[0] = (14 - NONCE) as u8;
        block[1..=NONCE].copy_from_slice(nonce);
    }
    block
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_little_room_is_told_with_what_to_do() {
        assert_eq!(offer(Ok(PIECE)), Ok(PIECE));
        for room in [0, PIECE - 1] {
            let why = offer(Ok(room)).unwrap_err();
            assert!(
                why.contains("net.core.wmem_default") && why.contains(" 73728 "),
                "{why}"
            );
        }
    }
}
