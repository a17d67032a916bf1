//! When a run was: RFC 3339 in UTC, as `2026-01-02T03:04:05Z`.

/// Whether a text is such a time, of a day that there is. RFC 3339 lets its letters be small ones and seconds have a
/// fraction, and writes UTC in several ways.
pub(crate) fn is_utc(text: &str) -> bool {
    is_time(text).unwrap_or(false)
}

fn is_time(text: &str) -> Option<bool> {
    let (date, time) = text.split_once(['T', 't'])?;
    let mut zones = ["Z", "z", "+00:00", "-00:00"].into_iter();
    let time = zones.find_map(|zone| time.strip_suffix(zone))?;
    let (time, fraction) = time.split_once('.').unwrap_or((time, "0"));
    let [year, month, day] = numbers(date, '-', [4, 2, 2])?;
    let [hour, minute, second] = numbers(time, ':', [2, 2, 2])?;
    let is_leap_second = (hour, minute, second) == (23, 59, 60);
    Some(
        (1..=days(year, month)?).contains(&day)
            && hour < 24
            && minute < 60
            && (second < 60 || is_leap_second)
            && is_digits(fraction),
    )
}

/// Numbers of so many digits each.
fn numbers(text: &str, separator: char, digits: [usize; 3]) -> Option<[u32; 3]> {
    let mut parts = text.split(separator);
    let mut numbers = [0; 3];
    for (number, digits) in numbers.iter_mut().zip(digits) {
        let part = parts.next()?;
        if part.len() != digits || !is_digits(part) {
            return None;
        }
        *number = part.parse().ok()?;
    }
    parts.next().is_none().then_some(numbers)
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn days(year: u32, month: u32) -> Option<u32> {
    let is_leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    match month {
        2 => Some(if is_leap { 29 } else { 28 }),
        4 | 6 | 9 | 11 => Some(30),
        1..=12 => Some(31),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_time_in_utc_is_one() {
        for time in [
            "2026-01-02T03:04:05Z",
            "2026-01-02t03:04:05.123456789z",
            "2026-01-02T03:04:05+00:00",
            "2024-02-29T23:59:60Z",
            "2000-02-29T00:00:00Z",
        ] {
            assert!(is_utc(time), "{time}");
        }
        for other in [
            "",
            "yesterday",
            "2026-01-02",
            "2026-01-02 03:04:05Z",
            "2026-01-02T03:04Z",
            "2026-01-02T03:04:05",
            "2026-01-02T03:04:05+01:00",
            "2026-01-02T03:04:05.Z",
            "2026-01-02T03:04:05Z ",
            "2026-1-02T03:04:05Z",
            "2026-01-02-03T03:04:05Z",
            "+026-01-02T03:04:05Z",
            "２026-01-02T03:04:05Z",
            "2026-00-02T03:04:05Z",
            "2026-13-02T03:04:05Z",
            "2026-04-31T03:04:05Z",
            "2026-02-29T03:04:05Z",
            "1900-02-29T03:04:05Z",
            "2026-01-00T03:04:05Z",
            "2026-01-02T24:00:00Z",
            "2026-01-02T03:60:05Z",
            "2026-01-02T03:04:60Z",
            "2026-01-02T03:04:05Z[UTC]",
        ] {
            assert!(!is_utc(other), "{other}");
        }
    }
}
