use std::{env, error::Error, sync::atomic::AtomicBool};

use ciphertune::{Selection, wisdom::WisdomError};
use ciphertune_catalog::{Algorithm, Mask, PeerLibrary, Source, Task};
use ciphertune_measure::{Demand, Launcher, Observer, Outcome, Plan, Team, Which, measure};
use ciphertune_report::units::significant;
use ciphertune_results::{Cell, Interval};

use crate::aims::Peer;

/// All that was measured, group by group.
#[derive(Default)]
pub struct Measured(Vec<Outcome>);

/// The tasks of these names.
pub fn tasks(names: &[&str]) -> Result<Vec<Task>, String> {
    let all: Vec<Task> = Algorithm::all().flat_map(Task::all).collect();
    let named = |name: &&str| {
        let task = all.iter().find(|task| task.to_string() == **name);
        task.copied().ok_or_else(|| format!("there is no task '{name}'"))
    };
    names.iter().map(named).collect()
}

/// Ours; AWS-LC, OpenSSL, libgcrypt and ipsec-mb; and where they are compared without AES instructions, OpenSSL so.
fn sources(without_aes: bool) -> Vec<Source> {
    let is_wanted = |source: &Source| match source {
        Source::Builtin | Source::System(_) => true,
        Source::Peer { library, .. } => matches!(library, PeerLibrary::Libgcrypt | PeerLibrary::IpsecMb),
        _ => false,
    };
    let mut all: Vec<Source> = Source::defaults().into_iter().filter(is_wanted).collect();
    if without_aes {
        all.retain(|source| matches!(source, Source::Builtin | Source::System(_)));
        let masked = all.iter().flat_map(Source::masked).collect::<Vec<_>>();
        all.extend(masked.into_iter().filter(
            |source| matches!(source, Source::Masked { mask: Mask::NoAes, source } if **source != Source::Builtin),
        ));
    }
    all
}

/// What serves without wisdom. Beyond counter mode what is made ahead is no other code.
fn default_for(task: Task, length: usize) -> String {
    let (algorithm, operation) = (task.algorithm.name(), task.operation.name());
    let implementation = Selection::estimated(WisdomError::NoPlace)
        .implementation(algorithm, operation, length)
        .expect("every task of the bench is of a mode that the library has");
    let name = match task.algorithm.aes_mode() {
        Some("CTR") => implementation.name(),
        _ => implementation.name().trim_end_matches("-r2"),
    };
    format!("ciphertune/{name}")
}

impl Measured {
    /// Measures, with a word on standard error as it goes.
    pub fn add(
        &mut self,
        tasks: Vec<Task>,
        lengths: Vec<usize>,
        without_aes: bool,
    ) -> Result<(), Box<dyn Error>> {
        let plan = Plan {
            hashed: false,
            teams: vec![Team::ALONE],
            tasks,
            aad: Some(0),
            lengths,
            cut: false,
            implementations: Which::All,
            sources: sources(without_aes),
            seconds: 0.05,
            processes: 5,
            until_stable: None,
            confidence: 0.95,
            seed: 2007,
            default_for,
        };
        let launcher = Launcher::new(env::current_exe()?, ["worker"]);
        self.0
            .push(measure(&plan, &launcher, &mut Quiet, &AtomicBool::new(false))?);
        Ok(())
    }

    pub fn print_machine(&self) {
        let Some(Outcome { run, .. }) = self.0.first() else {
            return;
        };
        let signature = run.machine.cpu_signature.as_deref().unwrap_or("unknown");
        println!("{} ({signature}), {}", run.machine.cpu, run.machine.date);
        let floor = self.0.iter().map(|outcome| outcome.floor).fold(0.0, f64::max);
        println!("noise floor: {} %", significant(100.0 * floor));
    }

    /// Whether the aims in GB/s and ns are for this machine: a Zen 5, which is family 26, of which nothing is hidden.
    pub fn is_reference(&self) -> bool {
        let machine = self.0.first().map(|outcome| &outcome.run.machine);
        let signature = machine.and_then(|machine| machine.cpu_signature.as_deref());
        signature
            .is_some_and(|signature| signature.starts_with("AuthenticAMD 26.") && !signature.contains(" -"))
    }

