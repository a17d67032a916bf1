//! `ciphertune speed`
use std::{collections::HashSet, error::Error, hash::Hash, process::ExitCode, time::Duration};

use ciphertune::Threads;
use ciphertune_catalog::{Algorithm, Contract, Source, Task};
use ciphertune_measure::{Plan, Team, Which, find, names_of};
use ciphertune_report::units;
use ciphertune_results::{Run, few};
use clap::CommandFactory;

use crate::{
    Result, Usage,
    args::{Args, Speed},
    configured, in_one_line,
    masks::{self, Case},
    names::{self, Wanted},
    remark,
    session::{self, Session},
    verdict::noise,
};

/// Fresh worker processes for each source: as many as it takes to find a difference of five per cent
/// nearly always (`studies/planted.py`).
const PROCESSES: u32 = 5;

pub fn run(args: &Speed) -> Result<ExitCode> {
    session::heed_forced()?;
    args.output.check(&args.libraries.libcrypto)?;
    let mut sources = args.libraries.sources();
    let tasks = tasks(args, &named(args, &mut sources)?)?;
    refuse_idle_options(args, &tasks)?;
    refuse_no_streams(args, &tasks)?;
    hint_at_legacy(args, &tasks);
    let lengths = lengths(args, &tasks)?;
    let plan = Plan {
        teams: teams(args)?,
        hashed: args.hash,
        tasks,
        aad: args.aad,
        lengths,
        cut: false,
        implementations: match args.implementations.as_slice() {
            [] => Which::All,
            named => Which::Named(named.to_vec()),
        },
        sources: if args.masks {
            masks::with(sources)?
        } else {
            sources
        },
        seconds: args.seconds,
        processes: PROCESSES,
        until_stable: args.certainty.until_stable.map(Duration::from_secs_f64),
        confidence: args.certainty.confidence(),
        seed: session::seed(),
        default_for: session::default_for,
    };
    let mut session = Session::run(&plan)?;
    session.tell(args.output.keep(&session.outcome.run));
    let mut sentences = noise(&session.outcome);
    sentences.extend(masks::preset());
    let mut ids = session.outcome.run.cells.iter().map(|cell| &cell.implementation);
    if ids.any(|id| id.starts_with("openssl@")) {
        sentences.extend(configured::elsewhere());
    }
    if args.masks && !session.stopped {
        match fewer_instructions(&plan, &mut session) {
            Ok(found) => sentences.extend(found),
            Err(error) => session.tell(Err(error)),
        }
    }
    session.tell(args.output.show(&session.outcome.run, &args.mix, &sentences));
    Ok(session.end())
}

/// What is faster with fewer instructions, measured again.
fn fewer_instructions(plan: &Plan, session: &mut Session) -> Result<Vec<String>> {
    let cases = |run: &Run| masks::cases(run, plan.confidence, plan.default_for);
    let all = cases(&session.outcome.run);
    let count = all.len();
    let mut found: Vec<Case> = all.into_iter().filter(Case::is_faster).collect();
    if !found.is_empty() {
        let is_in = |algorithm: Algorithm| found.iter().any(|one| one.algorithm == algorithm.name());
        let mut again = plan.clone();
        again.seed = session::seed();
        again.tasks.retain(|task| is_in(task.algorithm));
        let is_found = |&length: &usize| found.iter().any(|one| one.length == length as u64);
        // What goes by public keys has none of them.
        if again.lengths.iter().any(is_found) {
            again.lengths.retain(is_found);
        }
        let ids = found.iter().flat_map(|one| [one.base.clone(), one.fewer.clone()]);
        again.implementations = Which::Named(distinct(ids));
        let second = Session::run(&again)?;
        session.tell_failures_of(&second);
        if second.stopped {
            session.stopped = true;
            return Ok(vec![
                "Interrupted: where fewer instructions are faster was not measured twice, so nothing is said of it."
                    .to_owned(),
            ]);
        }
        found = masks::confirmed(&found, cases(&second.outcome.run), plan.confidence);
    }
    Ok(masks::sentences(&found, count))
}

/// What nothing that is measured has any use for is a mistake, and so is what lacks the option that it needs: the figures would
/// be of something else than was meant.
fn refuse_idle_options(args: &Speed, tasks: &[Task]) -> Result<()> {
    let Some(first) = tasks.first() else {
        return Ok(());
    };
    if args.aad.is_some() && !tasks.iter().any(|task| task.takes_aad()) {
        return Err(Usage::error(format!(
            "--aad: {first} takes no additional data; name algorithms that take some, as AES-128-GCM does"
        )));
    }
    let is_masked = |name: &&String| masks::is_named_in(name);
    if let Some(name) = args.implementations.iter().find(is_masked)
        && !args.masks
    {
        return Err(Usage::error(format!(
            "--implementations: '{name}' is measured with --masks; add that"
        )));
    }
    if args.decrypt && !tasks.iter().any(|task| task.operation.is_backward()) {
        return Err(Usage::error(format!(
            "--decrypt: {first} has no other direction; name algorithms that have one, as AES-128-CBC does"
        )));
    }
    Ok(())
}

