use crate::{Algorithm, Context, Description, Fault, Implementation, aws_lc, ours, rustcrypto, tor2007};

/// Every implementation that is linked into this program, in the order in which tables show them.
pub(crate) fn all() -> Vec<Box<dyn Implementation>> {
    let mut all = ours::all();
    #[cfg(feature = "broken")]
    all.push(crate::broken::implementation());
    all.push(rustcrypto::implementation());
    all.push(aws_lc::implementation());
    all.extend(tor2007::all());
    all
}

/// An implementation that is linked in, of every algorithm: its description, and how it makes a context from a key
/// of the right length and an IV.
pub(crate) struct BuiltIn<F> {
    pub(crate) description: Description,
    pub(crate) context: F,
}

impl<F> Implementation for BuiltIn<F>
where
    F: Fn(Algorithm, &[u8], &[u8; 16]) -> Result<Box<dyn Context>, Fault>,
{
    fn description(&self) -> &Description {
        &self.description
    }

    fn algorithms(&self) -> &[Algorithm] {
        Algorithm::ALL
    }

    fn context(&self, algorithm: Algorithm, key: &[u8], iv: &[u8; 16]) -> Result<Box<dyn Context>, Fault> {
        check_key(algorithm, key)?;
        (self.context)(algorithm, key, iv)
    }
}

/// The first thing that any [`Implementation::context`] does.
pub(crate) fn check_key(algorithm: Algorithm, key: &[u8]) -> Result<(), Fault> {
    let (expected, found) = (algorithm.key_len(), key.len());
    if found == expected {
        Ok(())
    } else {
        Err(Fault(format!(
            "the key of {algorithm} has {expected} bytes, not {found}"
        )))
    }
}

/// What an [`Context::apply_to`] asks first where the code behind it does not.
#[inline]
pub(crate) fn check_lengths(input: &[u8], output: &[u8]) -> Result<(), Fault> {
    let (input, output) = (input.len(), output.len());
    if input == output {
        Ok(())
    } else {
        Err(Fault(format!(
            "{input} bytes of input do not fit {output} of output"
        )))
    }
}
