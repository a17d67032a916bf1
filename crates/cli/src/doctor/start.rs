//! A program, started, and what its dynamic linker tells.
use std::{
    env,
    io::{Read, Seek},
    os::unix::process::ExitStatusExt,
    path::Path,
    process::{Command, ExitStatus, Stdio},
};

use crate::{Result, child, put_off::PutOff};

/// Python's own `ssl`, and none of the current folder, which Python looks in first and somebody else may write to. What else
/// the user's Python imports stays as it is, which `-I` would change.
const PYTHON: &str = "import sys; sys.path[:] = [folder for folder in sys.path if folder]; import ssl; \
                      ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)";

/// What a program did when it was started with something harmless to do.
pub struct Started {
    /// The files that the dynamic linker made ready.
    pub loaded: Vec<String>,
    /// The one that it turned to last.
    pub opened: Option<String>,
    /// If it was a signal that ended it.
    pub died: Option<ExitStatus>,
    /// If it had gone astray and was stopped, how: what it would have loaded later is not known.
    pub astray: Option<&'static str>,
}

impl Started {
    pub fn has(&self, library: &str) -> bool {
        self.loaded.iter().any(|file| file.contains(library))
    }

    /// Whether it has an OpenSSL that knows providers.
    pub fn has_providers(&self) -> bool {
        self.has("/libcrypto.so.3") || self.has("/libcrypto.so.4")
    }

    /// Whether it ran, and nothing was told of what it loaded.
    pub fn tells_nothing(&self) -> bool {
        self.loaded.is_empty() && self.died.is_none()
    }
}

/// Starts a program of a name's kind with something harmless to do: as it is or, where its loader is named, by that and
/// without any rights and environment that it would not have or believe. A program that cannot be started is one to tell of
/// beside others.
pub fn start(
    program: &Path,
    name: &str,
    loader: Option<&Path>,
    put_off: &PutOff,
) -> Result<std::result::Result<Started, String>> {
    let mut command = Command::new(loader.unwrap_or(program));
    if loader.is_some() {
        command.arg(program);
        for name in ["OPENSSL_CONF", "OPENSSL_MODULES", "LD_LIBRARY_PATH", "LD_PRELOAD"] {
            command.env_remove(name);
        }
    }
    match name {
        "openssl" => command.args(["list", "-providers"]),
        "ssh" => command.arg("-V"),
        "sshd" => command.args(["-T", "-f", "/dev/null"]),
        "nginx" => command.args(["-t", "-q", "-c", "/dev/null"]),
        "openvpn" => command.arg("--show-ciphers"),
        "node" => command.args(["-e", "require('crypto').createHash('sha256')"]),
        _ if name.starts_with("python") => command.args(["-c", PYTHON]),
        _ => command.arg("--version"),
    };
    // The linker may write into a file itself, but ssh and sshd close every file that they did not open.
    let mut said = tempfile::tempfile().map_err(|why| {
        let folder = env::temp_dir();
        format!(
            "cannot make a temporary file in {}, as TMPDIR can say where: {}",
            folder.display(),
            ciphertune_results::said(&why)
        )
    })?;
    command
        .env("LD_DEBUG", "files")
        .env_remove("LD_DEBUG_OUTPUT")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(said.try_clone()?);
    let child = match child::start(&mut command) {
        Ok(child) => child,
        Err(why) => return Ok(Err(format!("cannot be started: {why}"))),
    };
    let end = child::finish(child, put_off, || Ok(said.metadata()?.len()))?;
    let mut text = Vec::new();
    said.rewind()?;
    said.take(child::MOST_SAID).read_to_end(&mut text)?;
    let text = String::from_utf8_lossy(&text);
    let ready = text.lines().filter_map(|line| line.split_once("calling init: "));
    let mut opened = text.lines().filter_map(|line| line.split_once("file="));
    Ok(Ok(Started {
        loaded: ready.map(|(_, file)| file.trim().to_owned()).collect(),
        opened: opened
            .next_back()
            .and_then(|(_, file)| Some(file.split_once(" [")?.0.to_owned())),
        died: end.ok().filter(|status| status.signal().is_some()),
        astray: end.err(),
    }))
}
