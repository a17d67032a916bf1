//! The file's lines: written, read and checked.

use std::{cmp::Ordering, collections::BTreeSet, fmt::Write};

use ciphertune_engine::Implementation;

use super::{Choice, Help, Rates, Refusal, Tuning, Wisdom};
use crate::{LengthClass, Processor};

/// The version of the format that this crate writes, and the only one that it reads: wisdom of an earlier one is of
/// another build anyway.
pub(super) const FORMAT: u32 = 4;

/// How many bytes a file may have: some thirty times what there is to choose.
pub(super) const MOST: usize = 1 << 20;

/// What is less may be written as nought, which is no rate.
const LEAST_BYTES: f64 = 1.0;
const LEAST_TIMES: f64 = 0.001;

const NONE: &str = "none";
const PAY: &str = "pay";
const IDLE: &str = "idle";

pub(super) fn print(wisdom: &Wisdom) -> String {
    let processor = &wisdom.processor;
    let mut text = format!("ciphertune-wisdom {FORMAT}\n");
    for (name, value) in [
        ("build", wisdom.build.as_str()),
        ("processor", &processor.signature),
        ("brand", &processor.brand),
        ("microcode", processor.microcode.as_deref().unwrap_or(NONE)),
        ("hypervisor", processor.hypervisor.as_deref().unwrap_or(NONE)),
    ] {
        writeln!(text, "{name} {value}").expect("a string takes all");
    }
    for tuning in &wisdom.tunings {
        print_tuning(tuning, &mut text);
    }
    sealed(text)
}

fn print_tuning(tuning: &Tuning, text: &mut String) {
    writeln!(text, "made {}\npatience {}", tuning.made, tuning.patience).expect("a string takes all");
    for Choice {
        algorithm,
        operation,
        contract,
        class,
        implementation,
        bytes_per_second,
        runner_up,
    } in &tuning.choices
    {
        let up_to = class
            .longest()
            .map_or("any".to_owned(), |longest| longest.to_string());
        let Rates { low, median, high } = bytes_per_second;
        write!(
            text,
            "choice {algorithm} {operation} {contract} up-to {up_to} {} bytes/s {low:.0} {median:.0} {high:.0}",
            implementation.name()
        )
        .expect("a string takes all");
        if let Some((name, rate)) = runner_up {
            write!(text, " before {} {rate:.0}", name.name()).expect("a string takes all");
        }
        text.push('\n');
    }
    for Help {
        algorithm,
        contract,
        length,
        implementation,
        workers,
        pays,
        times: Rates { low, median, high },
    } in &tuning.help
    {
        let (name, verdict) = (implementation.name(), if *pays { PAY } else { IDLE });
        writeln!(
            text,
            "threads {algorithm} {contract} {length} {name} workers {workers} {verdict} times {low:.3} {median:.3} {high:.3}"
        )
        .expect("a string takes all");
    }
}

/// The lines with their checksum.
pub(super) fn sealed(mut lines: String) -> String {
    let checksum = checksum(lines.as_bytes());
    writeln!(lines, "checksum {checksum:016x}").expect("a string takes all");
    lines
}

pub(super) fn parse(bytes: &[u8]) -> Result<Wisdom, Refusal> {
    // The version comes first, since all that follows depends on it.
    let rest = bytes
        .strip_prefix(b"ciphertune-wisdom ")
        .ok_or(Refusal::NotWisdom)?;
    let version = rest.split(|&b| b == b'\n').next().unwrap_or_default();
    let version = str::from_utf8(version)
        .ok()
        .and_then(|v| v.parse::<u32>().ok())
        .ok_or(Refusal::NotWisdom)?;
    match version.cmp(&FORMAT) {
        Ordering::Less => return Err(Refusal::Earlier(version)),
        Ordering::Greater => return Err(Refusal::Later(version)),
        Ordering::Equal => {}
    }
    if bytes.len() > MOST {
        return Err(Refusal::TooLong);
    }

    let body = checked(bytes)?;
    let text = str::from_utf8(body).map_err(|_| Refusal::NotWisdom)?;
    let mut lines = Lines {
        lines: text.lines().enumerate().skip(1).peekable(),
    };
    let build = lines.value("build")?;
    let signature = lines.value("processor")?;
    let brand = lines.value("brand")?;
    let optional = |value: String| (value != NONE).then_some(value);
    let microcode = optional(lines.value("microcode")?);
    let hypervisor = optional(lines.value("hypervisor")?);

    let mut tunings = Vec::new();
    // Not by hashes: those draw random bytes, where a thread may be cancelled.
    let (mut chosen, mut helped) = (BTreeSet::new(), BTreeSet::new());
    while let Some(&(index, line)) = lines.lines.peek() {
        if line.starts_with("made ") {
            tunings.push(lines.tuning()?);
            continue;
        }
        lines.lines.next();
        let wrong = |problem| Refusal::Line {
            line: index + 1,
            problem,
        };
        let Some(tuning) = tunings.last_mut() else {
            return Err(wrong("nothing before it says when it was made".to_owned()));
        };
        if line.starts_with("threads ") {
            let new = threads(line).map_err(wrong)?;
            let Help {
                algorithm, contract, ..
            } = &new;
            if !helped.insert((algorithm.clone(), contract.clone(), new.length)) {
                return Err(wrong("the same threads a second time".to_owned()));
            }
            tuning.help.push(new);
            continue;
        }
        let new = choice(line).map_err(wrong)?;
        if !chosen.insert((new.task().map(str::to_owned), new.class.index())) {
            return Err(wrong(
                "a second choice for the same algorithm and lengths".to_owned(),
            ));
        }
        tuning.choices.push(new);
    }
    let processor = Processor {
        brand,
        signature,
        microcode,
        hypervisor,
    };
    Ok(Wisdom {
        tunings,
        processor,
        build,
    })
}

