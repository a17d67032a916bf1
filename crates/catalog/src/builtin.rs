use ciphertune_testkit::{Fault, Task};

use crate::{
    Description, Implementation, Timed, aws_lc, implementation::check_request, ours, rustcrypto, tor2007,
};

/// Every implementation that is linked into this program, in the order in which tables show them.
pub(crate) fn all() -> Vec<Box<dyn Implementation>> {
    let mut all = ours::all();
    #[cfg(feature = "broken")]
    all.push(crate::broken::implementation());
    all.extend(rustcrypto::all());
    all.push(aws_lc::implementation());
    all.extend(tor2007::all());
    all
}

/// An implementation that is linked in: what is known of it, and how it makes a context for one of its tasks from a key
/// and an IV of the right lengths.
pub(crate) struct BuiltIn<F> {
    pub(crate) description: Description,
    pub(crate) tasks: Vec<Task>,
    pub(crate) context: F,
}

impl<F> Implementation for BuiltIn<F>
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
