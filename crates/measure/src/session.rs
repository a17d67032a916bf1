use std::sync::atomic::{AtomicBool, Ordering};

use ciphertune_catalog::{Description, Names, Source, Task};
use ciphertune_testkit::Random;

use crate::{
    affinity::Pinned,
    bounds,
    clock::{Calibration, Clock},
    crew::{Crew, Terms},
    cycles,
    noise::Watch,
    outcome::{self, Facts},
    plan::{Error, Observer, Outcome, Plan, Which},
    process::Launcher,
    protocol::{Check, Message, Team},
    schedule::{self, Load, Pace, Role},
    topology,
    trial::{self, Candidate, Track, Trial},
};

/// Measures what the plan says.
///
/// What has been finished when `stop` becomes true is returned like a whole run. An implementation that
/// crashes, hangs or computes the wrong thing becomes cells that say so, and the rest goes on.
///
/// # Errors
/// A plan that cannot be carried out, unknown implementations, or sources that give none at all.
pub fn measure(
    plan: &Plan,
    launcher: &Launcher,
    observer: &mut dyn Observer,
    stop: &AtomicBool,
) -> Result<Outcome, Error> {
    plan.check()?;
    let mut session = Session::begin(plan, launcher, observer, stop)?;
    let mut trials = trials(plan, &session.crew);
    session.run(&mut trials);
    Ok(session.end(&trials))
}

/// What a source offers.
#[derive(Clone, Debug)]
pub struct Found {
    /// The source.
    pub source: Source,
    /// Its implementations, or why it gave none.
    pub implementations: Result<Vec<Description>, String>,
}

/// What each source offers. Each is loaded in a process of its own.
pub fn find(sources: &[Source], launcher: &Launcher) -> Vec<Found> {
    to_ask(sources, launcher).found()
}

/// By which names libcryptos among these sources have something, each asked in a process of its own.
pub fn names_of(sources: &[Source], launcher: &Launcher) -> Names {
    to_ask(sources, launcher).names()
}

/// A crew that times nothing.
fn to_ask<'a>(sources: &[Source], launcher: &'a Launcher) -> Crew<'a> {
    let terms = Terms {
        processors: Vec::new(),
        clock: Clock::Raw,
        ticks_per_second: 1e9,
        longest: 0,
        benches: 1,
    };
    // Ctrl-C ends who only asks.
    static NEVER: AtomicBool = AtomicBool::new(false);
    Crew::recruit(launcher, sources, terms, Random::new(0), &NEVER)
}

struct Session<'a> {
    plan: &'a Plan,
    observer: &'a mut dyn Observer,
    stop: &'a AtomicBool,
    pinned: Pinned,
    /// In the order in which threads take them.
    processors: Vec<usize>,
    calibration: Calibration,
    ticks_per_second: f64,
    began: jiff::Timestamp,
    random: Random,
    crew: Crew<'a>,
    watch: Watch,
    timed_ticks: u64,
}

impl<'a> Session<'a> {
    fn begin(
        plan: &'a Plan,
        launcher: &'a Launcher,
        observer: &'a mut dyn Observer,
        stop: &'a AtomicBool,
    ) -> Result<Self, Error> {
        let began = jiff::Timestamp::now();
        let mut random = Random::new(plan.seed);
        let pinned = Pinned::last();
        let watch = Watch::begin(pinned.cpu());
        let processors = topology::spread(pinned.processors());
        let clock = Clock::best();
        let calibration = Calibration::begin(clock);
        let ticks_per_second = calibration.first_hz;
        let terms = Terms {
            processors: processors.clone(),
            clock,
            ticks_per_second,
            longest: plan.messages().map(|message| message.span()).max().unwrap_or(0),
            benches: plan.teams.iter().map(|team| team.benches()).max().unwrap_or(1),
        };
        let random_of_crew = Random::new(random.word());
        let mut crew = Crew::recruit(launcher, &plan.sources, terms, random_of_crew, stop);
        let kept = crew.keep(&plan.implementations);
        // Who stopped it may have done so because of what is missing then.
        if !stop.load(Ordering::Relaxed) {
            kept?;
            if matches!(plan.implementations, Which::Named(_)) && crew.to_check(&plan.tasks).is_empty() {
                return Err(Error::NothingNamed(crew.incapable(&plan.tasks)));
            }
            let unhelped = match plan.implementations {
                Which::Named(_) => crew.unhelped(&plan.tasks, &plan.teams),
                _ => Vec::new(),
            };
            if !unhelped.is_empty() {
                return Err(Error::NothingHelped(unhelped));
            }
        }
        crew.dismiss_idle(&plan.tasks);
        Ok(Self {
            plan,
            observer,
            stop,
            pinned,
            processors,
            calibration,
            ticks_per_second,
            began,
            random,
            crew,
            watch,
            timed_ticks: 0,
        })
    }

