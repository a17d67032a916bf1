use ciphertune_testkit::{Fault, Task};
use serde::{Deserialize, Serialize};

use crate::Timed;

/// What is known of an implementation without running it. It travels from the worker process that
/// loaded the library to the one that shows or times it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Description {
    /// `library@version/variant`, as in `openssl@3.0.19/default`; Ciphertune's own carry no version, as
    /// in `ciphertune/vaes512`.
    pub id: String,
    /// Where the code comes from: the path of the library really loaded, or the crate built in.
    pub origin: String,
    /// The version that the loaded code itself reports.
    pub version: String,
    /// Which instructions it goes by, in its own words; `None` where it does not tell.
    pub goes_by: Option<String>,
    /// What made it, as a compiler and its flags, in its own words; `None` where it does not tell.
    pub build: Option<String>,
    /// The CPU features that it needs, by Linux's names; empty where it needs none or finds out itself.
    pub features: Vec<String>,
    /// Whether its time is independent of key and data. Only such an implementation may be chosen. Of a whole library
    /// it speaks for what is in use, such as AES; its DES is not.
    pub constant_time: bool,
    /// Whether the `ciphertune` library can run it, and so whether wisdom may name it.
    pub selectable: bool,
    /// Why it cannot run on this machine, where it cannot.
    pub unavailable: Option<String>,
}

impl Description {
    /// Of a crate that is built in, runs everywhere in constant time, and is there to be compared with.
    pub(crate) fn built_in(id: String, origin: &str, version: &str) -> Self {
        Self {
            id,
            origin: format!("built in: {origin}"),
            version: version.to_owned(),
            goes_by: None,
            build: None,
            features: Vec::new(),
            constant_time: true,
            selectable: false,
            unavailable: None,
        }
    }
}

/// Names that the table of algorithms has not.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Names {
    /// By which [`crate::Source::Named`] finds something, where the library can tell.
    pub measured: Vec<String>,
    /// By which it was asked for something that is there, and that cannot be measured.
    pub unmeasured: Vec<String>,
}

impl Names {
    /// All of several.
    pub fn of_all(several: impl IntoIterator<Item = Self>) -> Self {
        let mut all = Self::default();
        for Self { measured, unmeasured } in several {
            all.measured.extend(measured);
            all.unmeasured.extend(unmeasured);
        }
        all
    }
}

/// One piece of code that computes one or more algorithms.
pub trait Implementation {
    /// What is known of it.
    fn description(&self) -> &Description;

    /// What can be asked of it.
    fn tasks(&self) -> &[Task];

    /// What it has by names that the table of algorithms has not.
    fn names(&self) -> Names {
        Names::default()
    }

    /// A context for one of its tasks, with a key of [`ciphertune_testkit::Algorithm::key_len`] bytes and, for a
    /// stream, an IV of [`ciphertune_testkit::Algorithm::iv_len`] bytes: counter mode's is the first counter block,
    /// big-endian.
    fn context(&self, task: Task, key: &[u8], iv: &[u8]) -> Result<Box<dyn Timed>, Fault>;

    /// Bytes of the longest message that it takes for a task, with what is authenticated besides.
    fn longest(&self, task: Task) -> usize {
        let _ = task;
        usize::MAX
    }

    /// Whether it has threads of its own to help it with a task.
    fn has_workers(&self, task: Task) -> bool {
        let _ = task;
        false
    }

    /// As [`Implementation::context`], and from its first byte on so many threads of its own help it. Where there is no
    /// processor for them, it does without.
    fn helped(&self, task: Task, key: &[u8], iv: &[u8], workers: usize) -> Result<Box<dyn Timed>, Fault> {
        let _ = (key, iv, workers);
        let id = &self.description().id;
        Err(Fault(format!("{id} has no threads of its own for {task}")))
    }
}

/// An implementation composed of its parts: what is known of it, and how it makes a context for one of its tasks from a
/// key and an IV of the right lengths.
pub(crate) struct Composed<F> {
    pub(crate) description: Description,
    pub(crate) tasks: Vec<Task>,
    pub(crate) context: F,
}

impl<F> Implementation for Composed<F>
where
    F: Fn(Task, &[u8], &[u8]) -> Result<Box<dyn Timed>, Fault>,
{
    fn description(&self) -> &Description {
        &self.description
    }

    fn tasks(&self) -> &[Task] {
        &self.tasks
    }

    fn context(&self, task: Task, key: &[u8], iv: &[u8]) -> Result<Box<dyn Timed>, Fault> {
        check_request(self, task, key, iv)?;
        (self.context)(task, key, iv)
    }
}

/// What an [`Implementation::context`] asks first.
pub(crate) fn check_request(
    implementation: &dyn Implementation,
    task: Task,
    key: &[u8],
    iv: &[u8],
) -> Result<(), Fault> {
    let Task { algorithm, .. } = task;
    let fits = |what, expected: usize, found: usize| match found == expected {
        true => Ok(()),
        false => Err(Fault(format!(
            "the {what} of {algorithm} has {expected} bytes, not {found}"
        ))),
    };
    if !implementation.tasks().contains(&task) {
        let id = &implementation.description().id;
        return Err(Fault(format!("{id} has no {task}")));
    }
    // Public keys' algorithms have keys of many lengths, which whoever reads them checks.
    if !algorithm.is_public_key() {
        fits("key", algorithm.key_len(), key.len())?;
    }
    fits("IV", algorithm.iv_len(), iv.len())
}
