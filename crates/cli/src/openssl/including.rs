//! A configuration with all that it includes, as OpenSSL's manual's config(5) has it.
use std::{
    env,
    ffi::OsString,
    fs::{self, File},
    io::Read,
    path::{Path, PathBuf},
    vec,
};

use super::{
    is_stream,
    syntax::{directive, lines, whole},
};

/// What a configuration says with all that it includes. OpenSSL too leaves out what cannot be read.
pub fn read(path: &Path) -> String {
    expanded(path, env::var_os("OPENSSL_CONF_INCLUDE"))
}

/// With what the environment has for the folder that relative names begin in.
fn expanded(path: &Path, folder: Option<OsString>) -> String {
    /// Deeper than anybody's, and an end to those that include themselves.
    const DEEPEST: usize = 9;
    let mut text = String::new();
    let mut open: Vec<_> = begun(path).into_iter().collect();
    let mut others: Option<vec::IntoIter<PathBuf>> = None;
    while let Some(file) = open.last_mut() {
        let Some(line) = file.next() else {
            // The next of a folder comes where any file has ended, one that another of the folder includes too.
            match others
                .as_mut()
                .and_then(|others| others.find_map(|next| begun(&next)))
            {
                Some(next) => *file = next,
                None => {
                    others = None;
                    open.pop();
                }
            }
            continue;
        };
        let named = directive(&line, ".include").filter(|_| open.len() < DEEPEST);
        match named.and_then(|named| included(&named, &text, folder.as_ref())) {
            None => text.extend([&line, "\n"]),
            Some(named) if !named.is_dir() => open.extend(begun(&named)),
            // While there is one, no other is looked into.
            Some(named) if others.is_none() => {
                let mut files = files(&named).into_iter();
                if let Some(first) = files.find_map(|first| begun(&first)) {
                    open.push(first);
                    others = Some(files);
                }
            }
            Some(_) => {}
        }
    }
    text
}

/// The lines of a file that can be read, from its first on.
fn begun(path: &Path) -> Option<vec::IntoIter<String>> {
    /// Longer than anybody's.
    const MOST: u64 = 16 << 20;
    if is_stream(path) {
        return None;
    }
    let mut text = Vec::new();
    File::open(path).ok()?.take(MOST).read_to_end(&mut text).ok()?;
    let lines: Vec<String> = whole(&String::from_utf8_lossy(&text))
        .map(str::to_owned)
        .collect();
    Some(lines.into_iter())
}

/// Which file or folder is included by this name, after what was read before it, to which its variables belong; `None`
/// where OpenSSL refuses it, and the configuration with it.
fn included(named: &str, before: &str, folder: Option<&OsString>) -> Option<PathBuf> {
    // As a setting is read.
    let text = format!("{before}.include = {named}\n");
    let line = lines(&text).pop().and_then(|line| line.setting);
    let (_, named) = line.unwrap_or_default();
    let folder = folder
        .cloned()
        .or_else(|| pragma(before, "includedir").map(OsString::from));
    let path = match folder {
        Some(mut folder) if !named.starts_with('/') => {
            folder.push("/");
            folder.push(named);
            PathBuf::from(folder)
        }
        _ => PathBuf::from(named),
    };
    let is_whole = pragma(before, "abspath").is_some_and(|value| ["on", "true"].contains(&&*value));
    (path.is_absolute() || !is_whole).then_some(path)
}

/// What was set last by `.pragma name:value`.
fn pragma(before: &str, name: &str) -> Option<String> {
    let pragmas = whole(before).filter_map(|line| directive(line, ".pragma"));
    let values = pragmas.filter_map(|said| {
        let (of, value) = said.split_once(':')?;
        (of.trim() == name).then(|| value.trim().to_owned())
    });
    values.last()
}

/// The files of a folder that are read, in the order that the system has them in.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    let files = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let is_read = |file: &PathBuf| {
        file.extension()
            .is_some_and(|it| it.eq_ignore_ascii_case("cnf") || it.eq_ignore_ascii_case("conf"))
    };
    files.filter(is_read).collect()
}

#[cfg(test)]
mod tests {
    use std::{io::ErrorKind, process::Command};

    use super::{
        super::{reading::value, skip::skip, syntax::DEFAULT},
        *,
    };

