//! The worker processes, and the implementations that they offer.
use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    sync::atomic::{AtomicBool, Ordering},
};

use ciphertune_catalog::{self as catalog, Description, Mask, Names, Source, Task};
use ciphertune_results::{Status, few};
use ciphertune_system::Shared;
use ciphertune_testkit::Random;

use crate::{
    Found,
    buffers::Buffers,
    clock::Clock,
    losses::losses,
    names,
    plan::{Error, Which},
    process::{Launcher, Lost, Worker},
    protocol::{Answer, Cycles, Load, Message, Offer, Request, Room, Team},
};

mod checking;
mod timing;

/// What every worker is told when it starts.
#[derive(Clone, Debug)]
pub(crate) struct Terms {
    /// As in [`Load`].
    pub(crate) processors: Vec<usize>,
    pub(crate) clock: Clock,
    pub(crate) ticks_per_second: f64,
    /// Bytes of the longest message to come.
    pub(crate) longest: usize,
    /// How many benches a worker has at most.
    pub(crate) benches: usize,
}

/// A place for one worker at a time, always with the same source.
pub(crate) struct Seat {
    /// Nothing in the seat of the machine's own limits.
    source: Option<Source>,
    worker: Option<Worker>,
    offers: Vec<Offer>,
    /// Why no worker can be had any more.
    pub(crate) lost: Option<String>,
}

/// One implementation of one source.
pub(crate) struct Entrant {
    seat: usize,
    index: usize,
    pub(crate) description: Description,
    /// Each with the bytes of the longest message that it takes there.
    tasks: BTreeMap<Task, usize>,
    helped: Vec<Task>,
    /// Why it is out altogether.
    out: Option<String>,
    /// The tasks that it fails, and how.
    failed: BTreeMap<Task, String>,
    /// The messages that it takes no part in though it is right, since a call for them failed, and how.
    refused: Vec<(Message, Team, String)>,
}

impl Entrant {
    pub(crate) fn computes(&self, task: Task) -> bool {
        self.tasks.contains_key(&task)
    }

    /// Why it has none of these tasks.
    fn lacks(&self, tasks: &[Task]) -> String {
        let Description { id, unavailable, .. } = &self.description;
        match unavailable {
            Some(reason) => format!("{id} cannot run: {reason}"),
            None => format!("{id} does not have {}", wanted(tasks)),
        }
    }

    /// Whether it can do a task in that way.
    pub(crate) fn can(&self, task: Task, team: Team) -> bool {
        self.computes(task) && (team.workers() == 0 || self.helped.contains(&task))
    }

    /// Why it has no figures for such messages, done in that way.
    pub(crate) fn trouble(&self, message: Message, team: Team) -> Option<(Status, &str)> {
        let refused = || {
            let is_it = |(refused, by, _): &&_| (*refused, *by) == (message, team);
            let (_, _, reason) = self.refused.iter().find(is_it)?;
            Some((Status::Failed, reason.as_str()))
        };
        self.trouble_with(message.task).or_else(refused)
    }

    /// Whether it has figures for such messages, done in that way, as far as that is its own matter.
    pub(crate) fn is_sound(&self, message: Message, team: Team) -> bool {
        self.trouble(message, team).is_none()
    }

    /// Why it has no figures for a task at all.
    fn trouble_with(&self, task: Task) -> Option<(Status, &str)> {
        let skipped = self.description.unavailable.as_deref();
        let failed = self.out.as_deref().or(self.failed.get(&task).map(String::as_str));
        skipped
            .map(|reason| (Status::Skipped, reason))
            .or(failed.map(|reason| (Status::Failed, reason)))
    }

    /// Whether a message is one that it takes.
    pub(crate) fn takes(&self, message: Message) -> bool {
        let longest = self.tasks.get(&message.task);
        longest.is_some_and(|&longest| message.length + message.aad <= longest)
    }

    fn competes(&self, task: Task) -> bool {
        self.computes(task) && self.trouble_with(task).is_none()
    }

    pub(crate) fn may_be_chosen(&self) -> bool {
        self.description.selectable && self.description.constant_time
    }
}

pub(crate) struct Crew<'a> {
    launcher: &'a Launcher,
    /// Whether nobody waits for a library to be loaded any more.
    stop: &'a AtomicBool,
    terms: Terms,
    random: Random,
    /// As in [`Load`].
    key_seed: u64,
    /// For the messages of the workers that there are: others have other memory, whose place makes a difference.
    memory: Option<Shared>,
    pub(crate) seats: Vec<Seat>,
    pub(crate) entrants: Vec<Entrant>,
}

