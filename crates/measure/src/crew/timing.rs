//! A trial's candidates, timed by the workers in their seats.
use super::{Crew, checking::wrong_after, unexpected};
use crate::{
    process::Lost,
    protocol::{Answer, Batch, Request, Subject, Timed},
    trial::{Candidate, Track, Trial},
};

impl Crew<'_> {
    /// Makes every candidate ready that still takes part. Whoever does not or cannot be is without a slot afterwards; where
    /// the session is stopped meanwhile, nobody is to be timed.
    pub(crate) fn prepare(&mut self, trial: &mut Trial) {
        for seat in 0..self.seats.len() {
            self.prepare_seat(seat, trial);
        }
    }

    /// Begins again after each loss, of which every one puts an implementation out: so it ends.
    fn prepare_seat(&mut self, seat: usize, trial: &mut Trial) {
        while !self.try_to_prepare_seat(seat, trial) {}
    }

    fn try_to_prepare_seat(&mut self, seat: usize, trial: &mut Trial) -> bool {
        let here: Vec<usize> = (0..trial.tracks.len())
            .filter(|&track| self.seat_of(trial.tracks[track].candidate) == seat)
            .collect();
        for &track in &here {
            trial.tracks[track].slot = None;
        }
        let mut slot = 0;
        for track in here {
            let Track {
                candidate,
                is_over,
                ready: before,
                ..
            } = trial.tracks[track];
            if is_over || self.is_stopped() || !self.is_wanted(candidate, trial) || !self.man(seat) {
                continue;
            }
            let request = Request::Prepare {
                slot,
                subject: self.subject(candidate),
                message: trial.message,
                // To get ready takes as long as a part of what is timed.
                before: before
                    .filter(|_| trial.message.task.algorithm.is_public_key())
                    .map(|ready| ready.ticks_per_call / ready.bytes_per_call as f64),
            };
            let stop = self.stop;
            let answer = self.with(seat, |worker| match worker.ask_unless(stop, &request)? {
                Answer::Ready(ready) => Ok(Ok(ready)),
                Answer::Fault(reason) => Ok(Err(reason)),
                other => Err(unexpected(&other)),
            });
            match answer {
                Ok(Ok(ready)) => {
                    trial.tracks[track].slot = Some(slot);
                    trial.tracks[track].ready = Some(ready);
                    slot += 1;
                }
                Ok(Err(reason)) => self.fail(candidate, trial, &reason),
                // It may be as good as any.
                Err(_) if self.is_stopped() => return true,
                Err(lost) => {
                    self.strike(candidate, trial, lost);
                    return false;
                }
            }
        }
        true
    }

    fn is_wanted(&self, candidate: Candidate, trial: &Trial) -> bool {
        match candidate {
            Candidate::Entrant(n, team) | Candidate::Control(n, team) => {
                let entrant = &self.entrants[n];
                entrant.computes(trial.message.task) && entrant.is_sound(trial.message, team)
            }
            // A limit that nothing here works under is not worth its time.
            Candidate::Probe(subject @ (Subject::ReadXorWrite | Subject::Copy)) => {
                let in_place = subject == Subject::ReadXorWrite;
                let works_so = |track: &Track| {
                    track
                        .ready
                        .is_some_and(|ready| ready.in_place == in_place && ready.width.is_none())
                };
                trial.tracks.iter().any(works_so)
            }
            Candidate::Probe(_) => true,
        }
    }

    fn subject(&self, candidate: Candidate) -> Subject {
        match candidate {
            Candidate::Entrant(n, team) | Candidate::Control(n, team) => Subject::Implementation {
                index: self.entrants[n].index,
                team,
            },
            Candidate::Probe(subject) => subject,
        }
    }

    /// Whose worker times a candidate.
    pub(crate) fn seat_of(&self, candidate: Candidate) -> usize {
        match candidate {
            Candidate::Entrant(n, _) | Candidate::Control(n, _) => self.entrants[n].seat,
            Candidate::Probe(_) => self.probe_seat(),
        }
    }

    /// Times a candidate for so many calls after so many warm ones, if it has a slot. One that fails has none afterwards.
    pub(crate) fn time(&mut self, trial: &mut Trial, track: usize, calls: u64, warm: u64) -> Option<Timed> {
        let Track { candidate, slot, .. } = trial.tracks[track];
        let request = Request::Time(Batch {
            slot: slot?,
            calls,
            warm,
        });
        let seat = self.seat_of(candidate);
        let answer = self.with(seat, |worker| match worker.ask(&request)? {
            Answer::Timed(timed) => Ok(Ok(timed)),
            Answer::Fault(reason) => Ok(Err(reason)),
            other => Err(unexpected(&other)),
        });
        match answer {
            Ok(Ok(timed)) => return Some(timed),
            Ok(Err(reason)) => {
                self.fail(candidate, trial, &reason);
                trial.tracks[track].slot = None;
            }
            Err(lost) => {
                self.strike(candidate, trial, lost);
                self.prepare_seat(seat, trial);
            }
        }
        None
    }

    /// Looks whether what was timed still does its work. Who does not has no figures for this task: nobody knows since
    /// when it was wrong.
    pub(crate) fn look(&mut self, trial: &mut Trial, track: usize) {
        let Track { candidate, slot, .. } = trial.tracks[track];
        let (Some(slot), Candidate::Entrant(n, _) | Candidate::Control(n, _)) = (slot, candidate) else {
            return;
        };
        let seat = self.seat_of(candidate);
        let known = trial.print;
        let answer = self.with(seat, |worker| {
            match worker.ask(&Request::Look { slot, known })? {
                Answer::Looked(print) => Ok(Ok(print)),
                Answer::Wrong(case) => Ok(Err(case)),
                other => Err(unexpected(&other)),
            }
        });
        match answer {
            Ok(Ok(print)) => trial.print = Some(print),
            Ok(Err(case)) => {
                let case = format!("{case}{}", by(candidate));
                self.entrants[n]
                    .failed
                    .insert(trial.message.task, wrong_after(&case));
            }
            Err(lost) => {
                self.strike(candidate, trial, lost);
                self.prepare_seat(seat, trial);
            }
        }
    }

    /// A call failed: no figures for such messages. It may do others.
    fn fail(&mut self, candidate: Candidate, trial: &Trial, reason: &str) {
        if let Candidate::Entrant(n, team) | Candidate::Control(n, team) = candidate {
            let reason = format!("{reason}{}{}", trial.message.size(", on "), by(candidate));
            self.entrants[n].refused.push((trial.message, team, reason));
        }
    }

    /// A worker was lost over a candidate: that one is out, and so are the machine's limits if it was theirs.
    fn strike(&mut self, candidate: Candidate, trial: &Trial, Lost(how): Lost) {
        let reason = format!(
            "{how}, timing {}{}{}",
            trial.message.task,
            trial.message.size(" on "),
            by(candidate)
        );
        match candidate {
            Candidate::Entrant(n, _) | Candidate::Control(n, _) => self.entrants[n].out = Some(reason),
            Candidate::Probe(_) => {
                let seat = self.probe_seat();
                self.seats[seat].lost = Some(reason);
            }
        }
    }
}

/// `, by 2 threads at once`: what one thread does needs no word.
fn by(candidate: Candidate) -> String {
    match candidate {
        Candidate::Entrant(_, team) | Candidate::Control(_, team) if team.workers() > 0 => {
            format!(", with {} to help", team.workers())
        }
        Candidate::Entrant(_, team) | Candidate::Control(_, team) if team.threads() > 1 => {
            format!(", by {} threads at once", team.threads())
        }
        _ => String::new(),
    }
}
