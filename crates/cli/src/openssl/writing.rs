//! The configurations that are written here.
use std::path::Path;

use super::{
    Folders,
    including::read,
    reading::{BEGIN, Said, init, value},
    syntax::quoted,
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
/// The line that stands before one that was taken in.
pub const TAKEN_IN: &str = "# What was here before, which is kept as openssl.cnf.before-ciphertune:";

/// Whether a configuration of [`configuration`]'s has another in it, included or taken in: there was one when it was written.
pub fn has_another(text: &str) -> bool {
    text.lines()
        .any(|line| line == TAKEN_IN || line.starts_with(INCLUDE))
}

/// A configuration of [`configuration`]'s with what it includes, `base`, taken into it. Who may read the one may not read the
/// other where a profile of AppArmor's names files, and OpenSSL leaves out what it may not read without a word.
pub fn with_taken_in(text: &str, base: &[u8]) -> Vec<u8> {
    let Some((before, after)) = text.split_once(&format!("\n{INCLUDE}")) else {
        return text.into();
    };
    let (_, after) = after.split_once('\n').unwrap_or_default();
    // OpenSSL knows it at the start of a file alone.
    let base = base.strip_prefix("\u{feff}".as_bytes()).unwrap_or(base);
    let last = if base.ends_with(b"\n") { "" } else { "\n" };
    [
        before.as_bytes(),
        b"\n",
        TAKEN_IN.as_bytes(),
        b"\n",
        base,
        last.as_bytes(),
        // A backslash at its end takes in no more than the line that is empty here.
        after.as_bytes(),
    ]
    .concat()
}

/// The configuration that includes `base` as it is, and adds the provider at `module` to what that says.
pub fn configuration(base: &Path, module: &Path) -> Result<String> {
    let said = Said::read(&read(base), BEGIN);
    decided(&said, base)?;
    let or = |name: &Option<String>, ours: &str| name.clone().unwrap_or_else(|| ours.to_owned());
    let init = or(&said.init, "ciphertune_init");
    let providers = or(&said.providers, "ciphertune_providers");
    let default = or(&said.default, "ciphertune_default");
    let algorithms = or(&said.algorithms, "ciphertune_algorithms");
    let random = or(&said.random, "ciphertune_random");
    let include = match base.exists() {
        true => format!("{INCLUDE}{}\n", path(base)?),
        false => String::new(),
    };
    let prefers = match said.prefers_ours() {
        true => String::new(),
        false => format!("\n[{algorithms}]\ndefault_properties = ?provider=ciphertune\n"),
    };
    let random_properties = random_properties(said.random_properties.as_deref())?;
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
{HINTS}{prefers}
# Random numbers stay with the default provider.
[{random}]
properties = {random_properties}
",
        module = path(module)?
    ))
}

/// An error where what `base` says would be undone by what is added to it, or cannot be told.
fn decided(said: &Said, base: &Path) -> Result<()> {
    let base = base.display();
    for (key, section) in [
        ("openssl_conf", &said.init),
        ("providers", &said.providers),
        ("default", &said.default),
        ("alg_section", &said.algorithms),
        ("random", &said.random),
    ] {
        let unclear =
            |name: &&String| name.is_empty() || name.contains(UNCLEAR) || name.contains(char::is_control);
        if let Some(section) = section.as_ref().filter(unclear) {
            return Err(format!(
                "{base} sets {key} = {section}, which is not understood here: write the name of the section there as it is"
            )
            .into());
        }
    }
    if let Some(properties) = said.properties.as_ref().filter(|_| !said.prefers_ours()) {
        return Err(format!(
            "{base} sets default_properties = {properties}, which decides already which provider serves; \
             write `?provider=ciphertune` there yourself if it should"
        )
        .into());
    }
    if !said.active.is_empty() && !said.active.iter().any(|name| name == "default") {
        return Err(format!(
            "{base} activates {} and not the default provider, whose algorithms would come with ciphertune's; \
             activate it there yourself if they should",
            said.active.join(", ")
        )
        .into());
    }
    Ok(())
}

/// What would not be the same if it were written as a section's name, or is a variable that stands for nothing.
const UNCLEAR: [char; 8] = ['$', '#', '\\', '"', '\'', '`', '[', ']'];

/// Which provider may make random numbers: not ours, and beyond that what was decided already. Where that names a provider,
/// nothing is added: OpenSSL takes one such clause.
fn random_properties(decided: Option<&str>) -> Result<String> {
    const OTHERS: &str = "provider!=ciphertune";
    match decided {
        Some(decided) if decided.contains("provider") => quoted(decided),
        Some(decided) if !decided.trim().is_empty() => quoted(&format!("{decided},{OTHERS}")),
        _ => Ok(OTHERS.to_owned()),
    }
}

/// A path as a configuration can hold it.
fn path(path: &Path) -> Result<String> {
    match path.to_str() {
        Some(text) => quoted(text),
        None => Err(format!(
            "{path:?} is no UTF-8, as what is written to a configuration is: name a place that is"
        )
        .into()),
    }
}