impl<'a> Crew<'a> {
    /// A worker for each source and one for the machine's own limits, all of them loaded; or those that were when it was
    /// stopped.
    pub(crate) fn recruit(
        launcher: &'a Launcher,
        sources: &[Source],
        terms: Terms,
        mut random: Random,
        stop: &'a AtomicBool,
    ) -> Self {
        let sources = sources.iter().cloned().map(Some).chain([None]);
        let mut crew = Self {
            launcher,
            stop,
            terms,
            key_seed: random.word(),
            random,
            memory: None,
            seats: sources.map(Seat::new).collect(),
            entrants: Vec::new(),
        };
        for seat in 0..crew.seats.len() {
            if stop.load(Ordering::Relaxed) {
                break;
            }
            crew.man(seat);
            for (index, offer) in crew.seats[seat].offers.iter().enumerate() {
                if crew.has(&offer.description) {
                    continue;
                }
                let mut description = offer.description.clone();
                description.id = distinct(&description.id, &crew.entrants);
                crew.entrants.push(Entrant {
                    seat,
                    index,
                    description,
                    tasks: offer.tasks.iter().copied().collect(),
                    helped: offer.helped.clone(),
                    out: None,
                    failed: BTreeMap::new(),
                    refused: Vec::new(),
                });
            }
        }
        crew
    }

    /// Whether another source has given the same, of the same file: a library may have several names and paths.
    fn has(&self, description: &Description) -> bool {
        let mut entrants = self.entrants.iter();
        entrants.any(|known| self.seats[known.seat].offers[known.index].description == *description)
    }

    /// Keeps those that are asked for; whoever is not kept is not started again.
    pub(crate) fn keep(&mut self, which: &Which) -> Result<(), Error> {
        if self.entrants.is_empty() {
            return Err(Error::NothingLoaded(losses(&self.found())));
        }
        let named = match which {
            Which::All => return Ok(()),
            Which::Named(names) => names,
            Which::SelectableAndSystem => {
                let seats = &self.seats;
                self.entrants.retain(|entrant| {
                    entrant.description.selectable || seats[entrant.seat].source != Some(Source::Builtin)
                });
                return Ok(());
            }
        };
        let ids = || self.entrants.iter().map(|entrant| &*entrant.description.id);
        let is_unknown = |name: &&String| names::matching(name, ids()).is_empty();
        let mut unknown: Vec<String> = named.iter().filter(is_unknown).cloned().collect();
        // What cannot be loaded keeps nothing else from being measured.
        if unknown.len() < named.len() {
            unknown.retain(|name| !self.may_be_lost(name));
        }
        if !unknown.is_empty() {
            let near = names::near_any(&unknown, ids());
            // What is built in has no masks either, but with those of the others.
            let unmasked = unknown.iter().filter(|name| Mask::of_id(name).is_none());
            let left_out: BTreeSet<&str> = unmasked.filter_map(|name| catalog::left_out(name)).collect();
            let left_out = left_out.into_iter().collect();
            return Err(Error::UnknownImplementations {
                unknown,
                near,
                left_out,
            });
        }
        let kept = named.iter().flat_map(|name| names::matching(name, ids()));
        let kept: HashSet<String> = kept.map(str::to_owned).collect();
        self.entrants
            .retain(|entrant| kept.contains(&entrant.description.id));
        Ok(())
    }

    /// Whether an implementation of this name may be of a source that gave none.
    fn may_be_lost(&self, name: &str) -> bool {
        let mut lost = self
            .seats
            .iter()
            .filter(|seat| seat.lost.is_some() && seat.offers.is_empty());
        lost.any(|seat| seat.source.as_ref().is_some_and(|source| source.may_have(name)))
    }

    /// What each source has, or why it has nothing.
    pub(crate) fn found(&self) -> Vec<Found> {
        let seats = self.seats.iter().enumerate();
        seats
            .filter_map(|(number, seat)| {
                let here = self.entrants.iter().filter(|entrant| entrant.seat == number);
                let descriptions = here.map(|entrant| entrant.description.clone()).collect();
                Some(Found {
                    source: seat.source.clone()?,
                    implementations: match &seat.lost {
                        Some(reason) if seat.offers.is_empty() => Err(reason.clone()),
                        _ => Ok(descriptions),
                    },
                })
            })
            .collect()
    }

    /// Sources that gave no implementation, by name, and why.
    pub(crate) fn lost_sources(&self) -> impl Iterator<Item = (String, &str)> {
        self.seats.iter().filter_map(|seat| {
            let source = seat.source.as_ref()?;
            let reason = seat.lost.as_deref()?;
            seat.offers.is_empty().then(|| (source.to_string(), reason))
        })
    }

