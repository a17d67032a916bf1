//! That `include/ciphertune.h` declares what this crate defines, and `ciphertune.map` shows it.
//!
//! cbindgen writes a prototype of each function from its Rust signature, and a C compiler sees them behind the
//! header: two declarations of one function that differ are an error. Numbers and layouts become static assertions.

use std::{
    collections::BTreeSet,
    fmt::Write,
    fs,
    mem::offset_of,
    path::{Path, PathBuf},
    process::Command,
};

use crate::{
    Code, cbc, cbc_many::CMessage, ccm, cfb, cfb8, cmac::CBytes, gcm, gcm_stream, ocb, ocb_stream, wisdom,
};

#[path = "../../../tests/skip.rs"]
mod skip;

use skip::skip;

fn here(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// Types whose name in Rust is another one.
const RENAMED: [(&str, &str); 17] = [
    ("Cbc", "ciphertune_cbc"),
    ("CbcMany", "ciphertune_cbc_many"),
    ("CBytes", "ciphertune_bytes"),
    ("Cfb", "ciphertune_cfb"),
    ("Cfb8", "ciphertune_cfb8"),
    ("CMessage", "ciphertune_cbc_message"),
    ("Cmac", "ciphertune_cmac"),
    ("CmacStream", "ciphertune_cmac_stream"),
    ("CcmContext", "ciphertune_ccm"),
    ("GcmContext", "ciphertune_gcm"),
    ("GcmStreamContext", "ciphertune_gcm_stream"),
    ("OcbContext", "ciphertune_ocb"),
    ("OcbStreamContext", "ciphertune_ocb_stream"),
    ("Ctr", "ciphertune_ctr"),
    ("Ecb", "ciphertune_ecb"),
    ("Xts", "ciphertune_xts"),
    ("usize", "size_t"),
];

/// What macros made, which cbindgen does not see in the files.
const MADE: [&str; 8] = [
    cbc::EXPORTED,
    ccm::EXPORTED,
    cfb::EXPORTED,
    cfb8::EXPORTED,
    gcm::EXPORTED,
    gcm_stream::EXPORTED,
    ocb::EXPORTED,
    ocb_stream::EXPORTED,
];

/// A prototype of each function that this crate exports.
fn prototypes() -> String {
    let mut config = cbindgen::Config {
        language: cbindgen::Language::C,
        no_includes: true,
        usize_is_size_t: true,
        style: cbindgen::Style::Type,
        ..Default::default()
    };
    config.export.item_types = vec![cbindgen::ItemType::Functions];
    config.export.rename = RENAMED.map(|(rust, c)| (rust.to_owned(), c.to_owned())).into();
    let mut builder = cbindgen::Builder::new().with_config(config);
    for file in fs::read_dir(here("src")).unwrap() {
        builder = builder.with_src(file.unwrap().path());
    }
    let folder = tempfile::tempdir().unwrap();
    let made = folder.path().join("made.rs");
    fs::write(&made, MADE.concat()).unwrap();
    let mut text = Vec::new();
    builder
        .with_src(made)
        .generate()
        .expect("cbindgen reads this crate")
        .write(&mut text);
    String::from_utf8(text).unwrap()
}

/// The functions that a text in C declares, or a version script names.
fn functions(text: &str, behind: char) -> BTreeSet<String> {
    let word = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    text.match_indices("ciphertune_")
        .filter(|&(at, _)| !text[..at].ends_with(word))
        .filter_map(|(at, _)| {
            let end = text[at..].find(|c| !word(c))? + at;
            text[end..].starts_with(behind).then(|| text[at..end].to_owned())
        })
        .collect()
}

fn without_comments(text: &str) -> String {
    let mut rest = text;
    let mut code = String::new();
    while let Some((before, comment)) = rest.split_once("/*") {
        code += before;
        rest = comment.split_once("*/").expect("a comment ends").1;
    }
    code + rest
}

#[test]
fn the_same_functions_are_declared_defined_and_exported() {
    let header = without_comments(&fs::read_to_string(here("include/ciphertune.h")).unwrap());
    let declared = functions(&header, '(');
    let defined = functions(&prototypes(), '(');
    let exported = functions(&fs::read_to_string(here("ciphertune.map")).unwrap(), ';');
    assert!(declared.contains("ciphertune_ctr_new"), "{declared:?}");
    assert_eq!(declared, defined, "the header's and this crate's functions");
    assert_eq!(declared, exported, "the header's and the map's functions");
}

#[test]
fn declarations_numbers_and_layouts_are_the_same() {
    let mut c = String::from("#include \"ciphertune.h\"\n");
    let mut is = |what: &str, value: usize| {
        writeln!(
            c,
            "_Static_assert({what} == {value}, \"{what} is {value} in Rust\");"
        )
        .unwrap();
    };
    for code in Code::ALL {
        let name: String = format!("{code:?}")
            .chars()
            .flat_map(|c| {
                [
                    c.is_ascii_uppercase().then_some('_'),
                    Some(c.to_ascii_uppercase()),
                ]
            })
            .flatten()
            .collect();
        let prefix = if code == Code::Ok {
            "CIPHERTUNE"
        } else {
            "CIPHERTUNE_E"
        };
        is(&format!("{prefix}{name}"), code as usize);
    }
    for (name, value) in [
        ("FORCED", wisdom::FORCED),
        ("WISDOM", wisdom::WISDOM),
        ("ESTIMATE", wisdom::ESTIMATE),
    ] {
        is(&format!("CIPHERTUNE_BASIS_{name}"), value as usize);
    }
    for (name, value) in [
        ("MAJOR", env!("CARGO_PKG_VERSION_MAJOR")),
        ("MINOR", env!("CARGO_PKG_VERSION_MINOR")),
        ("PATCH", env!("CARGO_PKG_VERSION_PATCH")),
    ] {
        is(&format!("CIPHERTUNE_VERSION_{name}"), value.parse().unwrap());
    }
    is("CIPHERTUNE_BLOCK", crate::buffers::BLOCK);
    is("CIPHERTUNE_THREADS_MEASURED", crate::ctr::MEASURED);
    is("sizeof(ciphertune_cbc_message)", size_of::<CMessage>());
    is("sizeof(ciphertune_bytes)", size_of::<CBytes>());
    for (member, offset) in [
        ("cbc_message, iv", offset_of!(CMessage, iv)),
        ("cbc_message, in", offset_of!(CMessage, r#in)),
        ("cbc_message, out", offset_of!(CMessage, out)),
        ("cbc_message, len", offset_of!(CMessage, len)),
        ("bytes, data", offset_of!(CBytes, data)),
        ("bytes, len", offset_of!(CBytes, len)),
    ] {
        is(&format!("offsetof(ciphertune_{member})"), offset);
    }
    c += &prototypes();

    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("same.c");
    fs::write(&file, &c).unwrap();
    let compiler = Command::new("cc")
        .args(["-std=c11", "-fsyntax-only", "-I"])
        .arg(here("include"))
        .arg(&file)
        .output();
    match compiler {
        Ok(output) => assert!(
            output.status.success(),
            "{}\n{c}",
            String::from_utf8_lossy(&output.stderr)
        ),
        Err(error) => skip(format_args!("cc: {error}")),
    }
}
