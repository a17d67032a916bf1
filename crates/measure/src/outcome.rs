//! From quanta to results.
use std::collections::BTreeSet;

use ciphertune_catalog::Task;
use ciphertune_results::{
    Cell, Figures, Interval, Library, Machine, Run, Spread, Status, few,
    statistics::{Rounds, median},
};

use crate::{
    bounds,
    choice::{self, Choice},
    clock::Clock,
    crew::{Crew, Entrant},
    losses::cause,
    machine, noise,
    plan::{Outcome, Plan, takers},
    protocol::{Message, Team},
    statistics::stabilised_quartiles,
    trial::{Candidate, Track, Trial, is_steady},
};

/// What a session knows at its end besides the quanta.
pub(crate) struct Facts {
    pub(crate) began: jiff::Timestamp,
    pub(crate) processors: u32,
    /// How several threads shared the processors.
    pub(crate) sharing: Option<String>,
    pub(crate) ticks_per_second: f64,
    /// Whether that is known from the whole session.
    pub(crate) is_in_step: bool,
    pub(crate) timed_share: f64,
    pub(crate) stopped: bool,
    pub(crate) circumstances: noise::Circumstances,
}

pub(crate) fn draw(plan: &Plan, crew: &Crew<'_>, trials: &[Trial], facts: &Facts) -> Outcome {
    let (known_floor, floor) = floors(trials, plan.confidence);
    let mut choices = Vec::new();
    let mut gains = Vec::new();
    let mut cells = Vec::new();
    for trial in trials {
        for &team in &plan.teams {
            let mut here: Vec<Cell> = crew
                .entrants
                .iter()
                .enumerate()
                .filter_map(|(n, entrant)| {
                    let track = trial.track(Candidate::Entrant(n, team))?;
                    cell(trial, entrant, track, team, facts, plan.confidence)
                })
                .collect();
            here.extend(lost_sources(crew, trial, team));
            if team == plan.teams[0]
                && let Some(choice) = choose(plan, crew, trial, &here, floor)
            {
                for cell in &mut here {
                    cell.chosen = cell.implementation == choice.chosen;
                }
                choices.push(choice);
            }
            cells.extend(here);
        }
        gains.extend(gained(plan, crew, trial, floor));
    }

    let notes = notes(plan, crew, trials, &cells, facts);
    let cycles: Vec<f64> = trials.iter().filter_map(Trial::ticks_per_cycle).collect();
    let core_hz = median(cycles).map(|cycle| facts.ticks_per_second / cycle);
    Outcome {
        run: Run {
            machine: Machine {
                noise_floor: known_floor,
                stolen: facts.circumstances.stolen,
                confidence: Some(plan.confidence),
                timed_share: Some(facts.timed_share),
                libraries: libraries(crew, &cells),
                ..machine::describe(
                    facts.began,
                    facts.processors,
                    Clock::best().is_tsc().then_some(facts.ticks_per_second),
                    core_hz,
                )
            },
            bounds: bounds::lines(trials, facts.ticks_per_second, plan.confidence),
            cells,
        },
        choices,
        gains,
        floor,
        found: crew.found(),
        notes,
        noise: facts.circumstances.sentences(floor),
    }
}

/// What the run cannot tell apart, if that is known; and what choices go by. Where other work spoiled all that was timed twice
/// nothing is told apart, so that every default stays.
fn floors(trials: &[Trial], confidence: f64) -> (Option<f64>, f64) {
    let known = choice::floor(controls(trials), confidence);
    let is_control = |track: &&Track| matches!(track.candidate, Candidate::Control(..));
    let mut controls = trials.iter().flat_map(|trial| &trial.tracks).filter(is_control);
    let was_controlled = controls.any(|control| !control.best_samples().is_empty());
    let spoiled = if was_controlled { f64::INFINITY } else { 0.0 };
    (known, known.unwrap_or(spoiled))
}

/// Where one implementation ran as two candidates.
fn controls(trials: &[Trial]) -> impl Iterator<Item = [Rounds; 2]> {
    trials.iter().filter_map(|trial| {
        trial.tracks.iter().find_map(|other| {
            let Candidate::Control(n, team) = other.candidate else {
                return None;
            };
            let one = trial.track(Candidate::Entrant(n, team))?;
            Some([one.rounds(), other.rounds()])
        })
    })
}

