use ciphertune_catalog::{Implementation, Operation, Ring, Scene, Task, Witness};

/// Whether contexts that were busy pass before a witness: with messages of some lengths, one of which nobody has who times no
/// more than what is known to one that is right.
pub fn does_its_work(implementation: &dyn Implementation, task: Task) {
    let aad = if task.takes_aad() { 13 } else { 0 };
    let is_taken = |length: &usize| task.takes(*length) && length + aad <= implementation.longest(task);
    for length in [1, 16, 1350, 8192, 60_000].into_iter().filter(is_taken) {
        let print = look(implementation, task, length, aad, None);
        assert_eq!(look(implementation, task, length, aad, Some(print)), print);
    }
}

fn look(
    implementation: &dyn Implementation,
    task: Task,
    length: usize,
    aad: usize,
    known: Option<u64>,
) -> u64 {
    const CALLS: u64 = 3;
    let bytes: Vec<u8> = (1..=96).collect();
    let key = task
        .algorithm
        .known_key()
        .unwrap_or(&bytes[..task.algorithm.key_len()]);
    let iv = &bytes[..task.algorithm.iv_len()];
    let context = |task| {
        let context = implementation.context(task, key, iv);
        context.unwrap_or_else(|fault| panic!("{}: {task}: {fault}", implementation.description().id))
    };
    let mut timed = context(task);
    let mut ring = Ring::new(task, length, aad);
    let (mut input, mut output) = (vec![0xa5; ring.span()], vec![0xa5; ring.span()]);
    let in_place = match task.operation.needs() {
        None => timed.repeats_in_place(),
        Some(operation) => {
            match task.known_input() {
                Some((message, tag)) => ring.fill(&mut input, message, tag),
                None => {
                    let all = ring.count() as u64;
                    let mut make = context(Task { operation, ..task });
                    make.repeat(&mut input, &mut ring, all).unwrap();
                }
            }
            !task.operation.writes()
        }
    };
    let busy = match in_place {
        true => timed.repeat(&mut input, &mut ring, CALLS),
        false => timed.repeat_to(&input, &mut output, &mut ring, CALLS),
    };
    // What decrypts whatever there is may refuse it; what opens may not.
    assert!(
        busy.is_ok() || task.operation == Operation::Decrypt,
        "{task}: {busy:?}"
    );
    let witness = Witness {
        implementation,
        task,
        key,
        iv,
        done: CALLS * length as u64,
    };
    let scene = Scene {
        timed: &mut *timed,
        ring: &mut ring,
        input: &mut input,
        output: (!in_place).then_some(&mut output[..]),
    };
    witness
        .look(scene, known)
        .unwrap_or_else(|failure| panic!("{failure}"))
}
