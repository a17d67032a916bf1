//! What other tools print, read as they print it. Each file in `imports` says where it comes from.
use ciphertune_results::{
    Cell, Run, Status,
    compare::{By, Named, Terms, Verdict, compare},
    import::{Origin, import},
};

fn origin(file: &str) -> Origin {
    Origin {
        file: file.into(),
        date: "2026-01-02T03:04:05Z".into(),
        ciphertune: "0.1.0".into(),
        machine: None,
        implementation: None,
        decrypt: false,
    }
}

macro_rules! imported {
    ($file:literal) => {
        import(include_str!(concat!("imports/", $file)), origin($file)).unwrap()
    };
}

#[track_caller]
fn rate(run: &Run, algorithm: &str, operation: &str, length: u64) -> f64 {
    let place = (algorithm, operation, length);
    let mut cells = run.cells.iter();
    let cell = cells
        .find(|cell| (&*cell.algorithm, &*cell.operation, cell.length) == place)
        .unwrap_or_else(|| panic!("no {place:?}"));
    cell.figures.as_ref().unwrap().bytes_per_second.median
}

#[track_caller]
fn near(rate: f64, expected: f64) {
    assert!((rate / expected - 1.0).abs() < 1e-6, "{rate} is not {expected}");
}

/// Of each algorithm and operation, at a length.
#[track_caller]
fn rates_are(run: &Run, expected: &[(&str, &str, u64, f64)]) {
    for &(algorithm, operation, length, per_second) in expected {
        near(rate(run, algorithm, operation, length), per_second);
    }
}

#[test]
fn the_table_of_2003() {
    let run = imported!("openssl-0.9.7c-ixbt.txt");
    // 18 algorithms at 5 lengths; 7 keys that sign and verify.
    assert_eq!(run.cells.len(), 18 * 5 + 7 * 2);
    rates_are(
        &run,
        &[
            ("MD2", "digest", 16, 1_754_480.0),
            ("HMAC-MD5", "mac", 64, 22_492_580.0),
            ("RIPEMD-160", "digest", 256, 63_253_560.0),
            ("RC4", "encrypt", 1024, 116_971_460.0),
            ("DES-CBC", "encrypt", 8192, 46_995_000.0),
            ("DES-EDE3-CBC", "encrypt", 16, 20_277_030.0),
            ("RC5-CBC", "encrypt", 64, 107_892_060.0),
            ("AES-128-CBC", "encrypt", 8192, 38_692_840.0),
            ("AES-256-CBC", "encrypt", 16, 32_787_210.0),
            ("RSA-512", "sign", 1, 1350.1),
            ("RSA-4096", "verify", 1, 412.6),
            ("DSA-2048", "sign", 1, 155.8),
        ],
    );
    let imported = run.machine.imported.as_ref().unwrap();
    assert_eq!(imported.version.as_deref(), Some("0.9.7c"));
    assert!(
        imported
            .details
            .iter()
            .any(|line| line.starts_with("compiler: cl "))
    );
    let cell = &run.cells[0];
    assert_eq!(cell.implementation, "openssl@0.9.7c/default");
    assert_eq!(cell.contract, "openssl-speed/1");
    let figures = cell.figures.as_ref().unwrap();
    assert!(figures.bytes_per_second.is_point() && figures.replicates.is_empty());
    assert_eq!((figures.quanta, figures.processes), (0, 0));
}

#[test]
fn an_imported_run_is_a_run_file() {
    let run = imported!("openssl-0.9.7c-ixbt.txt");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.jsonl");
    run.write(&path).unwrap();
    assert_eq!(Run::read(&path).unwrap(), run);
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(
        text.contains("\"bytes_per_second\":{\"median\":1754480.0}"),
        "{text}"
    );
}

#[test]
fn openssl_3_with_what_it_says_while_it_measures() {
    let run = imported!("openssl-3.0-evp.txt");
    let lengths: Vec<u64> = run.cells.iter().map(|cell| cell.length).collect();
    assert_eq!(lengths, [16, 64, 256, 1024, 8192, 16384]);
    assert_eq!(run.cells[0].implementation, "openssl@3.0.19/default");
    assert!(run.cells.iter().all(|cell| cell.algorithm == "AES-128-CTR"));

    // Cut off before the table, the figures are the same, but for its rounding.
    let text = include_str!("imports/openssl-3.0-evp.txt");
    let cut = import(text.split("version:").next().unwrap(), origin("cut")).unwrap();
    assert_eq!(cut.cells.len(), 6);
    for (whole, cut) in run.cells.iter().zip(&cut.cells) {
        let median = |cell: &Cell| cell.figures.as_ref().unwrap().bytes_per_second.median;
        assert!((median(whole) / median(cut) - 1.0).abs() < 1e-3);
    }
}

#[test]
fn keys_of_openssl_3() {
    let run = imported!("openssl-3.0-keys.txt");
    for (algorithm, operation, per_second) in [
        ("RSA-2048", "sign", 4121.6),
        ("RSA-2048", "verify", 70874.4),
        ("DSA-2048", "verify", 5407.3),
        ("ECDSA-P-256", "sign", 63672.5),
        ("ECDH-P-384", "derive", 1747.5),
        ("X25519", "derive", 37007.3),
        ("Ed25519", "verify", 14102.4),
    ] {
        near(rate(&run, algorithm, operation, 1), per_second);
    }
    near(rate(&run, "SHA2-256", "digest", 16384), 1_819_968_330.0);
    assert_eq!(run.cells.len(), 2 * 6 + 10);
}

/// Figures that OpenSSL 3.0.19 printed with `-aead -evp aes-128-gcm`.
#[test]
fn whole_messages_of_openssl_are_no_stream() {
    let contracts = |text: &str| {
        let run = import(text, origin("speed")).unwrap();
        let contracts = run.cells.into_iter().map(|cell| cell.contract);
        contracts.collect::<std::collections::BTreeSet<_>>()
    };
    let table = "The 'numbers' are in 1000s of bytes per second processed.\n\
                 type              2 bytes     31 bytes    136 bytes   1024 bytes\n\
                 AES-128-GCM       4422.78k    64338.45k   268500.40k  1444978.69k\n";
    assert_eq!(contracts(table), ["openssl-speed-aead/1".to_owned()].into());
    let mr = "+H:2:31:136:1024\n+F:25:AES-128-GCM:4468591.92:63987627.00:266033322.11:1447377454.55\n";
    assert_eq!(contracts(mr), ["openssl-speed-aead/1".to_owned()].into());
    let other = mr.replace("+H:2:", "+H:16:");
    assert_eq!(contracts(&other), ["openssl-speed/1".to_owned()].into());
}