/// `text`, a configuration of [`configuration`]'s, with what somebody set for the provider in one that was there before.
pub fn keep_settings(text: &str, before: &str) -> String {
    let settings: String = settings(before).iter().map(|line| format!("{line}\n")).collect();
    text.replacen(HINTS, &(settings + HINTS), 1)
}

/// What is set for the provider in a configuration of [`configuration`]'s.
pub fn settings(text: &str) -> Vec<String> {
    // What is taken in comes before.
    let (_, ours) = text
        .rsplit_once(&format!("\n{}\n", section()))
        .unwrap_or_default();
    let settings = ours
        .lines()
        .take_while(|line| !line.starts_with('['))
        .filter(|line| {
            let key = line.split('=').next().unwrap_or_default().trim();
            !matches!(key, "" | "module" | "activate") && !key.starts_with('#')
        });
    settings.map(str::to_owned).collect()
}

/// A configuration of [`configuration`]'s without all that stands in the provider's section.
pub fn without_settings(text: &[u8]) -> Vec<u8> {
    let section = section() + "\n";
    let mut is_within = false;
    let others = text.split_inclusive(|byte| *byte == b'\n').filter(|line| {
        let begins = line.starts_with(b"[");
        if begins {
            is_within = *line == section.as_bytes();
        }
        begins || !is_within
    });
    others.flatten().copied().collect()
}

fn section() -> String {
    format!("[{PROVIDER}]")
}

/// The system's configuration, and TLS 1.3's ciphers in this order for every program that reads it.
pub fn with_ciphersuites(suites: &str) -> Result<String> {
    let base =
        Folders::find().map_or_else(|_| "/etc/ssl/openssl.cnf".into(), |folders| folders.configuration);
    ciphersuites(&base, &read(&base), suites)
}

fn ciphersuites(base: &Path, text: &str, suites: &str) -> Result<String> {
    let mut lines = vec![format!("{INCLUDE}{}", path(base)?)];
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
    Ok(lines.join("\n") + "\n")
}

#[cfg(test)]
mod tests {
    use std::{ffi::OsStr, fs, io::ErrorKind, os::unix::ffi::OsStrExt, process::Command};

    use super::{
        super::{DEBIAN, skip::skip},
        *,
    };

