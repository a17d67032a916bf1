//! Which implementation serves which messages, in words.
use ciphertune::{Implementation, LengthClass};
use ciphertune_report::units::length;

/// `aesni up to 128 B, vaes512 beyond`, from the choice for each class, shortest first.
pub fn sentence(choices: impl Iterator<Item = (LengthClass, Implementation)>) -> String {
    let mut reaches: Vec<(Implementation, LengthClass)> = Vec::new();
    for (class, implementation) in choices {
        match reaches.last_mut() {
            Some((last, reach)) if *last == implementation => *reach = class,
            _ => reaches.push((implementation, class)),
        }
    }
    let alone = reaches.len() == 1;
    let parts = reaches.iter().map(|(implementation, reach)| {
        let reach = match reach.longest() {
            Some(longest) => up_to(longest),
            None if alone => "for all messages".to_owned(),
            None => "beyond".to_owned(),
        };
        format!("{} {reach}", implementation.name())
    });
    parts.collect::<Vec<_>>().join(", ")
}

/// The messages of one class: `up to 128 B` or `longer`.
pub fn messages(class: LengthClass) -> String {
    class.longest().map_or("longer".to_owned(), up_to)
}

fn up_to(longest: usize) -> String {
    format!("up to {}", length(longest as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_one() {
        let [portable, other] = ["portable", "aesni"].map(|name| Implementation::named(name).unwrap());
        let choose = |of: fn(usize) -> bool| {
            sentence(
                LengthClass::all().map(|class| (class, if of(class.measured()) { portable } else { other })),
            )
        };
        assert_eq!(choose(|_| true), "portable for all messages");
        assert_eq!(
            choose(|length| length <= 64),
            "portable up to 128 B, aesni beyond"
        );
        assert_eq!(
            choose(|length| length == 1024),
            "aesni up to 512 B, portable up to 2 KiB, aesni beyond"
        );
    }
}
