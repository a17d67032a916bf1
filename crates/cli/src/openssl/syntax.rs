//! The syntax of OpenSSL's configurations, as its manual's config(5) has it.
use crate::Result;

/// A line of a configuration, with those that a backslash at its end takes in.
pub struct Line<'a> {
    /// Which it is in, and begins if it says so itself.
    pub section: String,
    /// Name and value.
    pub setting: Option<(String, String)>,
    pub text: &'a str,
}

/// What the lines before any section belong to.
pub const DEFAULT: &str = "default";

/// The lines of a configuration, and what they mean.
pub fn lines(text: &str) -> Vec<Line<'_>> {
    let mut lines: Vec<Line<'_>> = Vec::new();
    let mut section = DEFAULT.to_owned();
    for text in whole(text) {
        let joined = joined(text);
        let line = without_comment(&joined).trim();
        let mut setting = None;
        if let Some(name) = line.strip_prefix('[') {
            let name = name.split(']').next().unwrap_or_default().trim();
            section = meant(name, &section, &lines);
        } else if let Some((name, value)) = line.split_once('=') {
            setting = Some((name.trim(), meant(value.trim(), &section, &lines)));
        }
        // As in `section::name = value`, for a line alone.
        let (of, setting) = match setting {
            Some((name, value)) => match name.split_once("::") {
                Some((of, name)) => (of.to_owned(), Some((name.to_owned(), value))),
                None => (section.clone(), Some((name.to_owned(), value))),
            },
            None => (section.clone(), None),
        };
        lines.push(Line {
            section: of,
            setting,
            text,
        });
    }
    lines
}

/// What stands after a directive, as `.include` is one, where a line is that.
pub fn directive(line: &str, name: &str) -> Option<String> {
    let joined = joined(line);
    let after = without_comment(&joined).trim().strip_prefix(name)?;
    let is_directive = after.starts_with([' ', '\t', '=']);
    let after = after.trim_start();
    is_directive.then(|| after.strip_prefix('=').unwrap_or(after).trim_start().to_owned())
}

/// A line in one piece.
fn joined(line: &str) -> String {
    line.replace("\\\r\n", "").replace("\\\n", "")
}

/// Lines, with those that they go on in.
pub fn whole(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let mut end = 0;
        while end < rest.len() {
            let line = rest[end..].split_inclusive('\n').next()?;
            end += line.len();
            let line = line.trim_end_matches(['\n', '\r']);
            if !line.ends_with('\\') || line.ends_with("\\\\") {
                break;
            }
        }
        let (line, others) = rest.split_at(end);
        rest = others;
        (end > 0).then(|| line.trim_end_matches(['\n', '\r']))
    })
}

/// What goes before a `#` that is neither quoted nor escaped.
fn without_comment(line: &str) -> &str {
    let mut quote = None;
    let mut characters = line.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '\\' => drop(characters.next()),
            _ if quote == Some(character) => quote = None,
            '"' | '\'' | '`' if quote.is_none() => quote = Some(character),
            '#' if quote.is_none() => return &line[..at],
            _ => {}
        }
    }
    line
}

