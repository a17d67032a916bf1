//! What a configuration of OpenSSL's says.
use std::path::Path;

use super::{
    including::read,
    syntax::{DEFAULT, Line, last, lines},
};
use crate::provider::{BUILT, MODULE};

/// Our provider in a configuration: its name there, and its section.
fn ours(lines: &[Line<'_>]) -> Option<(String, String)> {
    let is_section = |name: &str| {
        lines
            .iter()
            .any(|line| line.section == name && line.setting.is_some())
    };
    let is_ours = |name: &str, section: &str| match last(lines, section, "module") {
        Some(module) => is_module(module),
        // OpenSSL then looks for a file of the provider's name.
        None => is_section(section) && named(lines, name, section) == "ciphertune",
    };
    let mut settings = lines.iter().filter_map(|line| line.setting.as_ref());
    let (name, section) = settings.find(|(name, section)| is_ours(name, section))?;
    Some((named(lines, name, section).to_owned(), section.clone()))
}

/// What a provider is called that is named so, with this section.
fn named<'a>(lines: &'a [Line<'_>], name: &'a str, section: &str) -> &'a str {
    // As OpenSSL has it, so that a key can stand twice.
    let name = name.split_once('.').map_or(name, |(_, name)| name);
    last(lines, section, "identity").unwrap_or(name)
}

/// Whether a path is that of our provider's file, installed or as it was built.
pub fn is_module(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    [MODULE, BUILT].contains(&name)
}

/// A configuration with our provider loaded only where somebody asks for it by name.
#[derive(Debug, PartialEq, Eq)]
pub struct OnDemand {
    /// The name that it has for our provider.
    pub name: String,
    /// The file that it names for it.
    pub module: Option<String>,
    pub text: String,
}

/// `None` if there is no such provider in it.
pub fn on_demand(text: &str) -> Option<OnDemand> {
    let lines = lines(text);
    let (name, ours) = ours(&lines)?;
    let activates = |line: &&Line<'_>| {
        line.section == ours && line.setting.as_ref().is_some_and(|(name, _)| name == "activate")
    };
    let kept = lines.iter().filter(|line| !activates(line));
    Some(OnDemand {
        name,
        module: last(&lines, &ours, "module").map(str::to_owned),
        text: kept.flat_map(|line| [line.text, "\n"]).collect(),
    })
}

/// Whether a configuration says to a program, which begins with this name in it or else as most do, that our provider's
/// algorithms go before others.
pub fn prefers_ours(text: &str, begin: &str) -> bool {
    let begin = init(text, begin).map_or(BEGIN, |_| begin);
    Said::read(text, begin).prefers_ours()
}

/// What the provider asks for.
const OURS: [&str; 4] = ["wisdom", "implementation", "threads", "threads-after"];

/// What is set for our provider in this configuration and means nothing to it, in a sentence. Neither OpenSSL nor a
/// provider can see that.
pub fn meaningless(configuration: &Path) -> Option<String> {
    const OPENSSLS: [&str; 4] = ["identity", "soft_load", "module", "activate"];
    let text = read(configuration);
    let lines = lines(&text);
    let (_, ours) = ours(&lines)?;
    let names = lines.iter().filter(|line| line.section == ours);
    let names = names.filter_map(|line| Some(&*line.setting.as_ref()?.0));
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
pub fn value(text: &str, section: &str, key: &str) -> Option<String> {
    last(&lines(text), section, key).map(str::to_owned)
}

/// How most programs begin with a configuration, and Node.
pub const BEGIN: &str = "openssl_conf";
pub const NODE_BEGIN: &str = "nodejs_conf";

/// The section that a program begins with.
pub fn init(text: &str, begin: &str) -> Option<String> {
    value(text, DEFAULT, begin)
}

/// What a configuration says already, as far as it matters.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Said {
    pub init: Option<String>,
    pub providers: Option<String>,
    pub default: Option<String>,
    pub algorithms: Option<String>,
    pub properties: Option<String>,
    pub random: Option<String>,
    pub random_properties: Option<String>,
    /// The providers that it activates. Where there are none, OpenSSL has its default one.
    pub active: Vec<String>,
}

impl Said {
    pub fn read(text: &str, begin: &str) -> Self {
        let lines = lines(text);
        let value = |section: &str, key: &str| last(&lines, section, key).map(str::to_owned);
        let init = value(DEFAULT, begin);
        let within = |section: &Option<String>, key| section.as_ref().and_then(|section| value(section, key));
        let (providers, algorithms, random) = (
            within(&init, "providers"),
            within(&init, "alg_section"),
            within(&init, "random"),
        );
        // Versions before 3.2 take any value for a yes; what is meant counts.
        let is_active = |section: &str| {
            last(&lines, section, "activate")
                .is_some_and(|value| !["0", "no", "false", "off"].contains(&&*value.to_lowercase()))
        };
        let named_in = lines
            .iter()
            .filter(|line| Some(&line.section) == providers.as_ref());
        let active = named_in
            .filter_map(|line| line.setting.as_ref())
            .filter(|(_, section)| is_active(section))
            .map(|(name, section)| named(&lines, name, section).to_owned())
            .collect();
        Self {
            default: within(&providers, "default"),
            properties: within(&algorithms, "default_properties"),
            random_properties: within(&random, "properties"),
            init,
            providers,
            algorithms,
            random,
            active,
        }
    }

    /// Whether it says that our provider's algorithms go before others.
    pub fn prefers_ours(&self) -> bool {
        let properties = self.properties.as_deref().unwrap_or_default();
        let mut clauses = properties.split(',');
        clauses.any(|clause| clause.replace(' ', "").trim_start_matches('?') == "provider=ciphertune")
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::{DEBIAN, configuration},
        *,
    };

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
        let source = include_str!("../../../provider/src/settings.rs");
        let asked = source.split("RawParam::text(c\"").skip(1);
        let mut asked: Vec<_> = asked.filter_map(|rest| rest.split('"').next()).collect();
        let mut ours = OURS;
        asked.sort_unstable();
        ours.sort_unstable();
        assert_eq!(asked, ours);
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
        let found = on_demand(&text).unwrap();
        assert_eq!(
            (&*found.name, found.module.as_deref()),
            ("ciphertune", module.to_str())
        );
        // The default provider's stays.
        assert_eq!(text.matches("activate = 1\n").count(), 2);
        assert_eq!(found.text.matches("activate = 1\n").count(), 1);
        assert_eq!(text.replacen("activate = 1\n# wisdom", "# wisdom", 1), found.text);
        assert_eq!(on_demand(DEBIAN), None);
    }

    #[test]
    fn our_provider_is_known_by_its_file_or_else_by_its_name() {
        let found_in = |providers: &str, section: &str| {
            let text = format!("[providers]\ndefault = d\n{providers}\n[d]\nactivate = 1\n[s]\n{section}\n");
            ours(&lines(&text))
        };
        let found = |name: &str| Some((name.to_owned(), "s".to_owned()));
        assert_eq!(found_in("ct = s", "module = /m/ciphertune.so"), found("ct"));
        assert_eq!(
            found_in("2.ct = s", "module = /target/libciphertune_provider.so"),
            found("ct")
        );
        assert_eq!(found_in("ciphertune = s", "activate = 1"), found("ciphertune"));
        assert_eq!(
            found_in("other = s", "identity = ciphertune\nactivate = 1"),
            found("ciphertune")
        );
        assert_eq!(found_in("ciphertune = s", "module = /m/other.so"), None);
        assert_eq!(found_in("other = s", "activate = 1"), None);
        assert_eq!(found_in("ciphertune = elsewhere", "activate = 1"), None);
    }
}