    #[test]
    fn ciphersuites_are_added_where_the_system_reads_them() {
        let base = Path::new("/etc/ssl/openssl.cnf");
        let settings = |text: &str| ciphersuites(base, text, "TLS_A:TLS_B").unwrap();
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
    fn openssl_reads_ciphersuites_beside_a_configuration_in_any_folder() {
        let root = tempfile::tempdir().unwrap();
        let own =
            "openssl_conf = i\n[i]\nssl_conf = s\n[s]\nsystem_default = t\n[t]\nMinProtocol = TLSv1.2\n";
        let suites = "TLS_CHACHA20_POLY1305_SHA256:TLS_AES_128_GCM_SHA256";
        for odd in [
            "a b",
            "$HOME",
            "a#b",
            " a ",
            "a\\",
            "a\\nb",
            "\"a\"",
            "'a'",
            "`a`",
            "a=b",
            "[a]",
            "d$r #'\"\\ é",
        ] {
            let base = root.path().join(odd).join("openssl.cnf");
            fs::create_dir(root.path().join(odd)).unwrap();
            fs::write(&base, own).unwrap();
            let text = ciphersuites(&base, &read(&base), suites).unwrap();
            // It stands in a section that counts where the other configuration is read, and nowhere else.
            assert!(!text.contains("openssl_conf"), "{text}");
            let written = root.path().join("written");
            fs::write(&written, &text).unwrap();
            let mut openssl = Command::new("openssl");
            openssl
                .args(["ciphers", "-s", "-tls1_3"])
                .env("OPENSSL_CONF", &written);
            match openssl.output() {
                Err(why) if why.kind() == ErrorKind::NotFound => return skip("openssl is not installed"),
                output => {
                    let said = String::from_utf8(output.unwrap().stdout).unwrap();
                    assert_eq!(said.trim(), suites, "{text}");
                }
            }
        }
        let error = ciphersuites(Path::new("/a\nb"), "", suites)
            .unwrap_err()
            .to_string();
        assert!(error.contains("line break") && !error.contains('\n'), "{error}");
    }

    #[test]
    fn what_is_taken_in_ends_before_what_is_added() {
        let text = format!("{HEADER}\nopenssl_conf = i\n{INCLUDE}/base\n\n[i]\n");
        for (base, within) in [
            ("a = b\n", "a = b\n"),
            ("a = b", "a = b\n"),
            ("a = \\", "a = \\\n"),
            ("\u{feff}a = b\n", "a = b\n"),
            ("", "\n"),
        ] {
            let expected = format!("{HEADER}\nopenssl_conf = i\n{TAKEN_IN}\n{within}\n[i]\n");
            assert_eq!(
                String::from_utf8(with_taken_in(&text, base.as_bytes())).unwrap(),
                expected
            );
            assert!(has_another(&expected) && has_another(&text));
        }
        let alone = format!("{HEADER}\n[i]\n");
        assert_eq!(with_taken_in(&alone, b""), alone.as_bytes());
        assert!(!has_another(&alone));
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

    /// What is written for a system's configuration of these lines.
    fn written(lines: &str) -> Result<String> {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path().join("openssl.cnf");
        fs::write(&base, lines).unwrap();
        configuration(&base, Path::new("/m"))
    }

    #[track_caller]
    fn refused(lines: &str) -> String {
        written(lines).unwrap_err().to_string()
    }

    #[test]
    fn who_decided_already_is_asked() {
        let decides = |properties: &str| {
            format!("openssl_conf = i\n[i]\nalg_section = a\n[a]\ndefault_properties = {properties}\n")
        };
        let error = refused(&decides("fips=yes"));
        assert!(error.contains("default_properties = fips=yes"), "{error}");
        // Whoever followed that has decided so, and it stays.
        for ours in ["?provider=ciphertune", "\"tls=no, ?provider = ciphertune\""] {
            let text = written(&decides(ours)).unwrap();
            assert!(text.contains("\nalg_section = a\n"), "{text}");
            assert!(!text.contains("default_properties"), "{text}");
        }
    }

    #[test]
    fn random_numbers_stay_where_they_were_decided_to_come_from() {
        let decided = |properties: &str| {
            let base = format!("openssl_conf = i\n[i]\nrandom = r\n[r]\nproperties = {properties}\n");
            let text = written(&base).unwrap();
            let (_, random) = text.split_once("\n[r]\nproperties = ").unwrap();
            random.trim_end().to_owned()
        };
        for (properties, expected) in [
            ("fips=yes", "fips=yes,provider!=ciphertune"),
            ("'fips=yes'", "fips=yes,provider!=ciphertune"),
            ("provider=fips", "provider=fips"),
            ("", "provider!=ciphertune"),
        ] {
            assert_eq!(decided(properties), expected);
        }
    }

    #[test]
    fn the_default_provider_is_not_added_where_others_were_chosen() {
        let base = |sections: &str| {
            format!(
                "openssl_conf = i\n[i]\nproviders = p\n[p]\nbase = b\ndefault = d\n1.fips = f\n{sections}"
            )
        };
        let error = refused(&base("[b]\nactivate = 1\n[f]\nactivate = yes\n"));
        assert!(
            error.contains(" activates base, fips and not the default provider"),
            "{error}"
        );
        for there in [
            "",
            "[b]\nactivate = 1\n[d]\nactivate = 1\n",
            "[b]\nactivate = 0\n",
        ] {
            written(&base(there)).unwrap();
        }
    }

    #[test]
    fn names_are_taken_as_openssl_understands_them() {
        for begin in [
            "init = i\nopenssl_conf = $init",
            "openssl_conf = \"i\"",
            "openssl_conf = \\i",
        ] {
            let text = written(&format!("{begin}\n[i]\nproviders = p\n")).unwrap();
            assert!(text.contains("\nopenssl_conf = i\n"), "{text}");
            assert!(text.contains("\n[i]\nproviders = p\n"), "{text}");
        }
        for (begin, told) in [
            (
                "openssl_conf = $ENV::FOO",
                "sets openssl_conf = $ENV::FOO, which is not understood",
            ),
            (
                "openssl_conf = i\n[i]\nproviders = 'p#'",
                "sets providers = p#, which is not understood",
            ),
            ("openssl_conf =", "sets openssl_conf = , which is not understood"),
        ] {
            let error = refused(begin);
            assert!(error.contains(told), "{error}");
        }
    }

    #[test]
    fn paths_are_written_so_that_openssl_reads_them() {
        let folder = tempfile::tempdir().unwrap();
        let odd = folder.path().join("d$r #'\"\\ é");
        fs::create_dir(&odd).unwrap();
        let base = odd.join("openssl.cnf");
        fs::write(&base, DEBIAN).unwrap();
        let module = odd.join("m.so");
        let text = configuration(&base, &module).unwrap();
        let file = folder.path().join("written");
        fs::write(&file, &text).unwrap();
        let text = read(&file);
        assert_eq!(value(&text, PROVIDER, "module").as_deref(), module.to_str());
        assert_eq!(
            value(&text, "default", "HOME").as_deref(),
            Some("."),
            "it is included"
        );

        for odd in [&b"/m\n/m.so"[..], b"/m\xff/m.so"] {
            let odd = Path::new(OsStr::from_bytes(odd));
            let error = configuration(&base, odd).unwrap_err().to_string();
            assert!(
                error.contains("configuration") && !error.contains('\n'),
                "{error}"
            );
        }
    }
}