/// The lengths that were asked for, or those of the mix.
fn lengths(args: &Speed, tasks: &[Task]) -> Result<Vec<usize>> {
    let lengths: Vec<usize> = match args.mix.as_slice() {
        [] => return Ok(distinct(args.lengths.iter().copied())),
        mix => mix.iter().map(|portion| portion.length as usize).collect(),
    };
    let lacking = |task: &Task| {
        let length = *lengths.iter().find(|&&length| !task.takes(length))?;
        // Whole blocks are what is asked for, if anything.
        let such = (length..length + 16).find(|&length| task.takes(length));
        let such = such.map_or_else(String::new, |such| format!("; it takes {such}"));
        Some(format!(
            "{task} takes no messages of {}, so it has no figure for the mix{such}",
            units::length(length as u64)
        ))
    };
    let lacking: Vec<String> = tasks.iter().filter_map(lacking).collect();
    match lacking.first() {
        Some(first) if lacking.len() == tasks.len() => return Err(Usage::error(format!("--mix: {first}"))),
        _ => lacking.iter().for_each(|lacking| remark(lacking)),
    }
    Ok(distinct(lengths))
}

/// The ways that take turns: threads with a stream each or, beside one alone, with workers to help it.
fn teams(args: &Speed) -> Result<Vec<Team>> {
    let teams: Vec<Team> = match args.workers.as_slice() {
        [] => distinct(args.threads.iter().copied())
            .into_iter()
            .map(Team::Each)
            .collect(),
        workers => {
            let helped = distinct(workers.iter().copied()).into_iter().map(Team::Helped);
            [Team::ALONE].into_iter().chain(helped).collect()
        }
    };
    let processors = Threads::available() + 1;
    let most = teams.iter().map(|team| team.threads()).max().unwrap_or(1);
    if most > processors {
        let asked = match args.workers.is_empty() {
            true => format!("--threads: {most} threads"),
            false => format!("--workers: {} and the thread that they help", most - 1),
        };
        return Err(Usage::error(format!(
            "{asked} would wait for each other, since this process may use {}; name fewer",
            units::counted(processors, "processor")
        )));
    }
    Ok(teams)
}

/// Workers and the hash are for streams; workers for those in counter mode.
fn refuse_no_streams(args: &Speed, tasks: &[Task]) -> Result<()> {
    let is_stream = |task: Task| task.contract == Contract::Stream;
    for &task in tasks {
        let is_in_ctr = task.algorithm.aes_mode() == Some("CTR");
        let can_be_helped = is_in_ctr && is_stream(task);
        if !args.workers.is_empty() && !can_be_helped {
            let remedy = match is_in_ctr {
                true => "leave --contract out",
                false => "name algorithms in counter mode",
            };
            return Err(Usage::error(format!(
                "--workers: none can help with {task}; {remedy}"
            )));
        }
        if args.hash && !is_stream(task) {
            let remedy = match is_stream(Task::usual(task.algorithm)) {
                true => "leave --contract out",
                false => "name algorithms that are measured as one, as AES-128-CTR is",
            };
            return Err(Usage::error(format!("--hash: {task} is no stream; {remedy}")));
        }
    }
    Ok(())
}

/// What is measured where nobody says what.
const USUAL: [&str; 11] = [
    "AES-128-CTR",
    "AES-256-CTR",
    "AES-128-GCM",
    "AES-256-GCM",
    "AES-128-CBC",
    "AES-256-CBC",
    "AES-128-XTS",
    "AES-256-XTS",
    "ChaCha20-Poly1305",
    "SHA2-256",
    "SHA2-512",
];

/// The algorithms that each name stands for. A libcrypto is asked for what the table has not, and measured with it.
fn named(args: &Speed, sources: &mut [Source]) -> Result<Vec<Vec<Algorithm>>> {
    let other = |wanted: &Wanted| match wanted {
        Wanted::Other(name) => Some(name.clone()),
        Wanted::InTable(_) => None,
    };
    let others: Vec<String> = args.algorithms.iter().filter_map(other).collect();
    let mut asked = Vec::new();
    let launcher = session::launcher();
    if !others.is_empty() {
        for source in &mut *sources {
            *source = source.clone().with_names(&others);
        }
        let is_asked = |source: &&Source| matches!(source, Source::Named { .. });
        asked = sources.iter().filter(is_asked).cloned().collect();
        // What they describe is known in this process from then on.
        find(&asked, &launcher);
    }
    let algorithms = args.algorithms.iter().map(|wanted| match wanted {
        Wanted::InTable(algorithms) => Ok(algorithms.clone()),
        Wanted::Other(name) => match *Algorithm::described_as(name) {
            [] => Err(not_to_be_had(name, &asked, args)),
            ref described => Ok(described.to_vec()),
        },
    });
    algorithms.collect()
}

