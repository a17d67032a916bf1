use std::{
    ffi::{CStr, CString, OsStr, c_char},
    os::unix::ffi::OsStrExt,
    path::Path,
    ptr,
};

use ciphertune::{
    Basis, Error, Implementation, LengthClass, Selection, Threads, cpu, hide_features,
    wisdom::{Wisdom, WisdomError},
};

use crate::{
    BLOCK,
    abi::{Handle, RawParam, core},
};

/// What the provider's section of the configuration says, as texts; absent ones are `None`.
pub(crate) struct Settings<'a> {
    /// One implementation for everything.
    implementation: Option<&'a CStr>,
    /// The file with what was measured here.
    wisdom: Option<&'a CStr>,
    /// How many threads a stream of counter mode may have besides its caller's, or `wisdom`.
    threads: Option<&'a CStr>,
    /// After how many bytes of a stream they begin.
    threads_after: Option<&'a CStr>,
}

impl<'a> Settings<'a> {
    /// Asks libcrypto.
    ///
    /// # Safety
    /// `get` is libcrypto's function, and `handle` its handle, which outlives `'a`.
    pub(crate) unsafe fn ask(handle: &'a Handle, get: core::GetParams) -> Self {
        let mut values: [*const c_char; 4] = [ptr::null(); 4];
        let mut params = [
            RawParam::text(c"implementation"),
            RawParam::text(c"wisdom"),
            RawParam::text(c"threads"),
            RawParam::text(c"threads-after"),
            RawParam::END,
        ];
        for (param, value) in params.iter_mut().zip(&mut values) {
            param.data = ptr::from_mut(value).cast();
        }
        // SAFETY: a list of parameters with room for a pointer each. Texts stay where they are for as long as the
        // provider is loaded. What it does not know it leaves alone, so that its answer says nothing.
        let [implementation, wisdom, threads, threads_after] = unsafe {
            get(*handle, params.as_mut_ptr());
            values.map(|value| (!value.is_null()).then(|| CStr::from_ptr(value)))
        };
        Self {
            implementation,
            wisdom,
            threads,
            threads_after,
        }
    }

    /// Which, or `None` for as wisdom says. Without the setting there are none: programs fork, and lock themselves into
    /// sandboxes.
    fn threads(&self) -> Result<Option<Threads>, String> {
        let number = |name, value: &CStr, most: u64, or: &str| {
            let value = value.to_string_lossy();
            let number = value.parse().ok().filter(|number| *number <= most);
            number.ok_or_else(|| format!("{name}: '{value}' is not a number from 0 to {most}{or}"))
        };
        // Counted now: a sandbox may forbid it later.
        let count = || _ = Threads::available();
        let workers = match (self.threads, self.threads_after) {
            (None, None) => return Ok(Some(Threads::NONE)),
            (None, Some(_)) => return Err("threads-after: there is no setting threads".to_owned()),
            (Some(workers), after) if workers == WISDOM => {
                count();
                return match after {
                    Some(_) => Err("threads-after: it goes with a number of threads".to_owned()),
                    None => Ok(None),
                };
            }
            (Some(workers), _) => workers,
        };
        let mut threads = Threads::new(number("threads", workers, MOST_THREADS, ", nor wisdom")? as usize);
        if let Some(after) = self.threads_after {
            threads = threads.stream_after(number("threads-after", after, u64::MAX, "")?);
        }
        count();
        Ok(Some(threads))
    }
}

/// The setting for threads as wisdom says.
const WISDOM: &CStr = c"wisdom";

/// More cores than this encrypt nothing faster.
const MOST_THREADS: u64 = 64;

/// What the contexts of a provider go by.
pub(crate) struct Decisions {
    pub(crate) selection: Selection,
    /// For counter mode; `None` as wisdom says.
    threads: Option<Threads>,
}

impl Decisions {
    /// Reads wisdom, once. Wisdom that is absent or refused is no error: the default serves, as it does in the
    /// library. What cannot be meant is one, told in a line that names the setting.
    pub(crate) fn make(settings: &Settings<'_>) -> Result<Self, String> {
        let threads = settings.threads()?;
        let selection = select(settings)?;
        // It is offered, and nothing else may come in its place.
        selection.gcm(BLOCK).map_err(|why| why.to_string())?;
        Ok(Self { selection, threads })
    }

    /// One implementation for everything.
    pub(crate) fn forced(implementation: Implementation) -> Result<Self, Error> {
        Ok(Self {
            selection: Selection::forced(implementation)?,
            threads: Some(Threads::NONE),
        })
    }

    /// Whether messages of `len` bytes go by AES instructions.
    pub(crate) fn has_aes_instructions(&self, algorithm: &str, operation: &str, len: usize) -> bool {
        let serves = self.selection.implementation(algorithm, operation, len);
        serves.is_ok_and(|serves| serves.features().contains(&cpu::AES))
    }

