//! Sessions whose workers are this very program, with implementations that misbehave in every way there is.
//!
//! It has a main function of its own because it must be able to run as a worker.
#![allow(missing_docs)]

use std::{
    env, fs,
    path::PathBuf,
    process,
    sync::{
        LazyLock,
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    thread,
    time::Duration,
};

use ciphertune_catalog::{
    Context, Description, Envelope, Fault, Implementation, Once, Operation, Source, Task, Timed,
};
use ciphertune_measure::{
    Error, Found, Launcher, Observer, Outcome, Plan, Team, Which, find, measure, worker,
};
use ciphertune_results::{Cell, Interval, Status};
use nix::sys::signal::{Signal, raise};

/// No name of a test, nor a part of one.
const WORKER: &str = "--worker";

fn main() {
    if env::args().nth(1).as_deref() == Some(WORKER) {
        worker::serve_with(load).expect("the session speaks the protocol");
        return;
    }
    let tests: &[(&str, fn())] = &[
        ("a_whole_run", a_whole_run),
        (
            "a_default_that_cannot_be_timed_hides_no_noise",
            a_default_that_cannot_be_timed,
        ),
        ("sealed_messages_are_opened", sealed_messages_are_opened),
        ("messages_too_long_for_one", messages_too_long_for_one),
        (
            "each_way_to_fail_is_a_reason_and_the_rest_completes",
            each_way_to_fail,
        ),
        ("what_was_timed_is_looked_at", what_was_timed_is_looked_at),
        ("what_prints_is_measured", what_prints_is_measured),
        (
            "a_length_that_one_refuses_costs_no_other",
            a_length_that_one_refuses,
        ),
        ("sources_that_do_not_load", sources_that_do_not_load),
        ("what_is_named_and_not_loaded", named_and_not_loaded),
        ("stopping_early", stopping_early),
        ("stopping_at_once", stopping_at_once),
        ("stopping_what_hangs_in_loading", stopping_what_hangs_in_loading),
        (
            "stopping_what_takes_long_to_warm_up",
            stopping_what_takes_long_to_warm_up,
        ),
        ("until_stable", until_stable),
        ("unknown_names", unknown_names),
        ("plans_that_cannot_be", plans_that_cannot_be),
        ("lengths_that_nothing_takes", lengths_that_nothing_takes),
        ("named_without_anything_to_do", named_without_anything_to_do),
        (
            "named_without_anything_that_workers_help",
            named_without_anything_that_workers_help,
        ),
        ("what_nobody_has", what_nobody_has),
        ("finding", finding),
        ("two_of_one_name", two_of_one_name),
        ("several_threads_at_once", several_threads_at_once),
        ("workers_that_help", workers_that_help),
        ("long_messages_take_memory_once", long_messages_take_memory_once),
        ("who_has_nothing_to_do_leaves", who_has_nothing_to_do_leaves),
    ];
    // As `cargo test` hands on what comes before its options: a part of a name each.
    let words = env::args().skip(1).take_while(|word| !word.starts_with('-'));
    let words: Vec<String> = words.collect();
    let is_wanted = |name: &str| words.is_empty() || words.iter().any(|word| name.contains(word.as_str()));
    for (name, test) in tests.iter().filter(|(name, _)| is_wanted(name)) {
        test();
        println!("test {name} ... ok");
    }
}

/// A fake implementation: the real portable code that misbehaves as its name says.
struct Fake {
    description: Description,
    real: Box<dyn Implementation>,
}

impl Implementation for Fake {
    fn description(&self) -> &Description {
        &self.description
    }

    fn tasks(&self) -> &[Task] {
        static TASKS: LazyLock<Vec<Task>> = LazyLock::new(|| {
            Task::of(ctr().algorithm)
                .chain(Task::of(gcm().algorithm))
                .collect()
        });
        &TASKS
    }

    fn context(&self, task: Task, key: &[u8], iv: &[u8]) -> Result<Box<dyn Timed>, Fault> {
        let (_, trick) = self.description.id.split_once('/').unwrap_or_default();
        Ok(Box::new(FakeContext {
            trick: trick.to_owned(),
            real: Once(self.real.context(task, key, iv)?),
            calls: 0,
        }))
    }

    fn longest(&self, _: Task) -> usize {
        match self.description.id.ends_with("short") {
            true => SHORT,
            false => usize::MAX,
        }
    }

    fn has_workers(&self, task: Task) -> bool {
        self.description.id.ends_with("helped") && self.real.has_workers(task)
    }

    fn helped(&self, task: Task, key: &[u8], iv: &[u8], workers: usize) -> Result<Box<dyn Timed>, Fault> {
        self.real.helped(task, key, iv, workers)
    }
}

struct FakeContext {
    trick: String,
    real: Once,
    calls: u64,
}

// SIGSEGV is not among the signals here: Rust's own handler lets the first that is raised pass.
/// A context of the gate sees fewer calls than this; one that is timed on short messages sees more.
const TIMED: u64 = 2_000;

/// The longest message of `short`: one that the gate has, and shorter than those after timing.
const SHORT: usize = 70_000;

/// The length that `choosy` refuses: none that the gate has.
const CHOSEN: usize = 12_288;

/// Bytes beyond which `long-at-times` is wrong: more than the gate has.
const LONG: usize = 1 << 20;

/// Whether an implementation that wears out has been timed, in this process.
static WORN: AtomicBool = AtomicBool::new(false);

impl FakeContext {
    /// Whether it says that it did what it did not do.
    fn is_tired(&self, iv: &[u8]) -> bool {
        match self.trick.as_str() {
            "tires" => self.calls >= TIMED,
            "knows-nonces" => iv.starts_with(&[0; 10]) && iv.last() != Some(&0),
            _ => false,
        }
    }

    fn misbehave(&mut self, data: &mut [u8]) -> Result<(), Fault> {
        self.calls += 1;
        let timed = self.calls > TIMED;
        match self.trick.as_str() {
            "wrong" => data[0] ^= 1,
            "wears-out" => {
                WORN.fetch_or(timed, Ordering::Relaxed);
                data.iter_mut()
                    .take(1)
                    .for_each(|byte| *byte ^= u8::from(WORN.load(Ordering::Relaxed)));
            }
            "crashes-in-the-gate" => raise(Signal::SIGFPE).map_err(|e| Fault(e.to_string()))?,
            "crashes" if timed => raise(Signal::SIGILL).map_err(|e| Fault(e.to_string()))?,
            "hangs" if timed => thread::sleep(Duration::from_secs(3600)),
            "exits" if timed => process::exit(3),
            "panics" if timed => panic!("out of cheese"),
            "long-at-times" if data.len() > LONG => data[LONG] ^= 1,
            "prints" if timed => println!("debug: entering the fast path"),
            "slow" => thread::sleep(Duration::from_micros(50)),
            "dawdles" if data.len() == CHOSEN => thread::sleep(Duration::from_secs(3600)),
            "choosy" if data.len() == CHOSEN => return Err(Fault("not this one".to_owned())),
            "short" if data.len() > SHORT => return Err(Fault("too long".to_owned())),
            "faults" if timed => return Err(Fault("EVP_EncryptUpdate failed".to_owned())),
            _ => {}
        }
        Ok(())
    }
}

impl Context for FakeContext {
    fn apply(&mut self, envelope: Envelope<'_>, data: &mut [u8]) -> Result<(), Fault> {
        if !self.in_place() {
            return Err(Fault("not in place".to_owned()));
        }
        if !self.is_tired(envelope.iv) {
            self.real.apply(envelope, data)?;
        }
        self.misbehave(data)
    }

    fn apply_to(&mut self, envelope: Envelope<'_>, input: &[u8], output: &mut [u8]) -> Result<(), Fault> {
        if !self.is_tired(envelope.iv) {
            self.real.apply_to(envelope, input, output)?;
        }
        self.misbehave(output)
    }

    fn in_place(&self) -> bool {
        self.trick != "buffer-to-buffer"
    }

    fn copies(&self, in_place: bool) -> bool {
        self.trick == "copies" && !in_place
    }
}

/// The name of the "library" lists the tricks of its implementations.
fn load(source: &Source) -> Result<Vec<Box<dyn Implementation>>, String> {
    let Source::System(tricks) = source else {
        return Err("only fakes here".to_owned());
    };
    match tricks.as_str() {
        "refuses" => return Err("libfake.so: no AES in this build".to_owned()),
        "crashes-on-load" => raise(Signal::SIGABRT).map_err(|e| e.to_string())?,
        "hangs-on-load" => thread::sleep(Duration::from_secs(3600)),
        "exits-on-load" => {
            eprintln!("libfake.so: undefined symbol: frob");
            process::exit(127)
        }
        "prints-on-load" => println!("libfake 1.0 (c) 1999"),
        _ => {}
    }
    tricks.split(',').map(|trick| fake(trick, tricks)).collect()
}

/// As if the tricks of one source were a file.
fn fake(trick: &str, tricks: &str) -> Result<Box<dyn Implementation>, String> {
    let real = Source::Builtin
        .load()
        .map_err(|error| error.to_string())?
        .implementations
        .into_iter()
        .find(|real| real.description().unavailable.is_none() && real.description().constant_time)
        .ok_or("nothing built in")?;
    Ok(Box::new(Fake {
        description: Description {
            id: format!("fake@1/{trick}"),
            origin: format!("a test of {tricks}"),
            version: "1".to_owned(),
            goes_by: Some("tricks".to_owned()),
            build: None,
            features: Vec::new(),
            constant_time: trick != "tables",
            selectable: true,
            unavailable: (trick == "unavailable").then(|| "needs vaes".to_owned()),
        },
        real,
    }))
}

fn launcher() -> Launcher {
    let this = env::current_exe().expect("this program has a path");
    let mut launcher = Launcher::new(this, [WORKER]);
    launcher.patience = Duration::from_secs(2);
    launcher
}

fn ctr() -> Task {
    Task::usual("AES-128-CTR".parse().expect("it is known"))
}

fn gcm() -> Task {
    Task {
        operation: Operation::Open,
        ..Task::usual("AES-128-GCM".parse().expect("it is known"))
    }
}

/// Not the usual one, so that it is seen to be heeded.
const CONFIDENCE: f64 = 0.8;

fn plan(sources: &[&str]) -> Plan {
    Plan {
        tasks: vec![ctr()],
        aad: None,
        lengths: vec![16, 16384],
        cut: false,
        hashed: false,
        teams: vec![Team::ALONE],
        implementations: Which::All,
        sources: sources
            .iter()
            .map(|tricks| Source::System((*tricks).to_owned()))
            .collect(),
        seconds: 0.01,
        processes: 2,
        until_stable: None,
        confidence: CONFIDENCE,
        seed: 1,
        default_for: |_, _| "fake@1/good".to_owned(),
    }
}

#[derive(Default)]
struct Counted {
    planned: u64,
    advanced: u64,
}

impl Observer for Counted {
    fn planned(&mut self, steps: u64) {
        self.planned = steps;
    }

    fn advanced(&mut self, steps: u64, now: &str) {
        assert!(!now.is_empty());
        self.advanced += steps;
    }
}

fn run(plan: &Plan) -> Outcome {
    let mut observer = Counted::default();
    let outcome = measure(plan, &launcher(), &mut observer, &AtomicBool::new(false))
        .expect("the plan can be carried out");
    assert!(observer.planned > 0);
    assert_eq!(observer.advanced, observer.planned);
    outcome
}

fn cells<'a>(outcome: &'a Outcome, trick: &str) -> Vec<&'a Cell> {
    let id = format!("fake@1/{trick}");
    let found: Vec<&Cell> = outcome
        .run
        .cells
        .iter()
        .filter(|cell| cell.implementation == id)
        .collect();
    assert!(!found.is_empty(), "no cell of {id}");
    found
}