/// `None` where the session was stopped before this cell.
fn cell(
    trial: &Trial,
    entrant: &Entrant,
    track: &Track,
    team: Team,
    facts: &Facts,
    confidence: f64,
) -> Option<Cell> {
    let trouble = entrant.trouble(trial.message, team);
    let figures = match trouble {
        Some(_) => None,
        None => figures(trial, track, facts.ticks_per_second, confidence),
    };
    let (status, reason) = match (trouble, &figures) {
        (Some((status, reason)), _) => (status, Some(reason.to_owned())),
        (None, Some(_)) => {
            let disturbed = "other work on the machine disturbed every quantum, so the figure may be too low";
            let copies = "the figure includes a copy of each message, which the library's interface needs";
            let known = [
                track.is_disturbed().then_some(disturbed),
                track.ready.is_some_and(|ready| ready.copies).then_some(copies),
            ];
            let known: Vec<&str> = known.into_iter().flatten().collect();
            (Status::Ok, (!known.is_empty()).then(|| known.join("; ")))
        }
        (None, None) if facts.stopped => return None,
        (None, None) => (Status::Skipped, Some("it could not be prepared".to_owned())),
    };
    Some(Cell {
        implementation: entrant.description.id.clone(),
        status,
        reason,
        in_place: track.ready.is_none_or(|ready| ready.in_place),
        selectable: entrant.may_be_chosen(),
        figures,
        ..empty_cell(trial, team)
    })
}

fn empty_cell(trial: &Trial, team: Team) -> Cell {
    let Message {
        task, aad, length, ..
    } = trial.message;
    Cell {
        aad: aad as u64,
        threads: team.threads() as u32,
        workers: team.workers() as u32,
        status: Status::Skipped,
        ..Cell::new(
            "",
            task.algorithm.name(),
            task.operation.name(),
            trial.message.contract(),
            length as u64,
        )
    }
}

/// A source that could not be loaded has no implementations to name: it stands for them itself.
fn lost_sources(crew: &Crew<'_>, trial: &Trial, team: Team) -> impl Iterator<Item = Cell> {
    crew.lost_sources().map(move |(source, reason)| Cell {
        reason: Some(cause(&source, reason).to_owned()),
        implementation: source,
        ..empty_cell(trial, team)
    })
}

/// Where everyone comes from that ran, and what it says of itself.
fn libraries(crew: &Crew<'_>, cells: &[Cell]) -> Vec<Library> {
    let ran = cells.iter().filter(|cell| cell.status != Status::Skipped);
    let ran: BTreeSet<&str> = ran.map(|cell| &*cell.implementation).collect();
    let all = crew.entrants.iter().map(|entrant| &entrant.description);
    all.filter(|one| ran.contains(&*one.id))
        .map(|one| Library {
            implementation: one.id.clone(),
            origin: one.origin.clone(),
            version: Some(one.version.clone()),
            goes_by: one.goes_by.clone(),
            build: one.build.clone(),
        })
        .collect()
}

/// Lengths that were asked for and that a task does not take.
fn untaken(plan: &Plan) -> Vec<String> {
    let tasks = plan.tasks.iter().filter(|task| !task.algorithm.is_public_key());
    let notes = takers(tasks.filter_map(|&task| {
        let lengths = plan.lengths.iter().copied();
        let untaken: Vec<usize> = lengths
            .filter(|&length| plan.length(task, length).is_none())
            .collect();
        let why = || format!("no messages of {}, but {}", bytes(&untaken), plan.taken(task));
        (!untaken.is_empty()).then(|| (task, why()))
    }));
    notes.into_iter().map(|note| note + ".").collect()
}

/// `1, 16 bytes`
pub(crate) fn bytes(lengths: &[usize]) -> String {
    let shown: Vec<String> = lengths.iter().map(usize::to_string).collect();
    let unit = if lengths == [1] { "byte" } else { "bytes" };
    format!("{} {unit}", shown.join(", "))
}

