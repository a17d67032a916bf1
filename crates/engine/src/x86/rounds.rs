//! The rounds of AES in assembly.

/// All rounds but the last, with the key before them, as lines of assembly: for each key what `$with_key` makes of an instruction,
/// the key's place and `$state`. `$rounds` is where their number is.
macro_rules! rounds {
    ($with_key:ident, $rounds:literal, $xor:tt, $round:literal, $state:tt) => {
        concat!(
            "cmp ", $rounds, ", 12\n",
            "ja 2f\n",
            "je 3f\n",
            $with_key!($xor, 64, $state),
            "jmp 5f\n",
            "2:\n",
            $with_key!($xor, 0, $state),
            $with_key!($round, 16, $state),
            $with_key!($round, 32, $state),
            "jmp 4f\n",
            "3:\n",
            $with_key!($xor, 32, $state),
            "4:\n",
            $with_key!($round, 48, $state),
            $with_key!($round, 64, $state),
            "5:\n",
            $with_key!($round, 80, $state),
            $with_key!($round, 96, $state),
            $with_key!($round, 112, $state),
            $with_key!($round, 128, $state),
            $with_key!($round, 144, $state),
            $with_key!($round, 160, $state),
            $with_key!($round, 176, $state),
            $with_key!($round, 192, $state),
            $with_key!($round, 208, $state),
        )
    };
}

pub(super) use rounds;