    #[test]
    fn a_device_and_a_pipe_are_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        for path in [Path::new("/dev/zero"), Path::new("/dev/null"), &pipe] {
            assert_eq!(read(path), "");
        }
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
        // As OpenSSL understands the name, which may hold variables.
        let including = format!(
            "d = {}\n[last]\n.include = $d/\"a\".cnf # it\n.included = 1\n",
            d.display()
        );
        fs::write(file("by-variable"), including).unwrap();
        let read_too = super::read(&file("by-variable"));
        assert!(
            read_too.ends_with("[last]\n[a]\nb = 1\n.included = 1\n"),
            "{read_too}"
        );
        // It stands after what it includes without end.
        assert_eq!(value(&read, "a", "c").as_deref(), Some("3"));
    }

    /// What openssl takes `a` for by a configuration that ends with our question; `None` where it takes nothing of it.
    fn asked(path: &Path, folder: Option<&OsString>) -> Option<String> {
        let mut openssl = Command::new("openssl");
        openssl.args(["asn1parse", "-genconf"]).arg(path);
        openssl.env_remove("OPENSSL_CONF_INCLUDE");
        openssl.envs(folder.map(|folder| ("OPENSSL_CONF_INCLUDE", folder)));
        let output = match openssl.output() {
            Err(why) if why.kind() == ErrorKind::NotFound => {
                skip("openssl is not installed");
                // What is expected is compared all the same.
                return value(&expanded(path, folder.cloned()), DEFAULT, "a");
            }
            output => output.unwrap(),
        };
        let said = String::from_utf8(output.stdout).unwrap();
        let value = said.split("UTF8STRING").nth(1)?;
        Some(value.trim().trim_start_matches(':').to_owned())
    }

    #[test]
    fn relative_names_begin_where_openssl_has_them_begin() {
        let root = tempfile::tempdir().unwrap();
        let place = |name: &str| root.path().join(name);
        for folder in ["one", "two"] {
            fs::create_dir(place(folder)).unwrap();
            fs::write(place(folder).join("a.cnf"), format!("a = {folder}\n")).unwrap();
        }
        let at = root.path().to_str().unwrap();
        let (one, two) = (place("one").into_os_string(), place("two").into_os_string());
        for (folder, lines, expected) in [
            (None, ".pragma includedir:{at}/one\n.include a.cnf\n", Some("one")),
            (
                None,
                " .pragma = includedir : {at}/one # c\n.include = a.cnf\n",
                Some("one"),
            ),
            (
                None,
                ".pragma includedir:{at}/o\\\nne/\n.include \"a\".cnf\n",
                Some("one"),
            ),
            // It is taken as it stands.
            (None, ".pragma includedir:\"{at}/one\"\n.include a.cnf\n", None),
            (
                None,
                "a = no\n.include a.cnf\n.pragma includedir:{at}/one\n",
                Some("no"),
            ),
            (
                None,
                ".pragma includedir:{at}/two\n.pragma includedir:{at}/one\n.include a.cnf\n",
                Some("one"),
            ),
            (
                None,
                ".pragma includedir:{at}/two\n.include {at}/one/a.cnf\n",
                Some("one"),
            ),
            (None, ".pragma includedir:{at}\n.include one\n", Some("one")),
            // What is included says it for what comes after.
            (None, ".include {at}/pragma\n.include a.cnf\n", Some("one")),
            (Some(&two), ".include a.cnf\n", Some("two")),
            (
                Some(&two),
                ".pragma includedir:{at}/one\n.include a.cnf\n",
                Some("two"),
            ),
            (Some(&two), ".include {at}/one/a.cnf\n", Some("one")),
            (Some(&one), ".include ../two/a.cnf\n", Some("two")),
            (None, ".pragma abspath:on\n.include a.cnf\n", None),
            (
                None,
                ".pragma abspath:on\n.pragma includedir:{at}/one\n.include a.cnf\n",
                Some("one"),
            ),
            (
                None,
                ".pragma abspath:on\n.pragma abspath:off\na = no\n.include a.cnf\n",
                Some("no"),
            ),
        ] {
            let lines = lines.replace("{at}", at);
            let (said, main) = (place("pragma"), place("main"));
            fs::write(said, format!(".pragma includedir:{at}/one\n")).unwrap();
            fs::write(&main, format!("{lines}asn1 = UTF8:$a\n")).unwrap();
            let said = asked(&main, folder);
            assert_eq!(said.as_deref(), expected, "{lines}");
            let ours = value(&expanded(&main, folder.cloned()), DEFAULT, "a");
            assert_eq!(ours, said, "{lines}");
        }
        // What OpenSSL refuses stays, for it to refuse.
        let refused = ".pragma abspath:true\n.include a.cnf\n";
        fs::write(place("main"), refused).unwrap();
        assert_eq!(expanded(&place("main"), None), refused);
    }

    #[test]
    fn files_of_a_folder_are_read_as_openssl_reads_them() {
        let root = tempfile::tempdir().unwrap();
        let place = |name: &str| root.path().join(name);
        let at = root.path().display();
        fs::create_dir_all(place("d/folder.cnf")).unwrap();
        fs::create_dir(place("e")).unwrap();
        fs::create_dir(place("none")).unwrap();
        for (name, text) in [
            ("d/a.cnf", format!("a = $a,a\n.include {at}/x\na = $a,end of a\n")),
            ("d/b.CONF", "a = $a,b\n".to_owned()),
            (
                "d/c.Cnf",
                format!("a = $a,c\n.include {at}/e\n.include {at}/absent\na = $a,end of c\n"),
            ),
            ("d/.hidden.cnf", "a = $a,hidden\n".to_owned()),
            ("d/.cnf", "a = $a,no\n".to_owned()),
            ("d/d.cnf.old", "a = $a,no\n".to_owned()),
            ("e/e.cnf", "a = $a,e\n".to_owned()),
            ("x", "a = $a,x\n".to_owned()),
        ] {
            fs::write(place(name), text).unwrap();
        }
        let others = ["first", "between", "e"];
        for lines in [
            ".include {at}/d\n",
            ".include {at}/none\n.include {at}/absent\n.include {at}/d\na = $a,between\n.include {at}/e\n",
        ] {
            let main = place("main");
            let lines = lines.replace("{at}", &at.to_string());
            fs::write(&main, format!("a = first\n{lines}asn1 = UTF8:$a\n")).unwrap();
            let ours = value(&expanded(&main, None), DEFAULT, "a");
            assert_eq!(ours, asked(&main, None), "{lines}");
            let ours = ours.unwrap();
            let mut own: Vec<_> = ours.split(',').filter(|said| !others.contains(said)).collect();
            own.sort_unstable();
            assert_eq!(own, ["a", "b", "c", "end of a", "end of c", "hidden", "x"]);
        }
    }
}
