//! One long call, on one core and on two.

use std::thread;

use ciphertune::{Ctr, Implementation, Threads};
use ciphertune_engine::probe::memory::Memory;

use crate::in_turns;

const SIZES: [usize; 4] = [1 << 20, 4 << 20, 16 << 20, 128 << 20];

pub fn table() {
    println!(
        "GB/s; the last column is two threads that read, change and write that memory and do nothing else."
    );
    println!();
    println!("| implementation | MiB | | one thread | two | gain | memory, two |");
    println!("|---|---|---|---|---|---|---|");
    for name in ["portable", "ssse3", "aesni", "vaes512", "vaes512-r1"] {
        let Some(implementation) = Implementation::named(name).filter(|i| i.is_available()) else {
            continue;
        };
        let is_slow = ["portable", "ssse3"].contains(&name);
        for size in SIZES.into_iter().filter(|&size| !is_slow || size <= 16 << 20) {
            let mut serial = Ctr::with_implementation(implementation, &[1; 16], &[2; 16]).unwrap();
            let mut threaded = serial.clone();
            threaded.set_threads(Threads::new(1).bulk_from(1));
            let times = if is_slow {
                7
            } else {
                ((2 << 30) / size).clamp(15, 99)
            };
            let rate = |seconds: f64| size as f64 / seconds / 1e9;
            let memory = Memory::widest();
            let (mut data, mut output) = (vec![1; size], vec![1; size]);

            let [one, two, bound] = {
                let (mut a, mut b, mut c) = (data.clone(), data.clone(), data.clone());
                in_turns(
                    times,
                    [
                        &mut || serial.apply(&mut a).unwrap(),
                        &mut || threaded.apply(&mut b).unwrap(),
                        &mut || {
                            let (first, second) = c.split_at_mut(size / 2);
                            thread::scope(|scope| {
                                scope.spawn(|| memory.read_xor_write(first, 1));
                                memory.read_xor_write(second, 1);
                            });
                        },
                    ],
                )
            };
            println!(
                "| `{name}` | {} | in place | {:.2} | {:.2} | {:.2} | {:.1} |",
                size >> 20,
                rate(one),
                rate(two),
                one / two,
                rate(bound)
            );
            data.fill(2);
            let mut apart = |way: &mut dyn FnMut(&[u8], &mut [u8])| way(&data, &mut output);
            let [one] = in_turns(
                times,
                [&mut || apart(&mut |input, output| serial.apply_to(input, output).unwrap())],
            );
            let [two] = in_turns(
                times,
                [&mut || apart(&mut |input, output| threaded.apply_to(input, output).unwrap())],
            );
            let [bound] = in_turns(
                times,
                [&mut || {
                    apart(&mut |input, output| {
                        let (first, second) = output.split_at_mut(size / 2);
                        thread::scope(|scope| {
                            scope.spawn(|| memory.copy(&input[..size / 2], first, 1));
                            memory.copy(&input[size / 2..], second, 1);
                        });
                    });
                }],
            );
            println!(
                "| | | apart | {:.2} | {:.2} | {:.2} | {:.1} |",
                rate(one),
                rate(two),
                one / two,
                rate(bound)
            );
        }
    }
}