/// Lengths that were asked for and that a task takes with others alone.
fn too_long(plan: &Plan, crew: &Crew<'_>) -> Vec<String> {
    let notes = crew.entrants.iter().flat_map(|entrant| {
        let id = &entrant.description.id;
        let tasks = plan.tasks.iter().filter(|&&task| entrant.computes(task));
        takers(tasks.flat_map(|&task| {
            let wanted = plan.messages().filter(|message| message.task == task);
            let refused = wanted.filter(|&message| !entrant.takes(message));
            let (with_aad, alone): (Vec<Message>, Vec<Message>) =
                refused.partition(|&message| entrant.takes(Message { aad: 0, ..message }));
            [(with_aad, true), (alone, false)]
                .into_iter()
                .filter_map(move |(refused, by_aad)| {
                    let aad = refused.first()?.aad;
                    let besides = match by_aad {
                        true => format!(" and {} of additional data", bytes(&[aad])),
                        false => String::new(),
                    };
                    let mut lengths: Vec<usize> = refused.iter().map(|message| message.length).collect();
                    lengths.sort_unstable();
                    lengths.dedup();
                    Some((
                        task,
                        format!("no messages of {}{besides} with {id}", bytes(&lengths)),
                    ))
                })
        }))
    });
    notes.map(|note| note + ".").collect()
}

/// To five digits: a quantum is not as sure as that, and there are many.
fn short(rate: f64) -> f64 {
    let unit = 10_f64.powi(rate.log10().floor() as i32 - 4);
    (rate / unit).round() * unit
}

fn figures(trial: &Trial, track: &Track, ticks_per_second: f64, confidence: f64) -> Option<Figures> {
    let samples = track.ticks_per_byte();
    let ticks = stabilised_quartiles(&samples)?;
    let in_place = track.ready.is_none_or(|ready| ready.in_place);
    // Cycles and limits are one core's.
    let alone = matches!(track.candidate, Candidate::Entrant(_, Team::ALONE)).then_some(());
    Some(Figures {
        bytes_per_second: track.rate(ticks_per_second, confidence)?,
        spread: Some(Spread {
            low: ticks_per_second / ticks.high,
            high: ticks_per_second / ticks.low,
        }),
        ns_per_byte: ticks.median * 1e9 / ticks_per_second,
        replicates: track.replicates(ticks_per_second),
        rounds: track
            .rounds()
            .into_iter()
            .map(|process| {
                process
                    .into_iter()
                    .map(|ticks| Some(short(ticks_per_second / ticks?)))
                    .collect()
            })
            .collect(),
        tsc_ticks_per_byte: Clock::best().is_tsc().then_some(ticks.median),
        cycles_per_byte: alone
            .and(trial.ticks_per_cycle())
            .map(|cycle| ticks.median / cycle),
        bound_share: alone
            .and_then(|()| bounds::least_ticks_per_byte(trial, in_place))
            .map(|least| least / ticks.median),
        quanta: samples.len() as u32,
        dropped: (track.samples.len() + track.disturbed.len() - samples.len()) as u32,
        processes: track.processes(),
    })
}

fn choose(plan: &Plan, crew: &Crew<'_>, trial: &Trial, cells: &[Cell], floor: f64) -> Option<Choice> {
    let eligible: Vec<(&Track, &Cell)> = trial
        .tracks
        .iter()
        .filter_map(|track| {
            let Candidate::Entrant(n, team) = track.candidate else {
                return None;
            };
            if team != plan.teams[0] {
                return None;
            }
            let id = &crew.entrants[n].description.id;
            let cell = cells.iter().find(|cell| cell.implementation == *id)?;
            let counts = cell.status == Status::Ok && !track.is_disturbed();
            (cell.selectable && counts).then_some((track, cell))
        })
        .collect();
    let contenders: Vec<Rounds> = eligible.iter().map(|(track, _)| track.rounds()).collect();
    let id = |n: usize| eligible[n].1.implementation.clone();

    let default_id = (plan.default_for)(trial.message.task, trial.message.length);
    let default = (0..eligible.len()).find(|&n| id(n) == default_id);
    let was_to_be_had = |entrant: &Entrant| {
        entrant.description.id == default_id
            && entrant.may_be_chosen()
            && entrant.is_sound(trial.message, plan.teams[0])
    };
    if default.is_none() && crew.entrants.iter().any(was_to_be_had) {
        // It has no figure here, so nothing has been shown to be faster.
        return None;
    }
    let verdict = choice::choose(&contenders, default, floor, plan.confidence)?;
    Some(Choice {
        task: trial.message.task,
        aad: trial.message.aad,
        length: trial.message.length,
        chosen: id(verdict.chosen),
        figures: eligible[verdict.chosen].1.figures.clone()?,
        runner_up: verdict.runner_up.map(id),
        margin: verdict.margin,
        over_default: verdict.over_default,
        tie: verdict.tie,
    })
}

