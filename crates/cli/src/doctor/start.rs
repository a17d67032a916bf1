//! A program, started, and what its dynamic linker tells.
use std::{
    env,
    fs::File,
    io::{Read, Seek},
    os::unix::process::{CommandExt, ExitStatusExt},
    path::Path,
    process::{Child, Command, ExitStatus, Stdio},
    thread,
    time::Instant,
};

use nix::{
    sys::signal::{Signal, killpg},
    unistd::Pid,
};
use signal_hook::{iterator::Signals, low_level::emulate_default_handler};

use crate::{Result, child, interrupt};

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
    signals: &mut Signals,
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
    let child = command
        .env("LD_DEBUG", "files")
        .env_remove("LD_DEBUG_OUTPUT")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(said.try_clone()?)
        // A group of its own, so that what it starts can be stopped with it.
        .process_group(0)
        .spawn();
    let child = match child {
        Ok(child) => child,
        Err(why) => return Ok(Err(format!("cannot be started: {why}"))),
    };
    let end = finish(child, &said, signals)?;
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

/// What is to end this program, for as long as it runs: when nobody listens any more, signals that somebody has listened for
/// end nothing. What the terminal sends does not reach a program of another group.
pub fn signals() -> Result<Signals> {
    Ok(Signals::new(interrupt::ending())?)
}

/// Ends this program if it was told to.
pub fn end_if_told(signals: &mut Signals) -> Result<()> {
    let told = signals.pending().next();
    Ok(told.map_or(Ok(()), emulate_default_handler)?)
}

/// Waits for its end; where it has gone astray, or this program is told to end, brings that about, and answers how.
fn finish(
    mut child: Child,
    said: &File,
    signals: &mut Signals,
) -> Result<std::result::Result<ExitStatus, &'static str>> {
    let begun = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Ok(status));
        }
        let astray = child::astray(begun, said.metadata()?.len());
        let signal = signals.pending().next();
        if astray.is_some() || signal.is_some() {
            killpg(Pid::from_raw(child.id() as i32), Signal::SIGKILL)?;
            child.wait()?;
        }
        if let Some(signal) = signal {
            emulate_default_handler(signal)?;
        }
        if let Some(how) = astray {
            return Ok(Err(how));
        }
        thread::sleep(child::LOOK);
    }
}
