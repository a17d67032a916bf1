//! That structures of which a library has no constructor are as its headers have them.
use std::{
    io::Write,
    process::{Command, Stdio},
};

#[path = "../../../../tests/skip.rs"]
mod skip;

use skip::skip;

/// What must hold of a library's headers.
pub(super) struct Layout {
    pub(super) headers: &'static [&'static str],
    /// Constant expressions in C, and what they must be.
    pub(super) facts: Vec<(&'static str, usize)>,
}

impl Layout {
    /// Compiles the facts as assertions; answers what the compiler has to say where one does not hold.
    fn check(&self) -> Result<(), String> {
        let mut source = String::from("#include <stddef.h>\n");
        for header in self.headers {
            source += &format!("#include <{header}>\n");
        }
        if compile(&source).is_err_and(|errors| errors.contains("No such file or directory")) {
            skip(format_args!(
                "{:?} are not all installed; tests/packages installs them",
                self.headers
            ));
            return Ok(());
        }
        for (expression, value) in &self.facts {
            source += &format!("_Static_assert(({expression}) == {value}, \"{expression}\");\n");
        }
        compile(&source)
    }
}

/// Answers what the compiler has to say, where there is one. It heeds `CPATH`.
fn compile(source: &str) -> Result<(), String> {
    let compiler = Command::new("cc")
        .args(["-fsyntax-only", "-x", "c", "-"])
        .env("LC_ALL", "C")
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut compiler = match compiler {
        Ok(compiler) => compiler,
        Err(error) => {
            skip(format_args!("cc: {error}"));
            return Ok(());
        }
    };
    let mut input = compiler.stdin.take().expect("a pipe");
    input.write_all(source.as_bytes()).expect("cc reads it");
    drop(input);
    let output = compiler.wait_with_output().expect("cc ends");
    match output.status.success() {
        true => Ok(()),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    }
}

#[test]
fn structures_are_those_of_the_headers() {
    for layout in [
        super::nettle::layout(),
        super::nettle::keys_layout(),
        super::ipsec_mb::layout(),
        super::mbedtls::layout(),
        super::mbedtls::old_layout(),
        super::wolfssl::layout(),
    ] {
        layout.check().unwrap_or_else(|errors| panic!("{errors}"));
    }
}

#[test]
fn another_layout_is_noticed() {
    let wrong = Layout {
        headers: &["stdint.h"],
        facts: vec![("sizeof(uint64_t)", 8), ("sizeof(uint32_t)", 5)],
    };
    if compile("no C").is_ok() {
        // Without a compiler nothing is checked, and that was said.
        return;
    }
    let errors = wrong.check().expect_err("that many bytes it has not");
    assert!(errors.contains("sizeof(uint32_t)"), "cc says which: {errors}");
}
