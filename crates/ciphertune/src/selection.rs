use std::{array, env};

use ciphertune_engine::Implementation;
use ciphertune_system::{Once, environment_is_own};

use crate::{
    Error, GcmPlan, Plan, PlanOf, Plans, Runs, Threads, hide_features,
    wisdom::{MANY, Wisdom, WisdomError, contract},
};

/// What every `new` of a cipher goes by in this process. Found out at its first use and never again: after that a
/// new context reads no file and takes no lock.
#[derive(Debug)]
pub struct Selection {
    /// For each mode, in the order of [`Mode`], and keys of 16, 24 and 32 bytes.
    plans: [[Plans; 3]; Mode::ALL.len()],
    /// For the same keys.
    gcm: Result<[Plans<GcmPlan>; 3], Error>,
    /// Of counter mode, for the same keys.
    threads: [Threads; 3],
    basis: Basis,
}

/// A mode of AES that goes by a [`Plan`] of its own; GCM goes by a [`GcmPlan`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Mode {
    /// [`crate::Ecb`]
    Ecb,
    /// [`crate::Cbc`]
    Cbc,
    /// [`crate::Cfb`]
    Cfb,
    /// [`crate::Ctr`]
    Ctr,
    /// [`crate::Xts`]
    Xts,
    /// [`crate::Cmac`]
    Cmac,
    /// [`crate::Ccm`]
    Ccm,
    /// [`crate::Ocb`]
    Ocb,
    /// [`crate::Ofb`]
    Ofb,
    /// [`crate::CbcMany`]
    CbcMany,
    /// [`crate::Cfb8`]
    Cfb8,
}

impl Mode {
    /// Each with the name that algorithms have for it.
    const ALL: [(Self, &str); 11] = [
        (Self::Ecb, "ECB"),
        (Self::Cbc, "CBC"),
        (Self::Cfb, "CFB"),
        (Self::Ctr, "CTR"),
        (Self::Xts, "XTS"),
        (Self::Cmac, "CMAC"),
        (Self::Ccm, "CCM"),
        (Self::Ocb, "OCB"),
        (Self::Ofb, "OFB"),
        (Self::CbcMany, "CBC"),
        (Self::Cfb8, "CFB8"),
    ];

    fn named(name: &str) -> Option<Self> {
        let named = Self::ALL.iter().find(|(_, known)| *known == name)?;
        Some(named.0)
    }

    /// What CPUID suggests for each. Half of CCM's blocks wait, which takes most of its time.
    fn estimates() -> [Plans; Self::ALL.len()] {
        Self::ALL.map(|(mode, _)| match mode {
            Self::Ctr => Plans::estimate(),
            Self::Cbc => Plans::estimate_chained(),
            Self::Cfb => Plans::estimate_fed_back(),
            Self::Ofb | Self::Cmac => Plans::estimate_in_turn(),
            Self::Ccm => Plans::both(Plans::estimate_in_turn().forward),
            Self::Ecb | Self::Xts => Plans::estimate_of_few(),
            Self::Cfb8 => Plans::estimate_by_bytes(),
            _ => Plans::estimate_apart(),
        })
    }
}

/// Where a selection comes from.
#[derive(Debug)]
#[non_exhaustive]
pub enum Basis {
    /// `CIPHERTUNE_IMPLEMENTATION` forces one implementation.
    Forced(Implementation),
    /// What was measured on this machine.
    Wisdom(Wisdom),
    /// What CPUID suggests, since wisdom is absent or was refused.
    Estimate(WisdomError),
}

/// Threads that come here first find it out each for itself: one of them stays, and a child that is forked meanwhile
/// waits for none.
static SELECTION: Once<Result<Selection, Error>> = Once::empty();

