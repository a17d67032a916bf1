//! The OpenSSL of this system: where it keeps its things, and the configuration that makes it use the provider.
use std::{
    env, fs, io,
    path::{self, Path, PathBuf},
    process::Command,
};

use crate::Result;

/// Where the system's OpenSSL looks.
pub struct Folders {
    /// Its configuration, `openssl.cnf`, with all links followed.
    pub configuration: PathBuf,
    /// Its providers.
    pub modules: PathBuf,
}

impl Folders {
    /// Asks the command `openssl`.
    pub fn find() -> Result<Self> {
        let output = Command::new("openssl")
            .args(["version", "-d", "-m"])
            .output()
            .map_err(|why| match why.kind() {
                io::ErrorKind::NotFound => {
                    "the command openssl, which knows where its configuration is, is not \
                                            installed; on Debian it is the package openssl"
                        .to_owned()
                }
                _ => format!("cannot run openssl to ask where its configuration is: {why}"),
            })?;
        let text = String::from_utf8_lossy(&output.stdout);
        let named = |name: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(name))?;
            Some(PathBuf::from(
                line.trim_start_matches(':').trim().trim_matches('"'),
            ))
        };
        let (Some(folder), Some(modules)) = (named("OPENSSLDIR"), named("MODULESDIR")) else {
            return Err("this openssl knows no providers; version 3.0 or later is needed".into());
        };
        Ok(Self {
            configuration: followed(&folder.join("openssl.cnf"))?,
            modules,
        })
    }
}

/// Where a path leads, even if nothing is there.
pub fn followed(path: &Path) -> io::Result<PathBuf> {
    fs::canonicalize(path).or_else(|_| match fs::read_link(path) {
        Ok(target) => path::absolute(path.with_file_name(target)),
        Err(_) => path::absolute(path),
    })
}

/// The configuration that programs read in this environment.
pub fn in_force() -> Result<PathBuf> {
    match env::var_os("OPENSSL_CONF") {
        Some(path) => Ok(path.into()),
        None => Ok(Folders::find()?.configuration),
    }
}

/// Whether OpenSSL says, with this configuration, that the provider works.
pub fn is_active(configuration: &Path) -> bool {
    let output = Command::new("openssl")
        .args(["list", "-providers"])
        .env("OPENSSL_CONF", configuration)
        .output();
    output.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains("\n  ciphertune\n"))
}

/// What a configuration says with all that it includes. OpenSSL too leaves out what cannot be read.
pub fn read(path: &Path) -> String {
    expanded(path, 0)
}

fn expanded(path: &Path, depth: usize) -> String {
    /// Deeper than anybody's, and an end to those that include themselves.
    const DEEPEST: usize = 8;
    let mut whole = String::new();
    for line in String::from_utf8_lossy(&fs::read(path).unwrap_or_default()).lines() {
        match line.trim().strip_prefix(".include") {
            Some(named) if depth < DEEPEST => {
                let named = Path::new(named.trim_start_matches([' ', '\t', '=']));
                let files = included(named).into_iter();
                whole.extend(files.map(|file| expanded(&file, depth + 1)));
            }
            _ => whole.extend([line, "\n"]),
        }
    }
    whole
}

/// A file, or those of a folder.
fn included(named: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(named) else {
        return vec![named.to_owned()];
    };
    let files = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let is_read = |file: &PathBuf| file.extension().is_some_and(|it| it == "cnf" || it == "conf");
    files.filter(is_read).collect()
}

/// The first line of every configuration that is written here, by which it is known again.
pub const HEADER: &str =
    "# Made by `ciphertune provider`: AES by Ciphertune wherever OpenSSL reads this file.";

/// A line of a configuration.
struct Line<'a> {
    /// Which it is in, and begins if it says so itself.
    section: &'a str,
    /// Name and value.
    setting: Option<(&'a str, &'a str)>,
    text: &'a str,
}

fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    let mut section = "";
    text.lines().map(move |text| {
        let line = text.split('#').next().unwrap_or_default().trim();
        if let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            section = name.trim();
        }
        let setting = line.split_once('=');
        Line {
            section,
            setting: setting.map(|(name, value)| (name.trim(), value.trim())),
            text,
        }
    })
}

/// The name that a configuration has for our provider, and that configuration with the provider loaded only where somebody
/// asks for it by name; `None` if there is no such provider in it.
pub fn on_demand(text: &str) -> Option<(&str, String)> {
    let ours = section(text)?;
    let names = lines(text).filter_map(|line| line.setting);
    let (name, _) = { names }.find(|(_, section)| *section == ours)?;
    let activates =
        |line: &Line<'_>| line.section == ours && line.setting.is_some_and(|(name, _)| name == "activate");
    let kept = lines(text).filter(|line| !activates(line));
    Some((name, kept.flat_map(|line| [line.text, "\n"]).collect()))
}

