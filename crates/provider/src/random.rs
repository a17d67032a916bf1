use ciphertune_system::without_cancellation;

/// Random bytes of the kernel's.
pub(crate) fn fill(bytes: &mut [u8]) -> Result<(), getrandom::Error> {
    without_cancellation(|| getrandom::fill(bytes))
}
