use std::{env, fs};

use ciphertune_system::{Once, environment_is_own, without_cancellation};

use crate::{Error, Feature, cpu};

/// Which processor this is, as far as speed depends on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Processor {
    /// Its own name for itself.
    pub brand: String,
    /// Vendor, family, model and stepping, as in `AuthenticAMD 26.2.1`, and what it has that is hidden, as in `-avx2 -vaes`:
    /// it is another processor then.
    pub signature: String,
    /// The microcode's revision, where the system tells it.
    pub microcode: Option<String>,
    /// The hypervisor's CPUID signature, where there is one: what it lets through decides speed too.
    pub hypervisor: Option<String>,
}

impl Processor {
    /// The processor that this program runs on, less what `CIPHERTUNE_CPU` hides.
    pub fn current() -> Self {
        // A list that is wrong hides nothing; `selection` says so.
        let _ = hide_features();
        let mut processor = Self::whole();
        let hidden = |feature: &&Feature| feature.is_there() && feature.is_hidden();
        for feature in cpu::ALL.iter().filter(hidden) {
            processor.signature += " -";
            processor.signature += feature.name();
        }
        processor
    }

    /// The same with all that it has, whatever is hidden of it.
    pub(crate) fn whole() -> Self {
        let cpuinfo = without_cancellation(|| fs::read_to_string("/proc/cpuinfo")).unwrap_or_default();
        Self {
            microcode: field(&cpuinfo, "microcode"),
            ..cpuid(&cpuinfo)
        }
    }
}

/// Hides from this process the CPU features that `CIPHERTUNE_CPU` lists, as in `-aes,-avx2`, and what is built on them, so
/// that it does what it would do on a lesser processor: to measure that, or to test it. Read once; [`crate::selection`] and
/// [`Processor::current`] call it, so that wisdom is judged on what is left. A program with another's rights than its caller's, as a setuid one, hides nothing.
///
/// [`Error::UnknownFeature`]: the list has something else; nothing is hidden.
pub fn hide_features() -> Result<(), Error> {
    static HIDDEN: Once<Result<(), Error>> = Once::empty();
    let hide = || {
        if !environment_is_own() {
            return Ok(());
        }
        let list = env::var_os("CIPHERTUNE_CPU").unwrap_or_default();
        for feature in hidden(&list.to_string_lossy())? {
            feature.hide();
        }
        Ok(())
    };
    HIDDEN.get_or_make(hide).clone()
}

fn hidden(list: &str) -> Result<Vec<Feature>, Error> {
    let items = list.split(',').filter(|item| !item.is_empty());
    items
        .map(|item| {
            let named = |feature: &&Feature| item.strip_prefix('-') == Some(feature.name());
            let feature = cpu::ALL.iter().find(named);
            feature
                .copied()
                .ok_or_else(|| Error::UnknownFeature(item.to_owned()))
        })
        .collect()
}

/// The first value of that name in `/proc/cpuinfo`.
fn field(cpuinfo: &str, name: &str) -> Option<String> {
    cpuinfo.lines().find_map(|line| {
        let (key, value) = line.split_once(':')?;
        (key.trim() == name && !value.trim().is_empty()).then(|| value.trim().to_owned())
    })
}

