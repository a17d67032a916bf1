//! The wisdom file, from `tune` to `forget`.
mod common;

use std::{
    fs,
    os::unix::fs::{FileTypeExt, PermissionsExt, symlink},
    path::PathBuf,
    process::Command,
};

use assert_cmd::assert::OutputAssertExt;
use ciphertune::{
    Implementation, LengthClass, Threads, cpu,
    wisdom::{self, Choice, Help, Rates, Tuning, Wisdom},
};
use common::*;
use tempfile::TempDir;

/// Wisdom where the command looks for it.
fn with_wisdom() -> (TempDir, PathBuf) {
    let home = home();
    let path = home.path().join(".config/ciphertune/wisdom");
    let choices = LengthClass::all().map(|class| Choice {
        algorithm: "AES-128-CTR".to_owned(),
        operation: "encrypt".to_owned(),
        contract: wisdom::contract("AES-128-CTR").to_owned(),
        class,
        implementation: Implementation::PORTABLE,
        bytes_per_second: Rates {
            low: 4.0e8,
            median: 4.5e8,
            high: 5.0e8,
        },
        runner_up: Some((Implementation::PORTABLE, 4.6e8)),
    });
    let mut wisdom = Wisdom::new(vec![Tuning {
        made: "2026-01-02T03:04:05Z".to_owned(),
        patience: "patient".to_owned(),
        choices: choices.collect(),
        help: Vec::new(),
    }]);
    let pays = Help {
        algorithm: "AES-128-CTR".to_owned(),
        contract: wisdom::AHEAD.to_owned(),
        length: 32 << 10,
        implementation: Implementation::PORTABLE,
        workers: 2,
        pays: true,
        times: Rates {
            low: 2.5,
            median: 2.6,
            high: 2.7,
        },
    };
    let unsure = Help {
        length: 1 << 10,
        pays: false,
        times: Rates {
            low: 0.6,
            median: 1.65,
            high: 4.3,
        },
        ..pays.clone()
    };
    let other = Choice {
        algorithm: "AES-256-CTR".to_owned(),
        ..wisdom.tunings[0].choices[0].clone()
    };
    wisdom.tunings[0].help = vec![unsure, pays];
    wisdom.tunings.push(Tuning {
        made: "2026-03-04T05:06:07Z".to_owned(),
        patience: "measure".to_owned(),
        choices: vec![other],
        help: Vec::new(),
    });
    wisdom.write(&path).unwrap();
    (home, path)
}

#[test]
fn is_shown_checked_and_forgotten() {
    let (home, path) = with_wisdom();
    let wisdom = |action| {
        let assert = ciphertune(&home).args(["wisdom", action]).assert().success();
        assert_eq!(stderr(&assert), "");
        stdout(&assert)
    };
    let shown = wisdom("show");
    for text in [
        path.to_str().unwrap(),
        "Made 2026-01-02T03:04:05Z with patience 'patient'",
        "AES-128-CTR  encrypt    up to 32 B    portable  0.450  0.400-0.500  portable   0.460\n",
        "AES-128-CTR  encrypt    longer        portable",
        "Where the runner-up is faster, it is by less than the run could tell.",
        "AES-128-CTR in hashed calls, times as fast with workers: 1 KiB 1.65 (2, unsure), 32 KiB 2.60 (2); used from 32 \
         KiB on\n",
    ] {
        assert!(shown.contains(text), "no {text:?} in\n{shown}");
    }
    let (first, second) = shown
        .split_once("\nMade 2026-03-04T05:06:07Z with patience 'measure'\n")
        .unwrap();
    assert!(!first.contains("AES-256-CTR"), "{shown}");
    assert!(
        second.contains("\nAES-256-CTR  encrypt    up to 32 B ") && !second.contains("AES-128-CTR"),
        "{shown}"
    );
    assert!(wisdom("check").ends_with("8 choices made 2026-01-02T03:04:05Z to 2026-03-04T05:06:07Z\n"));
    assert!(wisdom("forget").starts_with("Forgot the wisdom in "));
    assert!(!path.exists());
    assert!(wisdom("forget").starts_with("There is no wisdom at "));
}