    fn cells(&self, task: &str, length: u64) -> impl Iterator<Item = &Cell> {
        let cells = self.0.iter().flat_map(|outcome| &outcome.run.cells);
        cells.filter(move |cell| {
            let name = format!("{} {}, {}", cell.algorithm, cell.operation, cell.contract);
            cell.length == length && name == task
        })
    }

    /// What the run chose, in bytes per second.
    pub fn chosen(&self, task: &str, length: u64) -> Option<Interval> {
        self.cells(task, length).filter(|cell| cell.chosen).find_map(rate)
    }

    /// That of the implementation of this id.
    pub fn of(&self, task: &str, length: u64, id: &str) -> Option<Interval> {
        let mut cells = self.cells(task, length);
        cells.find(|cell| cell.implementation == id).and_then(rate)
    }

    /// That of the first library whose id starts so.
    pub fn of_library(&self, task: &str, length: u64, start: &str) -> Option<Interval> {
        let mut cells = self.cells(task, length);
        cells
            .find(|cell| cell.implementation.starts_with(start))
            .and_then(rate)
    }

    /// The peer's name and rate.
    pub fn peer(&self, task: &str, length: u64, peer: Peer) -> Option<(&str, f64)> {
        let rates = self.cells(task, length).filter_map(|cell| {
            let id = cell.implementation.as_str();
            let is_it = match peer {
                Peer::Best => {
                    !id.starts_with("ciphertune/") && !id.starts_with("tor2007/") && Mask::of_id(id).is_none()
                }
                Peer::OpenSsl => id.starts_with("openssl@") && Mask::of_id(id).is_none(),
                Peer::WithoutAes => id.starts_with("openssl@") && id.ends_with("/no-aes"),
                Peer::IpsecMb => id.starts_with("ipsec-mb@"),
            };
            is_it.then_some(())?;
            Some((id, rate(cell)?.median))
        });
        match peer {
            // The system's is the oldest where there are two.
            Peer::OpenSsl => rates.min_by_key(|(id, _)| *id),
            _ => rates.max_by(|(_, one), (_, other)| one.total_cmp(other)),
        }
    }

    /// What the ports allow at most, in bytes per second: rounds of AES and, of GCM, products beside them.
    pub fn bound(&self, task: &str) -> Option<f64> {
        let algorithm: Algorithm = task.split_once(' ')?.0.parse().ok()?;
        let products = self.limit("carry-less-multiplications", None);
        let alone = Demand::of(algorithm)?.most(self.limit("aes-rounds", None)?, products)?;
        let blocks = format!("{}-blocks", algorithm.name().to_lowercase());
        Some(
            self.limit(&blocks, None)
                .map_or(alone, |blocks| blocks.min(alone)),
        )
    }

    /// Reading, xoring and writing so many bytes.
    pub fn memory(&self, length: u64) -> Option<f64> {
        self.limit("read-xor-write", Some(length))
    }

    /// The machine's limit of that name at its widest, in bytes per second.
    fn limit(&self, name: &str, length: Option<u64>) -> Option<f64> {
        let bounds = self.0.iter().flat_map(|outcome| &outcome.run.bounds);
        let bounds = bounds.filter(|bound| bound.name == name && bound.length == length);
        let widest = bounds.max_by_key(|bound| bound.width)?;
        Some(widest.bytes_per_second.median)
    }

    /// Nanoseconds a message against what a straight line between its neighbours says.
    pub fn against_neighbours(&self, task: &str, length: u64) -> Option<f64> {
        let cost = |length: u64| Some(length as f64 / self.chosen(task, length)?.median);
        let (below, above) = (length / 64 * 64, length.next_multiple_of(64));
        let way = (length - below) as f64 / (above - below) as f64;
        Some(cost(length)? / (cost(below)? * (1.0 - way) + cost(above)? * way))
    }
}

fn rate(cell: &Cell) -> Option<Interval> {
    Some(cell.figures.as_ref()?.bytes_per_second)
}

struct Quiet;

impl Observer for Quiet {
    fn planned(&mut self, steps: u64) {
        eprintln!("measuring, {steps} steps");
    }

    fn advanced(&mut self, _: u64, _: &str) {}
}