    fn run(&mut self, trials: &mut [Trial]) {
        let checks = self.crew.to_check(&self.plan.tasks);
        let tracks: usize = trials.iter().map(|trial| trial.tracks.len()).sum();
        let mut steps = 2 * checks.len() + self.plan.processes as usize * tracks;
        self.observer.planned(steps as u64);

        // One seed for all: they have the same cases.
        let [before, after] = [self.random.word(), self.random.word()];
        let groups = self.crew.side_by_side(&checks);
        for group in &groups {
            if !self.stopped() {
                self.check(group, Check::BeforeTiming, before);
            }
        }
        // Who has failed there cannot show what noise is.
        for trial in &mut *trials {
            let control = control(self.plan, &self.crew, trial.message);
            for track in &mut trial.tracks {
                if let (Candidate::Control(n, _), Some(control)) = (&mut track.candidate, control) {
                    *n = control;
                }
            }
        }
        for process in 0.. {
            // In another order each time, so that no cell always comes when the machine is warmest.
            let mut order: Vec<&mut Trial> = trials.iter_mut().collect();
            if process >= self.plan.processes {
                order.retain(|trial| !self.is_steady(trial));
                if order.is_empty() || self.stopped() || !self.has_time_for_more() {
                    break;
                }
                steps += order.iter().map(|trial| trial.tracks.len()).sum::<usize>();
                self.observer.planned(steps as u64);
            }
            if process > 0 {
                self.crew.dismiss();
            }
            self.random.shuffle(&mut order);
            for trial in order {
                if self.stopped() {
                    break;
                }
                self.time(trial, process);
            }
        }
        // A figure that nobody checked afterwards is none; whoever stopped the session waits for no other.
        for mut group in groups {
            group.retain(|&(entrant, task)| {
                !self.stopped() || trials.iter().any(|trial| trial.has_timed(entrant, task))
            });
            self.check(&group, Check::AfterTiming, after);
        }
        self.crew.dismiss();
    }

    fn end(self, trials: &[Trial]) -> Outcome {
        let hz = self.calibration.hz();
        let ticks_per_second = hz.unwrap_or(self.ticks_per_second);
        let facts = Facts {
            began: self.began,
            processors: self.pinned.allowed(),
            sharing: topology::sentence(&self.processors, &self.plan.teams),
            ticks_per_second,
            is_in_step: hz.is_some(),
            timed_share: self.timed_ticks as f64 / ticks_per_second / self.calibration.seconds(),
            stopped: self.stopped(),
            circumstances: self.watch.end(),
        };
        outcome::draw(self.plan, &self.crew, trials, &facts)
    }

    /// Whether each rate that will be shown of a cell is known to one per cent.
    fn is_steady(&self, trial: &Trial) -> bool {
        let has_rate = |n: usize, team| self.crew.entrants[n].is_sound(trial.message, team);
        let shown = trial
            .tracks
            .iter()
            .filter(|track| matches!(track.candidate, Candidate::Entrant(n, team) if has_rate(n, team)));
        let mut rates = shown.filter_map(|track| track.rate(self.ticks_per_second, self.plan.confidence));
        rates.all(|rate| trial::is_steady(&rate))
    }

    fn has_time_for_more(&self) -> bool {
        let limit = self.plan.until_stable;
        limit.is_some_and(|limit| self.calibration.seconds() < limit.as_secs_f64())
    }

    fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    fn check(&mut self, group: &[(usize, Task)], check: Check, seed: u64) {
        self.crew.check(group, check, seed);
        for &(entrant, _) in group {
            let id = &self.crew.entrants[entrant].description.id;
            self.observer.advanced(1, &format!("checking {id}"));
        }
    }

    /// Times one cell in one process.
    fn time(&mut self, trial: &mut Trial, process: u32) {
        let before = self.crew.cycles();
        self.crew.prepare(trial);
        if self.stopped() {
            return;
        }

        let by_keys = trial.message.task.algorithm.is_public_key();
        let seconds = self.plan.seconds * if by_keys { BY_KEYS } else { 1.0 };
        let budget = seconds / f64::from(self.plan.processes) * self.ticks_per_second;
        let (rounds, paces) = self.paces(trial, budget);
        for round in 0..rounds {
            let taking_part = (0..trial.tracks.len())
                .filter(|&track| paces[track].takes_part(round, rounds))
                .collect();
            self.round(trial, taking_part, &paces, process, round);
        }
        // Every implementation should have a figure: what was always disturbed gets more chances, with quanta
        // less likely to be.
        let shorter: Vec<Pace> = paces.iter().copied().map(Pace::shortened).collect();
        for round in rounds..rounds + MORE_CHANCES {
            let without = (0..trial.tracks.len())
                .filter(|&track| trial.tracks[track].samples.is_empty())
                .collect();
            self.round(trial, without, &shorter, process, round);
        }

        for (track, pace) in paces.iter().enumerate() {
            let is_quick = trial.message.length <= LONGEST_LOOKED_AT_OFTEN && !by_keys;
            if is_quick || process == 0 && !pace.is_hopeless() {
                self.crew.look(trial, track);
            }
        }
        for (track, pace) in trial.tracks.iter_mut().zip(&paces) {
            // Few processes show a spread, and may not be enough where it has to be narrow.
            let has_enough = process + 1 >= pace.processes && self.plan.until_stable.is_none();
            track.is_over |= track.slot.is_some() && has_enough;
        }
        let after = self.crew.cycles();
        trial.has_chains |= before.is_some() && after.is_some();
        trial.ticks_per_cycle.extend(cycles::bracket(before, after));
        let now = format!("{}{}", trial.message.task, trial.message.size(", "));
        self.observer.advanced(trial.tracks.len() as u64, &now);
    }

