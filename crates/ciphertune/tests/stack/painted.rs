//! A stack that is painted before a call, and what differs on it after calls by two keys.

use std::{arch::asm, array, collections::HashSet, fmt::Display, hint::black_box, iter};

use crate::common::bytes;

/// Bytes of stack that are looked at: more than any call takes.
const AREA: usize = 48 * 1024;

/// What the stack is painted with.
const PAINT: u8 = 0xa5;

/// How much of it must still be there when a call is back.
const UNTOUCHED: usize = 1024;

/// By whom calls are made, and the cases in which something was left, and what.
#[derive(Default)]
pub struct Found {
    pub by: &'static str,
    pub key_len: usize,
    pub cases: Vec<String>,
}

/// Where a call puts what it answers.
pub type Answer = [u8; 32 * 16];

impl Found {
    /// What of `run` stays on the stack, by what `make` made of a key, which is all that differs.
    pub fn look<S, R>(
        &mut self,
        what: impl Display,
        lengths: &[usize],
        make: impl Fn(&[u8]) -> S,
        run: impl Fn(&mut S, &mut [u8], &mut Answer) -> R,
    ) {
        let keys = [1, 1, 2].map(|seed| bytes(seed, self.key_len));
        for &length in lengths {
            let text = text(length);
            let mut answers = [[0; size_of::<Answer>()]; 3];
            let mut texts = array::from_fn::<_, 3, _>(|_| text.clone());
            let stacks: [Vec<u8>; 3] = array::from_fn(|i| {
                let mut state = apart(|| Box::new(make(&keys[i])));
                let (data, answer) = (&mut texts[i], &mut answers[i]);
                let mut stack = vec![0; AREA];
                let mut run = || {
                    run(&mut state, data, answer);
                };
                below(&mut run, &mut stack);
                stack
            });
            let mut places = that_differ(&stacks);
            for i in [0, 2] {
                if !places.is_empty() {
                    let given =
                        windows(&[&text, &texts[i], &answers[i], &[&[5; 16], &texts[i][..]].concat()]);
                    places.retain(|&at| !given.contains(&half(&stacks[i], at)));
                }
            }
            if !places.is_empty() {
                let shown = places.iter().rev().take(6);
                let shown: Vec<_> = shown
                    .map(|&at| format!("{} below {:02x?}", AREA - at, half(&stacks[0], at)))
                    .collect();
                self.cases.push(format!(
                    "{}, {what}, AES-{}, {length} bytes: {} times four bytes: {}",
                    self.by,
                    8 * self.key_len,
                    places.len(),
                    shown.join(", ")
                ));
            }
        }
    }
}

/// What calls are given.
pub fn text(length: usize) -> Vec<u8> {
    bytes(3, length)
}

/// Four bytes of a stack.
fn half(stack: &[u8], at: usize) -> [u8; 4] {
    stack[at..at + 4].try_into().unwrap()
}

/// Where the first two stacks, of one key, are alike and the third is not, but for addresses and small numbers.
fn that_differ(stacks: &[Vec<u8>; 3]) -> Vec<usize> {
    let is_address = |bytes: &[u8]| matches!(bytes, [.., 0, 0] | [.., 0xff, 0xff]);
    let differ = |&at: &usize| {
        let [first, again, other] = stacks.each_ref().map(|stack| half(stack, at));
        let word = at / 8 * 8..at / 8 * 8 + 8;
        first == again
            && first != other
            && ![0, 2].iter().any(|&i| is_address(&stacks[i][word.clone()]))
            && ![first, other].iter().any(|half| is_address(half))
    };
    (0..AREA).step_by(4).filter(differ).collect()
}

/// Runs where no register is kept for it that what comes next would save on the stack.
#[inline(never)]
fn apart<T>(run: impl FnOnce() -> T) -> T {
    run()
}

/// All runs of four bytes that a caller has: of texts as they stand, as GHASH turns their blocks, and with zeros after the
/// end, or before any place, where a part of a block begins that is moved to its place in it.
fn windows(given: &[&[u8]]) -> HashSet<[u8; 4]> {
    let mut all = HashSet::new();
    for bytes in given {
        let padded: Vec<_> = iter::repeat_n(0, 8)
            .chain(bytes.iter().copied())
            .chain(iter::repeat_n(0, 16))
            .collect();
        for window in padded.windows(4) {
            let mut window: [u8; 4] = window.try_into().unwrap();
            for zeros in 0..4 {
                window[..zeros].fill(0);
                all.insert(window);
                window.reverse();
                all.insert(window);
                window.reverse();
            }
        }
    }
    all
}

/// Copies the stack below this frame, as it is after `run`, which began there, on a painted one.
#[inline(never)]
fn below(run: &mut dyn FnMut(), stack: &mut [u8]) {
    assert_eq!(stack.len(), AREA);
    paint();
    run();
    // SAFETY: [`paint`] has had so much stack below this frame, which no signal's handler uses here, and `stack` has as
    // many bytes. Nothing is called, lest it overwrite what it is to copy.
    unsafe {
        asm!(
            "lea rsi, [rsp - {area}]",
            "rep movsb",
            area = const AREA,
            inout("rdi") stack.as_mut_ptr() => _,
            inout("rcx") AREA => _,
            out("rsi") _,
            options(nostack, preserves_flags),
        );
    }
    // Its very end may be below what `paint` had, whose frame has a few words of its own.
    assert_eq!(
        stack[64..UNTOUCHED],
        [PAINT; UNTOUCHED - 64],
        "a call takes more stack"
    );
}

#[inline(never)]
fn paint() {
    let area = [black_box(PAINT); AREA];
    black_box(&area);
}