/// Both name the algorithm alike, and have the longer lengths in common.
#[test]
fn a_table_of_whole_messages_leaves_its_neighbour_a_stream() {
    let stream = "type  16 bytes  64 bytes  256 bytes  1024 bytes\n\
                  AES-128-GCM  1600.00k  6400.00k  25600.00k  102400.00k\n";
    let whole = "type  2 bytes  31 bytes  136 bytes  1024 bytes\n\
                 AES-128-GCM  200.00k  3100.00k  13600.00k  90000.00k\n";
    let stream_mr = "+H:16:64:256:1024\n+F:25:AES-128-GCM:1600000.00:6400000.00:25600000.00:102400000.00\n";
    let whole_mr = "+H:2:31:136:1024\n+F:25:AES-128-GCM:200000.00:3100000.00:13600000.00:90000000.00\n";
    // Two that were stopped before their tables.
    let said = |lengths: &[u64], kilobytes: u64| {
        let line = |&length: &u64| {
            let count = kilobytes * 1000 / 1024;
            format!(
                "Doing AES-128-GCM ops for 1s on {length} size blocks: {count} AES-128-GCM ops in 1.00s\n"
            )
        };
        lengths.iter().map(line).collect::<String>()
    };
    let (stream_said, whole_said) = (
        said(&[16, 64, 256, 1024], 102_400),
        said(&[2, 31, 136, 1024], 90_000),
    );
    for (stream, whole) in [
        (stream, whole),
        (stream_mr, whole_mr),
        (&*stream_said, &*whole_said),
        (stream, &*whole_said),
        (&*stream_said, whole),
    ] {
        for text in [format!("{stream}{whole}"), format!("{whole}{stream}")] {
            let run = import(&text, origin("both")).unwrap();
            let lengths = |contract: &str| {
                let cells = run.cells.iter().filter(|cell| cell.contract == contract);
                cells.map(|cell| cell.length).collect::<Vec<_>>()
            };
            assert_eq!(lengths("openssl-speed/1"), [16, 64, 256, 1024], "{text}");
            assert_eq!(lengths("openssl-speed-aead/1"), [2, 31, 136, 1024], "{text}");
        }
    }
}

#[test]
fn machine_readable_means_the_same() {
    let run = imported!("openssl-3.0.mr");
    rates_are(
        &run,
        &[
            ("SHA2-256", "digest", 8192, 1_770_065_920.0),
            ("HMAC-MD5", "mac", 16, 57_174_441.03),
            ("RSA-2048", "sign", 1, 3694.736842),
            ("ECDSA-P-256", "verify", 1, 17207.5),
            ("ECDH-P-384", "derive", 1, 1111.428571),
            ("X25519", "derive", 1, 30454.166667),
            ("Ed25519", "sign", 1, 37680.487805),
        ],
    );
    let other = imported!("openssl-3.0-keys.txt");
    let places = |run: &Run| {
        let mut places: Vec<_> = run
            .cells
            .iter()
            .map(|cell| (cell.algorithm.clone(), cell.operation.clone(), cell.length))
            .collect();
        places.sort();
        places
    };
    assert_eq!(places(&run), places(&other));
    assert_eq!(
        run.cells[0].implementation, "openssl/default",
        "it tells no version"
    );

    let all = imported!("openssl-3.0-all-keys.mr");
    rates_are(
        &all,
        &[
            ("SM2", "sign", 1, 1833.673469),
            ("SM2", "verify", 1, 1867.346939),
            ("FFDH-8192", "derive", 1, 89.795918),
        ],
    );
    assert_eq!(all.cells.len(), 18 * 2 + 12);

    // Versions before 1.1 give seconds, and one that was stopped no +F at all.
    let old = import("+F2:1:1024:0.003686:0.000209\n", origin("old")).unwrap();
    near(rate(&old, "RSA-1024", "sign", 1), 1.0 / 0.003686);
    let stopped = import(
        "+DT:md5:3:64\n+R:300:md5:3.000000\n+DT:md5:3:256\n",
        origin("stopped"),
    )
    .unwrap();
    near(rate(&stopped, "MD5", "digest", 64), 6400.0);
    assert_eq!(stopped.cells.len(), 1);
}

/// What takes more than a second is no rate for that.
#[test]
fn seconds_are_told_by_what_rsa_does_faster() {
    let slow = "+F2:2:2048:0.270000:0.008000\n+F2:3:4096:1.800000:0.030000\n+F3:2:2048:0.080000:1.250000\n";
    let run = import(slow, origin("slow")).unwrap();
    rates_are(
        &run,
        &[
            ("RSA-2048", "sign", 1, 1.0 / 0.27),
            ("RSA-4096", "sign", 1, 1.0 / 1.8),
            ("RSA-4096", "verify", 1, 1.0 / 0.03),
            ("DSA-2048", "verify", 1, 0.8),
        ],
    );
    // In operations a second of which there is less than one.
    let run = import(
        "+F2:6:15360:0.400000:0.900000:0.800000:0.300000\n",
        origin("slower"),
    )
    .unwrap();
    rates_are(
        &run,
        &[("RSA-15360", "sign", 1, 0.4), ("RSA-15360", "decrypt", 1, 0.3)],
    );
}

#[test]
fn keys_of_openssl_4_have_their_names_where_these_are_told() {
    let run = imported!("openssl-4.0-keys.mr");
    rates_are(
        &run,
        &[
            ("AES-128-CBC", "encrypt", 1024, 1_430_718_377.46),
            ("ECDSA-P-256", "sign", 1, 53407.246377),
            ("SM2", "verify", 1, 3651.612903),
            ("Ed25519", "verify", 1, 10002.631579),
            ("FFDH-2048", "derive", 1, 3663.0),
            ("ML-KEM-768", "generate", 1, 33317.171717),
            ("ML-KEM-768", "encapsulate", 1, 58335.714286),
            ("ML-KEM-768", "decapsulate", 1, 37082.291667),
            ("ML-DSA-65", "generate", 1, 6049.253731),
            ("ML-DSA-65", "sign", 1, 1067.857143),
            ("ML-DSA-65", "verify", 1, 6059.649123),
        ],
    );
    let details = |run: &Run| run.machine.imported.as_ref().unwrap().details.clone();
    assert!(details(&run).is_empty());
    // A number is no name: it depends on what that OpenSSL has.
    let cut = "+F4:22:253:33887.096774:10002.631579\n+F8:13:33317.17:58335.71:37082.29\n+F9:10:6049.25:1067.86:6059.65\n";
    let cut = import(cut, origin("cut")).unwrap();
    assert_eq!(cut.cells.len(), 2);
    assert!(
        details(&cut)[0].starts_with("2 rows name no algorithm"),
        "{:?}",
        details(&cut)
    );
}

/// `openssl speed -elapsed -seconds 1 -bytes 1024 -evp aes-128-ctr`, both outputs, Debian 12.
#[test]
fn time_on_the_wall_is_not_a_processors() {
    let told = "You have chosen to measure elapsed time instead of user CPU time.";
    let by_wall = format!(
        "{told}\nDoing AES-128-CTR for 1s on 1024 size blocks: 5081623 AES-128-CTR's in 1.00s\nversion: 3.0.19\n\
         type           1024 bytes\nAES-128-CTR    5203581.95k\n"
    );
    let details = |text: &str| {
        let run = import(text, origin("speed.txt")).unwrap();
        run.machine.imported.unwrap().details
    };
    assert_eq!(details(&by_wall), [told]);
    assert!(details(by_wall.split_once('\n').unwrap().1).is_empty());
}