    /// Sends every worker away; new ones come when they are needed.
    pub(crate) fn dismiss(&mut self) {
        for seat in &mut self.seats {
            seat.worker = None;
        }
        self.memory = None;
    }

    /// Sends those away that have nothing to do with these tasks. They are not started again.
    pub(crate) fn dismiss_idle(&mut self, tasks: &[Task]) {
        let busy: HashSet<usize> = self
            .to_check(tasks)
            .into_iter()
            .map(|(n, _)| self.entrants[n].seat)
            .collect();
        for (number, seat) in self.seats.iter_mut().enumerate() {
            if seat.source.is_some() && !busy.contains(&number) {
                seat.worker = None;
            }
        }
    }

    /// Whether nobody waits for more.
    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// The seat of the machine's own limits.
    fn probe_seat(&self) -> usize {
        self.seats.len() - 1
    }

    /// Sees to it that a seat has a worker; says whether it has. Whoever stops the session waits for none.
    fn man(&mut self, number: usize) -> bool {
        self.man_unless(self.stop, number)
    }

    fn man_unless(&mut self, stop: &AtomicBool, number: usize) -> bool {
        let seat = &self.seats[number];
        if seat.worker.is_some() || seat.lost.is_some() {
            return seat.lost.is_none();
        }
        match self.start(stop, number) {
            Ok((worker, offers)) => {
                let seat = &mut self.seats[number];
                seat.worker = Some(worker);
                seat.offers = offers;
                true
            }
            // It may be as good as any.
            Err(_) if stop.load(Ordering::Relaxed) => false,
            Err(Lost(reason)) => {
                for entrant in self.entrants.iter_mut().filter(|e| e.seat == number) {
                    entrant.out.get_or_insert_with(|| reason.clone());
                }
                self.seats[number].lost = Some(reason);
                false
            }
        }
    }

    fn start(&mut self, stop: &AtomicBool, number: usize) -> Result<(Worker, Vec<Offer>), Lost> {
        let room = self.room()?;
        let seat = &self.seats[number];
        let environment = seat.source.as_ref().map(Source::environment).unwrap_or_default();
        let mut worker = Worker::start(self.launcher, &environment, self.random.up_to(MOST_PADDING))?;
        worker.allow_for(self.terms.longest);
        let request = Request::Load(Load {
            source: seat.source.clone(),
            processors: self.terms.processors.clone(),
            clock: self.terms.clock,
            ticks_per_second: self.terms.ticks_per_second,
            seed: self.random.word(),
            key_seed: self.key_seed,
            room,
        });
        let answer = worker
            .ask_unless(stop, &request)
            .map_err(|Lost(reason)| match &seat.source {
                Some(source) => Lost(format!("{reason}; {}", source.remedy())),
                None => Lost(reason),
            });
        let offers = match answer? {
            Answer::Loaded(offers) => offers,
            Answer::Refused(reason) => return Err(Lost(reason)),
            other => return Err(unexpected(&other)),
        };
        if !seat.offers.is_empty() && seat.offers != offers {
            let reason = "offered other implementations than the worker before it";
            return Err(Lost(reason.to_owned()));
        }
        Ok((worker, offers))
    }

    fn room(&mut self) -> Result<Room, Lost> {
        let Terms { longest, benches, .. } = self.terms;
        let none = |why: &str| Lost(format!("there is no memory for messages of {longest} bytes{why}"));
        let bytes_each = Buffers::size(longest).ok_or_else(|| none(""))?;
        let shared = match self.memory.take() {
            Some(shared) => shared,
            None => {
                let all = bytes_each.checked_mul(benches).ok_or_else(|| none(""))?;
                Shared::new(all).map_err(|error| none(&format!(": {error}")))?
            }
        };
        let number = self.memory.insert(shared).number();
        Ok(Room { number, bytes_each })
    }

    /// Runs a seat's worker through something. When it is lost the seat is empty.
    fn with<T>(&mut self, seat: usize, work: impl FnOnce(&mut Worker) -> Result<T, Lost>) -> Result<T, Lost> {
        let worker = self.seats[seat].worker.as_mut();
        let done = worker.map_or_else(|| Err(Lost("has no worker".to_owned())), work);
        if done.is_err() {
            self.seats[seat].worker = None;
        }
        done
    }

    /// Why there is nothing to check, in a crew that has done nothing yet: of each implementation why it cannot run, or else
    /// what it lacks; and of what could not be loaded, why.
    pub(crate) fn incapable(&self, tasks: &[Task]) -> Vec<String> {
        let why = self.entrants.iter().map(|entrant| entrant.lacks(tasks));
        why.chain(losses(&self.found())).collect()
    }

