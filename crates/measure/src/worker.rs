//! The worker's side: one process that loads one source, and gates, prepares and times what it is told to.
use std::{
    fs::File,
    io::{self, BufRead, Write},
    os::fd::AsFd,
    panic,
    thread::{self, Scope},
};

use ciphertune_catalog::{Fault, Implementation, Source, gate};
use ciphertune_system::leave;
use nix::{
    sys::{
        prctl::{set_name, set_pdeathsig},
        signal::Signal,
    },
    unistd::dup2_stdout,
};

use crate::{
    bench::Loader,
    cycles,
    protocol::{Answer, Check, Request},
    team::Team,
};

/// The body of a worker process: answers requests from standard input on what was standard output until the input
/// ends. What libraries print goes to standard error.
///
/// # Errors
/// Input that is not the protocol, or output that cannot be written.
pub fn serve() -> io::Result<()> {
    serve_with(|source| {
        source
            .load()
            .map(|loaded| loaded.implementations)
            .map_err(|error| error.to_string())
    })
}

/// As [`serve`], with implementations from somewhere else than the catalog; `load` answers why a source
/// cannot be used where it cannot.
///
/// # Errors
/// As [`serve`].
pub fn serve_with(
    load: impl Fn(&Source) -> Result<Vec<Box<dyn Implementation>>, String> + Sync,
) -> io::Result<()> {
    // A worker that hangs in a library does not see its input end; it goes when the session goes.
    let _ = set_pdeathsig(Signal::SIGKILL);
    // By the path that it was started by, it would be `exe` in lists of processes.
    let _ = set_name(c"ciphertune");
    end_with_any_thread();
    // A library that prints a line, as one does from its constructor, must not answer in our place.
    let answers = io::stdout().as_fd().try_clone_to_owned()?;
    dup2_stdout(io::stderr())?;
    thread::scope(|scope| serve_in(scope, &load, &mut answers.into()))
}

/// A thread that panics ends the process: else the others of its team would wait for it.
fn end_with_any_thread() {
    let report = panic::take_hook();
    panic::set_hook(Box::new(move |panic| {
        report(panic);
        leave(PANICKED);
    }));
}

/// The status of a program whose main thread panicked.
const PANICKED: i32 = 101;

fn serve_in<'scope>(
    scope: &'scope Scope<'scope, '_>,
    load: &'scope impl Loader,
    answers: &mut File,
) -> io::Result<()> {
    let mut answer = |answer: &Answer| say(answers, answer);
    let mut input = io::stdin().lock();
    let mut line = String::new();
    let mut team: Option<Team<'_, '_, _>> = None;
    while input.read_line(&mut line)? > 0 {
        // The session goes to sleep first: on the same processor it would do so in the middle of a quantum.
        thread::yield_now();
        match (serde_json::from_str(&line)?, &mut team) {
            (Request::Load(request), _) => match Team::new(scope, load, request) {
                Ok(loaded) => {
                    answer(&Answer::Loaded(loaded.own.offers()))?;
                    team = Some(loaded);
                }
                Err(reason) => answer(&Answer::Refused(reason))?,
            },
            (request, Some(team)) => answer(&handle(team, request).unwrap_or_else(faulty))?,
            (_, None) => answer(&Answer::Fault("nothing is loaded yet".to_owned()))?,
        }
        line.clear();
    }
    Ok(())
}

fn say(answers: &mut File, answer: &Answer) -> io::Result<()> {
    let mut line = serde_json::to_vec(answer)?;
    line.push(b'\n');
    answers.write_all(&line)
}

fn handle<L: Loader>(team: &mut Team<'_, '_, L>, request: Request) -> Result<Answer, Fault> {
    Ok(match request {
        Request::Check {
            implementation,
            task,
            check,
            seed,
            place,
        } => {
            let gate = match check {
                Check::BeforeTiming => gate::check,
                Check::AfterTiming => gate::recheck,
            };
            verdict(
                team.own
                    .check(implementation, place, |checked| gate(checked, task, seed))?,
            )
        }
        Request::Prepare {
            slot,
            subject,
            message,
            before,
        } => Answer::Ready(team.prepare(slot, subject, message, before)?),
        Request::Look { slot, known } => match team.look(slot, known) {
            Ok(print) => Answer::Looked(print),
            Err(Fault(case)) => Answer::Wrong(case),
        },
        Request::Time(batch) => Answer::Timed(team.time(batch)?),
        Request::Cycles => Answer::Cycles(cycles::estimate(team.own.timer())),
        Request::Names => Answer::Names(team.own.names()),
        Request::Load(_) => unreachable!("answered by serve_in"),
    })
}

fn faulty(fault: Fault) -> Answer {
    Answer::Fault(fault.0)
}

fn verdict(checked: Result<(), gate::Failure>) -> Answer {
    match checked {
        Ok(()) => Answer::Right,
        Err(failure) => Answer::Wrong(failure.to_string()),
    }
}