fn assert_measured(outcome: &Outcome, trick: &str) {
    let cells = cells(outcome, trick);
    assert_eq!(cells.len(), 2);
    for cell in cells {
        assert_eq!(cell.status, Status::Ok, "{cell:?}");
        let figures = cell.figures.as_ref().expect("ok has figures");
        let rate = figures.bytes_per_second;
        let interval = Interval::of_processes(rate.median, &figures.replicates, CONFIDENCE);
        assert_eq!(rate, interval, "by its processes, at the plan's confidence");
        let spread = figures.spread.expect("quanta have quartiles");
        assert!(0.0 < spread.low && spread.low <= rate.median && rate.median <= spread.high);
        let ns = 1e9 / rate.median;
        assert!((figures.ns_per_byte / ns - 1.0).abs() < 1e-9);
        assert!(figures.quanta > 0 && (1..=2).contains(&figures.processes));
    }
}

fn a_whole_run() {
    let outcome = run(&plan(&["good,tables", "buffer-to-buffer,unavailable"]));
    for trick in ["good", "tables", "buffer-to-buffer"] {
        assert_measured(&outcome, trick);
    }
    let cell = cells(&outcome, "unavailable")[0];
    assert_eq!(cell.status, Status::Skipped);
    assert_eq!(cell.reason.as_deref(), Some("needs vaes"));

    assert!(
        cells(&outcome, "good")
            .iter()
            .all(|cell| cell.in_place && cell.selectable)
    );
    assert!(
        cells(&outcome, "tables")
            .iter()
            .all(|cell| !cell.selectable && !cell.chosen)
    );
    assert!(
        cells(&outcome, "buffer-to-buffer")
            .iter()
            .all(|cell| !cell.in_place)
    );

    assert_eq!(outcome.choices.len(), 2);
    for choice in &outcome.choices {
        assert_ne!(choice.chosen, "fake@1/tables");
        assert_ne!(choice.runner_up.as_deref(), Some("fake@1/tables"));
        assert!(choice.over_default.is_some());
    }
    let chosen = outcome.run.cells.iter().filter(|cell| cell.chosen).count();
    assert_eq!(chosen, 2);
    assert!(
        outcome.floor >= 0.0
            && outcome.floor.is_finite()
            && outcome
                .run
                .machine
                .timed_share
                .is_some_and(|share| 0.0 < share && share < 1.0)
    );
    if cfg!(target_arch = "x86_64") {
        let names: Vec<&str> = outcome.run.bounds.iter().map(|b| b.name.as_str()).collect();
        assert!(
            names.contains(&"read-xor-write") && names.contains(&"copy"),
            "{names:?}"
        );
    }
}

