//! What OpenSSL makes of our provider with a configuration.
use std::{
    io::{ErrorKind, Write},
    path::Path,
    process::{Command, Output},
};

use ciphertune_report::steerless;

use super::{
    including::read,
    reading::{OnDemand, on_demand, prefers_ours},
};
use crate::child;

/// What a configuration must have so that AES is taken from the provider, which is active without it too.
pub const PREFERENCE: &str = "alg_section with default_properties = ?provider=ciphertune";

/// What comes of a configuration for programs that read it.
pub enum Use {
    /// They take AES from the provider; and how that chooses its code, as it says itself.
    Used(Option<String>),
    /// The provider is active, and they take AES from elsewhere: there is no [`PREFERENCE`].
    Passed,
    /// The provider is not active, and why, as far as OpenSSL says it.
    Refused(Option<String>),
    /// Nobody knows, since the command openssl, which could tell, is not there, and how to say so.
    Untold(String),
    /// Nobody knows, since it is there and did not answer, and why. A provider that hangs makes it do so.
    Unanswered(String),
}

/// What comes of a configuration for programs that begin with this name in it.
pub fn used(configuration: &Path, begin: &str) -> Use {
    match asked(configuration, &["list", "-providers", "-verbose"]) {
        Err(untold) => untold,
        Ok(told) if !is_active(&told) => Use::Refused(refusal(configuration)),
        Ok(_) if !prefers_ours(&read(configuration), begin) => Use::Passed,
        Ok(told) => Use::Used(basis(&told)),
    }
}

/// Whether OpenSSL lists the provider, by its own name, whatever the configuration calls it.
fn is_active(listed: &Output) -> bool {
    String::from_utf8_lossy(&listed.stdout).contains(OURS)
}

const OURS: &str = "\n    name: Ciphertune\n";

/// What the provider says of itself besides its version.
fn basis(listed: &Output) -> Option<String> {
    let listed = String::from_utf8_lossy(&listed.stdout);
    let (_, ours) = listed.split_once(OURS)?;
    let mut ours = ours.lines().take_while(|line| line.starts_with("    "));
    let (_, basis) = ours
        .find_map(|line| line.strip_prefix("    build info: "))?
        .split_once(", ")?;
    Some(steerless(basis))
}

/// Why OpenSSL does not take the provider that its configuration names. It says so only when it is asked for the provider,
/// and nothing when a configuration is read.
fn refusal(configuration: &Path) -> Option<String> {
    let OnDemand { name, module, text } = on_demand(&read(configuration))?;
    let output = asked_by(&text, &["list", "-providers", "-provider", &name])?;
    if is_active(&output) {
        return Some("nothing activates it".to_owned());
    }
    let why = reasons(&output).into_iter().next()?;
    // It has looked where it does for a provider of which it read nothing.
    let is_elsewhere = module.is_some_and(|module| is_of_loading(&why) && !why.contains(&module));
    Some(match is_elsewhere {
        true => stopped(&text).unwrap_or_else(|| "OpenSSL cannot parse it, or what it includes".to_owned()),
        false => why,
    })
}

/// Where OpenSSL gives up on a configuration that it can parse, and why: it says so to whoever asks in the configuration.
fn stopped(text: &str) -> Option<String> {
    let text = format!("{text}\n[default]\nconfig_diagnostics = 1\n");
    let reasons = reasons(&asked_by(&text, &["list", "-providers"])?);
    match &reasons[..] {
        [] => None,
        [at] => Some(format!("OpenSSL gives up at {at}")),
        [why, .., at] => Some(format!("OpenSSL gives up at {at}: {why}")),
    }
}

/// As [`asked`], by a configuration that says this.
fn asked_by(text: &str, arguments: &[&str]) -> Option<Output> {
    let mut file = tempfile::NamedTempFile::new().ok()?;
    file.write_all(text.as_bytes()).ok()?;
    asked(file.path(), arguments).ok()
}

/// What was wrong, from the first cause on, as far as there is more to say of it than its number.
fn reasons(output: &Output) -> Vec<String> {
    // As in "4067F8EAC57F0000:error:40800001:lib(129)::reason(1):ciphertune:0:what is wrong".
    let said = String::from_utf8_lossy(&output.stderr);
    let reasons = said.lines().filter_map(|line| line.splitn(9, ':').nth(8));
    let reasons = reasons.map(|why| why.trim().to_owned());
    reasons.filter(|why| !why.is_empty()).collect()
}

/// Whether OpenSSL had no more than a file to complain of, which it could not load as a provider.
pub fn is_of_loading(why: &str) -> bool {
    ["filename(", "symname("].iter().any(|it| why.starts_with(it))
}

fn asked(configuration: &Path, words: &[&str]) -> Result<Output, Use> {
    let mut openssl = Command::new("openssl");
    openssl.args(words).env("OPENSSL_CONF", configuration);
    child::output(&mut openssl).map_err(|why| match why.kind() {
        ErrorKind::NotFound => {
            Use::Untold("the command openssl, which could tell, is not installed".to_owned())
        }
        _ => Use::Unanswered(format!(
            "the command openssl, which could tell, cannot be asked: {why}"
        )),
    })
}
