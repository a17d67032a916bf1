//! Elliptic curves, by whatever names and numbers `openssl speed` has for them.

/// Each by its bits, by the name that OpenSSL has for it from 4.0 on, and by the one that it has here: those from before,
/// but for NIST's primes. They stand at the numbers that `openssl speed -mr` has for them.
const ALL: [(&str, &str, &str); 22] = [
    ("160", "secp160r1", "secp160r1"),
    ("192", "prime192v1", "P-192"),
    ("224", "secp224r1", "P-224"),
    ("256", "prime256v1", "P-256"),
    ("384", "secp384r1", "P-384"),
    ("521", "secp521r1", "P-521"),
    ("163", "sect163k1", "nistk163"),
    ("233", "sect233k1", "nistk233"),
    ("283", "sect283k1", "nistk283"),
    ("409", "sect409k1", "nistk409"),
    ("571", "sect571k1", "nistk571"),
    ("163", "sect163r2", "nistb163"),
    ("233", "sect233r1", "nistb233"),
    ("283", "sect283r1", "nistb283"),
    ("409", "sect409r1", "nistb409"),
    ("571", "sect571r1", "nistb571"),
    ("256", "brainpoolP256r1", "brainpoolP256r1"),
    ("256", "brainpoolP256t1", "brainpoolP256t1"),
    ("384", "brainpoolP384r1", "brainpoolP384r1"),
    ("384", "brainpoolP384t1", "brainpoolP384t1"),
    ("512", "brainpoolP512r1", "brainpoolP512r1"),
    ("512", "brainpoolP512t1", "brainpoolP512t1"),
];

/// Those over binary fields, the ten before Brainpool's, are left out of many builds, and all that follow have lesser
/// numbers there.
const BINARY: usize = 10;

/// By the number that `-mr` has and the bits behind it; of one that is not known it is these two.
pub(super) fn by_number(number: &str, bits: &str) -> String {
    let at = |number: usize| ALL.get(number).filter(|(own, _, _)| *own == bits);
    let known = number.parse().ok().and_then(|number: usize| {
        let whole = at(number);
        whole.or_else(|| at(number.checked_add(BINARY)?).filter(|_| number > 5))
    });
    match (known, number, bits) {
        (Some((_, _, name)), _, _) => (*name).to_owned(),
        // OpenSSL 4: for signatures, and for agreeing on keys.
        (None, "26" | "27", "256") => SM2.to_owned(),
        _ => format!("{bits}-curve-{number}"),
    }
}

/// `nistp256`, or `prime256v1` from OpenSSL 4 on.
pub(super) fn by_name(name: &str) -> String {
    match ALL.iter().find(|(_, known, _)| *known == name) {
        Some((_, _, own)) => (*own).to_owned(),
        None if name == "CurveSM2" => SM2.to_owned(),
        None => name.replace("nistp", "P-"),
    }
}

/// The signature that goes by a curve, which SM2 and Edwards' curves have of their own.
pub(super) fn signature(curve: &str) -> String {
    match curve {
        SM2 | "Ed25519" | "Ed448" => curve.to_owned(),
        _ => format!("ECDSA-{curve}"),
    }
}

const SM2: &str = "SM2";