/// Neither what cannot run nor what the gate has caught keeps the others from being timed twice, and in more than one round.
fn a_default_that_cannot_be_timed() {
    for default in ["unavailable", "wrong"] {
        let mut plan = plan(&["unavailable,wrong,tables"]);
        plan.default_for = match default {
            "wrong" => |_, _| "fake@1/wrong".to_owned(),
            _ => |_, _| "fake@1/unavailable".to_owned(),
        };
        let outcome = run(&plan);
        assert_measured(&outcome, "tables");
        assert_ne!(cells(&outcome, default)[0].status, Status::Ok);
        assert!(outcome.run.machine.noise_floor.is_some(), "{default}");
        for cell in cells(&outcome, "tables") {
            let figures = cell.figures.as_ref().expect("ok has figures");
            let timed = figures.quanta + figures.dropped;
            assert!(timed >= 6, "three rounds in each of two processes: {timed}");
        }
    }
}

fn sealed_messages_are_opened() {
    let mut plan = plan(&["good", "copies"]);
    plan.tasks = vec![gcm()];
    let outcome = run(&plan);
    for trick in ["good", "copies"] {
        assert_measured(&outcome, trick);
        for cell in cells(&outcome, trick) {
            let task = (&*cell.algorithm, &*cell.operation, &*cell.contract, cell.aad);
            assert_eq!(task, ("AES-128-GCM", "open", "new-iv/1", 13));
            assert!(!cell.in_place, "what was opened must stay sealed");
            let reason = cell.reason.as_deref().unwrap_or_default();
            let says = reason.starts_with("the figure includes a copy of each message, ");
            assert_eq!(says, trick == "copies", "{reason}");
        }
    }
}

