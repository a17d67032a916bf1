//! `ciphertune doctor`
use std::{
    env, fs,
    io::{Read, Write},
    net::{Ipv4Addr, TcpListener},
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{Child, Command, ExitCode, Stdio},
    thread,
    time::{Duration, Instant},
};

use crate::{Result, args::Doctor, stdout};

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
                rows.push((program, Err("there is no such program".to_owned())));
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
    stdout::print(|out| {
        for (program, found) in &rows {
            match found {
                Ok(module) => writeln!(out, "yes  {}: loads {module}", program.display())?,
                Err(why) => writeln!(out, "no   {}: {why}", program.display())?,
            }
        }
        Ok(())
    })?;
    Ok(status)
}

/// Where a shell would find it, with the folders that are root's.
fn find(program: &Path) -> Option<PathBuf> {
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
    if name == "sshd" && !effective_root() {
        return no("only root can start it");
    }
    let loaded = loaded(program, &name)?;
    if loaded.is_empty() {
        return no("it loads nothing while running: it is statically linked, or a script");
    }
    if let Some(module) = loaded.iter().find(|file| file.ends_with("/ciphertune.so")) {
        return Ok(if is_active() {
            Ok(module.clone())
        } else {
            Err(format!(
                "it loads {module}, which does not become active: look at its section of the configuration"
            ))
        });
    }
    let has = |library: &str| loaded.iter().any(|file| file.contains(library));
    let why = if has("/libcrypto.so.3") || has("/libcrypto.so.4") {
        "it uses OpenSSL, and no configuration that it reads loads the provider; see `ciphertune provider status`"
    } else if has("/libcrypto.so") {
        "its OpenSSL is older than 3.0 and knows no providers"
    } else if has("/libgnutls.so") {
        "it uses GnuTLS"
    } else if has("/libgcrypt.so") {
        "it uses libgcrypt"
    } else if has("/libnss3.so") {
        "it uses NSS"
    } else if name == "node" {
        "Node brings its own OpenSSL, which reads a configuration only if started with --openssl-shared-config"
    } else {
        "it loads no libcrypto: it has its own cryptography, or none"
    };
    no(why)
}

/// Every file that the dynamic linker opens for the program, while that does something harmless.
fn loaded(program: &Path, name: &str) -> Result<Vec<String>> {
    let folder = tempfile::tempdir()?;
    let mut command = Command::new(program);
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let port = listener.local_addr()?.port().to_string();
    match name {
        "openssl" => command.args(["list", "-providers"]),
        // Both load OpenSSL only when they talk to somebody.
        "ssh" => {
            thread::spawn(move || greet(&listener));
            command.args([
                "-F",
                "/dev/null",
                "-o",
                "BatchMode=yes",
                "-o",
                "ConnectTimeout=5",
                "-p",
                &port,
                "127.0.0.1",
            ])
        }
        "sshd" => command.args(["-i", "-f", "/dev/null"]),
        "nginx" => command.args(["-t", "-q", "-c", "/dev/null"]),
        "openvpn" => command.arg("--show-ciphers"),
        "node" => command.args(["-e", "require('crypto').createHash('sha256')"]),
        _ if name.starts_with("python") => command.args(["-c", "import ssl"]),
        _ => command.arg("--version"),
    };
    let child = command
        .env("LD_DEBUG", "files")
        .env("LD_DEBUG_OUTPUT", folder.path().join("files"))
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|why| format!("cannot start {}: {why}", program.display()))?;
    finish(child)?;
    let mut files = Vec::new();
    for file in fs::read_dir(folder.path())? {
        let text = fs::read(file?.path())?;
        for line in String::from_utf8_lossy(&text).lines() {
            if let Some((_, file)) = line.split_once("calling init: ") {
                files.push(file.trim().to_owned());
            }
        }
    }
    Ok(files)
}

/// Answers as an SSH server does at first.
fn greet(listener: &TcpListener) {
    let Ok((mut client, _)) = listener.accept() else {
        return;
    };
    // The client goes on by itself from here; whether it likes the answer is no matter.
    let _ = client.write_all(GREETING);
    let _ = client.set_read_timeout(Some(Duration::from_secs(1)));
    let _ = client.read_to_end(&mut Vec::new());
}

const GREETING: &[u8] = b"SSH-2.0-ciphertune\r\n";

/// Waits for its end, and brings it about if that takes too long.
fn finish(mut child: Child) -> Result<()> {
    let start = Instant::now();
    if let Some(mut stdin) = child.stdin.take() {
        // sshd takes it for a client's. Who reads nothing has ended already.
        let _ = stdin.write_all(GREETING);
        thread::sleep(Duration::from_millis(200));
    }
    while child.try_wait()?.is_none() {
        if start.elapsed() > PATIENCE {
            child.kill()?;
            child.wait()?;
            break;
        }
        thread::sleep(Duration::from_millis(10));
    }
    Ok(())
}

/// Whether OpenSSL says, in this environment, that the provider works.
fn is_active() -> bool {
    let output = Command::new("openssl").args(["list", "-providers"]).output();
    output.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains("\n  ciphertune\n"))
}

fn effective_root() -> bool {
    // The owner of what /proc shows of this process is its effective user.
    std::os::unix::fs::MetadataExt::uid(&match fs::metadata("/proc/self") {
        Ok(metadata) => metadata,
        Err(_) => return false,
    }) == 0
}