    /// The ids of those that have something to do, where workers are to help and can help none of them.
    pub(crate) fn unhelped(&self, tasks: &[Task], teams: &[Team]) -> Vec<String> {
        let mut helped = teams.iter().filter(|team| team.workers() > 0);
        let Some(&team) = helped.next() else {
            return Vec::new();
        };
        let can = |entrant: &Entrant| tasks.iter().any(|&task| entrant.can(task, team));
        if self.entrants.iter().any(can) {
            return Vec::new();
        }
        let is_busy = |entrant: &&Entrant| tasks.iter().any(|&task| entrant.computes(task));
        let busy = self.entrants.iter().filter(is_busy);
        busy.map(|entrant| entrant.description.id.clone()).collect()
    }

    /// Of each name by which nobody has anything to do, why: its implementations have no row, and who named them would look
    /// for one.
    pub(crate) fn idle(&self, which: &Which, tasks: &[Task]) -> Vec<String> {
        let Which::Named(names) = which else {
            return Vec::new();
        };
        let why = |name: &String| {
            let ids = self.entrants.iter().map(|entrant| &*entrant.description.id);
            let meant = names::matching(name, ids);
            let is_meant = |entrant: &&Entrant| meant.contains(&&*entrant.description.id);
            let meant: Vec<&Entrant> = self.entrants.iter().filter(is_meant).collect();
            let is_busy = |entrant: &&Entrant| tasks.iter().any(|&task| entrant.computes(task));
            match meant[..] {
                // Of a source that gave nothing.
                [] => None,
                _ if meant.iter().any(is_busy) => None,
                [one] => Some(one.lacks(tasks)),
                _ => Some(format!("{name} does not have {}", wanted(tasks))),
            }
        };
        names.iter().filter_map(why).collect()
    }

    /// What nobody who was asked has, in a crew that is whole: it has no row either.
    pub(crate) fn undone(&self, which: &Which, tasks: &[Task]) -> Option<String> {
        let is_undone = |task: &Task| !self.entrants.iter().any(|entrant| entrant.computes(*task));
        let undone: Vec<Task> = tasks.iter().copied().filter(is_undone).collect();
        let nobody_has = match which {
            Which::Named(names) if names.len() == 1 => format!("{} does not have", names[0]),
            Which::Named(names) => format!("none of {} has", few(names)),
            Which::All | Which::SelectableAndSystem => "nothing here has".to_owned(),
        };
        (!undone.is_empty()).then(|| format!("{nobody_has} {}", wanted(&undone)))
    }

    /// Estimates how long a core cycle is.
    pub(crate) fn cycles(&mut self) -> Option<Cycles> {
        let seat = self.probe_seat();
        if !self.man(seat) {
            return None;
        }
        self.with(seat, |worker| match worker.ask(&Request::Cycles)? {
            Answer::Cycles(cycles) => Ok(cycles),
            other => Err(unexpected(&other)),
        })
        .ok()
        .flatten()
    }

    /// By which names there is more to be had of its sources.
    pub(crate) fn names(&mut self) -> Names {
        let seats = 0..self.seats.len();
        let names = seats.filter_map(|seat| {
            let names = self.with(seat, |worker| match worker.ask(&Request::Names)? {
                Answer::Names(names) => Ok(names),
                other => Err(unexpected(&other)),
            });
            names.ok()
        });
        Names::of_all(names)
    }

    /// Why the machine's own limits could not be measured.
    pub(crate) fn lost_probes(&self) -> Option<&str> {
        self.seats[self.probe_seat()].lost.as_deref()
    }
}

impl Seat {
    fn new(source: Option<Source>) -> Self {
        Self {
            source,
            worker: None,
            offers: Vec::new(),
            lost: None,
        }
    }
}

/// An id that nobody has yet: two builds of one version call themselves the same, and the second to come is
/// told apart by `#2`.
fn distinct(id: &str, taken: &[Entrant]) -> String {
    let is_free = |id: &String| taken.iter().all(|entrant| entrant.description.id != *id);
    let numbered = (2..).map(|n| format!("{id}#{n}"));
    std::iter::once(id.to_owned())
        .chain(numbered)
        .find(is_free)
        .unwrap_or_else(|| id.to_owned())
}

/// Bytes by which the environments of workers differ at most.
const MOST_PADDING: usize = 4096;

/// The algorithms of these tasks, in words.
fn wanted(tasks: &[Task]) -> String {
    let mut names: Vec<&str> = tasks.iter().map(|task| task.algorithm.name()).collect();
    names.dedup();
    few(&names)
}

fn unexpected(answer: &Answer) -> Lost {
    Lost(format!("answered {answer:?}, which was not the question"))
}
