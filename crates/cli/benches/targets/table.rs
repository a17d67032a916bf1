use std::fmt;

use ciphertune_measure::Demand;
use ciphertune_results::Interval;

use crate::{
    aims::{Goal, Peer, Row},
    run::Measured,
};

impl Row {
    pub fn what(&self) -> String {
        let by = self.by.map_or_else(String::new, |by| format!(", {by}"));
        format!("{}, {} B{by}", self.task, self.length)
    }

    fn ours(&self, measured: &Measured) -> Option<Interval> {
        match self.by {
            Some(by) => measured.of(self.task, self.length, by),
            None => measured.chosen(self.task, self.length),
        }
    }

    /// Bytes per second as GB/s, or as ns a message where the goal is so.
    fn figure(&self, goal: Goal, bytes_per_second: f64) -> f64 {
        match goal {
            Goal::Nanoseconds(_) => self.length as f64 / bytes_per_second * 1e9,
            _ => bytes_per_second / 1e9,
        }
    }
}

enum Verdict {
    Met(bool),
    /// What is asked of the reference machine, and the share of its own bound that this is.
    Elsewhere(Option<f64>),
    NotMeasured,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Met(true) => f.write_str("met"),
            Self::Met(false) => f.write_str("missed"),
            Self::Elsewhere(None) => f.write_str("for Zen 5"),
            Self::Elsewhere(Some(share)) => write!(f, "for Zen 5: {:.0} % of its bound", 100.0 * share),
            Self::NotMeasured => f.write_str("not measured"),
        }
    }
}

pub fn print_head() {
    println!(
        "\n{:58} {:>22} {:>24} {:>36}{} {:>16}  verdict",
        "what",
        "aim",
        "ours",
        "best or named peer",
        of_openssl_4("OpenSSL 4"),
        "of the bound"
    );
}

/// A column that is there where OpenSSL 4 is: it is seldom the best.
fn of_openssl_4(words: &str) -> String {
    match cfg!(feature = "openssl") {
        true => format!(" {words:>9}"),
        false => String::new(),
    }
}

pub fn print(measured: &Measured, row: &Row, goal: Goal) {
    let ours = row.ours(measured);
    let peer = match goal {
        Goal::Times(_, peer) => peer,
        _ if row.by.is_some() => Peer::WithoutAes,
        _ => Peer::Best,
    };
    let peer = measured.peer(row.task, row.length, peer);
    let bound = measured.bound(row.task);
    let figure = |rate: f64| row.figure(goal, rate);
    let unit = match goal {
        Goal::Nanoseconds(_) => "ns",
        _ => "GB/s",
    };
    let ours_in_words = ours.map_or("-".to_owned(), |ours| {
        let mut ends = [figure(ours.low), figure(ours.high)];
        ends.sort_by(f64::total_cmp);
        format!(
            "{:.2} ({:.2}-{:.2}) {unit}",
            figure(ours.median),
            ends[0],
            ends[1]
        )
    });
    let peer_in_words = peer.map_or("-".to_owned(), |(id, rate)| format!("{id} {:.2}", figure(rate)));
    let openssl = measured.of_library(row.task, row.length, "openssl@4.");
    // Not told to do without AES instructions.
    let openssl = openssl.filter(|_| row.by.is_none());
    let openssl = openssl.map_or("-".to_owned(), |rate| format!("{:.2}", figure(rate.median)));
    let share = ours.zip(bound).map(|(ours, bound)| ours.median / bound);
    // Without AES instructions, and where each block waits for the one before it, the ports are not what bounds it.
    let is_bound = row.by.is_none() && !row.task.contains("CBC encrypt, stream");
    let share_in_words = (share.zip(bound).filter(|_| is_bound)).map_or("-".to_owned(), |(share, bound)| {
        format!("{:.0} % of {:.2}", 100.0 * share, figure(bound))
    });
    let verdict = verdict(measured, row, goal, ours, peer.map(|(_, rate)| rate));
    println!(
        "{:58} {:>22} {ours_in_words:>24} {peer_in_words:>36}{} {share_in_words:>16}  {verdict}",
        row.what(),
        goal.to_string(),
        of_openssl_4(&openssl)
    );
}

fn verdict(measured: &Measured, row: &Row, goal: Goal, ours: Option<Interval>, peer: Option<f64>) -> Verdict {
    let reached = || {
        let ours = ours?.median;
        // In GB/s.
        let of_reference = |aim: f64| {
            if measured.is_reference() {
                Verdict::Met(ours >= aim * 1e9)
            } else {
                let bound = reference_bound(row.task).filter(|_| row.by.is_none());
                Verdict::Elsewhere(bound.map(|bound| aim / bound))
            }
        };
        Some(match goal {
            Goal::Rate(aim) => of_reference(aim),
            Goal::Nanoseconds(aim) => of_reference(row.length as f64 / aim),
            Goal::Share(aim) => Verdict::Met(ours >= aim * measured.bound(row.task)?),
            Goal::Times(aim, _) => Verdict::Met(ours >= aim * peer?),
            Goal::CtrOfMemory(of_aes, of_memory) => {
                let aes = of_aes * measured.bound(row.task)?;
                Verdict::Met(ours >= aes.min(of_memory * measured.memory(row.length)?))
            }
        })
    };
    reached().unwrap_or(Verdict::NotMeasured)
}

/// Of the reference machine at 4.2 GHz, in GB/s: it starts two rounds of AES on four blocks each in a cycle, or one
/// product on four of them in two.
fn reference_bound(task: &str) -> Option<f64> {
    let algorithm = task.split_once(' ')?.0.parse().ok()?;
    Demand::of(algorithm)?.most(4.2 * 128.0, Some(4.2 * 32.0))
}

impl fmt::Display for Goal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = match self {
            Self::Rate(rate) => format!(">= {rate} GB/s"),
            Self::Nanoseconds(ns) => format!("<= {ns} ns"),
            Self::Share(share) => format!(">= {:.0} % of the bound", 100.0 * share),
            Self::Times(times, Peer::Best) => format!(">= {times} x the best"),
            Self::Times(times, Peer::IpsecMb) => format!(">= {times} x ipsec-mb"),
            Self::Times(times, _) => format!(">= {times} x OpenSSL"),
            Self::CtrOfMemory(aes, memory) => {
                format!(">= {:.0} %, {:.0} % of memory", 100.0 * aes, 100.0 * memory)
            }
        };
        f.pad(&words)
    }
}

/// A ratio to be reached.
pub fn line(what: &str, target: f64, measured: Option<f64>) {
    line_of(what, ">=", target, measured);
}

/// A ratio to be reached, or not to be passed.
pub fn line_of(what: &str, how: &str, target: f64, measured: Option<f64>) {
    let verdict = measured.map_or(Verdict::NotMeasured, |value| {
        Verdict::Met(if how == ">=" {
            value >= target
        } else {
            value <= target
        })
    });
    let measured = measured.map_or("-".to_owned(), |value| format!("{value:.3}"));
    println!("{what:72} {how} {target:.3} {measured:>8}  {verdict}");
}