#[test]
fn processes_at_once_are_not_one() {
    let run = imported!("openssl-4.0-multi.txt");
    assert_eq!(run.cells.len(), 1);
    assert_eq!((run.cells[0].threads, run.cells[0].length), (2, 1024));
    near(rate(&run, "AES-128-CTR", "encrypt", 1024), 8_425_249_390.0);
}

/// What several commands printed into one file.
#[test]
fn processes_at_once_are_those_of_one_command() {
    let told = |run: &Run| {
        let rate = |cell: &Cell| cell.figures.as_ref().unwrap().bytes_per_second.median;
        let cells = run.cells.iter();
        cells
            .map(|cell| (cell.algorithm.clone(), cell.threads, rate(cell)))
            .collect::<Vec<_>>()
    };
    let is = |found: Vec<(String, u32, f64)>, expected: &[(&str, u32, f64)]| {
        let names = |(name, threads, _): &(String, u32, f64)| (name.clone(), *threads);
        let expected: Vec<_> = expected
            .iter()
            .map(|&(name, n, rate)| (name.to_owned(), n, rate))
            .collect();
        assert!(
            found.iter().map(names).eq(expected.iter().map(names)),
            "{found:?}"
        );
        for (found, expected) in found.iter().zip(&expected) {
            near(found.2, expected.2);
        }
    };
    is(
        told(&imported!("openssl-3.0-several.txt")),
        &[
            ("AES-128-GCM", 1, 1_488_193_660.0),
            ("AES-128-CTR", 2, 7_405_940_740.0),
            ("AES-128-GCM", 2, 1_492_102_140.0),
            ("ECDSA-P-256", 2, 43865.0),
            ("ECDSA-P-256", 2, 10474.0),
            ("ECDSA-P-256", 1, 42384.1),
            ("ECDSA-P-256", 1, 14706.0),
        ],
    );
    is(
        told(&imported!("openssl-3.0-several.mr")),
        &[
            ("AES-128-CTR", 2, 6_074_200_064.0),
            ("AES-128-CTR", 1, 7_520_913_297.3),
            ("ECDSA-P-256", 2, 23955.0),
            ("ECDSA-P-256", 2, 9579.0),
        ],
    );
    // Of keys whose rows have no names it is the figures of each process that have them.
    let kem = "Forked child 0\n+DTP:ML-KEM-768:keygen:1\n+R15:32984:ML-KEM-768:0.99\nForked child 1\n\
               Got: +F8:13:33317.17:58335.71:37082.29 from 0\n+F8:13:66634.34:116671.42:74164.58\n+F4:22:253:33887.096774:10002.631579\n";
    let run = import(kem, origin("kem")).unwrap();
    assert!(
        run.cells.iter().all(|cell| cell.algorithm == "Ed25519"),
        "{run:?}"
    );
}

/// The line that it was started comes behind what it said then.
#[test]
fn a_process_that_is_the_only_one_is_no_other_tool() {
    let run = imported!("openssl-3.0-multi-1.txt");
    rates_are(
        &run,
        &[
            ("AES-128-CTR", "encrypt", 1024, 6_937_927_680.0),
            ("MD5", "digest", 1024, 514_670_590.0),
            ("SHA1", "digest", 1024, 1_057_649_660.0),
            ("RSA-1024", "sign", 1, 9465.0),
            ("RSA-1024", "verify", 1, 152_316.0),
        ],
    );
    assert_eq!(run.cells.len(), 5);
    assert!(run.cells.iter().all(|cell| cell.threads == 1), "{run:?}");
    assert_eq!(run.machine.imported.unwrap().tool, "openssl speed");

    // What another command printed before stays, and nothing of keys that have names in what was said alone.
    let mr = "+DT:md5:1:64\n+R:10:md5:1.000000\n+H:64\n+F:0:md5:640.00\n+DT:sha1:1:16\n+R:1:sha1:1.000000\n\
              +DTP:ML-KEM-768:keygen:1\n+R15:32984:ML-KEM-768:0.99\nForked child 0\nGot: +H:16 from 0\n\
              Got: +F:1:sha1:16.00 from 0\n+F:1:sha1:16.00\n";
    let run = import(mr, origin("one.mr")).unwrap();
    rates_are(
        &run,
        &[("MD5", "digest", 64, 640.0), ("SHA1", "digest", 16, 16.0)],
    );
    assert_eq!(run.cells.len(), 2, "{:?}", run.cells);
}

/// As OpenSSL 3.0 and 4.0 print them, without binary curves too; those between are like 3.0.
#[test]
fn curves_have_one_name_each() {
    let algorithms = |text: &str| {
        let run = import(text, origin("curves")).unwrap();
        let mut names: Vec<String> = run.cells.into_iter().map(|cell| cell.algorithm).collect();
        names.dedup();
        names
    };
    let brainpool = ["ECDSA-P-256", "ECDSA-brainpoolP256r1", "ECDSA-brainpoolP256t1"];
    let rates = "2553.000000:2643.000000\n";
    for numbers in [["3", "16", "17"], ["3", "6", "7"]] {
        let lines = numbers.map(|number| format!("+F4:{number}:256:{rates}"));
        assert_eq!(algorithms(&lines.concat()), brainpool);
    }
    let binary = ["6:163", "11:163", "10:571", "15:571"].map(|curve| format!("+F4:{curve}:{rates}"));
    assert_eq!(
        algorithms(&binary.concat()),
        [
            "ECDSA-nistk163",
            "ECDSA-nistb163",
            "ECDSA-nistk571",
            "ECDSA-nistb571"
        ]
    );
    let others = ["0:160", "28:300", "29:300"].map(|curve| format!("+F4:{curve}:{rates}"));
    assert_eq!(
        algorithms(&others.concat()),
        ["ECDSA-secp160r1", "ECDSA-300-curve-28", "ECDSA-300-curve-29"]
    );
    let sm2 = ["+F4:26:256:", "+F7:0:256:CurveSM2:"].map(|start| format!("{start}{rates}"));
    assert_eq!(algorithms(&sm2.concat()), ["SM2"]);
    assert_eq!(algorithms("+F5:27:256:2553.000000:0.000391\n"), ["ECDH-SM2"]);

    let signatures = |rows: &[&str]| {
        let rows = rows
            .iter()
            .map(|row| format!(" {row} 0.0004s 0.0004s 2563.0 2717.2\n"));
        algorithms(&format!(
            "sign verify sign/s verify/s\n{}",
            rows.collect::<String>()
        ))
    };
    let old = ["256 bits ecdsa (nistp256)", "256 bits ecdsa (brainpoolP256r1)"];
    let old = signatures(
        &[
            &old[..],
            &["163 bits ecdsa (nistb163)", "256 bits SM2 (CurveSM2)"],
        ]
        .concat(),
    );
    let new = ["256 bits EC (prime256v1)", "256 bits EC (brainpoolP256r1)"];
    let new = signatures(&[&new[..], &["163 bits EC (sect163r2)", "256 bits EC (SM2)"]].concat());
    assert_eq!(new, old);
    assert_eq!(
        new,
        ["ECDSA-P-256", "ECDSA-brainpoolP256r1", "ECDSA-nistb163", "SM2"]
    );
    assert_eq!(
        signatures(&["253 bits EC (Ed25519)", "456 bits EdDSA (Ed448)"]),
        ["Ed25519", "Ed448"]
    );
    assert_eq!(
        algorithms(
            "op op/s\n 384 bits ecdh (secp384r1) 0.0015s 689.6\n 253 bits ecdh (X25519) 0.0000s 37007.3\n"
        ),
        ["ECDH-P-384", "X25519"]
    );
}