fn messages_too_long_for_one() {
    let mut plan = plan(&["good", "short"]);
    plan.tasks = vec![gcm()];
    plan.lengths = vec![16, 1 << 20];
    plan.seconds = 0.05;
    let outcome = run(&plan);
    assert_measured(&outcome, "good");
    let [cell] = *cells(&outcome, "short") else {
        panic!("{:?}", outcome.run.cells);
    };
    assert_eq!((cell.status, cell.length), (Status::Ok, 16), "{cell:?}");
    let note = "AES-128-GCM takes no messages of 1048576 bytes with fake@1/short.";
    assert!(
        outcome.notes.iter().any(|found| found == note),
        "{:?}",
        outcome.notes
    );
    plan.aad = Some(70_000);
    plan.lengths = vec![16];
    let note =
        "AES-128-GCM takes no messages of 16 bytes and 70000 bytes of additional data with fake@1/short.";
    let notes = run(&plan).notes;
    assert!(notes.iter().any(|found| found == note), "{notes:?}");
}

fn what_was_timed_is_looked_at() {
    let failed = |plan: &Plan, trick: &str| {
        let outcome = run(plan);
        for cell in cells(&outcome, "good") {
            assert_eq!(cell.status, Status::Ok, "{cell:?}");
        }
        let reasons: Vec<String> = cells(&outcome, trick)
            .into_iter()
            .map(|cell| {
                assert_eq!((cell.status, cell.chosen), (Status::Failed, false), "{cell:?}");
                cell.reason.clone().expect("it says why")
            })
            .collect();
        reasons
    };
    let tired = failed(&plan(&["good,tires"]), "tires");
    assert_eq!(tired.len(), 2, "nobody knows since when it was wrong");
    for reason in tired {
        let start = "right before timing, wrong after it: fake@1/tires: AES-128-CTR encrypt, stream/1, 16";
        assert!(
            reason.starts_with(start) && reason.contains(" as they were timed: byte "),
            "{reason}"
        );
    }
    for task in [gcm(), Task::usual(gcm().algorithm)] {
        let plan = Plan {
            tasks: vec![task],
            ..plan(&["good,knows-nonces"])
        };
        for reason in failed(&plan, "knows-nonces") {
            assert!(reason.contains(" 16 bytes as they were timed: "), "{reason}");
        }
    }
    for threads in [1, 2] {
        let plan = Plan {
            tasks: vec![Task::usual(gcm().algorithm)],
            lengths: vec![LONG + 4096],
            teams: vec![Team::Each(threads)],
            ..plan(&["good,long-at-times"])
        };
        for reason in failed(&plan, "long-at-times") {
            assert!(
                reason.contains(" 1052672 bytes as they were timed: byte 1048576 is "),
                "{reason}"
            );
        }
    }
}

fn a_length_that_one_refuses() {
    let plan = Plan {
        lengths: vec![16, CHOSEN],
        ..plan(&["good,choosy"])
    };
    let outcome = run(&plan);
    assert_measured(&outcome, "good");
    for cell in cells(&outcome, "choosy") {
        match cell.length {
            16 => assert_eq!(cell.status, Status::Ok, "{cell:?}"),
            _ => assert_eq!(
                cell.reason.as_deref(),
                Some("not this one, on 12288 bytes"),
                "{cell:?}"
            ),
        }
    }
}

fn several_threads_at_once() {
    let plan = Plan {
        teams: vec![Team::ALONE, Team::Each(3)],
        ..plan(&["good,faults,panics", "buffer-to-buffer"])
    };
    let outcome = run(&plan);
    // Nobody waits for a thread that is no more.
    for cell in cells(&outcome, "panics") {
        let reason = cell.reason.as_deref().expect("a failure has a reason");
        assert!(
            reason.starts_with("exited with status 101: out of cheese"),
            "{cell:?}"
        );
    }
    for trick in ["good", "buffer-to-buffer"] {
        for cell in cells(&outcome, trick) {
            assert!(matches!((cell.threads, cell.workers), (1 | 3, 0)), "{cell:?}");
            assert!(cell.figures.is_some(), "{cell:?}");
        }
        assert_eq!(cells(&outcome, trick).len(), 4);
    }
    let faults = cells(&outcome, "faults").into_iter();
    let short: Vec<Status> = faults
        .filter(|cell| cell.length == 16)
        .map(|cell| cell.status)
        .collect();
    assert_eq!(short, [Status::Failed; 2]);
    let chosen = outcome.run.cells.iter().filter(|cell| cell.chosen);
    assert!(chosen.into_iter().all(|cell| cell.threads == 1));
    let about_cores = [
        "3 threads had a core each.",
        "3 threads shared ",
        "The system does not say whether processors share a core.",
    ];
    let mut notes = outcome.notes.iter();
    assert!(
        notes.any(|note| about_cores.iter().any(|told| note.contains(told))),
        "{:?}",
        outcome.notes
    );
}

fn workers_that_help() {
    let plan = Plan {
        teams: vec![Team::ALONE, Team::Helped(1)],
        hashed: true,
        // A quantum holds so many calls that what is made ahead is in balance: of 16 bytes it takes a quarter of a second,
        // which is seldom left alone.
        lengths: vec![1024, 16384],
        // Enough for some that nothing disturbed, on a busy machine too.
        seconds: 0.05,
        ..plan(&["good,helped"])
    };
    let is_looked_at = (0..5).any(|_| has_gains_unless_disturbed(&plan));
    if !is_looked_at {
        println!("left out, which gains there are: other work took the processor away each time");
    }
}

