//! The command `ciphertune`: finds every implementation of a cipher on this machine, proves it, measures it, and
//! writes down which is fastest where the library reads it.
#![forbid(unsafe_code)]

mod advise;
mod args;
mod child;
mod choices;
mod classes;
mod columns;
mod compare;
mod configured;
mod doctor;
mod estimate;
#[cfg(test)]
mod fixture;
mod import;
mod interrupt;
mod list;
mod masks;
mod names;
mod openssl;
mod output;
mod pages;
mod progress;
mod provider;
mod put_off;
mod repeats;
mod session;
mod speed;
mod stdin;
mod stdout;
mod threads;
mod tune;
mod verdict;
mod wisdom;

use std::{
    env,
    error::Error,
    fmt,
    io::{self, Write},
    process::ExitCode,
};

use ciphertune_catalog::environment;
use ciphertune_measure::{self as measure, worker};
use ciphertune_results::compare as comparing;
use clap::{Parser, error::ErrorKind};

use args::{Args, Command};

/// What went wrong, in one line that names the thing and the remedy.
type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// The command line, or what stands for a part of it, asks for what cannot be; nothing was done.
#[derive(Debug)]
struct Usage(String);

impl Usage {
    fn error(message: String) -> Box<dyn Error> {
        Self(message).into()
    }
}

impl Error for Usage {}

impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn main() -> ExitCode {
    let was_set_aside = environment::restore();
    // Before anything looks at the processor.
    let hidden = ciphertune::hide_features().map_err(|error| {
        let remedy = "unset it, or let it list some of these";
        Usage::error(format!("{error}; {remedy}"))
    });
    if env::args_os().nth(1).is_some_and(|word| word == WORKER) {
        let served = |()| worker::serve().map_err(Into::into);
        return status(hidden.and_then(served).map(|()| ExitCode::SUCCESS));
    }
    interrupt::outlive_file_limit();
    if was_set_aside {
        remark(
            "OPENSSL_ia32cap does more than leave instructions out (~), which AWS-LC, built in here, could abort for: it \
             is kept from AWS-LC, and other libraries see it.",
        );
    }
    let args = match Args::try_parse() {
        Ok(args) => args,
        Err(instead) => return status(answer(&instead)),
    };
    if args.command.needs_processor()
        && let Err(error) = hidden
    {
        return status(Err(error));
    }
    status(match args.command {
        Command::Tune(args) => tune::run(&args),
        Command::Speed(args) => speed::run(&args),
        Command::Advise(args) => advise::run(&args),
        Command::Compare(args) => compare::run(&args),
        Command::Import(args) => import::run(&args),
        Command::List(args) => list::run(&args),
        Command::Wisdom(args) => wisdom::run(&args),
        Command::Provider(args) => provider::run(&args),
        Command::Doctor(args) => doctor::run(&args),
        Command::Completions { shell } => pages::completions(shell),
        Command::Man { command } => pages::man(command.as_deref()),
    })
}

/// What clap says in place of running a command: help, or what is wrong.
fn answer(said: &clap::Error) -> Result<ExitCode> {
    match said.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            stdout::written(said.print())?;
            Ok(ExitCode::SUCCESS)
        }
        // Of a command that is missing, the help names all there are.
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => said.exit(),
        _ => Err(Usage::error(in_one_line(said))),
    }
}

/// What clap says is wrong, with what there could be and how the command is used, as this command's other errors are.
fn in_one_line(said: &clap::Error) -> String {
    let said = said.render().to_string();
    let paragraphs = said.trim_start_matches("error: ").split("\n\n").map(str::trim);
    let told = paragraphs.filter(|paragraph| !paragraph.starts_with("For more information"));
    let lines = told.map(|paragraph| match paragraph.strip_prefix("Usage: ") {
        Some(usage) => format!("usage: {usage}; --help says more"),
        None => {
            let tips = paragraph.trim_start_matches("tip: ").replace("\n  tip: ", "; ");
            tips.replace("\n ", "")
        }
    });
    lines.collect::<Vec<_>>().join("; ")
}

/// The word that makes this program a worker of itself. It is nobody's to type, so no help and no completion
/// knows it.
const WORKER: &str = "worker";

fn status(done: Result<ExitCode>) -> ExitCode {
    done.unwrap_or_else(|error| {
        complain(&error.to_string());
        match is_usage(&*error) {
            true => ExitCode::from(USAGE),
            false => ExitCode::FAILURE,
        }
    })
}

/// The status of a wrong command line, as clap has it.
const USAGE: u8 = 2;

fn is_usage(error: &(dyn Error + 'static)) -> bool {
    let of_plan = matches!(
        error.downcast_ref(),
        Some(
            measure::Error::UnknownImplementations { .. }
                | measure::Error::Lengths(_)
                | measure::Error::NothingHelped(_)
        )
    );
    let of_comparison = matches!(
        error.downcast_ref(),
        Some(comparing::Error::UnknownBaseline { .. } | comparing::Error::Alone(_, comparing::By::File))
    );
    error.is::<Usage>() || of_plan || of_comparison
}

fn complain(message: &str) {
    say(&format!("ciphertune: {message}"));
}

/// Says what is worth knowing, and no error.
fn remark(note: &str) {
    say(&format!("ciphertune: note: {note}"));
}

/// Writes a line to standard error. That nobody reads it is no reason to fail.
fn say(line: &str) {
    let _ = writeln!(io::stderr(), "{}", ciphertune_report::steerless(line));
}