#[cfg(target_arch = "x86_64")]
fn cpuid(_cpuinfo: &str) -> Processor {
    use std::arch::x86_64::{__cpuid, CpuidResult};

    fn text(registers: impl IntoIterator<Item = u32>) -> String {
        let bytes: Vec<u8> = registers.into_iter().flat_map(u32::to_le_bytes).collect();
        let text = String::from_utf8_lossy(&bytes);
        // One line, whatever a hypervisor put there: it is written into a file of lines.
        let words: Vec<_> = text
            .split(|c: char| c.is_control() || c.is_whitespace())
            .filter(|w| !w.is_empty())
            .collect();
        words.join(" ")
    }

    let CpuidResult { ebx, ecx, edx, .. } = __cpuid(0);
    let vendor = text([ebx, edx, ecx]);

    // Family and model: AMD APM vol. 3, CPUID function 1; Intel SDM vol. 2A, CPUID, figure 3-6.
    let leaf1 = __cpuid(1);
    let bits = |low: u32, n: u32| leaf1.eax >> low & ((1 << n) - 1);
    let (family, model, stepping) = (bits(8, 4), bits(4, 4), bits(0, 4));
    let wide_family = if family == 15 { 15 + bits(20, 8) } else { family };
    let wide_model = if family == 6 || family == 15 {
        bits(16, 4) << 4 | model
    } else {
        model
    };

    let brand = if __cpuid(0x8000_0000).eax >= 0x8000_0004 {
        text((0x8000_0002..=0x8000_0004).flat_map(|leaf| {
            let CpuidResult { eax, ebx, ecx, edx } = __cpuid(leaf);
            [eax, ebx, ecx, edx]
        }))
    } else {
        String::new()
    };

    let hypervisor = (leaf1.ecx >> 31 == 1).then(|| {
        let CpuidResult { ebx, ecx, edx, .. } = __cpuid(0x4000_0000);
        text([ebx, ecx, edx])
    });

    Processor {
        brand,
        signature: format!("{vendor} {wide_family}.{wide_model}.{stepping}"),
        microcode: None,
        hypervisor,
    }
}

/// Without CPUID: what the kernel prints.
#[cfg(not(target_arch = "x86_64"))]
fn cpuid(cpuinfo: &str) -> Processor {
    let of = |name| field(cpuinfo, name).unwrap_or_else(|| "?".to_owned());
    Processor {
        brand: field(cpuinfo, "model name")
            .or_else(|| field(cpuinfo, "Model"))
            .unwrap_or_else(|| env::consts::ARCH.to_owned()),
        signature: format!(
            "{} {}.{}.{}",
            of("CPU implementer"),
            of("CPU part"),
            of("CPU variant"),
            of("CPU revision")
        ),
        microcode: None,
        hypervisor: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_found_by_its_whole_name() {
        let cpuinfo =
            "processor\t: 0\nmicrocode version: 7\nmicrocode\t: 0x1000065\nmicrocode\t: 0x2\nflags\t:\n";
        assert_eq!(field(cpuinfo, "microcode").as_deref(), Some("0x1000065"));
        assert_eq!(field(cpuinfo, "flags"), None);
        assert_eq!(field(cpuinfo, "bogomips"), None);
    }

    #[test]
    fn a_list_hides_what_it_names_and_nothing_else() {
        assert_eq!(hidden(""), Ok(vec![]));
        assert_eq!(hidden("-aes"), Ok(vec![cpu::AES]));
        if let [first, .., last] = cpu::ALL {
            let list = format!("-{},-{}", first.name(), last.name());
            assert_eq!(hidden(&list), Ok(vec![*first, *last]));
        }
        for (list, item) in [
            ("aes", "aes"),
            ("-aes,-rot13", "-rot13"),
            ("+aes", "+aes"),
            ("-aes, -aes", " -aes"),
        ] {
            assert_eq!(hidden(list), Err(Error::UnknownFeature(item.to_owned())));
        }
    }

    #[test]
    fn agrees_with_the_kernel() {
        let cpuinfo = fs::read_to_string("/proc/cpuinfo").expect("a Linux system");
        let Some(vendor) = field(&cpuinfo, "vendor_id") else {
            eprintln!("skipped: this kernel prints no vendor_id");
            return;
        };
        let expected = format!(
            "{vendor} {}.{}.{}",
            field(&cpuinfo, "cpu family").unwrap(),
            field(&cpuinfo, "model").unwrap(),
            field(&cpuinfo, "stepping").unwrap()
        );
        let processor = Processor::current();
        assert_eq!(processor.signature, expected);
        assert_eq!(Some(processor.brand), field(&cpuinfo, "model name"));
        assert_eq!(processor.hypervisor.is_some(), cpuinfo.contains(" hypervisor "));
    }
}
