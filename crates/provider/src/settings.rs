use std::{
    ffi::{CStr, c_char},
    path::Path,
    ptr,
};

use ciphertune::{Basis, Gcm, Implementation, Plan, selection, wisdom::Wisdom};

use crate::abi::{Handle, RawParam, core};

/// What the provider's section of the configuration says, as texts; absent ones are `None`.
pub(crate) struct Settings<'a> {
    /// One implementation for everything.
    implementation: Option<&'a CStr>,
    /// The file with what was measured here.
    wisdom: Option<&'a CStr>,
}

impl<'a> Settings<'a> {
    /// Asks libcrypto.
    ///
    /// # Safety
    /// `get` is libcrypto's function, and `handle` its handle, which outlives `'a`.
    pub(crate) unsafe fn ask(handle: &'a Handle, get: core::GetParams) -> Self {
        let mut values: [*const c_char; 2] = [ptr::null(); 2];
        let mut params = [
            RawParam::text(c"implementation"),
            RawParam::text(c"wisdom"),
            RawParam::END,
        ];
        for (param, value) in params.iter_mut().zip(&mut values) {
            param.data = ptr::from_mut(value).cast();
        }
        // SAFETY: a list of parameters with room for a pointer each. Texts stay where they are for as long as the
        // provider is loaded. What it does not know it leaves alone, so that its answer says nothing.
        let [implementation, wisdom] = unsafe {
            get(*handle, params.as_mut_ptr());
            values.map(|value| (!value.is_null()).then(|| CStr::from_ptr(value)))
        };
        Self {
            implementation,
            wisdom,
        }
    }
}

/// Which implementation serves which mode and length.
pub(crate) struct Plans {
    /// CTR, for keys of 16, 24 and 32 bytes.
    ctr: [Plan; 3],
    /// The modes that nothing is measured of yet.
    pub(crate) blocks: Plan,
    /// GCM.
    pub(crate) gcm: Implementation,
}

impl Plans {
    /// Reads wisdom, once. Wisdom that is absent or refused is no error: the default serves, as it does in the
    /// library. What cannot be meant is one, told in a line that names the setting.
    pub(crate) fn find(settings: &Settings<'_>) -> Result<Self, String> {
        if let Some(name) = settings.implementation {
            return Self::forced(&name.to_string_lossy()).map_err(|why| format!("implementation: {why}"));
        }
        if let Some(path) = settings.wisdom {
            let path = path.to_string_lossy();
            if !Path::new(&*path).is_absolute() {
                return Err(format!("wisdom: '{path}' is not an absolute path"));
            }
            return Ok(Self::measured(Wisdom::read(Path::new(&*path)).ok().as_ref()));
        }
        // What the environment says is for programs that run as who started them.
        // SAFETY: it has no preconditions.
        if unsafe { libc::getauxval(libc::AT_SECURE) } != 0 {
            return Ok(Self::measured(None));
        }
        match selection().map_err(|why| why.to_string())?.basis() {
            Basis::Forced(implementation) => {
                Self::forced(implementation.name()).map_err(|why| format!("{FORCED}: {why}"))
            }
            Basis::Wisdom(wisdom) => Ok(Self::measured(Some(wisdom))),
            _ => Ok(Self::measured(None)),
        }
    }

    fn forced(name: &str) -> Result<Self, String> {
        let Some(implementation) = Implementation::named(name) else {
            let names: Vec<_> = Implementation::all().iter().map(|i| i.name()).collect();
            return Err(format!(
                "'{name}' is no implementation; known are {}",
                names.join(", ")
            ));
        };
        let plan = Plan::forced(implementation).map_err(|why| why.to_string())?;
        // GCM decides by itself when to compute the first round ahead.
        let gcm = name.strip_suffix("-r1").unwrap_or(name);
        let gcm = Implementation::named(gcm).filter(|gcm| gcm.gcm().is_some());
        Ok(Self {
            ctr: [plan; 3],
            blocks: plan,
            gcm: gcm.ok_or_else(|| format!("this processor cannot run the GCM of '{name}'"))?,
        })
    }

    fn measured(wisdom: Option<&Wisdom>) -> Self {
        Self {
            ctr: ["AES-128-CTR", "AES-192-CTR", "AES-256-CTR"].map(|algorithm| {
                wisdom
                    .and_then(|wisdom| wisdom.plan(algorithm))
                    .unwrap_or_else(Plan::estimate)
            }),
            blocks: Plan::estimate(),
            gcm: Gcm::default_implementation(),
        }
    }

    /// The plan for CTR with a key of that many bytes: 16, 24 or 32.
    pub(crate) fn ctr(&self, key_len: usize) -> &Plan {
        &self.ctr[(key_len / 8).saturating_sub(2).min(2)]
    }
}

const FORCED: &str = "CIPHERTUNE_IMPLEMENTATION";
