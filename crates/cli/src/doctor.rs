//! `ciphertune doctor`
use std::{
    env, fs,
    io::{Read, Seek},
    os::unix::{fs::PermissionsExt, process::ExitStatusExt},
    path::{Path, PathBuf},
    process::{Child, Command, ExitCode, ExitStatus, Stdio},
    thread,
    time::{Duration, Instant},
};

use crate::{
    Result,
    args::Doctor,
    openssl::{self, BEGIN, NODE_BEGIN},
    stdout,
};

const PROGRAMS: [&str; 8] = [
    "openssl", "ssh", "sshd", "nginx", "curl", "openvpn", "python3", "node",
];

/// A program that needs longer than this for something harmless has gone astray.
const PATIENCE: Duration = Duration::from_secs(10);

pub fn run(args: &Doctor) -> Result<ExitCode> {
    let asked = !args.programs.is_empty();
    let programs = match asked {
        true => args.programs.clone(),
        false => PROGRAMS.iter().map(PathBuf::from).collect(),
    };
    let mut status = ExitCode::SUCCESS;
    let mut rows = Vec::new();
    for program in programs {
        let Some(path) = find(&program) else {
            if asked {
                let why = match program.is_dir() {
                    true => "it is a directory",
                    false => "there is no such program",
                };
                rows.push((program, Err(why.to_owned())));
                status = ExitCode::FAILURE;
            }
            continue;
        };
        let found = examine(&path)?;
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
            Err(why) => format!("no   {}: {why}", program.display()),
        })
        .collect();
    let configuration = openssl::in_force().ok();
    let meaningless = configuration.and_then(|path| openssl::meaningless(&path));
    lines.extend(meaningless.map(|why| format!("note {why}")));
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

/// The provider's file that the program loads, or why it loads none.
fn examine(program: &Path) -> Result<std::result::Result<String, String>> {
    let no = |why: &str| Ok(Err(why.to_owned()));
    let mode = fs::metadata(program).map_or(0, |it| it.permissions().mode());
    if mode & 0o6000 != 0 {
        return no(
            "it runs with the rights of its owner, and OpenSSL then believes no environment; \
                   `provider install --system` reaches it",
        );
    }
    let name = program
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default();
    let is_node = name == "node";
    let begin = if is_node { NODE_BEGIN } else { BEGIN };
    let Started { loaded, opened, died } = start(program, &name)?;
    if let Some(how) = died {
        let after = opened.map_or_else(String::new, |file| format!(" when it has opened {file}"));
        return Ok(Err(format!("it dies ({how}){after}")));
    }
    if loaded.is_empty() {
        return no("it loads nothing while running: it is statically linked, or a script");
    }
    let configuration = openssl::in_force();
    if let Some(module) = loaded.iter().find(|file| file.ends_with("/ciphertune.so")) {
        return Ok(match inactive(module, &configuration?, begin) {
            Some(why) => Err(why),
            None => Ok(module.clone()),
        });
    }
    let has = |library: &str| loaded.iter().any(|file| file.contains(library));
    let has_providers = has("/libcrypto.so.3") || has("/libcrypto.so.4");
    if (has_providers || is_node)
        && let Ok(configuration) = &configuration
        && let Some(why) = openssl::refusal(configuration)
    {
        return Ok(Err(format!(
            "it uses OpenSSL, which cannot load the provider: {why}"
        )));
    }
    if has_providers {
        let also = if has("/libgnutls.so") { " and GnuTLS" } else { "" };
        return Ok(Err(match configuration {
            // Most programs turn to OpenSSL when they need it, and not to tell their version.
            Ok(path) if openssl::is_active(&path) => format!(
                "it loads OpenSSL{also}, and ends before it reads {}, which would load the provider",
                path.display()
            ),
            _ => format!(
                "it uses OpenSSL{also}, and no configuration that it reads loads the provider; see `ciphertune \
                 provider status`"
            ),
        }));
    }
    no(by_what(has, &name))
}

/// Why the provider does nothing for a program that loads it, if so.
fn inactive(module: &str, configuration: &Path, begin: &str) -> Option<String> {
    if !openssl::is_active(configuration) {
        return Some(format!(
            "it loads {module}, which does not become active: {}",
            openssl::refusal(configuration)
                .unwrap_or_else(|| "look at its section of the configuration".to_owned())
        ));
    }
    (!openssl::prefers_ours(&openssl::read(configuration), begin)).then(|| {
        format!(
            "it loads {module}, and takes AES from elsewhere: for {begin}, {} has no alg_section with \
             default_properties = ?provider=ciphertune",
            configuration.display()
        )
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

/// What a program did when it was started with something harmless to do.
struct Started {
    /// The files that the dynamic linker made ready.
    loaded: Vec<String>,
    /// The one that it turned to last.
    opened: Option<String>,
    /// If it was a signal that ended it.
    died: Option<ExitStatus>,
}

fn start(program: &Path, name: &str) -> Result<Started> {
    let mut command = Command::new(program);
    match name {
        "openssl" => command.args(["list", "-providers"]),
        "ssh" => command.arg("-V"),
        "sshd" => command.args(["-T", "-f", "/dev/null"]),
        "nginx" => command.args(["-t", "-q", "-c", "/dev/null"]),
        "openvpn" => command.arg("--show-ciphers"),
        "node" => command.args(["-e", "require('crypto').createHash('sha256')"]),
        _ if name.starts_with("python") => {
            command.args(["-c", "import ssl; ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)"])
        }
        _ => command.arg("--version"),
    };
    // The linker may write into a file itself, but ssh and sshd close every file that they did not open.
    let mut said = tempfile::tempfile()?;
    let child = command
        .env("LD_DEBUG", "files")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(said.try_clone()?)
        .spawn()
        .map_err(|why| format!("cannot start {}: {why}", program.display()))?;
    let status = finish(child)?;
    let mut text = Vec::new();
    said.rewind()?;
    said.read_to_end(&mut text)?;
    let text = String::from_utf8_lossy(&text);
    let ready = text.lines().filter_map(|line| line.split_once("calling init: "));
    let mut opened = text.lines().filter_map(|line| line.split_once("file="));
    Ok(Started {
        loaded: ready.map(|(_, file)| file.trim().to_owned()).collect(),
        opened: opened
            .next_back()
            .and_then(|(_, file)| Some(file.split_once(" [")?.0.to_owned())),
        died: status.filter(|status| status.signal().is_some()),
    })
}

/// Waits for its end; where that takes too long, brings it about, which is no answer.
fn finish(mut child: Child) -> Result<Option<ExitStatus>> {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if start.elapsed() > PATIENCE {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        thread::sleep(Duration::from_millis(10));
    }
}
