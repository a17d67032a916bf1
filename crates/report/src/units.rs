//! Quantities as people read and write them.

/// A length in the largest binary unit that divides it: `1350 B`, `16 KiB`, `1 MiB`.
pub fn length(bytes: u64) -> String {
    let (factor, unit) = LENGTHS
        .into_iter()
        .find(|(factor, _)| bytes >= *factor && bytes.is_multiple_of(*factor))
        .unwrap_or((1, "B"));
    format!("{} {unit}", bytes / factor)
}

const LENGTHS: [(u64, &str); 3] = [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];

/// Reads a length in bytes: `16384`, `16k`, `16KiB`, `1M`, `1 MiB`. One k is 1024 bytes, as for other
/// benchmarks of block sizes.
pub fn parse_length(text: &str) -> Result<u64, LengthError> {
    let error = |problem| LengthError {
        text: text.to_owned(),
        problem,
    };
    let trimmed = text.trim();
    let digits = trimmed.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = trimmed.split_at(digits);
    let factor = match unit.trim_start().to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" | "kib" => 1 << 10,
        "m" | "mib" => 1 << 20,
        "g" | "gib" => 1 << 30,
        "kb" | "mb" | "gb" => {
            return Err(error("its unit may mean 1000 or 1024; write KiB, MiB or GiB"));
        }
        _ => {
            return Err(error(
                "write a whole number of bytes, KiB, MiB or GiB, as in 1350, 16k or 1MiB",
            ));
        }
    };
    if number.is_empty() {
        return Err(error("the number is missing"));
    }
    match number.parse::<u64>().ok().and_then(|n| n.checked_mul(factor)) {
        Some(0) => Err(error("a message needs at least one byte")),
        Some(bytes) => Ok(bytes),
        None => Err(error("it is too large")),
    }
}

/// A text that is no length.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{text}' is not a length: {problem}")]
pub struct LengthError {
    text: String,
    problem: &'static str,
}

/// `1 thread`, `2 threads`.
pub fn counted(number: usize, one: &str) -> String {
    let end = if number == 1 { "" } else { "s" };
    format!("{number} {one}{end}")
}

/// `95 %`, `99.99 %`, of a confidence: with all its digits, since a rounded one may be certainty.
pub(crate) fn per_cent(share: f64) -> String {
    let share = share.to_string();
    let (_, decimals) = share.split_once('.').unwrap_or_default();
    let decimals = format!("{decimals:0<2}");
    let (whole, rest) = decimals.split_at(2);
    let whole = whole.strip_prefix('0').unwrap_or(whole);
    match rest {
        "" => format!("{whole} %"),
        _ => format!("{whole}.{rest} %"),
    }
}

/// A rate in decimal units, with three significant digits: `30.7 GB/s`.
pub fn rate(bytes_per_second: f64) -> String {
    const UNITS: [&str; 5] = ["B/s", "kB/s", "MB/s", "GB/s", "TB/s"];
    let (number, group) = engineering(bytes_per_second, 0..=4);
    format!("{number} {}", UNITS[group as usize])
}

/// A frequency, with three significant digits: `4.28 GHz`.
pub fn frequency(hz: f64) -> String {
    const UNITS: [&str; 4] = ["Hz", "kHz", "MHz", "GHz"];
    let (number, group) = engineering(hz, 0..=3);
    format!("{number} {}", UNITS[group as usize])
}

/// A number with at least three significant digits and, below a thousand million, no exponent: `0.0512`, `1.23`, `30.7`,
/// `1234`. The end of an interval that a few figures cannot give may be beyond: `2.80e81`.
pub fn significant(number: f64) -> String {
    if number.abs() >= 1e9 {
        return format!("{number:.2e}");
    }
    let decimals = usize::try_from(2 - exponent(number)).unwrap_or(0);
    format!("{number:.decimals$}")
}

