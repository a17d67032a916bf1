use aes::{Aes128, Aes192, Aes256};
use ctr::{
    Ctr128BE,
    cipher::{KeyIvInit, StreamCipher, StreamCipherError},
};

use crate::{Algorithm, Context, Description, Fault, Implementation, builtin::BuiltIn};

/// RustCrypto's crates `aes` and `ctr`, which choose by CPUID themselves.
pub(crate) fn implementation() -> Box<dyn Implementation> {
    let version = env!("RUSTCRYPTO_VERSION");
    // The crate's own setting at compile time; it has none at run time.
    let variant = if cfg!(aes_backend = "soft") {
        "soft"
    } else {
        "default"
    };
    Box::new(BuiltIn {
        description: Description {
            id: format!("rustcrypto@{version}/{variant}"),
            origin: "built in: crates aes and ctr".to_owned(),
            version: version.to_owned(),
            features: Vec::new(),
            constant_time: true,
            selectable: false,
            unavailable: None,
        },
        context: |algorithm, key: &[u8], iv: &[u8; 16]| match algorithm {
            Algorithm::Aes128Ctr => stream::<Ctr128BE<Aes128>>(key, iv),
            Algorithm::Aes192Ctr => stream::<Ctr128BE<Aes192>>(key, iv),
            Algorithm::Aes256Ctr => stream::<Ctr128BE<Aes256>>(key, iv),
        },
    })
}

fn stream<C: KeyIvInit + StreamCipher + 'static>(
    key: &[u8],
    iv: &[u8; 16],
) -> Result<Box<dyn Context>, Fault> {
    let cipher = C::new_from_slices(key, iv).map_err(|error| Fault(error.to_string()))?;
    Ok(Box::new(Stream(cipher)))
}

struct Stream<C>(C);

impl<C: StreamCipher> Context for Stream<C> {
    fn apply(&mut self, data: &mut [u8]) -> Result<(), Fault> {
        self.0.try_apply_keystream(data).map_err(fault)
    }

    fn apply_to(&mut self, input: &[u8], output: &mut [u8]) -> Result<(), Fault> {
        self.0.try_apply_keystream_b2b(input, output).map_err(fault)
    }
}

fn fault(error: StreamCipherError) -> Fault {
    Fault(error.to_string())
}