#[test]
fn random_numbers_are_no_cipher() {
    for text in [
        "type 16 bytes\nrand 12.00k\nmd5 12.00k\n",
        "+H:16\n+F:31:rand:12000.00\n+F:3:md5:12000.00\n",
        "Doing rand for 1s on 16 size blocks: 10 rand's in 1.00s\nDoing md5 for 1s on 16 size blocks: 10 md5's in 1.00s\n",
    ] {
        let run = import(text, origin("rand")).unwrap();
        let names: Vec<&str> = run.cells.iter().map(|cell| &*cell.algorithm).collect();
        assert_eq!(names, ["MD5"], "{text}");
    }
}

#[test]
fn a_version_is_a_number() {
    for (line, id) in [
        ("OpenSSL 1.1.1f, built on a machine", "openssl@1.1.1f/default"),
        ("OpenSSL 0.9.8zh 3 Dec 2015", "openssl@0.9.8zh/default"),
        ("LibreSSL 3.8.2", "libressl@3.8.2/default"),
        ("version: 4.1.0-dev", "openssl@4.1.0-dev/default"),
        ("OpenSSL speed test done", "openssl/default"),
    ] {
        let text = format!("{line}\ntype 16 bytes\nmd5 12.00k\n");
        let run = import(&text, origin("version")).unwrap();
        assert_eq!(run.cells[0].implementation, id);
    }
}

#[test]
fn cryptsetup() {
    let run = imported!("cryptsetup-2.6.txt");
    const MIB: f64 = 1_048_576.0;
    near(rate(&run, "AES-128-CBC", "encrypt", 65536), 1134.4 * MIB);
    near(rate(&run, "AES-128-CBC", "decrypt", 65536), 3.5 * 1024.0 * MIB);
    near(rate(&run, "AES-128-XTS", "decrypt", 65536), 1990.6 * MIB);
    near(rate(&run, "AES-256-XTS", "encrypt", 65536), 1649.9 * MIB);
    near(rate(&run, "PBKDF2-SHA2-256", "iterate", 1), 5_223_292.0);
    assert_eq!(run.cells.len(), 5 + 3);
}

#[test]
fn cryptsetup_in_another_language() {
    let text = "\
PBKDF2-sha256    5223292 Iterationen pro Sekunde für 256-Bit-Schlüssel
argon2id      4 Iterationen, 1048576 Speicher, 4 parallele Threads (CPUs) für 256-Bit-Schlüssel (Zieldauer: 2000 ms)
#  Algorithmus | Schlüssel | Verschlüsselung | Entschlüsselung
        aes-cbc        128b      1178,7 MiB/s         3,5 GiB/s
        aes-xts        512b      1649,9 MiB/s               N/A
";
    let run = import(text, origin("de.txt")).unwrap();
    const MIB: f64 = 1_048_576.0;
    near(rate(&run, "AES-128-CBC", "encrypt", 65536), 1178.7 * MIB);
    near(rate(&run, "AES-128-CBC", "decrypt", 65536), 3.5 * 1024.0 * MIB);
    near(rate(&run, "AES-256-XTS", "encrypt", 65536), 1649.9 * MIB);
    near(rate(&run, "PBKDF2-SHA2-256", "iterate", 1), 5_223_292.0);
    assert_eq!(run.cells.len(), 3 + 1);
}

#[test]
fn cryptsetup_cut_off() {
    const MIB: f64 = 1_048_576.0;
    let read = |last: &str| {
        let text = format!("PBKDF2-sha1  2730666 iterations per second for 256-bit key\n{last}");
        import(&text, origin("cut")).unwrap()
    };
    for count in ["54", "5223292 "] {
        is_skipped(
            &read(&format!("PBKDF2-sha256    {count}")),
            "PBKDF2-SHA2-256",
            "iterate",
            1,
        );
    }
    let run = read("PBKDF2-sha256  5223292 itera");
    near(rate(&run, "PBKDF2-SHA2-256", "iterate", 1), 5_223_292.0);
    for decryption in ["", "149", "1498.2", "1498.2 MiB"] {
        let run = read(&format!("aes-xts  512b  1500.5 MiB/s  {decryption}"));
        near(rate(&run, "AES-256-XTS", "encrypt", 65536), 1500.5 * MIB);
        is_skipped(&run, "AES-256-XTS", "decrypt", 65536);
    }
}

#[test]
fn botan() {
    let run = imported!("botan-2.19.json");
    let text = include_str!("imports/botan-2.19.json");
    let entries: serde_json::Value = serde_json::from_str(text).unwrap();
    let bps = |algo: &str, op: &str, size: u64| {
        let mut entries = entries.as_array().unwrap().iter();
        let entry = entries.find(|e| e["algo"] == algo && e["op"] == op && e["buf_size"] == size);
        entry.unwrap()["bps"].as_f64().unwrap()
    };
    rates_are(
        &run,
        &[
            (
                "AES-128-CTR",
                "encrypt",
                16,
                bps("CTR-BE(AES-128)", "encrypt", 16),
            ),
            ("AES-128-ECB", "decrypt", 1024, bps("AES-128", "decrypt", 1024)),
            (
                "AES-256-GCM",
                "open",
                1024,
                bps("AES-256/GCM(16) [clmul]", "decrypt", 1024),
            ),
            ("HMAC-SHA2-256", "mac", 16, bps("HMAC(SHA-256)", "mac", 16)),
            ("SHA2-256", "digest", 1024, bps("SHA-256", "hash", 1024)),
        ],
    );
    assert!(rate(&run, "RSA-2048", "verify", 1) > rate(&run, "RSA-2048", "sign", 1));
    rate(&run, "X25519", "derive", 1);
    assert!(
        run.cells
            .iter()
            .all(|cell| cell.implementation == "botan/default")
    );
}

#[test]
fn botans_list_without_its_end_is_cut_off() {
    let text = include_str!("imports/botan-2.19.json").trim_end();
    for end in [1, text.len() / 2, text.len() - 1] {
        let error = import(&text[..end], origin("cut.json")).unwrap_err().to_string();
        assert!(error.starts_with("'cut.json' is cut off: "), "{error}");
    }
}

#[test]
fn figures_of_two_tools_can_be_compared() {
    let named = |name: &str, run| Named {
        name: name.into(),
        runs: vec![run],
    };
    let runs = [
        named("2003", imported!("openssl-0.9.7c-ixbt.txt")),
        named("now", imported!("openssl-3.0-keys.txt")),
        named("botan", imported!("botan-2.19.json")),
    ];
    let terms = Terms {
        by: By::File,
        baseline: None,
        confidence: 0.95,
        across_contracts: false,
        per_cycle: false,
    };
    let comparison = compare(&runs, &terms).unwrap();
    let rows: Vec<(&str, &str)> = comparison.compared[0]
        .rows
        .iter()
        .map(|row| (&*row.algorithm, &*row.operation))
        .collect();
    assert_eq!(
        rows,
        [
            ("HMAC-MD5", "mac"),
            ("RSA-2048", "sign"),
            ("RSA-2048", "verify"),
            ("DSA-2048", "sign"),
            ("DSA-2048", "verify"),
        ]
    );
    let sign = &comparison.compared[0].rows[1].cells[0].change;
    assert_eq!(sign.verdict, Verdict::Unknown);
    near(sign.ratio.median, 4121.6 / 44.0);
    assert!(
        comparison.compared[1].rows.is_empty(),
        "botan has other contracts"
    );
}

