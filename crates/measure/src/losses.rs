//! What is said of sources that gave nothing.
use crate::Found;

/// Why sources gave nothing: each cause once, behind the names of those that it kept away. What kept all away has no names.
pub fn losses(found: &[Found]) -> Vec<String> {
    let mut causes: Vec<(&str, Vec<String>)> = Vec::new();
    for Found {
        source,
        implementations,
    } in found
    {
        let Err(reason) = implementations else { continue };
        let name = source.to_string();
        let why = cause(&name, reason);
        match causes.iter_mut().find(|(known, _)| *known == why) {
            Some((_, names)) => names.push(name),
            None => causes.push((why, vec![name])),
        }
    }
    let line = |(why, names): (&str, Vec<String>)| match names.len() {
        all if all > 1 && all == found.len() => why.to_owned(),
        _ => format!("{}: {why}", names.join(", ")),
    };
    causes.into_iter().map(line).collect()
}

/// A reason without the name of the source: the catalog's begin with it.
pub(crate) fn cause<'a>(source: &str, reason: &'a str) -> &'a str {
    let rest = reason.strip_prefix(source);
    rest.and_then(|rest| rest.strip_prefix(": ")).unwrap_or(reason)
}

#[cfg(test)]
mod tests {
    use ciphertune_catalog::Source;

    use super::*;

    #[test]
    fn a_cause_is_told_once() {
        let lost = |soname: &str, reason: &str| Found {
            source: Source::System(soname.to_owned()),
            implementations: Err(reason.to_owned()),
        };
        let found = Found {
            source: Source::Builtin,
            implementations: Ok(Vec::new()),
        };
        let [one, other] = [lost("a.so", "no room"), lost("b.so", "no room")];
        let broken = lost("c.so", "c.so: broken");
        let all = [found.clone(), one.clone(), broken.clone(), other.clone()];
        assert_eq!(losses(&all), ["a.so, b.so: no room", "c.so: broken"]);
        assert_eq!(losses(&[one.clone(), other]), ["no room"]);
        assert_eq!(losses(&[one, broken]), ["a.so: no room", "c.so: broken"]);
        assert_eq!(losses(&[lost("a.so", "no room")]), ["a.so: no room"]);
        assert!(losses(&[found]).is_empty());
    }
}
