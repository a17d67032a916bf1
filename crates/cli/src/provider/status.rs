//! What is installed, and what openssl makes of it.
use std::{path::Path, process::ExitCode};

use super::{Places, refusal};
use crate::{
    Result,
    openssl::{self, BEGIN},
    stdout,
};

impl Places {
    pub(super) fn status(&self) -> Result<ExitCode> {
        let yes = |there: bool| if there { "" } else { "  (not there)" };
        let used =
            |path: &Path| openssl::is_active(path) && openssl::prefers_ours(&openssl::read(path), BEGIN);
        let uses = |path: &Path, is_used: bool| match (is_used, refusal(path)) {
            (true, _) => "openssl uses the provider with it".to_owned(),
            (false, None) => "openssl does not use the provider with it".to_owned(),
            (false, Some(why)) => format!("openssl does not use the provider with it: {why}"),
        };
        let (beside, system) = (used(&self.configuration), used(&self.system));
        let lost = self.lost();
        stdout::print(|out| {
            writeln!(
                out,
                "provider       {}{}",
                self.module.display(),
                yes(self.module.exists())
            )?;
            let there = self.configuration.exists();
            writeln!(
                out,
                "configuration  {}{}",
                self.configuration.display(),
                yes(there)
            )?;
            if there {
                writeln!(out, "               {}", uses(&self.configuration, beside))?;
            }
            writeln!(
                out,
                "system         {}{}",
                self.system.display(),
                yes(self.system.exists())
            )?;
            writeln!(out, "               {}", uses(&self.system, system))?;
            if let Some(why) = &lost {
                writeln!(out, "               {why}")?;
            }
            for why in [&self.configuration, &self.system].map(|path| openssl::meaningless(path)) {
                why.map_or(Ok(()), |why| writeln!(out, "\n{why}"))?;
            }
            Ok(())
        })?;
        Ok(if (beside || system) && lost.is_none() {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        })
    }
}