/// The number divided by a power of 1000 within `groups`, and that power.
fn engineering(number: f64, groups: std::ops::RangeInclusive<i32>) -> (String, i32) {
    let group = exponent(number)
        .div_euclid(3)
        .clamp(*groups.start(), *groups.end());
    (significant(number / 1000_f64.powi(group)), group)
}

/// The decimal exponent after rounding to three digits, so that 999.9 counts as 1000.
fn exponent(number: f64) -> i32 {
    let text = format!("{number:.2e}");
    text.split_once('e')
        .map_or(0, |(_, exponent)| exponent.parse().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_use_the_largest_unit_that_divides_them() {
        let shown = [1, 16, 1024, 1350, 1536, 16 << 10, 1 << 20, 3 << 29, 5 << 30].map(length);
        assert_eq!(
            shown,
            [
                "1 B", "16 B", "1 KiB", "1350 B", "1536 B", "16 KiB", "1 MiB", "1536 MiB", "5 GiB"
            ]
        );
    }

    #[test]
    fn one_is_no_plural() {
        let shown = [0, 1, 2].map(|number| counted(number, "thread"));
        assert_eq!(shown, ["0 threads", "1 thread", "2 threads"]);
    }

    #[test]
    fn lengths_are_read_as_people_write_them() {
        for (text, bytes) in [
            ("16384", 16384),
            ("16k", 16384),
            ("16KiB", 16384),
            (" 16 kib ", 16384),
            ("1M", 1 << 20),
            ("64B", 64),
            ("2G", 2 << 30),
            ("17179869183G", 17179869183 << 30),
        ] {
            assert_eq!(parse_length(text), Ok(bytes), "{text}");
            assert_eq!(parse_length(&length(bytes)), Ok(bytes), "{text}");
        }
    }

    #[test]
    fn what_is_no_length_says_why() {
        for (text, problem) in [
            ("", "the number is missing"),
            ("k", "the number is missing"),
            ("0", "at least one byte"),
            ("0k", "at least one byte"),
            ("1kB", "may mean 1000 or 1024"),
            ("1.5k", "whole number"),
            ("-1", "whole number"),
            ("16 kelvin", "whole number"),
            ("17179869184G", "too large"),
            ("99999999999999999999", "too large"),
        ] {
            let error = parse_length(text).unwrap_err().to_string();
            assert!(
                error.starts_with(&format!("'{text}' is not a length: ")),
                "{error}"
            );
            assert!(error.contains(problem), "{error}");
        }
    }

    #[test]
    fn rates_have_three_digits_and_the_unit_that_fits_after_rounding() {
        let shown = [30.68e9, 1e9, 999.4e6, 999.6e6, 51_234.0, 7.0, 0.5, 5.5e15].map(rate);
        assert_eq!(
            shown,
            [
                "30.7 GB/s",
                "1.00 GB/s",
                "999 MB/s",
                "1.00 GB/s",
                "51.2 kB/s",
                "7.00 B/s",
                "0.500 B/s",
                "5500 TB/s"
            ]
        );
        assert_eq!(frequency(4.2849e9), "4.28 GHz");
    }

    #[test]
    fn no_confidence_is_certainty() {
        let shown = [0.95, 0.5, 0.975, 0.9999, 0.9999999, 0.57, 0.003].map(per_cent);
        assert_eq!(
            shown,
            ["95 %", "50 %", "97.5 %", "99.99 %", "99.99999 %", "57 %", "0.3 %"]
        );
    }

    #[test]
    fn numbers_keep_three_digits() {
        let shown = [
            0.0,
            0.05123,
            0.9996,
            9.994,
            9.996,
            30.7,
            99.96,
            1234.4,
            2.8022e81,
            f64::NAN,
        ]
        .map(significant);
        assert_eq!(
            shown,
            [
                "0.00", "0.0512", "1.00", "9.99", "10.0", "30.7", "100", "1234", "2.80e81", "NaN"
            ]
        );
    }
}
