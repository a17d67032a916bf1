//! Ciphertune's own implementations.
use ciphertune_testkit::{Algorithm, Fault, Task};

use crate::{Description, Implementation, Timed, implementation::Composed, implementation::check_request};

mod each;
mod esp;
mod modes;

/// All of them, those that this processor cannot run among them.
pub(crate) fn all() -> Vec<Box<dyn Implementation>> {
    ciphertune::Implementation::all()
        .iter()
        .map(|&implementation| {
            let alone = alone(implementation);
            Box::new(Ours {
                implementation,
                alone,
            }) as Box<dyn Implementation>
        })
        .chain([esp::implementation()])
        .collect()
}

/// Whether Ciphertune has code of its own for a task, so that there is something to choose.
pub fn is_ours(task: Task) -> bool {
    ciphertune::Implementation::all()
        .iter()
        .any(|&implementation| modes::has(implementation, task))
}

/// One of Ciphertune's own, which differ from others in that threads can help them.
struct Ours<A> {
    implementation: ciphertune::Implementation,
    alone: A,
}

impl<A: Implementation> Implementation for Ours<A> {
    fn description(&self) -> &Description {
        self.alone.description()
    }

    fn tasks(&self) -> &[Task] {
        self.alone.tasks()
    }

    fn context(&self, task: Task, key: &[u8], iv: &[u8]) -> Result<Box<dyn Timed>, Fault> {
        self.alone.context(task, key, iv)
    }

    fn has_workers(&self, task: Task) -> bool {
        modes::has_workers(task)
    }

    fn helped(&self, task: Task, key: &[u8], iv: &[u8], workers: usize) -> Result<Box<dyn Timed>, Fault> {
        check_request(self, task, key, iv)?;
        modes::helped(self.implementation, task, key, iv, workers)
    }
}

fn alone(implementation: ciphertune::Implementation) -> impl Implementation {
    Composed {
        description: Description {
            id: format!("ciphertune/{}", implementation.name()),
            origin: "built in: crate ciphertune".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            goes_by: None,
            build: Some(format!("rustc, as build {}", ciphertune::BUILD)),
            features: names(implementation, |_| true).map(str::to_owned).collect(),
            constant_time: true,
            selectable: true,
            unavailable: unavailable(implementation),
        },
        tasks: Algorithm::all()
            .flat_map(Task::all)
            .filter(|&task| modes::has(implementation, task))
            .collect(),
        context: move |task, key: &[u8], iv: &[u8]| modes::context(implementation, task, key, iv),
    }
}

fn unavailable(implementation: ciphertune::Implementation) -> Option<String> {
    let missing: Vec<_> = names(implementation, |feature| !feature.is_there()).collect();
    let hidden: Vec<_> = names(implementation, |feature| {
        feature.is_there() && feature.is_hidden()
    })
    .collect();
    let mut reasons = Vec::new();
    if !missing.is_empty() {
        reasons.push(format!("this processor has no {}", missing.join(", no ")));
    }
    if !hidden.is_empty() {
        reasons.push(format!("CIPHERTUNE_CPU hides {}", hidden.join(", ")));
    }
    (!reasons.is_empty()).then(|| reasons.join(", and "))
}

fn names(
    implementation: ciphertune::Implementation,
    which: impl Fn(ciphertune::Feature) -> bool,
) -> impl Iterator<Item = &'static str> {
    let features = implementation.features().iter().copied();
    features
        .filter(move |&feature| which(feature))
        .map(ciphertune::Feature::name)
}
