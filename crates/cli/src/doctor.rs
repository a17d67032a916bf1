//! `ciphertune doctor`
mod kind;
mod start;

use std::{
    env,
    fs::{self, File},
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::ExitCode,
};

use crate::{
    Result,
    args::Doctor,
    openssl::{self, BEGIN, Folders, NODE_BEGIN, PREFERENCE, Use},
    put_off::PutOff,
    stdout,
};
use kind::{kind, loader};
use start::{Started, start};

const PROGRAMS: [&str; 8] = [
    "openssl", "ssh", "sshd", "nginx", "curl", "openvpn", "python3", "node",
];

pub fn run(args: &Doctor) -> Result<ExitCode> {
    let asked = !args.programs.is_empty();
    let programs = match asked {
        true => args.programs.clone(),
        false => PROGRAMS.iter().map(PathBuf::from).collect(),
    };
    // Each program would read it, one after the other.
    openssl::named()?;
    let put_off = PutOff::new()?;
    let mut status = ExitCode::SUCCESS;
    let mut rows = Vec::new();
    for program in programs {
        let Some(path) = find(&program) else {
            if asked {
                let why = match (program.is_dir(), program.is_file()) {
                    (true, _) => "it is a directory",
                    (_, true) => "it is not executable",
                    _ => "there is no such program",
                };
                rows.push((program, Err(Why::No(why.to_owned()))));
                status = ExitCode::FAILURE;
            }
            continue;
        };
        let found = examine(&path, &put_off)?;
        if put_off.has_come() {
            return Ok(ExitCode::FAILURE);
        }
        if found.is_err() {
            status = ExitCode::FAILURE;
        }
        rows.push((path, found));
    }
    if rows.is_empty() {
        return Err(format!("none of {} is installed; name a program", PROGRAMS.join(", ")).into());
    }
    let mut lines: Vec<String> = rows
        .iter()
        .map(|(program, found)| match found {
            Ok(module) => format!("yes  {}: loads {module}", program.display()),
            Err(Why::No(why)) => format!("no   {}: {why}", program.display()),
            Err(Why::Unknown(why)) => format!("?    {}: {why}", program.display()),
        })
        .collect();
    let configuration = openssl::in_force().ok();
    let meaningless = configuration.and_then(|path| openssl::meaningless(&path));
    let notes = [openssl::named_in_vain(), meaningless];
    lines.extend(notes.into_iter().flatten().map(|why| format!("note {why}")));
    stdout::print(|out| stdout::sentences(&lines, out))?;
    Ok(status)
}

/// Where a shell would find it, with the folders that are root's.
pub fn find(program: &Path) -> Option<PathBuf> {
    let is_program = |path: &PathBuf| {
        fs::metadata(path).is_ok_and(|it| it.is_file() && it.permissions().mode() & 0o111 != 0)
    };
    if program.components().count() > 1 {
        return Some(program.to_owned()).filter(is_program);
    }
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path)
        .chain(["/usr/sbin", "/usr/local/sbin", "/sbin"].map(PathBuf::from))
        .map(|folder| folder.join(program))
        .find(is_program)
}

/// What the program loads of ours, or why nothing of it is seen to serve.
type Found = std::result::Result<String, Why>;

enum Why {
    /// Nothing does, since …
    No(String),
    /// That cannot be told, since …
    Unknown(String),
}

impl Why {
    fn map(self, told: impl FnOnce(String) -> String) -> Self {
        match self {
            Self::No(why) => Self::No(told(why)),
            Self::Unknown(why) => Self::Unknown(told(why)),
        }
    }
}

impl From<String> for Why {
    fn from(why: String) -> Self {
        Self::No(why)
    }
}

fn examine(program: &Path, put_off: &PutOff) -> Result<Found> {
    let name = kind(program);
    if let Some(rights) = rights(program) {
        return distrusted(program, &name, rights, put_off);
    }
    let started = match start(program, &name, None, put_off)? {
        Ok(started) => started,
        Err(why) => return Ok(Err(why.into())),
    };
    if started.tells_nothing() && loader(program).is_some() {
        const CAPABILITIES: &str =
            "its loader ignores the environment, as for a file with capabilities (getcap shows them)";
        return distrusted(program, &name, CAPABILITIES, put_off);
    }
    Ok(judge(&started, &name, openssl::in_force()))
}

/// Whose rights a program has that has others than its caller's.
fn rights(program: &Path) -> Option<&'static str> {
    let mode = fs::metadata(program).ok()?.permissions().mode();
    match (mode & 0o4000, mode & 0o2010) {
        (0, 0o2010) => Some("it runs with the rights of its group"),
        (0, _) => None,
        _ => Some("it runs with the rights of its owner"),
    }
}

