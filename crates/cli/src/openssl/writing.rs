//! The configurations that are written here.
use std::path::Path;

use super::{
    Folders,
    reading::{BEGIN, Said, init, read, value},
};
use crate::Result;

/// The first line of every configuration that is written here, by which it is known again.
pub const HEADER: &str =
    "# Made by `ciphertune provider`: AES by Ciphertune wherever OpenSSL reads this file.";

/// The provider's section, and how what can be set there is told.
const PROVIDER: &str = "ciphertune_provider";
const HINTS: &str = "\
# wisdom = /path/of/a/file that `ciphertune tune` wrote
# implementation = the name of one, for everything
# threads = how many a stream of counter mode may have, or wisdom
# threads-after = after how many bytes of a stream they begin
";

/// How the line begins by which a configuration includes another.
const INCLUDE: &str = ".include ";

/// Whether a configuration of [`configuration`]'s includes one: there was one when it was written.
pub fn includes(text: &str) -> bool {
    text.lines().any(|line| line.starts_with(INCLUDE))
}

/// The configuration that includes `base` as it is, and adds the provider at `module` to what that says.
pub fn configuration(base: &Path, module: &Path) -> Result<String> {
    let said = Said::read(&read(base), BEGIN);
    if let Some(properties) = &said.properties {
        return Err(format!(
            "{} sets default_properties = {properties}, which decides already which provider serves; \
             write `?provider=ciphertune` there yourself if it should",
            base.display()
        )
        .into());
    }
    let or = |name: &Option<String>, ours: &str| name.clone().unwrap_or_else(|| ours.to_owned());
    let init = or(&said.init, "ciphertune_init");
    let providers = or(&said.providers, "ciphertune_providers");
    let default = or(&said.default, "ciphertune_default");
    let algorithms = or(&said.algorithms, "ciphertune_algorithms");
    let random = or(&said.random, "ciphertune_random");
    let include = match base.exists() {
        true => format!("{INCLUDE}{}\n", base.display()),
        false => String::new(),
    };
    Ok(format!(
        "{HEADER}
openssl_conf = {init}
nodejs_conf = {init}
{include}
[{init}]
providers = {providers}
alg_section = {algorithms}
random = {random}

[{providers}]
default = {default}
ciphertune = {PROVIDER}

[{default}]
activate = 1

[{PROVIDER}]
module = {module}
activate = 1
{HINTS}
[{algorithms}]
default_properties = ?provider=ciphertune

# Random numbers stay with the default provider.
[{random}]
properties = provider!=ciphertune
",
        module = module.display()
    ))
}

/// `text`, a configuration of [`configuration`]'s, with what somebody set for the provider in one that was there before.
pub fn keep_settings(text: &str, before: &str) -> String {
    let settings: String = settings(before).iter().map(|line| format!("{line}\n")).collect();
    text.replacen(HINTS, &(settings + HINTS), 1)
}

/// What is set for the provider in a configuration of [`configuration`]'s.
pub fn settings(text: &str) -> Vec<String> {
    let lines = text.lines().skip_while(|line| *line != section()).skip(1);
    let settings = lines.take_while(|line| !line.starts_with('[')).filter(|line| {
        let key = line.split('=').next().unwrap_or_default().trim();
        !matches!(key, "" | "module" | "activate") && !key.starts_with('#')
    });
    settings.map(str::to_owned).collect()
}

/// A configuration of [`configuration`]'s without all that stands in the provider's section.
pub fn without_settings(text: &str) -> String {
    let mut is_within = false;
    let others = text.lines().filter(|line| {
        let begins = line.starts_with('[');
        if begins {
            is_within = *line == section();
        }
        begins || !is_within
    });
    others.flat_map(|line| [line, "\n"]).collect()
}

fn section() -> String {
    format!("[{PROVIDER}]")
}

/// The system's configuration, and TLS 1.3's ciphers in this order for every program that reads it.
pub fn with_ciphersuites(suites: &str) -> String {
    let base =
        Folders::find().map_or_else(|_| "/etc/ssl/openssl.cnf".into(), |folders| folders.configuration);
    ciphersuites(&base, &read(&base), suites)
}

fn ciphersuites(base: &Path, text: &str, suites: &str) -> String {
    let mut lines = vec![format!("{INCLUDE}{}", base.display())];
    // Sections that are there are added to: what they say of versions and security levels stays.
    let mut section = init(text, BEGIN);
    if section.is_none() {
        lines.insert(0, "openssl_conf = advised_init".to_owned());
    }
    for (key, ours) in [("ssl_conf", "advised_ssl"), ("system_default", "advised_tls")] {
        let within = section.unwrap_or_else(|| "advised_init".to_owned());
        section = value(text, &within, key);
        if section.is_none() {
            lines.push(format!("[{within}]"));
            lines.push(format!("{key} = {ours}"));
            section = Some(ours.to_owned());
        }
    }
    lines.push(format!("[{}]", section.unwrap_or_default()));
    lines.push(format!("Ciphersuites = {suites}"));
    lines.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{super::DEBIAN, *};

    #[test]
    fn ciphersuites_are_added_where_the_system_reads_them() {
        let base = Path::new("/etc/ssl/openssl.cnf");
        let settings = |text: &str| ciphersuites(base, text, "TLS_A:TLS_B");
        assert_eq!(
            settings(""),
            "openssl_conf = advised_init\n.include /etc/ssl/openssl.cnf\n[advised_init]\nssl_conf = advised_ssl\n\
             [advised_ssl]\nsystem_default = advised_tls\n[advised_tls]\nCiphersuites = TLS_A:TLS_B\n"
        );
        // What it says of security levels stands beside it, and stays.
        let own = "openssl_conf = init\n[init]\nssl_conf = ssl\n[ssl]\nsystem_default = tls\n[tls]\n\
                   CipherString = DEFAULT@SECLEVEL=3\n";
        assert_eq!(
            settings(own),
            ".include /etc/ssl/openssl.cnf\n[tls]\nCiphersuites = TLS_A:TLS_B\n"
        );
    }

    #[test]
    fn sections_of_the_system_are_added_to() {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path().join("openssl.cnf");
        fs::write(&base, DEBIAN).unwrap();
        let text = configuration(&base, Path::new("/m/ciphertune.so")).unwrap();
        assert!(text.contains(&format!(".include {}\n", base.display())), "{text}");
        assert!(text.contains("[provider_sect]\ndefault = default_sect\nciphertune = ciphertune_provider\n"));
        assert!(text.contains("[default_sect]\nactivate = 1\n"));
        assert!(text.contains("module = /m/ciphertune.so\n"));
        // Where there is none, nothing is included.
        let text = configuration(&folder.path().join("absent"), Path::new("/m")).unwrap();
        assert!(!text.contains(".include"));
    }

    #[test]
    fn who_decided_already_is_asked() {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path().join("openssl.cnf");
        fs::write(
            &base,
            "openssl_conf = i\n[i]\nalg_section = a\n[a]\ndefault_properties = fips=yes\n",
        )
        .unwrap();
        let error = configuration(&base, Path::new("/m")).unwrap_err().to_string();
        assert!(error.contains("default_properties = fips=yes"), "{error}");
    }
}
