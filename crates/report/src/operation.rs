//! What is timed: a message, or an operation that has none to speak of.

/// Whether an operation of an algorithm has no message to speak of, as a signature has none: its rates are operations per
/// second. Its length in a run file is 1, which a message may have as well.
pub fn is_without_message(algorithm: &str, operation: &str) -> bool {
    match operation {
        "sign" | "verify" | "derive" | "generate" | "encapsulate" | "decapsulate" | "iterate" => true,
        // Of a key: other tools time that, too.
        "encrypt" | "decrypt" => ["RSA-", "ElGamal"].iter().any(|key| algorithm.starts_with(key)),
        _ => false,
    }
}
