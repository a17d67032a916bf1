//! Keys of two halves.
use aws_lc_rs::{
    agreement::{PrivateKey, UnparsedPublicKey, X25519, agree},
    error::{KeyRejected, Unspecified},
    kem::{Ciphertext, DecapsulationKey, EncapsulationKey, ML_KEM_768},
    rand::SystemRandom,
    signature::{
        ECDSA_P256_SHA256_ASN1, ECDSA_P256_SHA256_ASN1_SIGNING, ECDSA_P384_SHA384_ASN1,
        ECDSA_P384_SHA384_ASN1_SIGNING, ED25519, EcdsaKeyPair, EcdsaSigningAlgorithm, Ed25519KeyPair,
        KeyPair, ML_DSA_65, ML_DSA_65_SIGNING, ParsedPublicKey, PqdsaKeyPair, RSA_PKCS1_2048_8192_SHA256,
        RSA_PKCS1_SHA256, RsaKeyPair, VerificationAlgorithm,
    },
};
use ciphertune_testkit::{Algorithm, Fault, Operation, Task};

use super::fault;
use crate::{
    Timed,
    context::{copying, seed, tagging},
};

/// It makes no signature by an RSA key of less than 2048 bits.
pub(super) fn has(algorithm: Algorithm) -> bool {
    let names = [
        "RSA-2048",
        "RSA-3072",
        "RSA-4096",
        "ECDSA-P-256",
        "ECDSA-P-384",
        "Ed25519",
        "ML-DSA-65",
        "X25519",
        "ML-KEM-768",
    ];
    names.contains(&algorithm.name())
}

pub(super) fn context(task: Task, key: &[u8]) -> Result<Box<dyn Timed>, Fault> {
    let contract = task.contract;
    Ok(match task.operation {
        Operation::Sign => {
            let signer = Signer::read(task.algorithm, key)?;
            tagging(
                contract,
                signer,
                |_| Ok(()),
                |signer, envelope, message| signer.sign(message, envelope.tag),
            )
        }
        Operation::Verify => {
            let (algorithm, public) = Signer::read(task.algorithm, key)?.public();
            let public = ParsedPublicKey::new(algorithm, public).map_err(rejected)?;
            tagging(
                contract,
                public,
                |_| Ok(()),
                move |public, envelope, message| {
                    let signature = task.algorithm.signature(envelope.tag);
                    public.verify_sig(message, signature).map_err(fault)
                },
            )
        }
        Operation::Derive => {
            let private = PrivateKey::from_private_key(&X25519, seed(key)?).map_err(rejected)?;
            tagging(
                contract,
                private,
                |_| Ok(()),
                |private, envelope, public| {
                    let peer = UnparsedPublicKey::new(&X25519, public);
                    agree(private, peer, fault(Unspecified), |secret| {
                        put(secret, envelope.tag)
                    })
                },
            )
        }
        Operation::Generate => copying(
            contract,
            (),
            |()| Ok(()),
            |(), _, key| {
                let made = DecapsulationKey::generate(&ML_KEM_768).map_err(fault)?;
                put(made.key_bytes().map_err(fault)?.as_ref(), key)
            },
        ),
        Operation::Encapsulate => {
            let public = key.get(PUBLIC).ok_or_else(|| fault(Unspecified))?;
            let public = EncapsulationKey::new(&ML_KEM_768, public).map_err(rejected)?;
            copying(
                contract,
                public,
                |_| Ok(()),
                |public, envelope, ciphertext| {
                    let (made, secret) = public.encapsulate().map_err(fault)?;
                    put(made.as_ref(), ciphertext)?;
                    put(secret.as_ref(), envelope.tag)
                },
            )
        }
        _ => {
            let private = DecapsulationKey::new(&ML_KEM_768, key).map_err(rejected)?;
            tagging(
                contract,
                private,
                |_| Ok(()),
                |private, envelope, ciphertext| {
                    let secret = private.decapsulate(Ciphertext::from(ciphertext)).map_err(fault)?;
                    put(secret.as_ref(), envelope.tag)
                },
            )
        }
    })
}

/// Where a decapsulation key of ML-KEM-768 holds its public half (FIPS 203, algorithm 16).
const PUBLIC: std::ops::Range<usize> = 1152..2336;

enum Signer {
    Rsa(RsaKeyPair),
    Ecdsa(EcdsaKeyPair, &'static dyn VerificationAlgorithm),
    Ed25519(Ed25519KeyPair),
    MlDsa(PqdsaKeyPair),
}

impl Signer {
    fn read(algorithm: Algorithm, key: &[u8]) -> Result<Self, Fault> {
        let ecdsa = |signs: &'static EcdsaSigningAlgorithm, verifies| {
            let pair = EcdsaKeyPair::from_pkcs8(signs, key).map_err(rejected)?;
            Ok(Self::Ecdsa(pair, verifies))
        };
        match algorithm.name() {
            "ECDSA-P-256" => ecdsa(&ECDSA_P256_SHA256_ASN1_SIGNING, &ECDSA_P256_SHA256_ASN1),
            "ECDSA-P-384" => ecdsa(&ECDSA_P384_SHA384_ASN1_SIGNING, &ECDSA_P384_SHA384_ASN1),
            "Ed25519" => Ed25519KeyPair::from_pkcs8(key)
                .map(Self::Ed25519)
                .map_err(rejected),
            "ML-DSA-65" => {
                let pair = PqdsaKeyPair::from_raw_private_key(&ML_DSA_65_SIGNING, key);
                pair.map(Self::MlDsa).map_err(rejected)
            }
            _ => RsaKeyPair::from_pkcs8(key).map(Self::Rsa).map_err(rejected),
        }
    }

    fn public(&self) -> (&'static dyn VerificationAlgorithm, Vec<u8>) {
        match self {
            Self::Rsa(pair) => (&RSA_PKCS1_2048_8192_SHA256, pair.public_key().as_ref().to_vec()),
            Self::Ecdsa(pair, verifies) => (*verifies, pair.public_key().as_ref().to_vec()),
            Self::Ed25519(pair) => (&ED25519, pair.public_key().as_ref().to_vec()),
            Self::MlDsa(pair) => (&ML_DSA_65, pair.public_key().as_ref().to_vec()),
        }
    }

    #[inline]
    fn sign(&self, message: &[u8], signature: &mut [u8]) -> Result<(), Fault> {
        let made = match self {
            Self::Rsa(pair) => {
                let random = SystemRandom::new();
                return pair
                    .sign(&RSA_PKCS1_SHA256, &random, message, signature)
                    .map_err(fault);
            }
            Self::MlDsa(pair) => {
                let len = pair.sign(message, signature).map_err(fault)?;
                signature[len..].fill(0);
                return Ok(());
            }
            Self::Ecdsa(pair, _) => pair.sign(&SystemRandom::new(), message).map_err(fault)?,
            Self::Ed25519(pair) => pair.sign(message),
        };
        let (place, rest) = signature
            .split_at_mut_checked(made.as_ref().len())
            .ok_or_else(|| fault(Unspecified))?;
        place.copy_from_slice(made.as_ref());
        rest.fill(0);
        Ok(())
    }
}

#[inline]
fn put(bytes: &[u8], place: &mut [u8]) -> Result<(), Fault> {
    if bytes.len() != place.len() {
        return Err(fault(Unspecified));
    }
    place.copy_from_slice(bytes);
    Ok(())
}

fn rejected(error: KeyRejected) -> Fault {
    Fault(format!("aws-lc-rs refused the key: {error}"))
}
