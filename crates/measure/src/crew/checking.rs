//! Who is right, before timing and after it: nothing is timed meanwhile, so workers are asked side by side.
use std::{
    cmp::Reverse,
    collections::{BTreeMap, VecDeque},
    sync::atomic::AtomicBool,
};

use ciphertune_catalog::{Algorithm, Task};

use super::{Crew, unexpected};
use crate::{
    process::Lost,
    protocol::{Answer, Check, Request},
};

impl Crew<'_> {
    /// Who is to be checked on what: one task after the other, since what it is compared with is made once for all of a worker.
    pub(crate) fn to_check(&self, tasks: &[Task]) -> Vec<(usize, Task)> {
        let who = 0..self.entrants.len();
        tasks
            .iter()
            .flat_map(|&task| who.clone().map(move |n| (n, task)))
            .filter(|&(n, task)| self.entrants[n].computes(task))
            .collect()
    }

    /// The same in groups, each of which is checked at once.
    pub(crate) fn side_by_side(&self, checks: &[(usize, Task)]) -> Vec<Vec<(usize, Task)>> {
        let by_seat = checks.iter().map(|&(n, task)| (self.entrants[n].seat, (n, task)));
        side_by_side(by_seat, self.terms.processors.len().max(1))
    }

    /// Checks a group of them, those that are still in.
    pub(crate) fn check(&mut self, group: &[(usize, Task)], check: Check, seed: u64) {
        let mut told = Vec::new();
        for &(n, task) in group {
            if self.tell_to_check(n, task, check, seed, told.len()) {
                told.push((n, task));
            }
        }
        for (n, task) in told {
            self.hear_of(n, task, check);
        }
    }

    /// Whether there is an answer to come.
    fn tell_to_check(&mut self, number: usize, task: Task, check: Check, seed: u64, place: usize) -> bool {
        let entrant = &mut self.entrants[number];
        let (seat, implementation) = (entrant.seat, entrant.index);
        if is_disputed(task) {
            let reason = "the libcryptos here do not compute the same by this name, so one of them is wrong";
            entrant.failed.insert(task, reason.to_owned());
        }
        if !entrant.competes(task) {
            return false;
        }
        // A figure that nobody checked afterwards is none: for that even whoever has stopped the session waits.
        let is_there = match check {
            Check::BeforeTiming => self.man(seat),
            Check::AfterTiming => self.man_unless(&AtomicBool::new(false), seat),
        };
        if !is_there {
            return false;
        }
        let request = Request::Check {
            implementation,
            task,
            check,
            seed,
            place,
        };
        let told = self.with(seat, |worker| worker.tell(&request));
        told.map_err(|lost| self.lose(number, task, &lost)).is_ok()
    }

    fn hear_of(&mut self, number: usize, task: Task, check: Check) {
        let answer = self.with(self.entrants[number].seat, |worker| match worker.hear()? {
            Answer::Right => Ok(None),
            Answer::Wrong(case) | Answer::Fault(case) => Ok(Some(case)),
            other => Err(unexpected(&other)),
        });
        match answer {
            Ok(None) => {}
            Ok(Some(case)) => {
                let reason = match check {
                    Check::BeforeTiming => case,
                    Check::AfterTiming => wrong_after(&case),
                };
                self.entrants[number].failed.insert(task, reason);
            }
            Err(lost) => self.lose(number, task, &lost),
        }
    }

    /// A worker was lost over a check: whose it was is out.
    fn lose(&mut self, number: usize, task: Task, Lost(how): &Lost) {
        self.entrants[number].out = Some(format!("{how}, checking {task}"));
    }
}

/// Groups of at most `most`, no two of which are for the same worker: of each worker in this order, and first of those that
/// have most to do.
fn side_by_side<T>(checks: impl Iterator<Item = (usize, T)>, most: usize) -> Vec<Vec<T>> {
    let mut by_worker: BTreeMap<usize, VecDeque<T>> = BTreeMap::new();
    for (worker, check) in checks {
        by_worker.entry(worker).or_default().push_back(check);
    }
    let mut queues: Vec<_> = by_worker.into_values().collect();
    let mut groups = Vec::new();
    while !queues.is_empty() {
        queues.sort_by_key(|queue| Reverse(queue.len()));
        groups.push(
            queues
                .iter_mut()
                .take(most)
                .filter_map(VecDeque::pop_front)
                .collect(),
        );
        queues.retain(|queue| !queue.is_empty());
    }
    groups
}

/// Whether libraries describe what they have by this name differently. Nobody knows which of them is right.
fn is_disputed(task: Task) -> bool {
    task.algorithm.description().is_some() && Algorithm::described_as(task.algorithm.name()).len() > 1
}

pub(super) fn wrong_after(case: &str) -> String {
    format!("right before timing, wrong after it: {case}")
}

#[cfg(test)]
mod tests {
    use super::side_by_side;

    #[test]
    fn groups_have_one_check_of_a_worker_and_the_longest_queues_go_first() {
        let checks = || [(7, "a1"), (3, "b1"), (7, "a2"), (5, "c1"), (7, "a3"), (5, "c2")].into_iter();
        assert_eq!(
            side_by_side(checks(), 2),
            [vec!["a1", "c1"], vec!["a2", "c2"], vec!["a3", "b1"]]
        );
        assert!(side_by_side(checks(), 1).iter().all(|group| group.len() == 1));
        assert_eq!(side_by_side(checks(), 1).len(), checks().count());
        assert_eq!(
            side_by_side(checks(), 16),
            [vec!["a1", "c1", "b1"], vec!["a2", "c2"], vec!["a3"]]
        );
        assert_eq!(side_by_side(checks().take(0), 2), Vec::<Vec<&str>>::new());
    }
}