/// The selection of this process: forced by `CIPHERTUNE_IMPLEMENTATION`, else from the wisdom that [`use_wisdom`]
/// was given, else from the wisdom file ([`Wisdom::default_path`]), else [`Plan::estimate`].
///
/// Before all that it hides what `CIPHERTUNE_CPU` lists ([`hide_features`]).
///
/// A program with another's rights than its caller's, as a setuid one, goes by none of what its environment says.
///
/// [`Error::UnknownFeature`], [`Error::UnknownImplementation`], [`Error::Unavailable`]: what is hidden or forced cannot
/// be. It is an error rather than ignored, since whoever forces an implementation relies on it.
pub fn selection() -> Result<&'static Selection, Error> {
    let selection = SELECTION.get_or_make(Selection::from_environment);
    selection.as_ref().map_err(Clone::clone)
}

/// Makes this process go by `wisdom` and not by the file that its environment names: for a program with settings of
/// its own. `CIPHERTUNE_IMPLEMENTATION` goes before it all the same.
///
/// [`TooLate`]: a context was made or [`selection`] called before.
pub fn use_wisdom(wisdom: Wisdom) -> Result<(), TooLate> {
    let selection = forced().map(|forced| forced.unwrap_or_else(|| Selection::measured(wisdom)));
    SELECTION.set(selection).map(drop).map_err(|_| TooLate)
}

/// The process's selection is made, and stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("what this process goes by is settled: a context was made, or it was asked for, before")]
pub struct TooLate;

/// What `CIPHERTUNE_IMPLEMENTATION` forces, if it is set; before that, what `CIPHERTUNE_CPU` hides is hidden.
fn forced() -> Result<Option<Selection>, Error> {
    hide_features()?;
    if !environment_is_own() {
        return Ok(None);
    }
    let name = env::var_os("CIPHERTUNE_IMPLEMENTATION").filter(|name| !name.is_empty());
    let Some(name) = name else { return Ok(None) };
    let name = name.to_string_lossy();
    match Implementation::named(&name) {
        Some(implementation) => Selection::forced(implementation).map(Some),
        None => Err(Error::UnknownImplementation(name.into_owned())),
    }
}

impl Selection {
    /// What [`selection`] answers where [`use_wisdom`] was not called, found out anew.
    pub fn from_environment() -> Result<Self, Error> {
        if let Some(forced) = forced()? {
            return Ok(forced);
        }
        let wisdom = Wisdom::default_path().and_then(|path| Wisdom::read(&path));
        Ok(wisdom.map_or_else(Self::estimated, Self::measured))
    }

    /// One implementation for everything. [`Error::Unavailable`].
    pub fn forced(implementation: Implementation) -> Result<Self, Error> {
        // GCM decides by itself when it makes rounds ahead.
        let gcm = implementation.name().strip_suffix("-r2");
        let gcm = gcm.and_then(Implementation::named).unwrap_or(implementation);
        Ok(Self {
            plans: [[Plans::both(Plan::forced(implementation)?); 3]; Mode::ALL.len()],
            gcm: GcmPlan::forced(gcm).map(|plan| [Plans::both(plan); 3]),
            threads: [Threads::NONE; 3],
            basis: Basis::Forced(implementation),
        })
    }

    /// What was measured, and what CPUID suggests where nothing was.
    pub fn measured(wisdom: Wisdom) -> Self {
        fn plans<K: Runs>(
            wisdom: &Wisdom,
            mode: &str,
            contracts: [&str; 2],
            estimate: &Plans<PlanOf<K>>,
        ) -> [Plans<PlanOf<K>>; 3] {
            BITS.map(|bits| {
                let algorithm = format!("AES-{bits}-{mode}");
                let plan = |(operation, contract)| wisdom.plan(&algorithm, operation, contract);
                let [forward, backward] = operations(mode);
                Plans::of(
                    plan((forward, contracts[0])),
                    plan((backward, contracts[1])),
                    estimate,
                )
            })
        }
        let estimates = Mode::estimates();
        let mut of_modes = array::from_fn(|place| {
            let (_, mode) = Mode::ALL[place];
            plans(&wisdom, mode, [contract(mode); 2], &estimates[place])
        });
        for (mode, name, contracts) in [
            (Mode::CbcMany, "CBC", [MANY; 2]),
            (Mode::Cmac, "CMAC", [contract("CMAC"), MANY]),
        ] {
            of_modes[mode as usize] = plans(&wisdom, name, contracts, &estimates[mode as usize]);
        }
        Self {
            threads: BITS.map(|bits| wisdom.threads(&format!("AES-{bits}-CTR"))),
            plans: of_modes,
            gcm: Ok(plans(&wisdom, "GCM", [contract("GCM"); 2], &Plans::estimate())),
            basis: Basis::Wisdom(wisdom),
        }
    }

