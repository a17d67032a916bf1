//! By what instructions it goes: those that the processor has or, where it is told so, fewer.
use std::ptr::NonNull;

use ciphertune_testkit::Fault;

use super::{Functions, IpsecMb, header::Manager};
use crate::{Mask, library::Library, peers::Flaw};

/// Which masks it can be told. Its code for AVX-512 or AVX2 that has VAES has SHA instructions too: without these it has
/// neither.
pub(crate) fn heeds(mask: Mask) -> bool {
    matches!(mask, Mask::NoAvx512 | Mask::NoAvx2 | Mask::NoAvx | Mask::NoSha)
}

impl IpsecMb {
    /// As it comes, or under a mask that it heeds.
    pub(in crate::peers) fn without(
        library: Library,
        version: (u32, u32),
        mask: Option<Mask>,
    ) -> Result<Self, Flaw> {
        let functions = Functions::find(library)?;
        // SAFETY: the header of 1.3 gives the name this type; later ones lack it.
        let init_avx = unsafe { library.symbol("init_mb_mgr_avx") }.unwrap_or(functions.init_mb_mgr_sse);
        let flags = if mask == Some(Mask::NoSha) { SHANI } else { 0 };
        // SAFETY: the flag is one that the header has; the function answers NULL or a manager of the library's own making,
        // never freed.
        let manager = NonNull::new(unsafe { (functions.alloc_mb_mgr)(flags) });
        let manager = manager.ok_or_else(|| Fault("alloc_mb_mgr failed".to_owned()))?;
        let mut chosen = 0;
        // SAFETY: the manager is valid, and `chosen` there to be written.
        unsafe {
            match mask {
                Some(Mask::NoAvx512) => (functions.init_mb_mgr_avx2)(manager.as_ptr()),
                Some(Mask::NoAvx2) => init_avx(manager.as_ptr()),
                Some(Mask::NoAvx) => (functions.init_mb_mgr_sse)(manager.as_ptr()),
                _ => (functions.init_mb_mgr_auto)(manager.as_ptr(), &mut chosen),
            }
        }
        let library = Self {
            functions,
            has_later_jobs: version >= (2, 0),
            manager,
        };
        let Manager {
            used_arch, features, ..
        } = library.manager();
        Arch::of(version).goes_by(mask, *used_arch, *features)?;
        Ok(library)
    }
}

/// `IMB_FLAG_SHANI_OFF`, and `IMB_FEATURE_SHANI`.
const SHANI: u64 = 1;

/// `IMB_ARCH_*` of what has AES instructions: what code is made for.
struct Arch {
    sse: u32,
    avx: u32,
    avx2: u32,
}

impl Arch {
    fn of((major, _): (u32, u32)) -> Self {
        match major {
            1 => Self {
                sse: 2,
                avx: 3,
                avx2: 4,
            },
            // It has no code for AVX without AVX2.
            _ => Self {
                sse: 1,
                avx: 1,
                avx2: 2,
            },
        }
    }

    /// Checks what a manager says that it goes by.
    fn goes_by(&self, mask: Option<Mask>, arch: u32, features: u64) -> Result<(), Fault> {
        let most = match mask {
            Some(Mask::NoAvx512) => self.avx2,
            Some(Mask::NoAvx2) => self.avx,
            Some(Mask::NoAvx) => self.sse,
            _ => u32::MAX,
        };
        if arch < self.sse {
            return Err(Fault("needs a processor with AES instructions".to_owned()));
        }
        match mask.filter(|&mask| arch > most || mask == Mask::NoSha && features & SHANI != 0) {
            Some(mask) => Err(Fault(format!("it was told {mask}, and goes on as before"))),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manager_that_goes_on_as_before_is_caught() {
        for version in [(1, 3), (2, 0)] {
            let arch = Arch::of(version);
            for (mask, more, less) in [
                (Mask::NoAvx512, arch.avx2 + 1, arch.avx2),
                (Mask::NoAvx2, arch.avx2, arch.avx),
                (Mask::NoAvx, arch.avx2, arch.sse),
            ] {
                assert_eq!(arch.goes_by(None, more, SHANI), Ok(()));
                let Fault(why) = arch.goes_by(Some(mask), more, 0).unwrap_err();
                assert!(why.contains(mask.name()), "{why}");
                assert_eq!(arch.goes_by(Some(mask), less, SHANI), Ok(()), "{mask}");
            }
            assert!(arch.goes_by(Some(Mask::NoSha), arch.sse, SHANI).is_err());
            assert_eq!(arch.goes_by(Some(Mask::NoSha), arch.sse, 0), Ok(()));
            let tables = arch.goes_by(None, arch.sse - 1, 0);
            assert!(tables.is_err(), "without AES instructions it has tables");
        }
    }
}