    fn paces(&self, trial: &Trial, budget: f64) -> (u32, Vec<Pace>) {
        let loads: Vec<Load> = trial
            .tracks
            .iter()
            .map(|track| {
                let (ticks_per_call, bytes) = match (track.slot, track.ready) {
                    (Some(_), Some(ready)) => (ready.ticks_per_call, ready.bytes_per_call as f64),
                    // Not here.
                    _ => (f64::INFINITY, 1.0),
                };
                Load {
                    ticks_per_call,
                    ticks_per_byte: ticks_per_call / bytes,
                    role: match track.candidate {
                        Candidate::Probe(_) => Role::Probe,
                        Candidate::Entrant(n, _) | Candidate::Control(n, _)
                            if self.crew.entrants[n].may_be_chosen() =>
                        {
                            Role::Selectable
                        }
                        _ => Role::Compared,
                    },
                    settling: match track.candidate {
                        Candidate::Entrant(_, Team::Helped(_)) | Candidate::Control(_, Team::Helped(_)) => {
                            SETTLING.div_ceil(trial.message.length as u64)
                        }
                        _ => 0,
                    },
                    by_keys: trial.message.task.algorithm.is_public_key(),
                }
            })
            .collect();
        schedule::paces(&loads, budget, self.ticks_per_second)
    }

    fn round(&mut self, trial: &mut Trial, mut order: Vec<usize>, paces: &[Pace], process: u32, round: u32) {
        self.random.shuffle(&mut order);
        for track in order {
            if self.stopped() {
                return;
            }
            let calls = paces[track].jittered(&mut self.random);
            if let Some(timed) = self.crew.time(trial, track, calls, paces[track].warm) {
                self.timed_ticks += timed.wall;
                trial.tracks[track].record(process, round, calls, timed);
            }
        }
    }
}

/// So much more time has what goes by keys of two halves, of which a call may take milliseconds and getting ready some of them.
const BY_KEYS: f64 = 3.0;

/// Bytes after which what workers make ahead and what is taken of it stand in balance: twice what a stream's memory
/// for it holds.
const SETTLING: u64 = 1 << 20;

/// Bytes of messages whose looking at takes next to no time. At what made longer ones, or goes by keys of two halves, the first
/// process looks alone, and not at what cannot win: whoever does nothing is fast.
const LONGEST_LOOKED_AT_OFTEN: usize = 1 << 16;

/// Rounds for what has no quantum yet.
const MORE_CHANCES: u32 = 3;

/// Every cell of the plan, with everyone who can be timed in it.
fn trials(plan: &Plan, crew: &Crew<'_>) -> Vec<Trial> {
    let trial = |message| Trial {
        message,
        tracks: candidates(plan, crew, message)
            .into_iter()
            .map(Track::new)
            .collect(),
        print: None,
        has_chains: false,
        ticks_per_cycle: Vec::new(),
    };
    plan.messages().map(trial).collect()
}

fn candidates(plan: &Plan, crew: &Crew<'_>, message: Message) -> Vec<Candidate> {
    let mut candidates = Vec::new();
    for n in entrants(plan, crew, message) {
        let teams = plan.teams.iter().copied();
        let can = teams.filter(|&team| crew.entrants[n].can(message.task, team));
        candidates.extend(can.map(|team| Candidate::Entrant(n, team)));
    }
    // There is nothing to hold against the machine's limits.
    if candidates.is_empty() {
        return candidates;
    }
    let control = control(plan, crew, message);
    candidates.extend(control.map(|n| Candidate::Control(n, plan.teams[0])));
    // They are the limits of one thread that does nothing else.
    if plan.teams.contains(&Team::ALONE) && !plan.hashed {
        candidates.extend(bounds::probes(message.task).map(Candidate::Probe));
    }
    candidates
}

/// Those that do a message in the plan's first way.
fn entrants(plan: &Plan, crew: &Crew<'_>, message: Message) -> impl Iterator<Item = usize> {
    (0..crew.entrants.len()).filter(move |&n| {
        crew.entrants[n].can(message.task, plan.teams[0]) && crew.entrants[n].takes(message)
    })
}

/// Who is timed twice: the default or, where that is not to be had, the first that is.
fn control(plan: &Plan, crew: &Crew<'_>, message: Message) -> Option<usize> {
    let is_to_be_had = |n: &usize| crew.entrants[*n].is_sound(message, plan.teams[0]);
    let default = (plan.default_for)(message.task, message.length);
    let is_default = |n: &usize| crew.entrants[*n].description.id == default;
    let mut able = entrants(plan, crew, message).filter(is_to_be_had).peekable();
    let first = able.peek().copied();
    able.find(is_default).or(first)
}