    /// What CPUID suggests, since there is no wisdom.
    pub fn estimated(why: WisdomError) -> Self {
        Self {
            plans: Mode::estimates().map(|plans| [plans; 3]),
            gcm: Ok([Plans::estimate(); 3]),
            threads: [Threads::NONE; 3],
            basis: Basis::Estimate(why),
        }
    }

    /// Where it comes from.
    pub fn basis(&self) -> &Basis {
        &self.basis
    }

    /// The threads that wisdom says pay for AES-CTR with a key of `key_len` bytes and the plan that it has for that; none
    /// where it says nothing.
    ///
    /// [`Error::KeyLength`].
    pub fn threads(&self, key_len: usize) -> Result<Threads, Error> {
        Ok(self.threads[size(key_len)?])
    }

    /// The plans for a mode with a key of `key_len` bytes, of which XTS has two.
    ///
    /// [`Error::KeyLength`].
    pub fn plans(&self, mode: Mode, key_len: usize) -> Result<&Plans, Error> {
        Ok(&self.plans[mode as usize][size(key_len)?])
    }

    /// The plans for AES-GCM with a key of `key_len` bytes.
    ///
    /// [`Error::GcmUnavailable`]: what is forced has none.
    pub fn gcm(&self, key_len: usize) -> Result<&Plans<GcmPlan>, Error> {
        let gcm = self.gcm.as_ref().map_err(Clone::clone)?;
        Ok(&gcm[size(key_len)?])
    }

    /// Which implementation serves `len` bytes of an operation of an algorithm, both named as in wisdom: `AES-128-CBC`
    /// and `decrypt`, `AES-256-GCM` and `seal`, `AES-128-CMAC` and `mac`. A stream of counter mode or OFB does not know
    /// which of its two operations it serves.
    ///
    /// [`Error::UnknownOperation`]; [`Error::GcmUnavailable`] as [`Selection::gcm`].
    pub fn implementation(
        &self,
        algorithm: &str,
        operation: &str,
        len: usize,
    ) -> Result<Implementation, Error> {
        fn serves<K: Runs>(plans: &Plans<PlanOf<K>>, backward: bool, len: usize) -> Implementation {
            match backward {
                true => plans.backward().implementation(len),
                false => plans.forward().implementation(len),
            }
        }
        let (mode, key_len) = parse(algorithm, operation)?;
        let backward = goes_backward(mode, operation);
        if mode == "GCM" {
            return Ok(serves(self.gcm(key_len)?, backward, len));
        }
        let known = Mode::named(mode).filter(|mode| *mode != Mode::Xts || key_len != 24);
        let plans = self.plans(known.ok_or_else(|| unknown(algorithm, operation))?, key_len)?;
        Ok(serves(plans, backward, len))
    }

    /// As [`Selection::implementation`], of more than four messages side by side that have `len` bytes on average: what
    /// [`crate::CbcMany`] encrypts, and [`crate::Cmac::tags`] and its like read. Up to four go by what serves a `len` of 0.
    ///
    /// [`Error::UnknownOperation`]: also of what takes messages one by one.
    pub fn implementation_of_many(
        &self,
        algorithm: &str,
        operation: &str,
        len: usize,
    ) -> Result<Implementation, Error> {
        let (mode, key_len) = parse(algorithm, operation)?;
        let plan = match (mode, operation) {
            ("CBC", "encrypt") => self.plans(Mode::CbcMany, key_len)?.forward(),
            ("CMAC", _) => self.plans(Mode::Cmac, key_len)?.backward(),
            _ => return Err(unknown(algorithm, &format!("{operation} of many messages"))),
        };
        Ok(plan.implementation(len))
    }
}