#[test]
fn what_the_importer_knows_better_counts() {
    let known = Origin {
        machine: Some("Pentium 4 3.06 GHz".into()),
        implementation: Some("openssl@0.9.7c/icc".into()),
        ..origin("speed.txt")
    };
    let run = import(include_str!("imports/openssl-0.9.7c-ixbt.txt"), known).unwrap();
    assert_eq!(run.machine.cpu, "Pentium 4 3.06 GHz");
    assert!(
        run.cells
            .iter()
            .all(|cell| cell.implementation == "openssl@0.9.7c/icc")
    );
}

#[test]
fn rates_without_k_are_bytes() {
    let text = "type  16 bytes  64 bytes\nmd2   9000.50   12.00k\nbroken line 1\nmd4  0.00  10.00k\n";
    let run = import(text, origin("slow")).unwrap();
    near(rate(&run, "MD2", "digest", 16), 9000.5);
    near(rate(&run, "MD2", "digest", 64), 12_000.0);
    assert_eq!(run.cells.len(), 4);
    is_skipped(&run, "MD4", "digest", 16);
}

/// Where the figure is skipped, which is no reason to lose those beside it.
#[track_caller]
fn is_skipped(run: &Run, algorithm: &str, operation: &str, length: u64) {
    let place = (algorithm, operation, length);
    let mut cells = run.cells.iter();
    let cell = cells.find(|cell| (&*cell.algorithm, &*cell.operation, cell.length) == place);
    assert_eq!(cell.map(|cell| cell.status), Some(Status::Skipped), "{place:?}");
}

/// Of the algorithm's first cell.
#[track_caller]
fn is_skipped_since(run: &Run, algorithm: &str, reason: &str) {
    let cell = run.cells.iter().find(|cell| cell.algorithm == algorithm);
    let told = cell.map(|cell| (cell.status, cell.reason.as_deref()));
    assert_eq!(told, Some((Status::Skipped, Some(reason))), "{algorithm}");
}

#[test]
fn a_figure_that_is_cut_off_is_none() {
    let text = "type  16 bytes  64 bytes\naes-128-cbc  127076.05k  1547\nmd5  154771.37  12.00k\n\
                md4  9.99k  10000.00\nsha1  1547.7  154771.3k\n\
                sign  verify  sign/s  verify/s\nrsa 2048 bits 0.000243s 0.000014s   4121.6  708\n";
    let run = import(text, origin("cut")).unwrap();
    rates_are(
        &run,
        &[
            ("AES-128-CBC", "encrypt", 16, 127_076_050.0),
            ("MD5", "digest", 64, 12_000.0),
            ("MD4", "digest", 64, 10_000.0),
            ("RSA-2048", "sign", 1, 4121.6),
        ],
    );
    for (algorithm, operation, length) in [
        ("AES-128-CBC", "encrypt", 64),
        ("MD5", "digest", 16),
        ("MD4", "digest", 16),
        ("SHA1", "digest", 16),
        ("SHA1", "digest", 64),
        ("RSA-2048", "verify", 1),
    ] {
        is_skipped(&run, algorithm, operation, length);
    }

    let mr =
        "+H:16:64\n+F:6:sha256:134524635.90:3959153\n+F2:2:2048:0.003686:0.00\n+F5:4:384:0.000900:1111.4\n";
    let run = import(mr, origin("cut")).unwrap();
    near(rate(&run, "SHA2-256", "digest", 16), 134_524_635.9);
    near(rate(&run, "RSA-2048", "sign", 1), 1.0 / 0.003686);
    is_skipped(&run, "SHA2-256", "digest", 64);
    is_skipped(&run, "RSA-2048", "verify", 1);
    is_skipped(&run, "ECDH-P-384", "derive", 1);

    // A line of lengths that is cut off has fewer than its rows have figures.
    let text = "type  16 bytes  64 bytes\nmd5  12.00k  13.00k\naes-128-cbc  14.00k  15.00k  16.00k\n";
    let run = import(text, origin("cut")).unwrap();
    assert_eq!(rate(&run, "MD5", "digest", 64), 13_000.0);
    let mr = "+H:16:64\n+F:6:md5:12.00:13.00\n+F:22:aes-128-cbc:14.00:15.00:16.00\n";
    for run in [run, import(mr, origin("cut")).unwrap()] {
        is_skipped(&run, "AES-128-CBC", "encrypt", 16);
        is_skipped(&run, "AES-128-CBC", "encrypt", 64);
        assert_eq!(run.cells.len(), 4, "{:?}", run.cells);
    }

    // What was said while it measured is whole.
    let both = "Doing md5 for 3s on 16 size blocks: 300 md5's in 3.00s\ntype  16 bytes\nmd5  12.0\n";
    near(
        rate(&import(both, origin("both")).unwrap(), "MD5", "digest", 16),
        1600.0,
    );
}

#[test]
fn what_is_no_number_is_told_apart_from_what_is_cut_off() {
    let (whole, cut) = ("type  16 bytes\nsha1  12.00k\n", "sha512  12.0\n");
    for text in [
        format!("Doing md5 for 3s on 16 size blocks: 0 md5's in 0.00s\n{whole}{cut}"),
        "+DT:md5:3:16\n+R:0:md5:0.000000\n+H:16\n+F:0:sha1:12.00\n+F:1:sha512:12.0\n".to_owned(),
    ] {
        let run = import(&text, origin("x.txt")).expect(&text);
        is_skipped_since(
            &run,
            "MD5",
            "its figure is no number, as of nothing done in no time",
        );
        is_skipped_since(
            &run,
            "SHA2-512",
            "its figure is not whole, as where a line is cut off",
        );
    }
    let botan = "[{\"algo\": \"RSA-1024\", \"op\": \"sign\", \"events\": 0, \"nanos\": 0},\n\
                 {\"algo\": \"RSA-2048\", \"op\": \"sign\", \"events\": 1, \"nanos\": 9}]";
    let cryptsetup = "aes-cbc 128b nan MiB/s 1.0 MiB/s\n";
    for (text, algorithm) in [(botan, "RSA-1024"), (cryptsetup, "AES-128-CBC")] {
        let run = import(text, origin("x.txt")).expect(text);
        is_skipped_since(
            &run,
            algorithm,
            "its figure is no number, as of nothing done in no time",
        );
    }
}

