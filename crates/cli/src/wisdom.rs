//! `ciphertune wisdom`
use std::{
    env, fs,
    io::{self, Write},
    path::{Path, PathBuf},
    process::ExitCode,
};

use ciphertune::{
    Basis, cpu,
    wisdom::{Choice, MANY, Refusal, Tuning, Wisdom, WisdomError, command},
};
use ciphertune_report::{Screen, units::significant};

use crate::{
    Result, Usage,
    args::{self, Action},
    classes, columns, session, stdout, threads,
};

pub fn run(args: &args::Wisdom) -> Result<ExitCode> {
    let path = path(args.wisdom.clone())?;
    match args.action {
        Action::Show => show(&path)?,
        Action::Check => check(&path, args.wisdom.is_none())?,
        Action::Forget => forget(&path)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// The file that was named, or else where the library reads it.
pub fn path(named: Option<PathBuf>) -> std::result::Result<PathBuf, WisdomError> {
    named.map_or_else(Wisdom::default_path, Ok)
}

fn show(path: &Path) -> Result<()> {
    let wisdom = Wisdom::read(path)?;
    let processor = wisdom.processor();
    let screen = stdout::screen();
    stdout::print(|out| {
        writeln!(out, "Wisdom in {}", path.display())?;
        writeln!(out, "For {} ({})", processor.brand, processor.signature)?;
        wisdom
            .tunings
            .iter()
            .try_for_each(|tuning| show_tuning(tuning, screen, out))
    })
}

fn show_tuning(tuning: &Tuning, screen: Screen, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "\nMade {} with patience '{}'", tuning.made, tuning.patience)?;
    if !tuning.choices.is_empty() {
        let rows: Vec<_> = tuning.choices.iter().map(row).collect();
        writeln!(out)?;
        columns::write(
            [
                "Algorithm",
                "Operation",
                "Messages",
                "Chosen",
                "GB/s",
                "Interval",
                "Runner-up",
                "GB/s",
            ],
            &rows,
            // Algorithm and operation.
            2,
            screen,
            out,
        )?;
    }
    if tuning.choices.iter().any(is_slower) {
        writeln!(out)?;
        stdout::sentences(
            &["Where the runner-up is faster, it is by less than the run could tell."],
            out,
        )?;
    }
    if !tuning.help.is_empty() {
        writeln!(out)?;
    }
    stdout::sentences(&threads::sentences(&tuning.help).collect::<Vec<_>>(), out)
}

fn is_slower(choice: &Choice) -> bool {
    choice
        .runner_up
        .is_some_and(|(_, rate)| rate > choice.bytes_per_second.median)
}

fn row(choice: &Choice) -> [String; 8] {
    let gigabytes = |rate: f64| significant(rate / 1e9);
    let rates = choice.bytes_per_second;
    [
        choice.algorithm.clone(),
        match &*choice.contract {
            MANY => format!("{}, many at once", choice.operation),
            _ => choice.operation.clone(),
        },
        classes::messages(choice.class),
        choice.implementation.name().to_owned(),
        gigabytes(rates.median),
        format!("{}-{}", gigabytes(rates.low), gigabytes(rates.high)),
        choice.runner_up.map_or("", |(name, _)| name.name()).to_owned(),
        choice
            .runner_up
            .map_or(String::new(), |(_, rate)| gigabytes(rate)),
    ]
}

fn check(path: &Path, is_librarys: bool) -> Result<()> {
    let wisdom = Wisdom::read(path)?;
    if is_librarys {
        gone_by(path)?;
    }
    let (choices, path) = (wisdom.choices().count(), path.display());
    stdout::print(|out| writeln!(out, "{path}: good, {choices} choices made {}", wisdom.dates()))
}

/// Fails where the library goes by something else than the wisdom that it reads.
fn gone_by(path: &Path) -> Result<()> {
    let path = path.display();
    match session::selection()?.basis() {
        Basis::Forced(forced) => Err(format!(
            "CIPHERTUNE_IMPLEMENTATION forces {} on the library, which does not go by the wisdom in {path}; unset it",
            forced.name()
        )
        .into()),
        Basis::Estimate(why) => Err(format!("the library does not go by the wisdom in {path}, since {why}").into()),
        _ => Ok(()),
    }
}

/// Fails where something else than wisdom would be lost: somebody's slip, and perhaps somebody's work. What cannot be read
/// may be anything. Answers the wisdom that is there, or what is wrong with it.
fn spare(path: &Path) -> Result<std::result::Result<Wisdom, WisdomError>> {
    let (read, shown) = (Wisdom::read(path), path.display());
    match &read {
        Err(WisdomError::Io { source, .. }) => Err(format!(
            "{shown} stays, since it cannot be read to see whether it is wisdom: {source}; name another file with --wisdom \
             or CIPHERTUNE_WISDOM"
        )
        .into()),
        Err(WisdomError::Refused {
            why: Refusal::NotWisdom,
            ..
        }) if fs::metadata(path).is_ok_and(|file| file.len() > 0) => {
            Err(format!("{shown} is not a wisdom file, so it stays; delete it yourself if it should go").into())
        }
        _ => Ok(read),
    }
}

/// The wisdom that `tune` is to add to, or what is wrong with it. Fails where something else is there, or what is refused here
/// and gone by elsewhere: by a later version, or where nothing of the processor is hidden.
pub fn to_add_to(path: &Path) -> Result<std::result::Result<Wisdom, WisdomError>> {
    let read = spare(path)?;
    let stays = match &read {
        Err(WisdomError::Refused {
            why: why @ Refusal::Later(_),
            ..
        }) => format!(
            "a later Ciphertune made it: {why}; name another file with --wisdom, or let {} delete it",
            command("wisdom forget", path)
        ),
        Err(WisdomError::Refused {
            why: why @ Refusal::Hidden,
            ..
        }) => {
            let stays = format!("the wisdom at {} stays, since {why}", path.display());
            return Err(Usage::error(format!(
                "{stays}; unset that, or name another file with --wisdom"
            )));
        }
        _ => return Ok(read),
    };
    Err(format!("the wisdom at {} stays, since {stays}", path.display()).into())
}

/// Fails where `tune` would write to the place that every program of the user's reads what holds for a part of the processor:
/// that takes a file that somebody names.
pub fn heed_hidden(named: Option<&Path>, path: &Path) -> Result<()> {
    let is_named = named.is_some() || env::var_os("CIPHERTUNE_WISDOM").is_some_and(|name| !name.is_empty());
    let mut features = cpu::ALL.iter();
    if is_named || !features.any(|feature| feature.is_there() && feature.is_hidden()) {
        return Ok(());
    }
    Err(Usage::error(format!(
        "{} is for wisdom that was made on the whole processor, of which CIPHERTUNE_CPU hides a part; unset that, or name \
         another file with --wisdom",
        path.display()
    )))
}

/// Deletes the wisdom and, where the path is a link to it, that too: `tune` writes through no link that leads nowhere.
fn forget(path: &Path) -> Result<()> {
    // Good or not, it goes.
    let _ = spare(path)?;
    let shown = path.display();
    // Another file would be no remedy: this one is to go.
    let failed = |source: io::Error| {
        let remedy = match source.kind() {
            io::ErrorKind::PermissionDenied => "; whoever may write to its folder can delete it",
            _ => "",
        };
        format!("cannot delete the wisdom at {shown}: {source}{remedy}")
    };
    let place = match fs::canonicalize(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return stdout::print(|out| writeln!(out, "There is no wisdom at {shown}"));
        }
        found => found.map_err(failed)?,
    };
    // As mktemp makes it: all else that is no wisdom stays.
    let is_empty = fs::metadata(&place).is_ok_and(|file| file.len() == 0);
    fs::remove_file(&place).map_err(failed)?;
    let done = match is_empty {
        true => "Deleted the empty file",
        false => "Forgot the wisdom in",
    };
    if !path.is_symlink() {
        return stdout::print(|out| writeln!(out, "{done} {shown}"));
    }
    fs::remove_file(path).map_err(failed)?;
    let place = place.display();
    stdout::print(|out| writeln!(out, "{done} {place}, and deleted the link to it, {shown}"))
}