#[test]
fn is_good_where_the_library_goes_by_it() {
    let (home, path) = with_wisdom();
    let check = |words: &[&str], forced: &str| {
        let mut command = ciphertune(&home);
        command.args(["wisdom", "check"]).args(words);
        command.env("CIPHERTUNE_IMPLEMENTATION", forced).assert()
    };
    let error = line(&check(&[], "portable").code(1), path.to_str().unwrap());
    assert!(
        error.contains("CIPHERTUNE_IMPLEMENTATION forces portable"),
        "{error}"
    );
    line(&check(&[], "foo").code(2), "CIPHERTUNE_IMPLEMENTATION");
    // A file that is named is looked at by itself.
    check(&["--wisdom", path.to_str().unwrap()], "portable").success();
}

#[test]
fn only_wisdom_is_forgotten_and_written_over() {
    let home = home();
    let path = home.path().join("thesis");
    let forget = || {
        let mut command = ciphertune(&home);
        command.args(["wisdom", "forget", "--wisdom"]).arg(&path);
        command.assert()
    };
    fs::write(&path, "years of work").unwrap();
    let mut tune = ciphertune(&home);
    tune.args(["tune", "ctr", "--wisdom"]).arg(&path);
    for assert in [forget(), tune.assert()] {
        let error = line(&assert.code(1), path.to_str().unwrap());
        assert!(
            error.ends_with("is not a wisdom file, so it stays; delete it yourself if it should go"),
            "{error}"
        );
        assert_eq!(fs::read_to_string(&path).unwrap(), "years of work");
    }
    // As mktemp makes it.
    fs::write(&path, "").unwrap();
    let told = format!("Deleted the empty file {}\n", path.display());
    assert_eq!(stdout(&forget().success()), told);
    assert!(!path.exists());
    // What is refused for another reason can go.
    fs::write(&path, "ciphertune-wisdom 1\n").unwrap();
    forget().success();
    assert!(!path.exists());
}