fn unknown(algorithm: &str, operation: &str) -> Error {
    Error::UnknownOperation(format!("{algorithm} {operation}"))
}

/// The mode of an algorithm and the bytes of its key, where the mode may have such an operation.
fn parse<'a>(algorithm: &'a str, operation: &str) -> Result<(&'a str, usize), Error> {
    let unknown = || unknown(algorithm, operation);
    let (bits, mode) = algorithm
        .strip_prefix("AES-")
        .and_then(|name| name.split_once('-'))
        .ok_or_else(unknown)?;
    let bits = BITS
        .iter()
        .find(|known| known.to_string() == bits)
        .ok_or_else(unknown)?;
    match operations(mode).contains(&operation) {
        true => Ok((mode, bits / 8)),
        false => Err(unknown()),
    }
}

/// What is done by a mode's plan forward, and backward.
fn operations(mode: &str) -> [&'static str; 2] {
    match mode {
        "GCM" | "CCM" | "OCB" => ["seal", "open"],
        "CMAC" => ["mac", "mac"],
        _ => ["encrypt", "decrypt"],
    }
}

/// Whether an operation of a mode goes by its backward plan.
fn goes_backward(mode: &str, operation: &str) -> bool {
    let [forward, backward] = operations(mode);
    operation == backward && backward != forward && !ONE_WAY.contains(&mode)
}

/// Streams that do not know which of their two operations they serve, and go by the forward plan alone.
const ONE_WAY: [&str; 2] = ["CTR", "OFB"];

/// Algorithm, operation and contract of what is done by the forward plan with the key of `task`, if that goes by the
/// backward one.
pub(crate) fn forward_of([algorithm, operation, contracted]: [&str; 3]) -> Option<[&str; 3]> {
    let mode = algorithm.rsplit('-').next()?;
    let is_backward = match mode {
        // Its backward plan is that of many messages, whose operation is the same.
        "CMAC" => contracted == MANY,
        _ => goes_backward(mode, operation),
    };
    is_backward.then(|| [algorithm, operations(mode)[0], contract(algorithm)])
}

const BITS: [usize; 3] = [128, 192, 256];

