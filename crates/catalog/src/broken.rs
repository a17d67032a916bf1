use ciphertune::Ctr;
use ciphertune_testkit::{Algorithm, Context, Contract, Envelope, Fault, Task};

use crate::{Description, Implementation, Timed, context::block, implementation::Composed};

/// An implementation that is wrong and claims the opposite, to test the gate with: its counter does not carry out
/// of the low 32 bits.
pub(crate) fn implementation() -> Box<dyn Implementation> {
    let widest = *ciphertune::Implementation::all()
        .iter()
        .rfind(|implementation| implementation.is_available())
        .expect("the portable code runs everywhere");
    Box::new(Composed {
        description: Description {
            selectable: true,
            ..Description::built_in(
                "ciphertune/broken".to_owned(),
                "for tests of the gate",
                env!("CARGO_PKG_VERSION"),
            )
        },
        tasks: Algorithm::all()
            .filter(|algorithm| algorithm.aes_mode() == Some("CTR"))
            .flat_map(Task::of)
            .filter(|task| task.contract == Contract::Stream)
            .collect(),
        context: move |_, key: &[u8], iv: &[u8]| {
            let mut wrapped = block(iv)?;
            let [.., a, b, c, d] = wrapped;
            let blocks = (1 << 32) - u64::from(u32::from_be_bytes([a, b, c, d]));
            wrapped[12..].fill(0);
            let stream = |iv| Ctr::with_implementation(widest, key, iv);
            Ok(Box::new(Stream {
                ctr: stream(iv)?,
                left: 16 * blocks,
                wrapped: Some(stream(&wrapped)?),
            }) as Box<dyn Timed>)
        },
    })
}

struct Stream {
    ctr: Ctr,
    /// Bytes of keystream before the low 32 bits wrap.
    left: u64,
    /// A stream that starts where they wrap to, until `ctr` is that stream.
    wrapped: Option<Ctr>,
}

impl Stream {
    /// The bytes of a message of `len` that lie before the wrap; once there are none, the wrap.
    fn before_wrap(&mut self, len: usize) -> usize {
        if self.left == 0 {
            match self.wrapped.take() {
                Some(wrapped) => self.ctr = wrapped,
                None => self.ctr.seek(0),
            }
            self.left = 16 << 32;
        }
        let now = self.left.min(len as u64);
        self.left -= now;
        now as usize
    }
}

impl Context for Stream {
    fn apply(&mut self, _: Envelope<'_>, mut data: &mut [u8]) -> Result<(), Fault> {
        while !data.is_empty() {
            let (now, later) = data.split_at_mut(self.before_wrap(data.len()));
            self.ctr.apply(now)?;
            data = later;
        }
        Ok(())
    }

    fn apply_to(&mut self, envelope: Envelope<'_>, input: &[u8], output: &mut [u8]) -> Result<(), Fault> {
        output.copy_from_slice(input);
        self.apply(envelope, output)
    }
}