#[test]
fn what_was_done_never_is_no_rate() {
    for text in [
        "type  16 bytes  64 bytes\nmd5  0.00k  12.00k\n",
        "type  16 bytes  64 bytes\nmd5  0.00  12.00k\n",
        "+H:16:64\n+F:0:md5:0.00:12000.00\n",
        "Doing md5 for 3s on 16 size blocks: 0 md5's in 3.00s\nDoing md5 for 3s on 64 size blocks: 9 md5's in 3.00s\n",
    ] {
        let run = import(text, origin("x.txt")).expect(text);
        is_skipped_since(&run, "MD5", "its figure is zero, as of nothing done in the time");
        assert_eq!(run.cells.len(), 2, "{text}");
    }
}

/// By the end of the text: what would have come behind it might be of a figure.
#[test]
fn a_text_that_ends_within_a_row_has_the_figures_before_it() {
    let table = "type  16 bytes  64 bytes\nmd5  12.00k  13.00k\n";
    let read = |row: &str| import(&format!("{table}{row}"), origin("cut")).unwrap();
    is_skipped(&read("sha1  154.00k  3200.00"), "SHA1", "digest", 64);
    for (whole, per_second) in [
        ("3200.00k", 3_200_000.0),
        ("3200.00 ", 3200.0),
        ("3200.00\n", 3200.0),
        ("9.50", 9.5),
    ] {
        let run = read(&format!("sha1  154.00k  {whole}"));
        near(rate(&run, "SHA1", "digest", 64), per_second);
    }
    for row in [
        "aes-128 cbc  154.00k",
        "aes-128 cbc  154.00k\n",
        "aes-128 cbc  154.00k  9\n",
    ] {
        let run = read(row);
        near(rate(&run, "AES-128-CBC", "encrypt", 16), 154_000.0);
        is_skipped(&run, "AES-128-CBC", "encrypt", 64);
    }
    for row in ["aes-128 cbc  154", "aes-128 cbc  154.", "aes-128 cbc  154.00"] {
        let run = read(row);
        is_skipped(&run, "AES-128-CBC", "encrypt", 16);
        is_skipped(&run, "AES-128-CBC", "encrypt", 64);
    }
    // What nothing tells from other words.
    for row in ["aes-128 cbc  154\n", "real  3.05\n", "aes-128 cbc"] {
        assert_eq!(read(row).cells.len(), 2, "{row}");
    }
    for rates in ["708.5", "708.5  12"] {
        let run = read(&format!(
            "sign verify sign/s verify/s\nrsa 2048 bits 0.0002s 0.0001s {rates}"
        ));
        near(rate(&run, "RSA-2048", "sign", 1), 708.5);
        is_skipped(&run, "RSA-2048", "verify", 1);
    }
    for times in ["0.00", "0.0002s", "0.0002s 0.0001s"] {
        let header = "sign verify sign/s verify/s";
        let text = format!("{table}{header}\nrsa 2048 bits {times}");
        let run = import(&text, origin("cut")).unwrap();
        is_skipped(&run, "RSA-2048", "sign", 1);
        is_skipped(&run, "RSA-2048", "verify", 1);
    }

    let mr = import("+H:16:64\n+F:3:md5:12.00\n+F:6:sha", origin("cut")).unwrap();
    near(rate(&mr, "MD5", "digest", 16), 12.0);
    is_skipped(&mr, "MD5", "digest", 64);
    assert_eq!(mr.cells.len(), 2);
}

#[test]
fn what_decrypted_is_told_by_whoever_imports_it() {
    let decrypting = |text: &str| {
        let origin = Origin {
            decrypt: true,
            ..origin("decrypted")
        };
        import(text, origin)
    };
    let table = "type  16 bytes\naes-128-cbc  12.00k\naes-128-gcm  13.00k\n\
                 sign  encr.  sign/s  encr./s\nrsa 2048 bits 0.000243s 0.000014s   4121.6  708.5\n";
    let run = decrypting(table).unwrap();
    rates_are(
        &run,
        &[
            ("AES-128-CBC", "decrypt", 16, 12_000.0),
            ("AES-128-GCM", "open", 16, 13_000.0),
            ("RSA-2048", "encrypt", 1, 708.5),
        ],
    );
    let mr = decrypting("+H:64\n+F:25:AES-128-CBC:2336215847.62\n").unwrap();
    assert_eq!(mr.cells[0].operation, "decrypt");
    for text in [
        "type  16 bytes\nmd5  12.00k\n",
        OWN,
        include_str!("imports/cryptsetup-2.6.txt"),
    ] {
        let error = decrypting(text).expect_err(text).to_string();
        assert!(
            error.starts_with("--decrypt is for what `openssl speed -decrypt` printed"),
            "{error}"
        );
    }
}

/// As OpenSSL 0.9.8 to 1.0.2 print it ("%4u bit ecdsa (%s)", "%4u bit  ecdh (%s)").
#[test]
fn curves_of_openssl_1_0_have_the_names_of_later_ones() {
    let text = "                              sign    verify    sign/s verify/s\n \
                256 bit ecdsa (nistp256)   0.0000s   0.0001s  21302.5   9728.5\n \
                163 bit ecdsa (nistk163)   0.0016s   0.0044s    626.8    224.7\n\
                \x20                             op      op/s\n \
                384 bit  ecdh (nistp384)     0.0015s     689.6\n";
    let run = import(text, origin("1.0.2")).unwrap();
    rates_are(
        &run,
        &[
            ("ECDSA-P-256", "sign", 1, 21302.5),
            ("ECDSA-nistk163", "verify", 1, 224.7),
            ("ECDH-P-384", "derive", 1, 689.6),
        ],
    );
}

/// As `botan speed` of 2.19 prints them, and from `ECDSA-secp384r1` on as perf_pk_sig.cpp and perf_pk_kem.cpp of Botan 3
/// make them.
#[test]
fn botans_names_are_openssls() {
    for (algo, op, meant) in [
        ("AES-128/CBC/PKCS7", "encrypt", "AES-128-CBC"),
        ("AES-256/CBC/CTS", "encrypt", "AES-256-CBC-CTS"),
        ("AES-256/CFB(8)", "decrypt", "AES-256-CFB8"),
        ("AES-256/GCM(16) [clmul]", "encrypt", "AES-256-GCM"),
        ("OFB(AES-128)", "encrypt", "AES-128-OFB"),
        ("GMAC(AES-128)", "mac", "AES-128-GMAC"),
        ("Camellia-128", "encrypt", "CAMELLIA-128-ECB"),
        ("CTR-BE(Camellia-256)", "encrypt", "CAMELLIA-256-CTR"),
        ("TripleDES/CBC/PKCS7", "encrypt", "DES-EDE3-CBC"),
        ("Blowfish", "decrypt", "BF-ECB"),
        ("CAST-128/CBC", "encrypt", "CAST5-CBC"),
        ("ChaCha20Poly1305", "encrypt", "ChaCha20-Poly1305"),
        ("Whirlpool", "hash", "WHIRLPOOL"),
        ("BLAKE2b(512)", "hash", "BLAKE2B-512"),
        ("SHA-512-256", "hash", "SHA2-512/256"),
        ("SHA-3(256)", "hash", "SHA3-256"),
        ("HMAC(SHA-512)", "mac", "HMAC-SHA2-512"),
        ("ECDSA-secp256r1 EMSA1(SHA-256)", "verify", "ECDSA-P-256"),
        ("ECDH-secp521r1", "key agreements", "ECDH-P-521"),
        (
            "ECDSA-brainpool256r1 EMSA1(SHA-256)",
            "sign",
            "ECDSA-brainpool256r1",
        ),
        ("Ed25519 Pure", "sign", "Ed25519"),
        ("RSA-2048 EMSA-PKCS1-v1_5(SHA-256)", "sign", "RSA-2048"),
        ("ECDSA-secp384r1", "sign", "ECDSA-P-384"),
        ("ML-DSA-6x5", "verify", "ML-DSA-65"),
        ("ML-KEM-768", "KEM encrypt", "ML-KEM-768"),
    ] {
        let text = format!("[{{\"algo\": \"{algo}\", \"op\": \"{op}\", \"events\": 10, \"nanos\": 1000}}]");
        let run = import(&text, origin("botan")).expect(algo);
        assert_eq!(run.cells[0].algorithm, meant, "{algo}");
    }
}