/// Whether it was not disturbed: what the system disturbed is no ground for a choice.
fn has_gains_unless_disturbed(plan: &Plan) -> bool {
    let outcome = run(plan);
    assert!(cells(&outcome, "good").iter().all(|cell| cell.threads == 1));
    let helped = cells(&outcome, "helped");
    let threads: Vec<_> = helped
        .iter()
        .map(|cell| (cell.threads, cell.workers, cell.figures.is_some()))
        .collect();
    assert_eq!(threads, [(1, 0, true), (2, 1, true)].repeat(2));
    assert!(helped.iter().all(|cell| cell.contract == "stream-sha256/1"));
    let gains: Vec<_> = outcome
        .gains
        .iter()
        .map(|gain| (&*gain.implementation, gain.length, gain.workers))
        .collect();
    let expected = [("fake@1/helped", 1024, 1), ("fake@1/helped", 16384, 1)];
    assert!(gains.iter().all(|gain| expected.contains(gain)), "{gains:?}");
    assert!(outcome.gains.iter().all(|gain| gain.times.low > 0.0));
    let is_disturbed = outcome.notes.iter().any(|note| note.contains("(quanta)"));
    assert!(is_disturbed || gains == expected, "{gains:?}");
    !is_disturbed
}

/// Looks at the workers after each step.
#[derive(Default)]
struct Counting {
    most: usize,
    most_memory: u64,
}

impl Observer for Counting {
    fn planned(&mut self, _: u64) {}

    fn advanced(&mut self, _: u64, _: &str) {
        let workers = children();
        self.most = self.most.max(workers.len());
        self.most_memory = self
            .most_memory
            .max(workers.iter().map(|&pid| proportional_memory(pid)).sum());
    }
}

fn counted(plan: &Plan) -> Counting {
    let mut counting = Counting::default();
    let outcome =
        measure(plan, &launcher(), &mut counting, &AtomicBool::new(false)).expect("it can be measured");
    let cells = &outcome.run.cells;
    assert!(cells.iter().all(|cell| cell.status == Status::Ok), "{cells:?}");
    counting
}

fn children() -> Vec<u32> {
    let is_child = |&pid: &u32| {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let parent = stat
            .rsplit_once(") ")
            .and_then(|(_, rest)| rest.split(' ').nth(1));
        parent.is_some_and(|parent| parent == process::id().to_string())
    };
    let processes = fs::read_dir("/proc").expect("there is /proc").flatten();
    let pids = processes.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter(is_child).collect()
}

/// In bytes, with a part of what several processes share.
fn proportional_memory(pid: u32) -> u64 {
    let maps = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).unwrap_or_default();
    let line = maps.lines().find_map(|line| line.strip_prefix("Pss:"));
    let kib = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok());
    1024 * kib.expect("the system tells it")
}

fn long_messages_take_memory_once() {
    const LENGTH: u64 = 16 << 20;
    let mut plan = plan(&["good", "other", "buffer-to-buffer", "third", "fourth", "fifth"]);
    plan.lengths = vec![LENGTH as usize];
    plan.processes = 1;
    let counted = counted(&plan);
    assert_eq!(counted.most, 7);
    let (taken, once) = (counted.most_memory, 2 * LENGTH);
    // Input and output, and 8 MiB for each worker's own.
    assert!((once..once + 7 * (8 << 20)).contains(&taken), "{taken} bytes");
}

fn who_has_nothing_to_do_leaves() {
    let mut plan = plan(&["good", "other", "third"]);
    plan.implementations = Which::Named(vec!["other".to_owned()]);
    // Beside the one that is asked for, the machine's limits have a worker.
    assert_eq!(counted(&plan).most, 2);
}

fn each_way_to_fail() {
    let tricks = [
        ("wrong", ""),
        ("wears-out", "right before timing, wrong after it: "),
        (
            "crashes-in-the-gate",
            "crashed (SIGFPE), checking AES-128-CTR encrypt, stream/1",
        ),
        (
            "crashes",
            "crashed (SIGILL), timing AES-128-CTR encrypt, stream/1 on ",
        ),
        (
            "hangs",
            "no answer in 2s, timing AES-128-CTR encrypt, stream/1 on ",
        ),
        (
            "exits",
            "exited with status 3, timing AES-128-CTR encrypt, stream/1 on ",
        ),
        (
            "panics",
            "exited with status 101: out of cheese, timing AES-128-CTR encrypt, stream/1 on ",
        ),
        ("faults", "EVP_EncryptUpdate failed, on 16 bytes"),
    ];
    let one_library = tricks.map(|(trick, _)| trick).join(",");
    let outcome = run(&plan(&[&format!("good,{one_library},last"), "other"]));
    for trick in ["good", "last", "other"] {
        assert_measured(&outcome, trick);
    }
    for (trick, reason) in tricks {
        // A call that fails costs the cell that it is of, and a long one has few.
        let lost = |cell: &&Cell| trick != "faults" || cell.length == 16;
        let lost: Vec<&Cell> = cells(&outcome, trick).into_iter().filter(lost).collect();
        assert_eq!(lost.len(), if trick == "faults" { 1 } else { 2 }, "{trick}");
        for cell in lost {
            assert_eq!(cell.status, Status::Failed, "{cell:?}");
            let given = cell.reason.as_deref().expect("a failure has a reason");
            assert!(given.starts_with(reason), "{trick}: {given}");
            assert!(cell.figures.is_none() && !cell.chosen);
        }
    }
}

fn what_prints_is_measured() {
    let outcome = run(&plan(&["good,prints", "prints-on-load"]));
    for trick in ["good", "prints", "prints-on-load"] {
        assert_measured(&outcome, trick);
    }
}