/// Of a program in which nobody believes the environment, so that only the system's configuration reaches it. What it loads
/// is seen when it is started without those rights, by its loader.
fn distrusted(program: &Path, name: &str, rights: &str, put_off: &PutOff) -> Result<Found> {
    let Some(loader) = loader(program) else {
        return Ok(Err(match File::open(program) {
            Ok(_) => NOTHING_LOADED.to_owned(),
            Err(why) => format!("{rights}, and what it loads cannot be seen: {why}; root may, as with sudo"),
        }
        .into()));
    };
    let started = match start(program, name, Some(&loader), put_off)? {
        Ok(started) => started,
        Err(why) => return Ok(Err(why.into())),
    };
    if started.tells_nothing() {
        return Ok(Err(format!(
            "its loader, {}, does not tell what it loads: it never does, or may not read it",
            loader.display()
        )
        .into()));
    }
    let configuration = Folders::find().map(|folders| folders.configuration);
    // Neither loaded nor refused.
    let has_none = configuration
        .as_ref()
        .is_ok_and(|it| matches!(openssl::used(it, BEGIN), Use::Refused(None)));
    let why = format!("{rights}, and OpenSSL then believes no environment");
    Ok(match judge(&started, name, configuration) {
        Ok(module) => Ok(format!("{module}, by the system's configuration: {why}")),
        Err(also) if started.died.is_some() => Err(also),
        Err(_) if started.has_providers() && has_none => {
            Err(format!("{why}; `provider install --system` reaches it").into())
        }
        Err(also) if started.has_providers() || name == "node" => {
            Err(also.map(|also| format!("{why}; {also}")))
        }
        found => found,
    })
}

const NOTHING_LOADED: &str = "it loads nothing while running: it is statically linked, or a script";

/// What a program that was started shows, which goes by this configuration.
fn judge(started: &Started, name: &str, configuration: Result<PathBuf>) -> Found {
    shown(started, name, configuration).map_err(|why| match started.astray {
        Some(how) => why.map(|why| format!("{how}, so it was stopped; until then: {why}")),
        None => why,
    })
}

fn shown(started: &Started, name: &str, configuration: Result<PathBuf>) -> Found {
    let is_node = name == "node";
    if let Some(how) = started.died {
        let after = started
            .opened
            .as_ref()
            .map_or_else(String::new, |file| format!(" when it has opened {file}"));
        return Err(format!("it dies ({how}){after}").into());
    }
    if started.loaded.is_empty() {
        return Err(NOTHING_LOADED.to_owned().into());
    }
    let loaded = started.loaded.iter().find(|file| openssl::is_module(file));
    let has_providers = started.has_providers();
    if loaded.is_none() && !has_providers && !is_node {
        return Err(by_what(|library| started.has(library), name).to_owned().into());
    }
    let begin = if is_node { NODE_BEGIN } else { BEGIN };
    let (path, used) = match configuration {
        Ok(path) => (path.display().to_string(), openssl::used(&path, begin)),
        Err(why) => (String::new(), Use::Untold(why.to_string())),
    };
    if let Some(module) = loaded {
        return loads(module, &path, used, begin);
    }
    if let Use::Refused(Some(why)) = used {
        return Err(format!("it uses OpenSSL, which cannot load the provider: {why}").into());
    }
    if !has_providers {
        return Err(by_what(|library| started.has(library), name).to_owned().into());
    }
    let also = if started.has("/libgnutls.so") {
        " and GnuTLS"
    } else {
        ""
    };
    Err(match used {
        // Most programs turn to OpenSSL when they need it, and not to tell their version.
        Use::Used(_) | Use::Passed => {
            format!("it loads OpenSSL{also}, and ends before it reads {path}, which would load the provider")
                .into()
        }
        Use::Refused(_) => format!(
            "it uses OpenSSL{also}, and no configuration that it reads loads the provider; see `ciphertune \
             provider status`"
        )
        .into(),
        Use::Untold(why) | Use::Unanswered(why) => Why::Unknown(format!(
            "it loads OpenSSL{also}, and whether a configuration that it reads loads the provider is not known: {why}"
        )),
    })
}

/// What a program has of the module that it loads.
fn loads(module: &str, path: &str, used: Use, begin: &str) -> Found {
    Err(match used {
        Use::Used(_) => return Ok(module.to_owned()),
        Use::Passed => format!(
            "it loads {module}, and takes AES from elsewhere: for {begin}, {path} has no {PREFERENCE}"
        )
        .into(),
        Use::Refused(why) => format!(
            "it loads {module}, which does not become active: {}",
            why.as_deref()
                .unwrap_or("look at its section of the configuration")
        )
        .into(),
        Use::Untold(why) | Use::Unanswered(why) => Why::Unknown(format!(
            "it loads {module}, and whether it takes AES from there is not known: {why}"
        )),
    })
}

/// By what a program encrypts that has no OpenSSL with providers.
fn by_what(has: impl Fn(&str) -> bool, name: &str) -> &'static str {
    if has("/libcrypto.so") {
        "its OpenSSL is older than 3.0 and knows no providers"
    } else if has("/libgnutls.so") {
        "it uses GnuTLS"
    } else if has("/libgcrypt.so") {
        "it uses libgcrypt"
    } else if has("/libnss3.so") {
        "it uses NSS"
    } else if ["scp", "sftp"].contains(&name) {
        "it leaves its cryptography to ssh, which it starts"
    } else if name == "node" {
        "Node brings its own OpenSSL, which looks for nodejs_conf in its configuration, as `ciphertune provider` writes \
         it, or is started with --openssl-shared-config"
    } else {
        "it loads no libcrypto: it has its own cryptography, or none"
    }
}