#[test]
fn of_a_figure_that_is_told_twice_the_table_counts() {
    let text = "Doing md5 for 3s on 16 size blocks: 300 md5's in 3.00s\ntype  16 bytes\nmd5  12.00k\n";
    let run = import(text, origin("both")).unwrap();
    near(rate(&run, "MD5", "digest", 16), 12_000.0);
    assert_eq!(run.cells.len(), 1);
}

#[test]
fn figures_do_not_take_each_others_places() {
    let said = |count: u64| format!("Doing md5 for 3s on 16 size blocks: {count} md5's in 3.00s\n");
    let table = |rate: &str| format!("type  16 bytes\nmd5  {rate}k\n");
    let mr = |rate: &str| format!("+H:16\n+F:3:md5:{rate}\n");
    let botan =
        |rate: u64| format!("{{\"algo\": \"MD5\", \"op\": \"hash\", \"bps\": {rate}, \"buf_size\": 16}}");
    for text in [
        table("12.00") + &table("13.00"),
        table("12.00") + "md5  13.00k\n",
        said(300) + &said(400),
        table("12.00") + &said(300),
        // That table has no 64 bytes: it is another's.
        said(300) + &said(300).replace("16 size", "64 size") + &table("13.00"),
        mr("12.00") + &mr("13.00"),
        format!("[{}, {}]", botan(12), botan(13)),
    ] {
        let error = import(&text, origin("twice.txt")).expect_err(&text).to_string();
        assert!(
            error.starts_with("'twice.txt' has two figures of MD5 digest, length 16, and nothing says which"),
            "{error}"
        );
    }
    // The same once more, and one that is not whole.
    for text in [
        table("12.00") + &table("12.00"),
        table("12.00") + &table("12.0"),
        table("12.0") + &table("12.00"),
    ] {
        let run = import(&text, origin("once")).expect(&text);
        near(rate(&run, "MD5", "digest", 16), 12_000.0);
        assert_eq!(run.cells.len(), 1);
    }
}

#[test]
fn what_two_tools_printed_is_not_one_run() {
    let table = "type  16 bytes\nmd5  12.00k\n";
    let mr = "+H:16\n+F:3:sha256:12.00\n";
    let cryptsetup = include_str!("imports/cryptsetup-2.6.txt");
    for (one, other, first, second) in [
        (table, mr, "openssl speed -mr", "openssl speed"),
        (mr, table, "openssl speed -mr", "openssl speed"),
        (table, cryptsetup, "openssl speed", "cryptsetup benchmark"),
        (table, OWN, "ciphertune speed", "openssl speed"),
    ] {
        let error = import(&(one.to_owned() + other), origin("both.txt")).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!(
                "'both.txt' holds what {first} printed and what {second} did; import each from a file of its own"
            )
        );
    }
}

/// The version stands in the first line.
#[test]
fn a_byte_order_mark_costs_no_line() {
    let text = "\u{feff}OpenSSL 1.0.2a 19 Mar 2015\ntype 16 bytes\nmd5 12.00k\n";
    let run = import(text, origin("marked")).unwrap();
    assert_eq!(run.cells[0].implementation, "openssl@1.0.2a/default");
}

#[test]
fn anything_else_is_refused() {
    for text in [
        "",
        "hello\n",
        "[]",
        "[1]",
        "type 16 bytes\n",
        "type x bytes y\nmd5 1k 2k\n",
        "type 16 bytes 1 6 bytes\nmd5 12.00k 12.00k\n",
        "type 16 bytes 64\nmd5 12.00k 12.00k\n",
        "+H:16\n+F:1:md5:x\n",
        "+R:1:md5:1\n",
        "+F7:0:256\n",
        "Doing md5 for 3s on 16 size blocks: \n",
        "sign/s verify/s\nrsa 1 2\n",
        "aes-cbc 128b 5 PiB/s 6 PiB/s\n",
        // What is no rate, or is not there.
        "+H:16:64\n+F:0:aes-128-cbc:-1:nan\n",
        "+H:16\n+F:0:aes-128-cbc:0.00\n",
        // Beyond what a run file has, as its cost is.
        "PBKDF2-sha1 0.000000000000000000000000000001 iterations per second\n",
        "[{\"algo\": \"SHA-256\", \"op\": \"hash\", \"bps\": 1e-300, \"buf_size\": 16}]",
        "[{\"algo\": \"SHA-256\", \"op\": \"hash\", \"bps\": 1e31, \"buf_size\": 16}]",
    ] {
        let error = import(text, origin("x.txt")).expect_err(text).to_string();
        assert!(
            error.starts_with("there are no figures in 'x.txt' that Ciphertune understands"),
            "{error}"
        );
    }
}

/// Its figures would be lost, or take another's place.
#[test]
fn a_length_that_is_none_is_named() {
    for text in [
        "type  16 bytes\nmd5  12.00k\ntype 99999999999999999999 bytes 64 bytes\nmd5 12.00k 13.00k\n",
        "type 99999999999999999999 bytes 64 bytes\nmd5 12.00k 13.00k\n",
        "+H:99999999999999999999:64\n+F:3:md5:12.00:13.00\n",
        "Forked child 0\nGot: +H:99999999999999999999 from 0\nGot: +F:3:md5:12.00 from 0\n+F:3:md5:12.00\n",
    ] {
        let error = import(text, origin("x.txt")).unwrap_err();
        assert_eq!(
            error.to_string(),
            "'x.txt' has figures of messages of 99999999999999999999 bytes, which is no length; correct it, or leave its \
             table out"
        );
    }
}

/// A short text of many rows below many columns.
#[test]
fn more_figures_than_a_run_has_are_refused() {
    let rows = |row: &str| row.repeat(2048);
    for text in [
        format!("type{}\n{}", " 16 bytes".repeat(1024), rows("md5  12.00k\n")),
        format!("+H{}\n{}", ":16".repeat(1024), rows("+F:3:md5:12.00\n")),
    ] {
        let error = import(&text, origin("x.txt")).unwrap_err();
        assert_eq!(
            error.to_string(),
            "'x.txt' has more than 1048576 figures, and no run is as long; name what a tool printed"
        );
    }
}