/// What is named and cannot be loaded keeps nothing else from being measured.
fn named_and_not_loaded() {
    let named = |names: &[&str]| Plan {
        implementations: Which::Named(names.iter().map(|&name| name.to_owned()).collect()),
        ..plan(&["good", "refuses"])
    };
    let outcome = run(&named(&["fake@1/good", "openssl"]));
    assert_measured(&outcome, "good");
    let skipped = |cell: &&Cell| cell.implementation == "refuses" && cell.status == Status::Skipped;
    assert_eq!(outcome.run.cells.iter().filter(skipped).count(), 2);
    assert!(
        !outcome.notes.iter().any(|note| note.contains("openssl")),
        "{:?}",
        outcome.notes
    );
    for (names, unknown) in [
        (&["openssl"][..], "openssl"),
        (&["fake@1/good", "openssl", "nettle"], "nettle"),
    ] {
        let stop = AtomicBool::new(false);
        let error = measure(&named(names), &launcher(), &mut Counted::default(), &stop)
            .map(|_| "an outcome")
            .expect_err("what it names is not there");
        assert!(
            matches!(&error, Error::UnknownImplementations { unknown: those, .. } if *those == [unknown]),
            "{error}"
        );
    }
}

fn sources_that_do_not_load() {
    let sources = [
        ("refuses", "libfake.so: no AES in this build"),
        ("crashes-on-load", "crashed (SIGABRT)"),
        ("hangs-on-load", "no answer in 2s"),
        (
            "exits-on-load",
            "exited with status 127: libfake.so: undefined symbol: frob",
        ),
    ];
    let mut names = vec!["good"];
    names.extend(sources.map(|(name, _)| name));
    let outcome = run(&plan(&names));
    assert_measured(&outcome, "good");
    for (name, reason) in sources {
        // What the catalog refuses says itself what to do.
        let reason = match name {
            "refuses" => reason.to_owned(),
            _ => format!("{reason}; install the package again that {name} is of"),
        };
        let here: Vec<&Cell> = outcome
            .run
            .cells
            .iter()
            .filter(|cell| cell.implementation == name)
            .collect();
        assert_eq!(here.len(), 2, "one for each length");
        for cell in here {
            assert_eq!(cell.status, Status::Skipped);
            assert_eq!(cell.reason.as_ref(), Some(&reason));
        }
        let of_it = |found: &&Found| found.source == Source::System(name.to_owned());
        let found = outcome.found.iter().find(of_it).expect("each source is told");
        assert_eq!(found.implementations.as_ref().err(), Some(&reason));
    }
    let none = measure(
        &plan(&["refuses"]),
        &launcher(),
        &mut Counted::default(),
        &AtomicBool::new(false),
    );
    let reason = "refuses: libfake.so: no AES in this build".to_owned();
    assert_eq!(none.err(), Some(Error::NothingLoaded(vec![reason])));
}

/// Stops the session as soon as it has timed one cell, and counts what is checked afterwards.
struct Stopper<'a>(&'a AtomicBool, u32);

impl Observer for Stopper<'_> {
    fn planned(&mut self, _: u64) {}

    fn advanced(&mut self, _: u64, now: &str) {
        if now.ends_with("bytes") {
            self.0.store(true, Ordering::Relaxed);
        }
        if now.starts_with("checking") && self.0.load(Ordering::Relaxed) {
            self.1 += 1;
        }
    }
}

fn stopping_early() {
    let stop = AtomicBool::new(false);
    let mut observer = Stopper(&stop, 0);
    let mut plan = plan(&["good,tables"]);
    plan.tasks.push(gcm());
    let outcome = measure(&plan, &launcher(), &mut observer, &stop).expect("a stopped session has results");
    assert_eq!(observer.1, 2, "what was timed, and nothing else");
    assert_eq!(
        outcome.run.cells.len(),
        2,
        "one length was finished, and both are in it"
    );
    assert!(outcome.run.cells.iter().all(|cell| cell.status == Status::Ok));
    assert_eq!(outcome.choices.len(), 1);
    assert!(outcome.notes.iter().any(|note| note.contains("stopped")));
}

/// Stops the session as soon as it says that it has more to do than it thought.
struct StopAtMore<'a>(&'a AtomicBool, u32);

impl Observer for StopAtMore<'_> {
    fn planned(&mut self, _: u64) {
        self.1 += 1;
        self.0.store(self.1 == 2, Ordering::Relaxed);
    }

    fn advanced(&mut self, _: u64, _: &str) {}
}

/// A single process is never enough, so there is more to do if there is time for it; and what is far behind has a rate too.
fn until_stable() {
    for (limit, planned) in [(Duration::ZERO, 1), (Duration::from_secs(3600), 2)] {
        let stop = AtomicBool::new(false);
        let mut observer = StopAtMore(&stop, 0);
        let plan = Plan {
            processes: 1,
            until_stable: Some(limit),
            lengths: vec![16],
            ..plan(&["good,slow"])
        };
        // The gate makes thousands of calls, and where timers are coarse each of the slow one's takes many times what it asks.
        let patient = Launcher {
            patience: Duration::from_secs(20),
            ..launcher()
        };
        let outcome = measure(&plan, &patient, &mut observer, &stop).expect("the plan can be carried out");
        assert_eq!(observer.1, planned);
        // The second session is stopped, which it says instead.
        let ran_out = "The time ran out: 2 of 2 rates are not known to one per cent (--intervals shows how well each is): \
                       fake@1/good on AES-128-CTR, fake@1/slow on AES-128-CTR.";
        let says_so = outcome.notes.iter().any(|note| note == ran_out);
        assert_eq!(says_so, planned == 1, "{:?}", outcome.notes);
    }
}