/// The section of our provider.
fn section(text: &str) -> Option<&str> {
    let is_ours = |(name, value): (&str, &str)| name == "module" && value.ends_with("/ciphertune.so");
    let mut lines = lines(text);
    Some(lines.find(|line| line.setting.is_some_and(is_ours))?.section)
}

/// Whether a configuration says to a program, which begins with this name in it or else as most do, that our provider's
/// algorithms go before others.
pub fn prefers_ours(text: &str, begin: &str) -> bool {
    let begin = init(text, begin).map_or(BEGIN, |_| begin);
    let properties = Said::read(text, begin).properties.unwrap_or_default();
    let mut clauses = properties.trim_matches('"').split(',');
    clauses.any(|clause| clause.replace(' ', "").trim_start_matches('?') == "provider=ciphertune")
}

/// What the provider asks for.
const OURS: [&str; 4] = ["wisdom", "implementation", "threads", "threads-after"];

/// What is set for our provider in this configuration and means nothing to it, in a sentence. Neither OpenSSL nor a
/// provider can see that.
pub fn meaningless(configuration: &Path) -> Option<String> {
    const OPENSSLS: [&str; 4] = ["identity", "soft_load", "module", "activate"];
    let text = read(configuration);
    let ours = section(&text)?;
    let names = lines(&text).filter(|line| line.section == ours);
    let names = names.filter_map(|line| Some(line.setting?.0));
    let unknown: Vec<_> = names
        .filter(|name| !OPENSSLS.contains(name) && !OURS.contains(name))
        .collect();
    (!unknown.is_empty()).then(|| {
        format!(
            "{} sets {} for the provider, which knows only {}",
            configuration.display(),
            unknown.join(", "),
            OURS.join(", ")
        )
    })
}

/// What a configuration says last.
fn value(text: &str, section: &str, key: &str) -> Option<String> {
    let found = lines(text).filter(|line| line.section == section);
    let found = found.filter_map(|line| line.setting.filter(|(name, _)| *name == key));
    found.last().map(|(_, value)| value.to_owned())
}

/// How most programs begin with a configuration, and Node.
pub const BEGIN: &str = "openssl_conf";
pub const NODE_BEGIN: &str = "nodejs_conf";

/// The section that a program begins with.
fn init(text: &str, begin: &str) -> Option<String> {
    value(text, "", begin).or_else(|| value(text, "default", begin))
}

/// The system's configuration, and TLS 1.3's ciphers in this order for every program that reads it.
pub fn with_ciphersuites(suites: &str) -> String {
    let base =
        Folders::find().map_or_else(|_| "/etc/ssl/openssl.cnf".into(), |folders| folders.configuration);
    ciphersuites(&base, &read(&base), suites)
}