/// Why nothing is measured by a name that no libcrypto here describes.
fn not_to_be_had(name: &str, asked: &[Source], args: &Speed) -> Box<dyn Error> {
    let launcher = session::launcher();
    let legacy = Source::provider(LEGACY, &args.libraries.sources());
    let legacy: Vec<Source> = legacy
        .into_iter()
        .map(|source| source.with_names(&[name.to_owned()]))
        .collect();
    let (here, there) = (names_of(asked, &launcher), names_of(&legacy, &launcher));
    if !Algorithm::described_as(name).is_empty() {
        return Usage::error(format!(
            "OpenSSL has {name} in its provider {LEGACY}; add --provider {LEGACY}"
        ));
    }
    if { here.unmeasured.iter().chain(&there.unmeasured) }.any(|known| known == name) {
        return Usage::error(format!(
            "libcrypto has {name}, which is not measured: nothing is that wraps keys (WRAP), takes records of TLS alone \
             (HMAC behind a cipher), or goes twice over a message (SIV), and nothing that has no key"
        ));
    }
    let mut command = Args::command();
    command.build();
    let speed = command.find_subcommand("speed").expect("this one");
    let arg = speed.get_positionals().next();
    Usage::error(in_one_line(&names::unknown(
        speed,
        arg,
        name.to_owned(),
        &here.measured,
    )))
}

/// OpenSSL's provider of what older programs still use.
const LEGACY: &str = "legacy";

/// What OpenSSL has in that provider alone, since 3.0 (OSSL_PROVIDER-legacy(7)); RIPEMD-160 came back in 3.0.7.
const IN_LEGACY: [&str; 10] = [
    "DES-CBC",
    "RC2-CBC",
    "RC4",
    "IDEA-CBC",
    "BF-CBC",
    "CAST5-CBC",
    "SEED-CBC",
    "MD2",
    "MD4",
    "WHIRLPOOL",
];

/// Says how OpenSSL's own code is measured for what is not in its usual provider, where it may be asked for.
fn hint_at_legacy(args: &Speed, tasks: &[Task]) {
    let is_openssl = |name: &String| {
        let library = name.split(['@', '/']).next().unwrap_or_default();
        // The last two are what OpenSSL calls its providers.
        let own = ["openssl", "default", LEGACY];
        own.iter().any(|own| library.eq_ignore_ascii_case(own))
    };
    let is_asked = args.implementations.is_empty() || args.implementations.iter().any(is_openssl);
    if !is_asked || args.libraries.provider.iter().any(|given| given == LEGACY) {
        return;
    }
    let names = tasks.iter().map(|task| task.algorithm.name());
    let there = distinct(names.filter(|name| IN_LEGACY.contains(name)));
    if !there.is_empty() {
        remark(&format!(
            "OpenSSL from 3.0 on has {} in its provider {LEGACY} alone; --provider {LEGACY} measures that too",
            few(&there)
        ));
    }
}

/// What was asked for, of each algorithm once.
fn tasks(args: &Speed, named: &[Vec<Algorithm>]) -> Result<Vec<Task>> {
    let mut tasks = Vec::new();
    let usual = || USUAL.into_iter().filter_map(Algorithm::named).collect();
    let named = match named {
        [] => &[usual()][..],
        named => named,
    };
    for algorithms in named {
        let wanted: Vec<Task> = algorithms
            .iter()
            .flat_map(|&algorithm| wanted(args, algorithm))
            .collect();
        // A name that stands for several stands for those of them that are measured so.
        let is_known = |task: &Task| Task::all(task.algorithm).any(|known| known == *task);
        let measured: Vec<Task> = wanted.iter().copied().filter(is_known).collect();
        if let (
            Some(&Task {
                algorithm,
                operation,
                contract,
            }),
            [],
        ) = (wanted.first(), &*measured)
        {
            let known = Task::all(algorithm).filter(|known| known.operation == operation);
            let known: Vec<&str> = known.map(|known| known.contract.name()).collect();
            let what = match args.decrypt {
                true => format!("{algorithm} {operation}"),
                false => algorithm.to_string(),
            };
            return Err(Usage::error(format!(
                "{what} is not measured under {contract}, but under {}",
                known.join(", ")
            )));
        }
        tasks.extend(measured);
    }
    Ok(distinct(tasks))
}

/// Of a public key everything, as `openssl speed` shows it, and of all else one direction.
fn wanted(args: &Speed, algorithm: Algorithm) -> Vec<Task> {
    let task = task(args, algorithm);
    match algorithm.is_public_key() {
        true => {
            let operations = algorithm.operations().iter();
            operations.map(|&operation| Task { operation, ..task }).collect()
        }
        false => vec![task],
    }
}

fn task(args: &Speed, algorithm: Algorithm) -> Task {
    let mut task = Task::usual(algorithm);
    if args.decrypt {
        let mut operations = algorithm.operations().iter().copied();
        task.operation = operations.find(|o| o.is_backward()).unwrap_or(task.operation);
    }
    task.contract = args.contract.unwrap_or(task.contract);
    task
}

fn distinct<T: Clone + Eq + Hash>(items: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut seen = HashSet::new();
    items
        .into_iter()
        .filter(|item| seen.insert(item.clone()))
        .collect()
}