fn stopping_at_once() {
    let stop = AtomicBool::new(true);
    let outcome = measure(&plan(&["good"]), &launcher(), &mut Counted::default(), &stop)
        .expect("a stopped session has results");
    assert!(outcome.run.cells.is_empty() && outcome.choices.is_empty());
    assert_eq!(
        outcome.run.machine.noise_floor, None,
        "nothing told anything apart"
    );
}

/// Nobody waits for it until it is given up, and it counts for no loss.
fn stopping_what_hangs_in_loading() {
    let stop = AtomicBool::new(false);
    let mut plan = plan(&["good", "hangs-on-load", "refuses"]);
    plan.implementations = Which::Named(vec!["fake@1/never-loaded".to_owned()]);
    let outcome = thread::scope(|scope| {
        scope.spawn(|| {
            thread::sleep(Duration::from_millis(300));
            stop.store(true, Ordering::Relaxed);
        });
        let patient = Launcher {
            patience: Duration::from_secs(20),
            ..launcher()
        };
        measure(&plan, &patient, &mut Counted::default(), &stop).expect("a stopped session has results")
    });
    assert!(outcome.run.cells.is_empty());
    let lost = outcome
        .found
        .iter()
        .filter(|found| found.implementations.is_err());
    assert_eq!(lost.count(), 0, "{:?}", outcome.found);
    assert!(outcome.notes.iter().any(|note| note.contains("stopped")));
}

/// Says when something was checked.
struct Checked(mpsc::Sender<()>);

impl Observer for Checked {
    fn planned(&mut self, _: u64) {}

    fn advanced(&mut self, _: u64, now: &str) {
        if now.starts_with("checking") {
            // Nobody listens any more.
            let _ = self.0.send(());
        }
    }
}

/// As in loading: a gibibyte takes seconds, and there are as many as there are implementations.
fn stopping_what_takes_long_to_warm_up() {
    let stop = AtomicBool::new(false);
    let (sender, checked) = mpsc::channel();
    let outcome = thread::scope(|scope| {
        scope.spawn(|| {
            let both = checked.into_iter().take(2).count();
            assert_eq!(both, 2, "they are checked before they are timed");
            thread::sleep(Duration::from_millis(300));
            stop.store(true, Ordering::Relaxed);
        });
        // Who does not look whether it was stopped waits as long as it dawdles.
        let patient = Launcher {
            patience: Duration::from_secs(3600),
            ..launcher()
        };
        let plan = Plan {
            lengths: vec![CHOSEN],
            ..plan(&["good,dawdles"])
        };
        measure(&plan, &patient, &mut Checked(sender), &stop).expect("a stopped session has results")
    });
    assert!(outcome.run.cells.is_empty(), "{:?}", outcome.run.cells);
}

fn unknown_names() {
    let mut plan = plan(&["good,tables"]);
    for name in ["fake@1/tables", "tables"] {
        plan.implementations = Which::Named(vec![name.to_owned()]);
        let outcome = run(&plan);
        assert!(
            outcome
                .run
                .cells
                .iter()
                .all(|cell| cell.implementation == "fake@1/tables")
        );
        assert!(outcome.choices.is_empty(), "nothing here may be chosen");
    }

    plan.implementations = Which::Named(vec!["fake@1/good".to_owned(), "fake@1/goood".to_owned()]);
    let error = measure(
        &plan,
        &launcher(),
        &mut Counted::default(),
        &AtomicBool::new(false),
    )
    .map(|_| "an outcome")
    .expect_err("there is no such implementation");
    assert_eq!(
        error.to_string(),
        "unknown implementation 'fake@1/goood'; near are fake@1/good, fake/good, fake@1; `ciphertune list` shows all names"
    );
}

fn plans_that_cannot_be() {
    let spoil: [fn(&mut Plan); 9] = [
        |plan| plan.tasks.clear(),
        |plan| plan.lengths.clear(),
        |plan| plan.lengths.push(0),
        |plan| plan.sources.clear(),
        |plan| plan.processes = 0,
        |plan| plan.seconds = f64::NAN,
        |plan| plan.teams.clear(),
        |plan| plan.teams.push(Team::Each(0)),
        |plan| (plan.hashed, plan.tasks) = (true, vec![gcm()]),
    ];
    for spoil in spoil {
        let mut plan = plan(&["good"]);
        spoil(&mut plan);
        let stop = AtomicBool::new(false);
        let result = measure(&plan, &launcher(), &mut Counted::default(), &stop);
        assert!(matches!(result, Err(Error::Plan(_))));
    }
}