fn ciphersuites(base: &Path, text: &str, suites: &str) -> String {
    let mut lines = vec![format!(".include {}", base.display())];
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

/// What a configuration says already, as far as it matters.
#[derive(Debug, Default, PartialEq, Eq)]
struct Said {
    init: Option<String>,
    providers: Option<String>,
    default: Option<String>,
    algorithms: Option<String>,
    properties: Option<String>,
    random: Option<String>,
}

impl Said {
    fn read(text: &str, begin: &str) -> Self {
        let value = |section: &str, key: &str| value(text, section, key);
        let init = init(text, begin);
        let within = |section: &Option<String>, key| section.as_ref().and_then(|section| value(section, key));
        let (providers, algorithms, random) = (
            within(&init, "providers"),
            within(&init, "alg_section"),
            within(&init, "random"),
        );
        Self {
            default: within(&providers, "default"),
            properties: within(&algorithms, "default_properties"),
            init,
            providers,
            algorithms,
            random,
        }
    }
}

/// `text`, a configuration of [`configuration`]'s, with what somebody set for the provider in one that was there before.
pub fn keep_settings(text: &str, before: &str) -> String {
    let section = format!("[{PROVIDER}]");
    let lines = before.lines().skip_while(|line| *line != section).skip(1);
    let settings = lines.take_while(|line| !line.starts_with('[')).filter(|line| {
        let key = line.split('=').next().unwrap_or_default().trim();
        !matches!(key, "" | "module" | "activate") && !key.starts_with('#')
    });
    let settings: String = settings.map(|line| format!("{line}\n")).collect();
    text.replacen(HINTS, &(settings + HINTS), 1)
}

/// The provider's section, and how what can be set there is told.
const PROVIDER: &str = "ciphertune_provider";
const HINTS: &str = "\
# wisdom = /path/of/a/file that `ciphertune tune` wrote
# implementation = the name of one, for everything
# threads = how many a stream of counter mode may have, or wisdom
";

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
        true => format!(".include {}\n", base.display()),
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

#[cfg(test)]
mod tests {
    use super::*;

    const DEBIAN: &str = "HOME = .\nopenssl_conf = openssl_init # as shipped\n[openssl_init]\nproviders = provider_sect\n\
        [provider_sect]\ndefault = default_sect\n[default_sect]\n# activate = 1\n[other]\nalg_section = no\n";

    #[test]
    fn what_is_said_is_found_where_it_counts() {
        assert_eq!(
            Said::read(DEBIAN, BEGIN),
            Said {
                init: Some("openssl_init".into()),
                providers: Some("provider_sect".into()),
                default: Some("default_sect".into()),
                ..Said::default()
            }
        );
        assert_eq!(Said::read("[a]\nopenssl_conf = b\n", BEGIN), Said::default());
    }

    #[test]
    fn what_the_provider_asks_for_is_known() {
        let source = include_str!("../../provider/src/settings.rs");
        let asked = source.split("RawParam::text(c\"").skip(1);
        let mut asked: Vec<_> = asked.filter_map(|rest| rest.split('"').next()).collect();
        let mut ours = OURS;
        asked.sort_unstable();
        ours.sort_unstable();
        assert_eq!(asked, ours);
    }

    #[test]
    fn what_is_included_counts_where_it_stands() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str| folder.path().join(name);
        fs::create_dir(file("d")).unwrap();
        fs::write(file("d/a.cnf"), "[a]\nb = 1\n").unwrap();
        fs::write(file("d/b.txt"), "[a]\nb = 2\n").unwrap();
        let base = file("base");
        let (d, base_again) = (file("d"), base.display());
        let text = format!(
            ".include = {}\nc = 3\n.include /no/such\n[last]\n  .include {base_again}\n",
            d.display()
        );
        fs::write(&base, text).unwrap();
        let read = read(&base);
        assert!(read.starts_with("[a]\nb = 1\nc = 3\n[last]\n[a]\n"), "{read}");
        assert!(!read.contains("b = 2"), "{read}");
        // It stands after what it includes without end.
        assert_eq!(value(&read, "a", "c").as_deref(), Some("3"));
    }

    #[test]
    fn who_is_preferred_is_seen() {
        let folder = tempfile::tempdir().unwrap();
        let ours = configuration(&folder.path().join("absent"), Path::new("/m")).unwrap();
        assert!(prefers_ours(&ours, BEGIN) && prefers_ours(&ours, NODE_BEGIN));
        let node_alone = ours.replacen("openssl_conf = ciphertune", "openssl_conf = ", 1);
        assert!(prefers_ours(&node_alone, NODE_BEGIN) && !prefers_ours(&node_alone, BEGIN));
        // As Node does with --openssl-shared-config.
        assert!(prefers_ours(&ours.replace("nodejs_conf", "other"), NODE_BEGIN));
        assert!(!prefers_ours(&ours.replace("alg_section", "other"), BEGIN));
        for (properties, is_ours) in [
            ("\"?provider = ciphertune\"", true),
            ("fips=no,provider=ciphertune", true),
            ("?provider=default", false),
            ("provider!=ciphertune", false),
        ] {
            let text = ours.replace("= ?provider=ciphertune", &format!("= {properties}"));
            assert_eq!(prefers_ours(&text, BEGIN), is_ours, "{properties}");
        }
    }

    #[test]
    fn our_provider_is_found_and_left_until_it_is_asked_for() {
        let folder = tempfile::tempdir().unwrap();
        let module = Path::new("/m/ciphertune.so");
        let text = configuration(&folder.path().join("absent"), module).unwrap();
        let (name, on_demand) = on_demand(&text).unwrap();
        assert_eq!(name, "ciphertune");
        // The default provider's stays.
        assert_eq!(text.matches("activate = 1\n").count(), 2);
        assert_eq!(on_demand.matches("activate = 1\n").count(), 1);
        assert_eq!(text.replacen("activate = 1\n# wisdom", "# wisdom", 1), on_demand);
        assert_eq!(super::on_demand(DEBIAN), None);
    }

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
