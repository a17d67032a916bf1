//! What a table says of rates beyond the machine's limit.
mod run;

use ciphertune_report::{Screen, View, terminal};
use run::{run, text};

#[test]
fn what_beats_the_limit_by_rounds_ahead_is_told() {
    let shown = |name: &str, share: f64| {
        let mut run = run();
        let cell = &mut run.cells[1];
        cell.implementation = name.into();
        cell.figures.as_mut().unwrap().bound_share = Some(share);
        text(|out| terminal(&run, View::default(), Screen::default(), out))
    };
    let beyond = shown("ciphertune/vaes512-r2", 1.156);
    let told = "\nBeyond the limit: ciphertune/vaes512-r2: made with rounds of AES ahead, which the limit counts with \
                the others\n";
    assert!(beyond.contains(told), "{beyond}");
    // Of others it is noise.
    for (name, share) in [("ciphertune/vaes512-r2", 0.99), ("ciphertune/vaes512", 1.01)] {
        assert!(!shown(name, share).contains("Beyond"), "{name} {share}");
    }
}