const OWN: &str = "\
implementation: ciphertune/vaes256
The 'numbers' are in 1000s of bytes per second processed.
type                                  16 bytes   1350 bytes
AES-128-GCM new-iv/1                671924.06k  8509698.46k
AES-128-GCM open new-iv/1           571924.06k         0.00 
AES-128-CTR decrypt stream/1 2 threads 71924.06k  809698.46k
AES-128-CTR stream/1 1 thread and 2 workers 7192.06k  80969.46k
implementation: aws-lc-rs@1.19.0/default
                   generate encapsulate decapsulate generate/sencapsulate/sdecapsulate/s
ML-KEM-768        0.000016s 0.000015s 0.000017s  62682.1  66477.9  59263.6
                     derive  derive/s
X25519 one-shot/1 0.000024s  40876.9
";

#[test]
fn what_ciphertune_prints_itself_is_read_whole() {
    let told = |run: &Run| {
        let cells = run.cells.iter().map(|cell| {
            let contract = cell.contract.split('/').next().unwrap().to_owned();
            (
                format!("{} {} {contract}", cell.algorithm, cell.operation),
                cell.implementation.clone(),
                (cell.length, cell.threads, cell.workers),
            )
        });
        cells.collect::<Vec<_>>()
    };
    let vaes = |what: &str, place| (what.to_owned(), "ciphertune/vaes256".to_owned(), place);
    let aws = |what: &str| {
        let id = "aws-lc-rs@1.19.0/default".to_owned();
        (what.to_owned(), id, (1, 1, 0))
    };
    let run = import(OWN, origin("classic")).unwrap();
    let expected = [
        vaes("AES-128-GCM seal new-iv", (16, 1, 0)),
        vaes("AES-128-GCM seal new-iv", (1350, 1, 0)),
        vaes("AES-128-GCM open new-iv", (16, 1, 0)),
        vaes("AES-128-CTR decrypt stream", (16, 2, 0)),
        vaes("AES-128-CTR decrypt stream", (1350, 2, 0)),
        vaes("AES-128-CTR encrypt stream", (16, 3, 2)),
        vaes("AES-128-CTR encrypt stream", (1350, 3, 2)),
        aws("ML-KEM-768 generate ciphertune-speed"),
        aws("ML-KEM-768 encapsulate ciphertune-speed"),
        aws("ML-KEM-768 decapsulate ciphertune-speed"),
        aws("X25519 derive one-shot"),
    ];
    assert_eq!(told(&run), expected);
    assert_eq!(run.machine.imported.unwrap().tool, "ciphertune speed");

    let mr = "+I:ciphertune/vaes256\n+H:16:1350\n+F:0:AES-128-GCM new-iv/1:671924060.00:8509698460.00\n\
              +F:1:AES-128-GCM open new-iv/1:571924060.00:0.00\n+I:a/b\n+H:64\n+F:0:SHA2-256:5.00\n";
    let run = import(mr, origin("mr")).unwrap();
    assert_eq!(told(&run)[..3], expected[..3]);
    let other = (
        "SHA2-256 digest ciphertune-speed".to_owned(),
        "a/b".to_owned(),
        (64, 1, 0),
    );
    assert_eq!(told(&run)[3..], [other]);
}

/// As an older version printed an algorithm whose name has a colon.
#[test]
fn a_label_that_is_none_of_ciphertunes_costs_no_figure_in_silence() {
    let classic = "implementation: a/b\ntype  16 bytes 64 bytes\nAES-128-CTR  12.00k  13.00k\n\
                   AES-256-CBC-ESSIV SHA256 14.00k  0.00 \nwritten in 3 4\nsign sign/s\nRSA 2048 0.0002s 708.5\n";
    let mr =
        "+I:a/b\n+H:16:64\n+F:0:AES-128-CTR:12000.00:13000.00\n+F:1:AES-256-CBC-ESSIV SHA256:14000.00:0.00\n";
    for (text, count) in [(classic, 4), (mr, 3)] {
        let run = import(text, origin("speed")).unwrap();
        assert_eq!(run.cells.len(), count, "{:?}", run.cells);
        near(rate(&run, "AES-128-CTR", "encrypt", 16), 12_000.0);
        let reason = "its label is none that Ciphertune prints";
        is_skipped(&run, "AES-256-CBC-ESSIV SHA256", "encrypt", 16);
        is_skipped_since(&run, "AES-256-CBC-ESSIV SHA256", reason);
        if text == classic {
            is_skipped(&run, "RSA 2048", "sign", 1);
        }
        assert_eq!(run.cells.iter().filter(|cell| cell.figures.is_some()).count(), 2);
    }
    let alone = "+I:a/b\n+H:16\n+F:0:AES CBC:14000.00\n";
    let error = import(alone, origin("speed")).unwrap_err().to_string();
    assert!(error.starts_with("there are no figures in 'speed'"), "{error}");
}

#[test]
fn lengths_are_told_apart_where_no_space_is_between_them() {
    let text = "implementation: a/b\ntype  16384 bytes1048576 bytes16777216 bytes\nAES-128-CTR  1.50k  12.00k  13.00k\n";
    let run = import(text, origin("wide")).unwrap();
    near(rate(&run, "AES-128-CTR", "encrypt", 1 << 20), 12_000.0);
    near(rate(&run, "AES-128-CTR", "encrypt", 16 << 20), 13_000.0);
    assert_eq!(run.cells.len(), 3);
}

#[test]
fn one_name_cannot_stand_for_several_implementations() {
    let named = |text: &str| {
        let origin = Origin {
            implementation: Some("mine/default".into()),
            ..origin("own")
        };
        import(text, origin)
    };
    assert!(
        named(OWN)
            .unwrap_err()
            .to_string()
            .contains("several implementations")
    );
    let (one, _) = OWN.split_once("implementation: aws").unwrap();
    let run = named(one).unwrap();
    assert!(run.cells.iter().all(|cell| cell.implementation == "mine/default"));
}

#[test]
fn several_versions_are_not_one() {
    let table = |version: &str, row: &str| format!("{version}\ntype  16 bytes\n{row}\n");
    let old = table("OpenSSL 3.0.19", "md5  12.00k");
    for other in ["version: 3.5.0", "LibreSSL 3.0.19"] {
        let text = old.clone() + &table(other, "sha1  13.00k");
        let error = import(&text, origin("two.txt")).unwrap_err().to_string();
        assert!(
            error.contains("'two.txt' holds what openssl 3.0.19 printed"),
            "{error}"
        );
    }
    // What one version printed by two commands is one run.
    let text = old + &table("version: 3.0.19", "sha1  13.00k");
    assert_eq!(import(&text, origin("one.txt")).unwrap().cells.len(), 2);
}

#[test]
fn below_a_header_that_is_not_known_nothing_is_read() {
    let text = "                  sign    verify    sign/s verify/s\n\
                RSA-2048 0.000240s 0.000017s   4172.1  60120.1\n\
                            fold  bend  fold/s  bend/s\n\
                CARD-64  0.000240s 0.000017s   4172.1  60120.1\n";
    let run = import(text, origin("headers")).unwrap();
    assert!(run.cells.iter().all(|cell| cell.algorithm == "RSA-2048"));
    assert_eq!(run.cells.len(), 2);
}
