//! `ciphertune tune --patience estimate`
use std::process::ExitCode;

use ciphertune::{Basis, LengthClass, Processor, wisdom::Wisdom};
use ciphertune_catalog::{Contract, Task};
use clap::{CommandFactory, error::ErrorKind};

use crate::{
    Result,
    args::{Args, Tune},
    choices::ours,
    classes, session, stdout, tune,
};

/// Shows what CPUID suggests, and what programs go by now.
pub fn run(args: &Tune) -> Result<ExitCode> {
    refuse_idle_options(args);
    let brand = &Processor::current().brand;
    let mut lines = vec![format!("By what CPUID says of {brand}, and nothing measured:")];
    let tasks = tune::tasks(&args.algorithms)?;
    lines.extend(suggested(&tasks));
    lines.push(format!("In use now: {}", in_use(&tasks)?));
    stdout::print(|out| stdout::sentences(&lines, out))?;
    Ok(ExitCode::SUCCESS)
}

/// `AES-CTR, GCM: aesni up to 128 B, vaes512 beyond`: the modes that CPUID suggests the same for together. For each size of
/// key it suggests the same, so that one stands for all.
fn suggested(tasks: &[Task]) -> Vec<String> {
    let mut modes: Vec<(&str, Vec<Task>)> = Vec::new();
    for &task in tasks {
        let Some(mode) = task.algorithm.aes_mode() else {
            continue;
        };
        match modes.iter_mut().find(|(known, _)| *known == mode) {
            Some((_, tasks)) if tasks[0].algorithm == task.algorithm => tasks.push(task),
            Some(_) => {}
            None => modes.push((mode, vec![task])),
        }
    }
    let mut groups: Vec<(String, Vec<String>)> = Vec::new();
    for (mode, tasks) in &modes {
        for (name, sentence) in named(mode, tasks) {
            match groups.iter_mut().find(|(known, _)| *known == sentence) {
                Some((_, names)) => names.push(name),
                None => groups.push((sentence, vec![name])),
            }
        }
    }
    let line = |(sentence, names): &(String, Vec<String>)| format!("AES-{}: {sentence}", names.join(", "));
    groups.iter().map(line).collect()
}

/// What serves a mode: in both directions by its name alone, where that is the same.
fn named(mode: &str, tasks: &[Task]) -> Vec<(String, String)> {
    let (many, single): (Vec<&Task>, Vec<&Task>) =
        tasks.iter().partition(|task| task.contract == Contract::Many);
    let mut all: Vec<(String, String)> = single
        .iter()
        .map(|task| (format!("{mode} {}", task.operation), sentence(task)))
        .collect();
    if all.iter().all(|(_, sentence)| *sentence == all[0].1) {
        all.truncate(1);
        all.iter_mut().for_each(|(name, _)| *name = mode.to_owned());
    }
    all.extend(
        many.iter()
            .map(|task| (format!("{mode} many at once"), sentence(task))),
    );
    all
}

fn sentence(task: &Task) -> String {
    let serves = |class: LengthClass| Some((class, ours(&session::default_for(*task, class.measured()))?));
    classes::sentence(LengthClass::all().filter_map(serves))
}

/// What asks for more than an estimate is a mistake, and no output that someone waits for comes of it.
fn refuse_idle_options(args: &Tune) {
    let options = [
        ("--wisdom", args.wisdom.is_some()),
        ("--libcrypto", !args.libraries.libcrypto.is_empty()),
        ("--provider", !args.libraries.provider.is_empty()),
        ("--format", args.output.format.is_some()),
        ("--intervals", args.output.intervals),
        ("--shares", args.output.shares),
        ("--costs", args.output.costs),
        ("--fit", args.output.fit),
        ("--confidence", args.certainty.confidence.is_some()),
        ("--until-stable", args.certainty.until_stable.is_some()),
        ("--output", args.output.output.is_some()),
    ];
    if let Some((option, _)) = options.iter().find(|(_, given)| *given) {
        let problem = format!(
            "'--patience estimate' measures nothing, so '{option}' has no use; leave one of them out"
        );
        let mut command = Args::command();
        command.build();
        let tune = command.find_subcommand_mut("tune").expect("this is its code");
        tune.error(ErrorKind::ArgumentConflict, problem).exit();
    }
}

fn in_use(tasks: &[Task]) -> Result<String> {
    Ok(match session::selection()?.basis() {
        Basis::Forced(forced) => format!("{}, which CIPHERTUNE_IMPLEMENTATION forces", forced.name()),
        Basis::Wisdom(wisdom) => by_wisdom(wisdom, tasks),
        Basis::Estimate(why) => format!("this, since {why}"),
        _ => "a choice of a kind that this program does not know".to_owned(),
    })
}

/// Which of the tasks go by wisdom, and which by CPUID since it says nothing of them.
fn by_wisdom(wisdom: &Wisdom, tasks: &[Task]) -> String {
    let is_in = |task: &Task| {
        let place = [task.algorithm.name(), task.operation.name(), task.contract.name()];
        let chosen = |class| {
            wisdom
                .choices()
                .any(|choice| choice.task() == place && choice.class == class)
        };
        LengthClass::all().all(chosen)
    };
    let dates = wisdom.dates();
    let (measured, estimated): (Vec<&Task>, Vec<&Task>) = tasks.iter().partition(|task| is_in(task));
    if measured.is_empty() {
        return format!(
            "this, since nothing of it goes by the wisdom made {dates} (see `ciphertune wisdom show`)"
        );
    }
    let (measured, estimated) = (names(&measured, &estimated), names(&estimated, &measured));
    let wisdom = format!("the wisdom made {dates} (see `ciphertune wisdom show`)");
    match (estimated.len(), measured.len()) {
        (0, _) => wisdom,
        (few, many) if few <= many => format!("{wisdom}, but this for {}", estimated.join(", ")),
        _ => format!("{wisdom} for {}, and this for the rest", measured.join(", ")),
    }
}

/// What people call tasks, of which there are others: an algorithm stands for all of its.
fn names(tasks: &[&Task], others: &[&Task]) -> Vec<String> {
    let is_cut = |task: &Task| others.iter().any(|other| other.algorithm == task.algorithm);
    let mut names: Vec<String> = tasks
        .iter()
        .map(|task| match (is_cut(task), task.contract) {
            (false, _) => task.algorithm.name().to_owned(),
            (true, Contract::Many) => format!("{} many at once", task.algorithm),
            (true, _) => format!("{} {}", task.algorithm, task.operation),
        })
        .collect();
    names.dedup();
    names
}
