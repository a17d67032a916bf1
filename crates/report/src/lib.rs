//! Tables that people look at.
//!
//! A run becomes a table for a terminal ([`terminal`]) or for a page ([`markdown`]), or data for other
//! programs ([`csv`], [`json`], and [`classic`] and [`mr`] for those that read `openssl speed`), and so does a
//! comparison of several; [`list`] shows what there is to measure. All write to any
//! [`io::Write`](std::io::Write) and ask the environment nothing: colour and width are the caller's to decide.
#![forbid(unsafe_code)]

mod block;
mod comparison;
mod csv;
mod fit;
mod footer;
mod json;
mod libraries;
mod list;
mod markdown;
mod mix;
mod openssl;
mod operation;
mod terminal;
mod text;
pub mod units;

pub use crate::{
    comparison::{Details, apart, compare_csv, compare_json, compare_markdown, compare_terminal, conditions},
    csv::csv,
    fit::has_fit,
    json::{json, list_json},
    list::{Listed, list},
    markdown::markdown,
    mix::Portion,
    openssl::{classic, left_out_of_mr, mr},
    operation::is_without_message,
    terminal::{Screen, terminal},
    text::{at_left, steerless, width},
};

/// What a table of rates shows besides the rates.
#[derive(Clone, Copy, Debug, Default)]
pub struct View<'a> {
    /// Under each row, the interval around each rate.
    pub intervals: bool,
    /// Under each row, the share of the machine's limit that each rate reaches.
    pub shares: bool,
    /// Under each row, nanoseconds, ticks of the time-stamp counter and estimated core cycles per byte.
    pub costs: bool,
    /// Below each table, what a message and what a byte costs each implementation.
    pub fit: bool,
    /// Below each table, what a mix of messages of these lengths costs on average; none for no such table.
    pub mix: &'a [Portion],
}
