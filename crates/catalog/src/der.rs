//! As much of DER as private keys (PKCS #8) and signatures take, for libraries that read neither.
use ciphertune_testkit::Fault;

/// An RSA key (RFC 8017, appendix A.1.2), each number signed and big-endian.
pub(crate) struct Rsa<'a> {
    pub(crate) modulus: &'a [u8],
    pub(crate) public: &'a [u8],
    pub(crate) private: &'a [u8],
    pub(crate) primes: [&'a [u8]; 2],
    /// All of it, as DER has it.
    pub(crate) whole: &'a [u8],
}

/// A DSA key (RFC 3279, section 2.3.2), as above.
pub(crate) struct Dsa<'a> {
    /// Modulus, order and generator.
    pub(crate) domain: [&'a [u8]; 3],
    pub(crate) private: &'a [u8],
}

/// A key on a curve (RFC 5915): bytes of the private number, and the public point uncompressed.
pub(crate) struct Curve<'a> {
    pub(crate) private: &'a [u8],
    pub(crate) public: &'a [u8],
}

impl<'a> Rsa<'a> {
    pub(crate) fn read(key: &'a [u8]) -> Result<Self, Fault> {
        let (_, whole) = private_key(key)?;
        let mut fields = Der(whole).inside(SEQUENCE)?;
        let mut number = || fields.take(INTEGER);
        let (_version, modulus, public, private) = (number()?, number()?, number()?, number()?);
        Ok(Self {
            modulus,
            public,
            private,
            primes: [number()?, number()?],
            whole,
        })
    }
}

impl<'a> Dsa<'a> {
    pub(crate) fn read(key: &'a [u8]) -> Result<Self, Fault> {
        let (mut parameters, private) = private_key(key)?;
        let mut domain = parameters.inside(SEQUENCE)?;
        let mut number = || domain.take(INTEGER);
        Ok(Self {
            domain: [number()?, number()?, number()?],
            private: Der(private).take(INTEGER)?,
        })
    }
}

impl<'a> Curve<'a> {
    pub(crate) fn read(key: &'a [u8]) -> Result<Self, Fault> {
        let (_, whole) = private_key(key)?;
        let mut fields = Der(whole).inside(SEQUENCE)?;
        fields.take(INTEGER)?;
        let private = fields.take(OCTETS)?;
        match fields.inside(PUBLIC)?.take(BITS)? {
            [0, public @ ..] => Ok(Self { private, public }),
            _ => Err(wrong()),
        }
    }
}

/// The two numbers of a signature by DSA or ECDSA, as above.
pub(crate) fn pair(signature: &[u8]) -> Result<[&[u8]; 2], Fault> {
    let mut numbers = Der(signature).inside(SEQUENCE)?;
    Ok([numbers.take(INTEGER)?, numbers.take(INTEGER)?])
}

/// Puts a signature of two unsigned numbers there, with zeros behind a short one.
pub(crate) fn put_pair(numbers: [&[u8]; 2], place: &mut [u8]) -> Result<(), Fault> {
    let mut body = Vec::with_capacity(place.len());
    for number in numbers {
        let zeros = number.iter().take_while(|&&byte| byte == 0).count();
        let number = &number[zeros..];
        let sign = number.first().is_none_or(|&first| first >= 0x80);
        body.extend([INTEGER, short(number.len() + usize::from(sign))?]);
        body.extend(sign.then_some(0).iter().chain(number));
    }
    let head = [SEQUENCE, short(body.len())?];
    let whole = head.iter().chain(&body);
    if place.len() < head.len() + body.len() {
        return Err(Fault("a signature that is too long".to_owned()));
    }
    let padded = whole.chain(std::iter::repeat(&0));
    place.iter_mut().zip(padded).for_each(|(to, from)| *to = *from);
    Ok(())
}