/// What threads gained that helped one implementation with messages of one length.
#[derive(Clone, Debug, PartialEq)]
pub struct Gain {
    /// What is done.
    pub task: Task,
    /// Under which contract: `stream/1`, or `stream-sha256/1` where each message was hashed besides.
    pub contract: &'static str,
    /// The message length in bytes.
    pub length: usize,
    /// The implementation's id.
    pub implementation: String,
    /// How many helped: of those numbers that were tried, the best.
    pub workers: usize,
    /// How many times as fast it was as without.
    pub times: Interval,
    /// Whether they win: by more than one per cent and more than the run can tell.
    pub pays: bool,
}

fn gained(plan: &Plan, crew: &Crew<'_>, trial: &Trial, floor: f64) -> Vec<Gain> {
    let task = trial.message.task;
    let gain = |(n, entrant): (usize, &Entrant)| {
        let track = |team| trial.track(Candidate::Entrant(n, team));
        let is_sound = |team: Team| entrant.is_sound(trial.message, team);
        let teams = plan
            .teams
            .iter()
            .filter(|&&team| team.workers() > 0 && is_sound(team));
        let helped: Vec<(Team, &Track)> = teams.filter_map(|&team| Some((team, track(team)?))).collect();
        let alone = track(Team::ALONE)?.rounds();
        let contenders: Vec<Rounds> = helped
            .iter()
            .map(|(_, track)| track.rounds())
            .chain([alone])
            .collect();
        is_sound(Team::ALONE).then_some(())?;
        let (best, times, pays) = choice::gain(&contenders, floor, plan.confidence)?;
        Some(Gain {
            task,
            contract: trial.message.contract(),
            length: trial.message.length,
            implementation: entrant.description.id.clone(),
            workers: helped[best].0.workers(),
            times,
            pays,
        })
    };
    crew.entrants.iter().enumerate().filter_map(gain).collect()
}

/// The rates that are not known to one per cent, if there are any.
fn unsteady(cells: &[Cell]) -> Option<String> {
    let rates = || {
        cells
            .iter()
            .filter_map(|cell| Some((cell, cell.figures.as_ref()?)))
    };
    let unsteady = rates().filter(|(_, figures)| !is_steady(&figures.bytes_per_second));
    let mut named: Vec<String> = unsteady
        .map(|(cell, _)| format!("{} on {}", cell.implementation, cell.algorithm))
        .collect();
    let (unsteady, all) = (named.len(), rates().count());
    // Of several lengths each is named once.
    named.sort_unstable();
    named.dedup();
    (unsteady > 0).then(|| {
        format!(
            "The time ran out: {unsteady} of {all} rates are not known to one per cent (--intervals shows how well each is): {}.",
            few(&named)
        )
    })
}