    /// What serves messages of one of these operations, and none that has one of these lengths.
    pub(crate) fn beyond(
        &self,
        algorithm: &str,
        operations: [&str; 2],
        lengths: &[usize],
    ) -> Vec<Implementation> {
        let mut beyond = Vec::new();
        for operation in operations {
            let serves = |len| self.selection.implementation(algorithm, operation, len).ok();
            let longest = lengths.iter().copied().map(LengthClass::of).max();
            for class in LengthClass::all().filter(|class| Some(*class) > longest) {
                let found = serves(class.measured());
                if !lengths.iter().rev().any(|len| serves(*len) == found) {
                    beyond.extend(found.filter(|found| !beyond.contains(found)));
                }
            }
        }
        beyond
    }

    /// The threads of counter mode with a key of that many bytes.
    pub(crate) fn threads(&self, key_len: usize) -> Threads {
        let measured = || self.selection.threads(key_len).unwrap_or(Threads::NONE);
        self.threads.unwrap_or_else(measured)
    }

    /// The version and what the selection goes by, in a line for `openssl list -providers -verbose`.
    pub(crate) fn described(&self) -> CString {
        let basis = match self.selection.basis() {
            Basis::Forced(implementation) => format!("{} for everything", implementation.name()),
            Basis::Wisdom(wisdom) => format!("by the wisdom of {}", wisdom.dates()),
            Basis::Estimate(why) => format!("by what CPUID suggests: {}", told(why)),
            _ => String::new(),
        };
        let line = format!("{}, {basis}", env!("CARGO_PKG_VERSION"));
        CString::new(line.replace(['\0', '\n'], "?")).expect("just freed of zeros")
    }
}

/// Why there is no wisdom, and what to do about it in a program that has this provider.
fn told(why: &WisdomError) -> String {
    match why {
        WisdomError::Io { doing, path, source } => format!(
            "cannot {doing} the wisdom at {}: {source}; the setting wisdom or, without it, CIPHERTUNE_WISDOM names another file",
            path.display()
        ),
        why => why.to_string(),
    }
}

fn select(settings: &Settings<'_>) -> Result<Selection, String> {
    hide_features().map_err(|why| why.to_string())?;
    if let Some(name) = settings.implementation {
        let name = name.to_string_lossy();
        let implementation = Implementation::named(&name).ok_or_else(|| {
            let names: Vec<_> = Implementation::all().iter().map(|i| i.name()).collect();
            format!("'{name}' is no implementation; known are {}", names.join(", "))
        });
        let selection =
            implementation.and_then(|found| Selection::forced(found).map_err(|why| why.to_string()));
        return selection.map_err(|why| format!("implementation: {why}"));
    }
    if let Some(path) = settings.wisdom {
        let path = Path::new(OsStr::from_bytes(path.to_bytes()));
        if !path.is_absolute() {
            return Err(format!("wisdom: '{}' is not an absolute path", path.display()));
        }
        return Ok(Wisdom::read(path).map_or_else(Selection::estimated, Selection::measured));
    }
    Selection::from_environment().map_err(|why| why.to_string())
}

#[cfg(test)]
mod tests {
    use ciphertune::Mode;

    use super::*;
    use crate::tuned::tuned;