/// Of a later version's too.
#[test]
fn no_run_takes_the_place_of_wisdom() {
    let (home, path) = with_wisdom();
    for text in [
        fs::read_to_string(&path).unwrap(),
        "ciphertune-wisdom 99\n".to_owned(),
    ] {
        fs::write(&path, &text).unwrap();
        let other = home.path().join("other");
        for command in [&["speed"][..], &["tune", "--wisdom", other.to_str().unwrap()]] {
            let mut run = ciphertune(&home);
            run.args(command).args(["aes-128-ctr", "--output"]).arg(&path);
            line(&run.assert().code(2), "which it would replace; name another file");
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
    }
}

/// As `tune` follows it. Where it led nowhere then, `tune` would write nothing there.
#[test]
fn what_a_link_leads_to_is_forgotten_with_the_link() {
    let (home, path) = with_wisdom();
    let link = home.path().join("link");
    let forget = || {
        let mut command = ciphertune(&home);
        command.args(["wisdom", "forget", "--wisdom"]).arg(&link);
        stdout(&command.assert().success())
    };
    symlink(&path, &link).unwrap();
    let place = fs::canonicalize(&path).unwrap();
    assert_eq!(
        forget(),
        format!(
            "Forgot the wisdom in {}, and deleted the link to it, {}\n",
            place.display(),
            link.display()
        )
    );
    assert!(!path.exists() && !link.is_symlink());
    // A link to nothing leads to no wisdom.
    symlink(&path, &link).unwrap();
    assert!(forget().starts_with("There is no wisdom at "));
    assert!(link.is_symlink());
}

/// Whatever stands there: it is not opened for long, not deleted and not replaced.
#[test]
fn what_is_no_file_that_can_be_read_stays() {
    let home = home();
    let path = |name: &str| home.path().join(name);
    let made = |command: &str, words: &[&str]| {
        let done = Command::new(command)
            .args(words)
            .current_dir(home.path())
            .output();
        done.is_ok_and(|done| done.status.success())
    };
    assert!(made("mkfifo", &["fifo"]));
    symlink("fifo", path("link")).unwrap();
    fs::create_dir(path("folder")).unwrap();
    let mut names = vec!["fifo", "link", "folder"];
    // Who may make one may delete it too.
    if made("mknod", &["device", "c", "1", "3"]) {
        names.push("device");
    }
    for name in names {
        let kind = fs::symlink_metadata(path(name)).unwrap().file_type();
        for words in [
            &["wisdom", "forget", "--wisdom"][..],
            &["tune", "ctr", "--wisdom"],
        ] {
            let mut command = ciphertune(&home);
            let assert = command.args(words).arg(path(name)).assert().code(1);
            let error = line(&assert, path(name).to_str().unwrap());
            assert!(
                error.contains("it is not a regular file; name another "),
                "{error}"
            );
            assert_eq!(stdout(&assert), "");
            let now = fs::symlink_metadata(path(name)).unwrap().file_type();
            assert!(now == kind && now.is_fifo() == (name == "fifo"));
        }
        // Where no option has named it.
        let mut show = ciphertune(&home);
        show.args(["wisdom", "show"]).env("CIPHERTUNE_WISDOM", path(name));
        let error = line(&show.assert().code(1), path(name).to_str().unwrap());
        assert!(
            error.ends_with("it is not a regular file; have CIPHERTUNE_WISDOM name another place"),
            "{error}"
        );
    }
}

#[test]
fn what_may_not_be_read_stays() {
    let home = home();
    let path = home.path().join("secret");
    fs::write(&path, "years of work").unwrap();
    let rights = |mode| fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
    for words in [
        &["wisdom", "forget", "--wisdom"][..],
        &["tune", "ctr", "--wisdom"],
    ] {
        let mut command = ciphertune(&home);
        let Some(mut command) = bound(command.args(words).arg(&path)) else {
            return;
        };
        rights(0);
        let assert = command.assert().code(1);
        rights(0o600);
        let error = line(&assert, path.to_str().unwrap());
        assert!(
            error.contains(
                "secret stays, since it cannot be read to see whether it is wisdom: Permission denied"
            ) && error.ends_with("; name another file with --wisdom or CIPHERTUNE_WISDOM"),
            "{error}"
        );
        assert_eq!(stdout(&assert), "");
        assert_eq!(fs::read_to_string(&path).unwrap(), "years of work");
    }
}

#[test]
fn what_may_not_be_deleted_says_who_may() {
    let (home, path) = with_wisdom();
    let mut command = ciphertune(&home);
    let Some(mut command) = bound(command.args(["wisdom", "forget"])) else {
        return;
    };
    let folder = path.parent().unwrap();
    let rights = |mode| fs::set_permissions(folder, fs::Permissions::from_mode(mode)).unwrap();
    rights(0o500);
    let assert = command.assert().code(1);
    rights(0o700);
    assert_eq!(
        stderr(&assert),
        format!(
            "ciphertune: cannot delete the wisdom at {}: Permission denied (os error 13); whoever may write to its folder can \
             delete it\n",
            path.display()
        )
    );
    assert!(path.exists());
}

#[test]
fn what_a_later_version_made_goes_only_where_somebody_says_so() {
    let (home, path) = with_wisdom();
    let later = "ciphertune-wisdom 99\nwhatever\n";
    fs::write(&path, later).unwrap();
    let assert = ciphertune(&home).args(["tune", "ctr"]).assert().code(1);
    assert_eq!(
        stderr(&assert),
        format!(
            "ciphertune: the wisdom at {} stays, since a later Ciphertune made it: its format 99 is later than this \
             version's, 4; name another file with --wisdom, or let `ciphertune wisdom forget` delete it\n",
            path.display()
        )
    );
    assert_eq!(stdout(&assert), "");
    assert_eq!(fs::read_to_string(&path).unwrap(), later);
    ciphertune(&home).args(["wisdom", "forget"]).assert().success();
    assert!(!path.exists());
}

/// Whoever looks what a lesser processor would do does not want to lose what this one goes by.
#[test]
fn what_is_good_for_the_whole_processor_stays_where_a_part_is_hidden() {
    let Some(feature) = cpu::ALL.iter().find(|feature| feature.is_present()) else {
        eprintln!("left out: this processor has nothing to hide");
        return;
    };
    let (home, path) = with_wisdom();
    let before = fs::read(&path).unwrap();
    let hiding = |words: &[&str], status: i32| {
        let mut command = ciphertune(&home);
        command
            .args(words)
            .env("CIPHERTUNE_CPU", format!("-{}", feature.name()));
        command.assert().code(status)
    };
    let why = "it was made on the whole processor, of which CIPHERTUNE_CPU hides a part; unset that, or ";
    let named = ["tune", "aes-192-ctr", "--wisdom", path.to_str().unwrap()];
    let assert = hiding(&named, 2);
    assert_eq!(
        stderr(&assert),
        format!(
            "ciphertune: the wisdom at {} stays, since {why}name another file with --wisdom\n",
            path.display()
        )
    );
    assert_eq!(stdout(&assert), "");
    let checked = stderr(&hiding(&["wisdom", "check"], 1));
    assert!(
        checked.ends_with(&format!(
            "is refused: {why}let CIPHERTUNE_WISDOM name another file for `ciphertune tune` to make\n"
        )),
        "{checked}"
    );
    assert_eq!(fs::read(&path).unwrap(), before);
    // Nor is any made where every program looks, nor a folder for it.
    fs::remove_dir_all(path.parent().unwrap()).unwrap();
    let assert = hiding(&["tune", "aes-192-ctr"], 2);
    assert_eq!(
        stderr(&assert),
        format!(
            "ciphertune: {} is for wisdom that was made on the whole processor, of which CIPHERTUNE_CPU hides a part; unset \
             that, or name another file with --wisdom\n",
            path.display()
        )
    );
    assert_eq!(stdout(&assert), "");
    assert!(!path.parent().unwrap().exists());
}

/// One that is no name, and one that is of what cannot run here.
#[test]
fn what_cannot_be_forced_is_told_with_its_variable() {
    let unusable = |command: &mut Command, name: &str, why: &str| {
        let assert = command.env("CIPHERTUNE_IMPLEMENTATION", name).assert().code(2);
        let error = line(&assert, why);
        assert!(
            error.starts_with("ciphertune: CIPHERTUNE_IMPLEMENTATION")
                && error.ends_with("; unset it, or let it name another"),
            "{error}"
        );
        assert_eq!(stdout(&assert), "");
    };
    let home = home();
    let needs = |implementation: &&Implementation| !implementation.features().is_empty();
    let hardware = Implementation::all().iter().find(needs).unwrap();
    let hidden = format!("-{}", hardware.features()[0].name());
    for (name, why) in [
        (
            "rot13",
            "CIPHERTUNE_IMPLEMENTATION names 'rot13', which is no implementation",
        ),
        (
            hardware.name(),
            &format!(
                "CIPHERTUNE_IMPLEMENTATION: '{}' needs the CPU features",
                hardware.name()
            ),
        ),
    ] {
        for words in [&["tune", "--patience", "estimate"][..], &["tune"], &["speed"]] {
            let mut command = ciphertune(&home);
            command.args(words).env("CIPHERTUNE_CPU", &hidden);
            unusable(&mut command, name, why);
        }
    }
    // Wisdom that is good, but for that.
    let (home, _) = with_wisdom();
    unusable(
        ciphertune(&home).args(["wisdom", "check"]),
        "rot13",
        "names 'rot13'",
    );
    // As of what cannot be hidden.
    let mut command = ciphertune(&home);
    command
        .args(["wisdom", "check"])
        .env("CIPHERTUNE_CPU", "-rot13")
        .assert()
        .code(2);
}

#[test]
fn what_is_not_believed_is_refused_in_one_line() {
    let (home, path) = with_wisdom();
    let good = fs::read_to_string(&path).unwrap();
    let damaged = good.replacen("portable", "portablE", 1);
    let truncated = &good[..good.len() / 2];
    for (text, why) in [
        (&*damaged, "it was edited or damaged"),
        (truncated, "it is truncated"),
        (
            "ciphertune-wisdom 3\nmade 2026-11-21T21:20:03Z\n",
            "its format 3 is earlier than this version's, 4",
        ),
        (
            "ciphertune-wisdom 5\n",
            "its format 5 is later than this version's",
        ),
        ("{}", "it is not a wisdom file"),
    ] {
        fs::write(&path, text).unwrap();
        for action in ["check", "show"] {
            let assert = ciphertune(&home).args(["wisdom", action]).assert().code(1);
            let error = line(&assert, path.to_str().unwrap());
            assert!(error.starts_with("ciphertune: the wisdom at "), "{error}");
            let remedy = match why.contains("later") {
                true => {
                    "use the later Ciphertune that made it, or `ciphertune wisdom forget` and `ciphertune tune` make it anew"
                }
                false => "`ciphertune tune` makes it anew",
            };
            assert!(error.contains(why) && error.ends_with(remedy), "{error}");
            assert_eq!(
                (stdout(&assert).as_str(), stderr(&assert).lines().count()),
                ("", 1)
            );
        }
    }
}

#[test]
fn from_another_processor_is_refused() {
    let (home, path) = with_wisdom();
    let text = fs::read_to_string(&path).unwrap();
    let (body, _) = text.split_at(text.rfind("checksum ").unwrap());
    let signature = ciphertune::Processor::current().signature;
    let body = body.replacen(&signature, "GenuineIntel 6.85.7", 1);
    // FNV-1a, as the file has it: otherwise the refusal would be for the checksum.
    let checksum = body.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    fs::write(&path, format!("{body}checksum {checksum:016x}\n")).unwrap();
    let error = line(
        &ciphertune(&home).args(["wisdom", "check"]).assert().code(1),
        "GenuineIntel 6.85.7",
    );
    assert!(error.contains(&signature), "{error}");
}

#[test]
fn absent_is_an_error_to_check() {
    let home = home();
    let path = home.path().join("elsewhere");
    let shown = path.to_str().unwrap();
    for words in [
        ["wisdom", "check", "--wisdom", shown],
        ["wisdom", "--wisdom", shown, "check"],
    ] {
        let error = line(&ciphertune(&home).args(words).assert().code(1), shown);
        let remedy = format!("; `ciphertune tune --wisdom {shown}` makes it");
        assert!(error.ends_with(&remedy), "{error}");
    }
}

#[test]
fn an_estimate_measures_nothing_and_leaves_it_alone() {
    let (home, path) = with_wisdom();
    let before = fs::read(&path).unwrap();
    let estimate = || {
        let mut command = ciphertune(&home);
        command.args(["tune", "--patience", "estimate"]);
        command
    };
    let shown = stdout(&estimate().assert().success());
    assert!(shown.contains("\nAES-CTR"), "{shown}");
    assert!(
        shown.contains("In use now: the wisdom made 2026-01-02T03:04:05Z to 2026-03-04T05:06:07Z"),
        "{shown}"
    );
    assert_eq!(fs::read(&path).unwrap(), before);
    // Of AES-256-CTR it has one class alone.
    let made = "the wisdom made 2026-01-02T03:04:05Z to 2026-03-04T05:06:07Z";
    let see = "(see `ciphertune wisdom show`)";
    for (named, in_use) in [
        (&["aes-128-ctr"][..], format!("{made} {see}")),
        (
            &["gcm"],
            format!("this, since nothing of it goes by {made} {see}"),
        ),
        (
            &["aes-128-ctr", "aes-256-ctr"],
            format!("{made} {see}, but this for AES-256-CTR"),
        ),
        (
            &["ctr"],
            format!("{made} {see} for AES-128-CTR, and this for the rest"),
        ),
    ] {
        let shown = stdout(&estimate().args(named).assert().success());
        assert!(shown.ends_with(&format!("\nIn use now: {in_use}\n")), "{shown}");
    }

    let shown = stdout(
        &estimate()
            .env("CIPHERTUNE_IMPLEMENTATION", "portable")
            .assert()
            .success(),
    );
    assert!(
        shown.contains("In use now: portable, which CIPHERTUNE_IMPLEMENTATION forces"),
        "{shown}"
    );
    let assert = estimate()
        .env("CIPHERTUNE_IMPLEMENTATION", "rot13")
        .assert()
        .code(2);
    assert!(line(&assert, "rot13").starts_with("ciphertune: "));
    fs::write(&path, "{}").unwrap();
    let shown = stdout(&estimate().assert().success());
    assert!(
        shown.contains("In use now: this, since the wisdom at "),
        "{shown}"
    );
}

// Slow: some fifteen seconds, as `tune` promises.
/// Long calls need more memory than what is chosen between, and here there is no more.
#[test]
fn what_was_chosen_is_kept_where_threads_cannot_be_measured() {
    if Threads::available() == 0 {
        eprintln!("left out: threads are not measured on a single processor");
        return;
    }
    let home = home();
    let path = home.path().join("wisdom");
    let mut command = Command::new("/bin/sh");
    command
        .args([
            "-c",
            "ulimit -f 6144; exec \"$@\"",
            "sh",
            env!("CARGO_BIN_EXE_ciphertune"),
        ])
        .args(["tune", "AES-128-CTR", "--wisdom"])
        .arg(&path)
        .env_clear()
        .env("HOME", home.path());
    let assert = command.assert().code(1);
    let (said, shown) = (stderr(&assert), stdout(&assert));
    assert!(said.contains("there is no memory for messages of"), "{said}");
    assert!(
        shown.contains("\nWhat threads gain cannot be told, since measuring them failed: nothing uses them"),
        "{shown}"
    );
    assert!(
        shown.contains(&format!("\nWisdom written to {}\n", path.display())),
        "{shown}"
    );
    let wisdom = Wisdom::read(&path).unwrap();
    assert_eq!(wisdom.choices().count(), LengthClass::COUNT);
    assert_eq!(wisdom.help().count(), 0);
}

#[test]
fn tune_writes_what_check_accepts() {
    use ciphertune_results::{Cell, Run};

    let home = home();
    let [path, output] = ["made/for/it/wisdom", "run.jsonl"].map(|name| home.path().join(name));
    let assert = ciphertune(&home)
        .args(["tune", "AES-128-CTR", "AES-128-GCM", "--wisdom"])
        .arg(&path)
        .arg("--output")
        .arg(&output)
        .assert()
        .success();
    let shown = stdout(&assert);
    for text in [
        "\nAES-128-CTR encrypt: ",
        "\nAES-128-GCM open: ",
        "\n  against the CPUID default: ",
        &format!("\nWisdom written to {}\n", path.display()),
    ] {
        assert!(shown.contains(text), "no {text:?} in\n{shown}");
    }

    let run = Run::read(&output).unwrap();
    let wisdom = Wisdom::read(&path).unwrap();
    assert_eq!(
        (wisdom.tunings[0].patience.as_str(), wisdom.dates()),
        ("measure", run.machine.date)
    );
    assert_eq!(wisdom.choices().count(), 3 * LengthClass::COUNT);
    // What was found of threads is there too, whether it counts or others had the processors meanwhile.
    let mut helped = run.cells.iter().filter(|cell| cell.workers > 0);
    assert_eq!(helped.next().is_some(), Threads::available() > 0);
    for help in wisdom.help() {
        let is_its = |cell: &&Cell| {
            (cell.length, cell.workers as usize) == (help.length as u64, help.workers)
                && (&cell.algorithm, &cell.contract) == (&help.algorithm, &help.contract)
        };
        assert!(
            run.cells.iter().find(is_its).is_some_and(|cell| !cell.chosen),
            "{help:?}"
        );
    }
    for choice in wisdom.choices() {
        let place = (
            &choice.algorithm,
            &choice.operation,
            choice.class.measured() as u64,
        );
        let mut cells = run.cells.iter();
        let chosen =
            cells.find(|cell| cell.chosen && (&cell.algorithm, &cell.operation, cell.length) == place);
        let name = format!("ciphertune/{}", choice.implementation.name());
        assert_eq!(chosen.unwrap().implementation, name);
    }

    let check = || {
        let mut command = ciphertune(&home);
        command.args(["wisdom", "check", "--wisdom"]).arg(&path);
        command.assert()
    };
    check().success();
    let mut damaged = fs::read(&path).unwrap();
    let at = damaged.len() / 2;
    damaged[at] ^= 1;
    fs::write(&path, damaged).unwrap();
    check().code(1);

    // Nothing can be kept of that, which is said.
    let mut tune = ciphertune(&home);
    let assert = tune.args(["tune", "aes-256-ocb", "--wisdom"]).arg(&path).assert();
    let shown = stdout(&assert.success());
    let lost = format!(
        "\nNothing was kept of the wisdom that was there, since it was edited or damaged: its checksum does not fit; \
         what was not measured now goes by CPUID until `ciphertune tune --wisdom {}` measures it\n",
        path.display()
    );
    assert!(shown.contains(&lost), "{shown}");
    check().success();
}