/// A value without quotes and backslashes, and with what its variables stand for by the lines before it. One that stands for
/// nothing there, as one of the environment's, stays as it is written.
pub fn meant(value: &str, section: &str, before: &[Line<'_>]) -> String {
    let mut meant = String::new();
    let mut rest = value;
    while let Some(character) = rest.chars().next() {
        rest = &rest[character.len_utf8()..];
        match character {
            '"' | '\'' | '`' => {
                let mut quoted = rest.chars();
                while let Some(within) = quoted.next().filter(|it| *it != character) {
                    meant.extend(if within == '\\' {
                        quoted.next()
                    } else {
                        Some(within)
                    });
                }
                rest = quoted.as_str();
            }
            '\\' => {
                let mut escaped = rest.chars();
                meant.extend(escaped.next().map(|it| match it {
                    'n' => '\n',
                    'r' => '\r',
                    't' => '\t',
                    'b' => '\u{8}',
                    other => other,
                }));
                rest = escaped.as_str();
            }
            '$' => match variable(rest, section, before) {
                Some((value, after)) => {
                    meant += value;
                    rest = after;
                }
                None => meant.push('$'),
            },
            other => meant.push(other),
        }
    }
    meant
}

/// What the variable stands for whose name begins a text, as in `name`, `{name}` or `section::name`, and what follows it.
fn variable<'a, 'b>(text: &'a str, section: &str, before: &'b [Line<'_>]) -> Option<(&'b str, &'a str)> {
    let name = |text: &'a str| {
        let end = text.find(|it: char| !it.is_ascii_alphanumeric() && it != '_');
        text.split_at(end.unwrap_or(text.len()))
    };
    let close = match text.chars().next() {
        Some('{') => "}",
        Some('(') => ")",
        _ => "",
    };
    let (first, rest) = name(&text[close.len()..]);
    let (section, key, rest) = match rest.strip_prefix("::") {
        Some(rest) => {
            let (key, rest) = name(rest);
            (first, key, rest)
        }
        None => (section, first, rest),
    };
    let value = last(before, section, key).or_else(|| last(before, DEFAULT, key));
    Some((value?, rest.strip_prefix(close)?))
}

/// What a section says last of a name.
pub fn last<'a>(lines: &'a [Line<'_>], section: &str, name: &str) -> Option<&'a str> {
    let mut settings = lines.iter().rev().filter(|line| line.section == section);
    settings.find_map(|line| {
        let (of, value) = line.setting.as_ref()?;
        (of == name).then_some(&**value)
    })
}

/// A value as a configuration can hold it: quoted, if OpenSSL would take something in it for its syntax.
pub fn quoted(value: &str) -> Result<String> {
    if value.contains(['\n', '\r', '\0']) {
        return Err(format!(
            "{value:?} has a line break, which no configuration of OpenSSL's can hold: name a place without"
        )
        .into());
    }
    let is_plain = !value.contains(['\\', '"', '\'', '`', '$', '#']) && value.trim() == value;
    Ok(match is_plain {
        true => value.to_owned(),
        false => format!("\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\"")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str, name: &str) -> Option<String> {
        last(&lines(text), DEFAULT, name).map(str::to_owned)
    }

    #[test]
    fn values_mean_what_openssl_takes_them_for() {
        for (written, meant) in [
            ("b", "b"),
            (" b c # d", "b c"),
            ("\"b # c\" # d", "b # c"),
            ("'b'c`d`", "bcd"),
            ("b\\#c\\\\", "b#c\\"),
            ("\"b\\\"c\\nd\"", "b\"cnd"),
            ("b\\tc", "b\tc"),
            ("$x", "one"),
            ("${x}y$(x)", "oneyone"),
            ("$s::x", "two"),
            ("${s::x}", "two"),
            // What is not there is left.
            ("$ENV::HOME", "$ENV::HOME"),
            ("$none/${x", "$none/${x"),
            ("'$x'\\$x", "$x$x"),
            ("b\\\nc \\\r\n d", "bc  d"),
            ("", ""),
            ("\"b", "b"),
        ] {
            let text = format!("x = one\n[s]\nx = two\n[default]\na = {written}\n");
            assert_eq!(value(&text, "a").as_deref(), Some(meant), "{written}");
        }
    }

    #[test]
    fn lines_belong_where_openssl_has_them() {
        let text = "a = 1\n[ s ] # t\na = $a\ndefault::b = 2\n[t]\na = 3\n[s]\na = 4\n";
        let lines = lines(text);
        assert_eq!(last(&lines, "s", "a"), Some("4"));
        assert_eq!(last(&lines, DEFAULT, "a"), Some("1"));
        assert_eq!(last(&lines, DEFAULT, "b"), Some("2"));
        assert_eq!(lines[2].setting.as_ref().unwrap().1, "1");
        let again: String = lines.iter().flat_map(|line| [line.text, "\n"]).collect();
        assert_eq!(again, text);
    }

    #[test]
    fn what_is_quoted_means_the_same() {
        for text in ["/a/b", "d$r", "é #", "'\"`\\", " a ", "$", "a\\", "a\tb"] {
            let written = format!("a = {}\n", quoted(text).unwrap());
            assert_eq!(value(&written, "a").as_deref(), Some(text), "{written}");
        }
        assert_eq!(quoted("/a b/c").unwrap(), "/a b/c");
        for text in ["a\nb", "a\rb"] {
            assert!(quoted(text).is_err());
        }
    }
}