    const NONE: Settings<'_> = Settings {
        implementation: None,
        wisdom: None,
        threads: None,
        threads_after: None,
    };

    /// What was measured of two algorithms, on this processor.
    fn wisdom() -> Wisdom {
        let tasks = [
            ["AES-256-CBC", "decrypt", "stream/1"],
            ["AES-128-XTS", "encrypt", "new-iv/1"],
        ];
        let implementation = Implementation::named("aesni").filter(|found| found.is_available());
        let tuning = tuned(&tasks, implementation.unwrap_or(Implementation::PORTABLE));
        Wisdom::new(vec![tuning])
    }

    fn decisions(wisdom: &Path) -> Result<Decisions, String> {
        let path = CString::new(wisdom.as_os_str().as_bytes()).unwrap();
        Decisions::make(&Settings {
            wisdom: Some(&path),
            ..NONE
        })
    }

    #[test]
    fn wisdom_chooses_for_every_mode_and_direction() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("wisdom");
        wisdom().write(&path).unwrap();
        let decisions = decisions(&path).unwrap();
        let chosen = wisdom().choices().next().unwrap().implementation;
        let selection = &decisions.selection;
        for (algorithm, operation) in [("AES-256-CBC", "decrypt"), ("AES-128-XTS", "encrypt")] {
            assert_eq!(
                selection.implementation(algorithm, operation, 1 << 20),
                Ok(chosen)
            );
        }
        // What was not measured goes by what CPUID suggests.
        let estimate = Selection::estimated(WisdomError::NoPlace);
        assert_eq!(
            selection.plans(Mode::Cbc, 16).unwrap(),
            estimate.plans(Mode::Cbc, 16).unwrap()
        );
        let described = decisions.described().into_string().unwrap();
        assert!(
            described.ends_with(", by the wisdom of 2026-11-22T00:00:00Z"),
            "{described}"
        );
    }

    #[test]
    fn what_serves_longer_messages_alone_is_told() {
        // Of the same layout, with AES instructions and without; that of all lengths, and that of the longest alone.
        let all = Implementation::all().iter().copied();
        let mut available = all.filter(|found| found.is_available()).collect::<Vec<_>>();
        let longest = available.pop().unwrap();
        let has_aes = longest.features().contains(&cpu::AES);
        available.retain(|found| found.features().contains(&cpu::AES) == has_aes);
        let Some(usual) = available.first().copied() else {
            return;
        };
        let mut wisdom = wisdom();
        for choice in wisdom.tunings.iter_mut().flat_map(|tuning| &mut tuning.choices) {
            choice.implementation = match (&*choice.operation, choice.class.longest()) {
                ("decrypt", None) => longest,
                _ => usual,
            };
        }
        let decisions = Decisions {
            selection: Selection::measured(wisdom),
            threads: None,
        };
        let beyond =
            |algorithm, lengths: &[usize]| decisions.beyond(algorithm, ["encrypt", "decrypt"], lengths);
        assert_eq!(beyond("AES-256-CBC", &[16, 4099]), [longest]);
        assert_eq!(beyond("AES-128-XTS", &[16, 4099]), []);
        assert_eq!(beyond("AES-256-CBC", &[16, 1 << 20]), []);
        assert_eq!(crate::self_test::run(&decisions), Ok(()));
    }

    #[test]
    fn threads_are_a_number_or_as_wisdom_says() {
        let threads = |threads, threads_after| {
            let settings = Settings {
                implementation: Some(c"portable"),
                threads,
                threads_after,
                ..NONE
            };
            Decisions::make(&settings).map(|decisions| decisions.threads(16))
        };
        assert_eq!(threads(None, None), Ok(Threads::NONE));
        assert_eq!(threads(Some(c"2"), None), Ok(Threads::new(2)));
        assert_eq!(
            threads(Some(c"2"), Some(c"9")),
            Ok(Threads::new(2).stream_after(9))
        );
        // Nothing was measured of what is forced.
        assert_eq!(threads(Some(c"wisdom"), None), Ok(Threads::NONE));
        for (number, after) in [
            (Some(c"many"), None),
            (Some(c"65"), None),
            (None, Some(c"9")),
            (Some(c"wisdom"), Some(c"9")),
        ] {
            assert!(threads(number, after).unwrap_err().starts_with("threads"));
        }
        assert_eq!(
            threads(Some(c"65"), None).unwrap_err(),
            "threads: '65' is not a number from 0 to 64, nor wisdom"
        );
    }

    #[test]
    fn wisdom_that_cannot_be_believed_is_none_and_that_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("wisdom");
        let absent = decisions(&path).unwrap().described().into_string().unwrap();
        assert!(
            absent.contains("by what CPUID suggests: there is no wisdom at /"),
            "{absent}"
        );
        std::fs::write(&path, "no\nwisdom").unwrap();
        let damaged = decisions(&path).unwrap().described().into_string().unwrap();
        assert!(damaged.contains("it is not a wisdom file"), "{damaged}");
        // Whoever reads it here gives no command its options.
        let folder = decisions(folder.path())
            .unwrap()
            .described()
            .into_string()
            .unwrap();
        assert!(
            folder.contains(": cannot read the wisdom at /")
                && folder
                    .ends_with("; the setting wisdom or, without it, CIPHERTUNE_WISDOM names another file"),
            "{folder}"
        );
        assert_eq!(
            decisions(Path::new("wisdom")).err().unwrap(),
            "wisdom: 'wisdom' is not an absolute path"
        );
    }

    #[test]
    fn an_implementation_serves_every_mode() {
        let forced = |name: &CStr| {
            Decisions::make(&Settings {
                implementation: Some(name),
                ..NONE
            })
        };
        let decisions = forced(c"portable").unwrap();
        for algorithm in ["AES-128-CTR", "AES-192-CBC", "AES-256-CFB"] {
            let found = decisions.selection.implementation(algorithm, "encrypt", 100);
            assert_eq!(found, Ok(Implementation::PORTABLE));
        }
        let gcm = decisions.selection.implementation("AES-128-GCM", "open", 100);
        assert_eq!(gcm, Ok(Implementation::PORTABLE));
        let refused = forced(c"rot13").err().unwrap();
        assert!(
            refused.starts_with("implementation: 'rot13' is no implementation; known are portable, "),
            "{refused}"
        );
    }
}