fn lengths_that_nothing_takes() {
    let refused = |names: &[&str], length| {
        let plan = Plan {
            tasks: names
                .iter()
                .map(|name| Task::usual(name.parse().expect("it is known")))
                .collect(),
            lengths: vec![length],
            ..plan(&["good"])
        };
        let stop = AtomicBool::new(false);
        let result = measure(&plan, &launcher(), &mut Counted::default(), &stop);
        result.map(|_| "an outcome").expect_err("no message").to_string()
    };
    assert_eq!(
        refused(&["DES-CBC", "AES-128-CBC", "AES-256-CBC"], 1350),
        "no message of 1350 bytes can be had: DES-CBC takes multiples of 8 bytes; AES-128-CBC, AES-256-CBC take \
         multiples of 16 bytes; name such a length, as 1344"
    );
    assert_eq!(
        refused(
            &[
                "AES-128-CBC",
                "AES-192-CBC",
                "AES-256-CBC",
                "AES-128-ECB",
                "AES-192-ECB"
            ],
            100
        ),
        "no message of 100 bytes can be had: AES-128-CBC, AES-192-CBC, AES-256-CBC and 2 more take multiples of 16 bytes; \
         name such a length, as 96"
    );
    assert_eq!(
        refused(&["AES-128-XTS"], 1),
        "no message of 1 byte can be had: AES-128-XTS takes 16 bytes at least; name such a length, as 16"
    );
    assert_eq!(
        refused(&["AES-128-XTS"], 20 << 20),
        "no message of 20971520 bytes can be had: AES-128-XTS takes 16 bytes at least, up to 16777216; name such a length, \
         as 16777216"
    );
    // Of any length below, be it a byte.
    assert_eq!(
        refused(&["AES-128-CCM"], 20 << 20),
        "no message of 20971520 bytes can be had: AES-128-CCM takes up to 16777215 bytes; name such a length, as 16777215"
    );
    assert_eq!(
        refused(&["AES-128-CBC-HMAC-SHA1-ESP"], 1 << 20),
        "no message of 1048576 bytes can be had: AES-128-CBC-HMAC-SHA1-ESP takes multiples of 16 bytes up to 65024; \
         name such a length, as 65024"
    );
}

fn named_without_anything_that_workers_help() {
    let plan = Plan {
        teams: vec![Team::ALONE, Team::Helped(1)],
        implementations: Which::Named(vec!["good".to_owned()]),
        ..plan(&["good,helped"])
    };
    let stop = AtomicBool::new(false);
    let error = measure(&plan, &launcher(), &mut Counted::default(), &stop)
        .map(|_| "an outcome")
        .expect_err("nothing to help");
    assert_eq!(
        error.to_string(),
        "workers can help none of fake@1/good; name implementations of Ciphertune's own, which `ciphertune list` shows"
    );
}

fn named_without_anything_to_do() {
    let mut plan = plan(&["good,unavailable", "broken-off", "refuses"]);
    plan.tasks = vec![Task::usual("SHA2-256".parse().expect("it is known"))];
    plan.implementations = Which::Named(vec!["good".to_owned(), "unavailable".to_owned()]);
    let stop = AtomicBool::new(false);
    let error = measure(&plan, &launcher(), &mut Counted::default(), &stop)
        .map(|_| "an outcome")
        .expect_err("they have no digest");
    assert_eq!(
        error.to_string(),
        "there is nothing to measure: fake@1/good does not have SHA2-256; fake@1/unavailable cannot run: needs vaes; \
         refuses: libfake.so: no AES in this build; `ciphertune list` shows what can run"
    );
}

fn what_nobody_has() {
    let alone = plan(&["good,tables"]);
    let both = Plan {
        tasks: vec![ctr(), Task::usual("AES-128-OCB".parse().expect("it is known"))],
        ..alone.clone()
    };
    let named = |names: &[&str]| Which::Named(names.iter().map(|&name| name.to_owned()).collect());
    for (implementations, told) in [
        (Which::All, "nothing here has AES-128-OCB."),
        (named(&["good"]), "good does not have AES-128-OCB."),
        (
            named(&["good", "tables"]),
            "none of good, tables has AES-128-OCB.",
        ),
    ] {
        let of = |plan: &Plan| Plan {
            implementations: implementations.clone(),
            ..plan.clone()
        };
        let steps_and_notes = |plan: &Plan| {
            let (mut observer, stop) = (Counted::default(), AtomicBool::new(false));
            let outcome = measure(&of(plan), &launcher(), &mut observer, &stop).expect("one can be measured");
            (observer.planned, outcome.notes)
        };
        let (steps, notes) = steps_and_notes(&both);
        let about_it = notes.iter().filter(|note| note.contains("AES-128-OCB"));
        assert_eq!(Vec::from_iter(about_it), [told]);
        // Not even the machine's limits are timed for it.
        assert_eq!(steps, steps_and_notes(&alone).0);
    }
}

fn finding() {
    let sources = [
        Source::System("good,tables".to_owned()),
        Source::Libcrypto(PathBuf::from("/no/such.so")),
    ];
    let found = find(&sources, &launcher());
    assert_eq!(found.len(), 2);
    assert_eq!(found[0].source, sources[0]);
    let ids: Vec<String> = found[0]
        .implementations
        .clone()
        .expect("it loads")
        .into_iter()
        .map(|description| description.id)
        .collect();
    assert_eq!(ids, ["fake@1/good", "fake@1/tables"]);
    assert_eq!(found[1].implementations, Err("only fakes here".to_owned()));
}

fn two_of_one_name() {
    let outcome = run(&plan(&["good,other", "good"]));
    for trick in ["good", "good#2", "other"] {
        assert_measured(&outcome, trick);
    }
    let libraries = outcome.run.machine.libraries.iter();
    let libraries: Vec<(&str, &str)> = libraries
        .map(|one| (&*one.implementation, &*one.origin))
        .collect();
    assert_eq!(
        libraries,
        [
            ("fake@1/good", "a test of good,other"),
            ("fake@1/other", "a test of good,other"),
            ("fake@1/good#2", "a test of good")
        ]
    );
    let one = &outcome.run.machine.libraries[0];
    let told = (
        one.version.as_deref(),
        one.goes_by.as_deref(),
        one.build.as_deref(),
    );
    assert_eq!(told, (Some("1"), Some("tricks"), None));
    // Of one file it is one.
    let outcome = run(&plan(&["good,other", "good,other"]));
    assert_eq!(outcome.run.cells.len(), 4, "{:?}", outcome.run.cells);
    assert_eq!(outcome.run.machine.libraries.len(), 2);
}