/// Which of the three sizes a key has.
fn size(key_len: usize) -> Result<usize, Error> {
    BITS.iter()
        .position(|bits| bits / 8 == key_len)
        .ok_or(Error::KeyLength(key_len))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{LengthClass, tuned::tuned};

    fn wisdom(tasks: &[(&str, &str)]) -> Wisdom {
        under(contract, tasks)
    }

    fn under(contract: fn(&str) -> &'static str, tasks: &[(&str, &str)]) -> Wisdom {
        let task = |&(algorithm, operation)| [algorithm, operation, contract(algorithm)];
        let tasks: Vec<_> = tasks.iter().map(task).collect();
        Wisdom::new(vec![tuned(&tasks, Implementation::PORTABLE)])
    }

    #[test]
    fn each_mode_size_and_direction_goes_by_its_own_choices() {
        let selection = Selection::measured(wisdom(&[
            ("AES-128-CBC", "encrypt"),
            ("AES-128-CBC", "decrypt"),
            ("AES-192-CMAC", "mac"),
            ("AES-256-GCM", "seal"),
            ("AES-256-GCM", "open"),
        ]));
        let portable = Plan::forced(Implementation::PORTABLE).unwrap();
        for (position, (mode, name)) in Mode::ALL.into_iter().enumerate() {
            assert_eq!(mode as usize, position, "plans are found by it");
            for (size, bits) in BITS.into_iter().enumerate() {
                let chosen = [("CBC", 128), ("CMAC", 192)].contains(&(name, bits)) && mode != Mode::CbcMany;
                let expected = match chosen {
                    true => portable,
                    false => *Mode::estimates()[position].forward(),
                };
                let found = selection.plans[position][size];
                assert_eq!(*found.forward(), expected, "{name} {bits}");
            }
        }
        for key_len in [16, 24, 32] {
            let found = selection.gcm(key_len).unwrap().backward().implementation(1000);
            assert_eq!(
                found == Implementation::PORTABLE,
                key_len == 32 || !has_gcm(),
                "{key_len}"
            );
        }
        assert_eq!(selection.gcm(17).err(), Some(Error::KeyLength(17)));
    }

    #[test]
    fn what_is_short_is_for_the_widest_vectors_where_they_have_functions_for_it() {
        let widest = Implementation::named("vaes512").filter(|it| it.kernel().is_some());
        let cbc = Plans::estimate_chained();
        let (in_turn, apart, few) = (
            Plans::estimate_in_turn(),
            Plans::estimate_apart(),
            Plans::estimate_of_few(),
        );
        for len in [1, 16, 17, 32, 33, 128, 129, 1 << 20] {
            let of = |plan: &Plan| plan.implementation(len);
            let expected = |few| if few { widest } else { None };
            assert_eq!(
                of(cbc.forward()),
                expected((33..=128).contains(&len)).unwrap_or(of(&in_turn.forward)),
                "{len}"
            );
            let short = expected(len <= 128).unwrap_or(of(&apart.backward));
            assert_eq!(of(&few.backward), short, "{len}");
            for mode in [Mode::Ecb, Mode::Cbc, Mode::Cfb, Mode::Xts] {
                let (_, plans) = Mode::ALL
                    .iter()
                    .zip(Mode::estimates())
                    .find(|((it, _), _)| *it == mode)
                    .unwrap();
                assert_eq!(of(plans.backward()), short, "{mode:?}, {len}");
            }
        }
    }

    #[test]
    fn single_bytes_take_a_block_each() {
        let estimate = Plans::estimate_apart().forward;
        let plans = Plans::estimate_by_bytes();
        for len in [1, 16, 40, 1 << 20] {
            let (forward, backward) = (plans.forward(), plans.backward());
            assert_eq!(forward.implementation(len), estimate.implementation(16), "{len}");
            let len = LengthClass::of(len).measured();
            assert_eq!(
                backward.implementation(len),
                estimate.implementation(16 * len),
                "{len}"
            );
        }
        let selection = Selection::measured(wisdom(&[("AES-128-CFB8", "encrypt")]));
        let plan = |mode| *selection.plans(mode, 16).unwrap().forward();
        assert_eq!(plan(Mode::Cfb8), Plan::forced(Implementation::PORTABLE).unwrap());
        assert_eq!(plan(Mode::Cfb), Plans::estimate_in_turn().forward);
        let chosen = selection.implementation("AES-128-CFB8", "encrypt", 1000);
        assert_eq!(chosen, Ok(Implementation::PORTABLE));
    }

    #[test]
    fn many_messages_go_by_choices_of_their_own() {
        let selection = Selection::measured(under(|_| MANY, &[("AES-128-CBC", "encrypt")]));
        let plan = |mode| *selection.plans(mode, 16).unwrap().forward();
        assert_eq!(
            plan(Mode::CbcMany),
            Plan::forced(Implementation::PORTABLE).unwrap()
        );
        assert_eq!(plan(Mode::Cbc), Plans::estimate_chained().forward);
        let of_many =
            |algorithm, operation| selection.implementation_of_many(algorithm, operation, usize::MAX);
        assert_eq!(of_many("AES-128-CBC", "encrypt"), Ok(Implementation::PORTABLE));
        let apart = Plans::estimate_apart().backward.implementation(usize::MAX);
        assert_eq!(of_many("AES-192-CBC", "encrypt"), Ok(apart));
        for (algorithm, operation) in [
            ("AES-128-CBC", "decrypt"),
            ("AES-128-CTR", "encrypt"),
            ("AES-128-GCM", "seal"),
        ] {
            let unknown = Error::UnknownOperation(format!("{algorithm} {operation} of many messages"));
            assert_eq!(of_many(algorithm, operation), Err(unknown));
        }

        let tasks: &[_] = &[("AES-128-CMAC", "mac")];
        for (contract, many) in [((|_| MANY) as fn(&str) -> _, true), (contract, false)] {
            let selection = Selection::measured(under(contract, tasks));
            let plans = selection.plans(Mode::Cmac, 16).unwrap();
            let portable = Plan::forced(Implementation::PORTABLE).unwrap();
            let shares = portable.shares_layout(&Plan::estimate());
            let expected = |chosen, otherwise| if chosen { portable } else { otherwise };
            // The layout of one message's plan is that of both.
            let in_turn = Plans::estimate_in_turn().forward;
            assert_eq!(*plans.forward(), expected(!many, in_turn));
            let chosen = if shares { many } else { !many };
            let of_many = expected(chosen, Plans::estimate_apart().backward);
            assert_eq!(*plans.backward(), of_many);
            assert_eq!(
                selection.implementation_of_many("AES-128-CMAC", "mac", 1000),
                Ok(of_many.implementation(1000))
            );
        }
    }

    fn has_gcm() -> bool {
        Plans::<GcmPlan>::estimate().forward().implementation(usize::MAX) != Implementation::PORTABLE
    }

    #[test]
    fn what_serves_is_told_by_the_names_that_wisdom_has() {
        let selection = Selection::measured(wisdom(&[
            ("AES-128-CTR", "encrypt"),
            ("AES-256-CBC", "decrypt"),
            ("AES-128-CMAC", "mac"),
        ]));
        let estimate = Plans::estimate_in_turn().forward.implementation(1000);
        let shares = Plan::forced(Implementation::PORTABLE)
            .unwrap()
            .shares_layout(&Plan::estimate());
        let chosen = |algorithm, operation| selection.implementation(algorithm, operation, 1000);
        for operation in ["encrypt", "decrypt"] {
            assert_eq!(chosen("AES-128-CTR", operation), Ok(Implementation::PORTABLE));
        }
        assert_eq!(chosen("AES-128-CMAC", "mac"), Ok(Implementation::PORTABLE));
        assert_eq!(chosen("AES-256-CBC", "encrypt"), Ok(estimate));
        assert_eq!(
            chosen("AES-256-CBC", "decrypt") == Ok(Implementation::PORTABLE),
            shares
        );
        for algorithm in ["AES-128-ECB", "AES-192-CFB8", "AES-256-XTS", "AES-256-OFB"] {
            assert!(chosen(algorithm, "encrypt").is_ok(), "{algorithm}");
        }
        for algorithm in ["AES-128-GCM", "AES-192-CCM", "AES-256-OCB"] {
            assert!(chosen(algorithm, "seal").is_ok(), "{algorithm}");
        }
        for (algorithm, operation) in [
            ("AES-128", "encrypt"),
            ("AES-129-CTR", "encrypt"),
            ("AES-0128-CTR", "encrypt"),
            ("AES-192-XTS", "encrypt"),
            ("AES-128-GCM", "encrypt"),
            ("AES-128-CTR", "seal"),
            ("aes-128-ctr", "encrypt"),
            ("AES-128-OTHER", "encrypt"),
        ] {
            let unknown = Error::UnknownOperation(format!("{algorithm} {operation}"));
            assert_eq!(chosen(algorithm, operation), Err(unknown));
        }
    }

    #[test]
    fn what_is_forced_serves_every_mode() {
        for implementation in Implementation::all() {
            let Ok(selection) = Selection::forced(*implementation) else {
                assert!(!implementation.is_available());
                continue;
            };
            let name = implementation.name();
            assert_eq!(
                selection.implementation("AES-128-CTR", "encrypt", 100),
                Ok(*implementation)
            );
            let gcm = Implementation::named(name.strip_suffix("-r2").unwrap_or(name)).unwrap();
            match selection.implementation("AES-128-GCM", "seal", 100) {
                Ok(found) => assert_eq!(found, gcm),
                Err(why) => assert!(gcm.gcm().is_none(), "{name}: {why}"),
            }
        }
    }

    #[test]
    fn a_key_serves_both_directions() {
        let selection = Selection::measured(wisdom(&[("AES-128-XTS", "decrypt")]));
        let plans = selection.plans(Mode::Xts, 16).unwrap();
        assert!(plans.forward().shares_layout(plans.backward()));
        assert_eq!(*plans.forward(), Plans::estimate_of_few().forward);
    }
}