/// The algorithm's parameters and the key itself (RFC 5208).
fn private_key(key: &[u8]) -> Result<(Der<'_>, &[u8]), Fault> {
    let mut fields = Der(key).inside(SEQUENCE)?;
    fields.take(INTEGER)?;
    let mut algorithm = fields.inside(SEQUENCE)?;
    algorithm.take(IDENTIFIER)?;
    Ok((algorithm, fields.take(OCTETS)?))
}

const INTEGER: u8 = 0x02;
const BITS: u8 = 0x03;
const OCTETS: u8 = 0x04;
const IDENTIFIER: u8 = 0x06;
const SEQUENCE: u8 = 0x30;
/// `[1]`
const PUBLIC: u8 = 0xa1;

/// What is still to be read.
struct Der<'a>(&'a [u8]);

impl<'a> Der<'a> {
    /// The contents of the next element, which must have this tag.
    fn take(&mut self, tag: u8) -> Result<&'a [u8], Fault> {
        let (found, rest) = self.0.split_first().ok_or_else(wrong)?;
        let (first, mut rest) = rest.split_first().ok_or_else(wrong)?;
        let mut len = usize::from(*first);
        if len >= 0x80 {
            let (digits, later) = rest.split_at_checked(len - 0x80).ok_or_else(wrong)?;
            if digits.len() > 2 {
                return Err(wrong());
            }
            len = digits.iter().fold(0, |len, &digit| len << 8 | usize::from(digit));
            rest = later;
        }
        let (contents, rest) = rest.split_at_checked(len).ok_or_else(wrong)?;
        self.0 = rest;
        if *found == tag { Ok(contents) } else { Err(wrong()) }
    }

    fn inside(&mut self, tag: u8) -> Result<Der<'a>, Fault> {
        self.take(tag).map(Der)
    }
}

/// A length of one byte.
fn short(len: usize) -> Result<u8, Fault> {
    let byte = u8::try_from(len).ok().filter(|&len| len < 0x80);
    byte.ok_or_else(|| Fault("a signature that is too long".to_owned()))
}

fn wrong() -> Fault {
    Fault("a key or signature that is no DER, or of another kind".to_owned())
}

#[cfg(test)]
mod tests {
    use ciphertune_testkit::Algorithm;

    use super::*;

    fn known(name: &str) -> &'static [u8] {
        Algorithm::named(name)
            .and_then(Algorithm::known_key)
            .expect("a key")
    }

    #[test]
    fn keys_are_read_and_no_part_of_one_is() {
        let rsa = Rsa::read(known("RSA-2048")).unwrap();
        assert_eq!((rsa.modulus.len(), rsa.public), (257, &[1, 0, 1][..]));
        assert_eq!(rsa.primes.map(<[u8]>::len), [129; 2]);
        assert_eq!(Dsa::read(known("DSA-2048")).unwrap().domain[0].len(), 257);
        let curve = Curve::read(known("ECDSA-P-384")).unwrap();
        assert_eq!(
            (curve.private.len(), curve.public.len(), curve.public[0]),
            (48, 97, 4)
        );
        for end in 0..known("RSA-2048").len() {
            assert!(Rsa::read(&known("RSA-2048")[..end]).is_err(), "{end}");
        }
        for name in ["DSA-2048", "ECDSA-P-256", "Ed25519", "X25519"] {
            assert!(Rsa::read(known(name)).is_err(), "{name}");
        }
    }

    #[test]
    fn a_signature_comes_back_as_it_was_put() {
        let mut place = [9; 16];
        put_pair([&[0, 0, 0x80], &[0x7f, 1]], &mut place).unwrap();
        assert_eq!(place, [0x30, 8, 2, 2, 0, 0x80, 2, 2, 0x7f, 1, 0, 0, 0, 0, 0, 0]);
        assert_eq!(pair(&place).unwrap(), [&[0, 0x80][..], &[0x7f, 1]]);
        assert!(put_pair([&[1; 6], &[1; 6]], &mut place[..15]).is_err());
        assert!(put_pair([&[1; 70], &[1; 70]], &mut [0; 200]).is_err());
        for end in 0..10 {
            assert!(pair(&place[..end]).is_err(), "{end}");
        }
    }
}