fn notes(plan: &Plan, crew: &Crew<'_>, trials: &[Trial], cells: &[Cell], facts: &Facts) -> Vec<String> {
    let mut notes: Vec<String> = untaken(plan);
    let idle = crew.idle(&plan.implementations, &plan.tasks);
    let undone = crew.undone(&plan.implementations, &plan.tasks);
    // Who was not waited for may have it.
    let undone = undone.filter(|_| !facts.stopped);
    notes.extend(idle.into_iter().chain(undone).map(|why| why + "."));
    notes.extend(too_long(plan, crew));
    notes.extend(facts.sharing.clone());
    if !facts.is_in_step {
        notes.push(
            "The time-stamp counter and the system's clock lost step, as where the machine was suspended: rates go by the \
             counter's frequency at the beginning of the session."
                .to_owned(),
        );
    }
    if facts.stopped {
        notes.push("The session was stopped early; it has only what was finished.".to_owned());
    }
    if plan.until_stable.is_some() && !facts.stopped {
        notes.extend(unsteady(cells));
    }
    let tracks = || trials.iter().flat_map(|trial| &trial.tracks);
    if let Some(reason) = crew.lost_probes() {
        let mut probes = tracks().filter(|track| matches!(track.candidate, Candidate::Probe(_)));
        let to_the_end = match probes.any(|probe| !probe.best_samples().is_empty()) {
            true => ", nor core cycles, to the end",
            false => "",
        };
        notes.push(format!(
            "The machine's own limits were not measured{to_the_end}: {reason}"
        ));
    }
    let disturbed = tracks().map(|track| track.disturbed.len()).sum();
    let others = tracks().map(|track| track.samples.len()).sum();
    notes.extend(disturbance(disturbed, others));
    // Without the chains nobody knows what the frequency did.
    let timed = || trials.iter().filter(|trial| trial.is_timed() && trial.has_chains);
    let without_cycles = timed().filter(|trial| trial.ticks_per_cycle().is_none()).count();
    if without_cycles > 0 && crew.lost_probes().is_none() {
        let which = match timed().count() {
            1 => "No core cycles: the frequency changed while the cell was timed.".to_owned(),
            all => format!(
                "No core cycles for {without_cycles} of {all} cells: the frequency changed while they were timed."
            ),
        };
        notes.push(which);
    }
    notes
}

/// That more than a few quanta were disturbed, and what became of them: see [`Track`].
fn disturbance(disturbed: usize, others: usize) -> Option<String> {
    (disturbed * 20 > others).then(|| {
        let share = 100 * disturbed / (disturbed + others);
        format!(
            "Other work took the processor away during {share} % of the timed stretches (quanta). The figures leave these \
             out, unless an implementation had no others, which the results say. A quieter machine gives better figures."
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial::Sample;

    /// One implementation that ran as two candidates, the second one disturbed or not, by five processes.
    fn twice(disturbed: Option<bool>) -> Trial {
        let samples = |ticks_per_byte: f64| {
            let each = (0..5).map(|process| Sample {
                process,
                round: 0,
                ticks_per_byte: ticks_per_byte + 0.001 * f64::from(process),
            });
            each.collect()
        };
        let mut entrant = Track::new(Candidate::Entrant(0, Team::ALONE));
        entrant.samples = samples(1.0);
        let mut control = Track::new(Candidate::Control(0, Team::ALONE));
        match disturbed {
            Some(true) => control.disturbed = samples(1.5),
            Some(false) => control.samples = samples(1.01),
            None => (),
        }
        Trial {
            message: Message {
                task: Task::usual("AES-128-CTR".parse().unwrap()),
                hashed: false,
                aad: 0,
                length: 16,
            },
            tracks: vec![entrant, control],
            print: None,
            has_chains: false,
            ticks_per_cycle: Vec::new(),
        }
    }

    #[test]
    fn a_control_that_was_disturbed_all_the_time_is_no_sign_of_quiet() {
        assert_eq!(floors(&[twice(Some(true))], 0.95), (None, f64::INFINITY));
        // As of a session that was stopped before.
        assert_eq!(floors(&[twice(None)], 0.95), (None, 0.0));
        let (known, floor) = floors(&[twice(Some(true)), twice(Some(false))], 0.95);
        assert_eq!(known, Some(floor));
        assert!((0.009..0.011).contains(&floor), "{floor}");
    }

    #[test]
    fn what_was_disturbed_is_told_from_a_twentieth_on() {
        assert_eq!(disturbance(0, 0), None);
        assert_eq!(disturbance(5, 100), None);
        let told = disturbance(10, 90).unwrap();
        assert!(told.contains(" 10 % "), "{told}");
        // As of an implementation that nothing but disturbed ones is known of.
        let told = disturbance(1, 0).unwrap();
        assert!(told.contains("unless an implementation had no others"), "{told}");
    }
}