/// All lines but the last, which must be their checksum.
fn checked(bytes: &[u8]) -> Result<&[u8], Refusal> {
    let complete = bytes.strip_suffix(b"\n").ok_or(Refusal::Truncated)?;
    let last = complete
        .iter()
        .rposition(|&b| b == b'\n')
        .ok_or(Refusal::Truncated)?
        + 1;
    let stated = complete[last..]
        .strip_prefix(b"checksum ")
        .ok_or(Refusal::Truncated)?;
    let body = &bytes[..last];
    if stated != format!("{:016x}", checksum(body)).as_bytes() {
        return Err(Refusal::Checksum);
    }
    Ok(body)
}

/// FNV-1a, 64 bits: against accidents and hasty edits, not against forgery. Whoever may write the file may
/// choose among sound implementations, and no more.
fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

struct Lines<'a, I: Iterator<Item = (usize, &'a str)>> {
    lines: std::iter::Peekable<I>,
}

impl<'a, I: Iterator<Item = (usize, &'a str)>> Lines<'a, I> {
    /// When something was made, and with how much patience; of what, the lines below say.
    fn tuning(&mut self) -> Result<Tuning, Refusal> {
        Ok(Tuning {
            made: self.value("made")?,
            patience: self.value("patience")?,
            choices: Vec::new(),
            help: Vec::new(),
        })
    }

    /// The value of the next line, which must have that name.
    fn value(&mut self, name: &str) -> Result<String, Refusal> {
        let (index, line) = self.lines.next().unwrap_or((0, ""));
        line.strip_prefix(name)
            .and_then(|rest| rest.strip_prefix(' '))
            .map(str::to_owned)
            .ok_or_else(|| Refusal::Line {
                line: index + 1,
                problem: format!("expected '{name}' and its value"),
            })
    }
}

fn choice(line: &str) -> Result<Choice, String> {
    let words: Vec<_> = line.split(' ').collect();
    let [
        "choice",
        algorithm,
        operation,
        contract,
        "up-to",
        up_to,
        name,
        "bytes/s",
        low,
        median,
        high,
        rest @ ..,
    ] = words.as_slice()
    else {
        return Err("it says nothing of choices or threads".to_owned());
    };
    let longest = match *up_to {
        "any" => None,
        bytes => Some(bytes.parse().map_err(|_| format!("'{bytes}' is no length"))?),
    };
    let class = LengthClass::ending_at(longest).ok_or_else(|| format!("no length class ends at {up_to}"))?;
    let bytes_per_second = rates([low, median, high], LEAST_BYTES)?;
    let runner_up = match rest {
        [] => None,
        ["before", name, value] => Some((named(name)?, rate(value, LEAST_BYTES)?)),
        _ => return Err("its end cannot be read".to_owned()),
    };
    Ok(Choice {
        algorithm: (*algorithm).to_owned(),
        operation: (*operation).to_owned(),
        contract: (*contract).to_owned(),
        class,
        implementation: named(name)?,
        bytes_per_second,
        runner_up,
    })
}

fn threads(line: &str) -> Result<Help, String> {
    let words: Vec<_> = line.split(' ').collect();
    let [
        "threads",
        algorithm,
        contract,
        length,
        name,
        "workers",
        workers,
        verdict @ (PAY | IDLE),
        "times",
        low,
        median,
        high,
    ] = words.as_slice()
    else {
        return Err("what it says of threads cannot be read".to_owned());
    };
    let number = |text: &str| {
        let number = text.parse().ok().filter(|&number: &usize| number > 0);
        number.ok_or_else(|| format!("'{text}' is no number above 0"))
    };
    Ok(Help {
        algorithm: (*algorithm).to_owned(),
        contract: (*contract).to_owned(),
        length: number(length)?,
        implementation: named(name)?,
        workers: number(workers)?,
        pays: *verdict == PAY,
        times: rates([low, median, high], LEAST_TIMES)?,
    })
}

fn named(name: &str) -> Result<Implementation, String> {
    Implementation::named(name).ok_or_else(|| format!("'{name}' is no implementation"))
}

fn rates([low, median, high]: [&str; 3], least: f64) -> Result<Rates, String> {
    Ok(Rates {
        low: rate(low, least)?,
        median: rate(median, least)?,
        high: rate(high, least)?,
    })
}

fn rate(text: &str, least: f64) -> Result<f64, String> {
    text.parse::<f64>()
        .ok()
        .filter(|rate| rate.is_finite() && *rate >= least)
        .ok_or_else(|| format!("'{text}' is no rate"))
}
