//! What people read about the command: below the help, in the man page, and what their shell completes.
use std::process::ExitCode;

use clap::CommandFactory;
use clap_complete::Shell;
use clap_mangen::{
    Man,
    roff::{Roff, bold, roman},
};

use crate::{Result, args::Args, stdout};

/// Sections after the options: a heading, and pairs of a name and what it means.
const SECTIONS: [(&str, &[(&str, &str)]); 3] = [
    (
        "Exit status",
        &[
            ("0", "All went well."),
            (
                "1",
                "Something failed: an implementation gave a wrong answer, crashed or hung; a library could not be \
                 loaded; a file could not be read or written; wisdom was absent or refused. Whatever else was \
                 asked for is done nevertheless.",
            ),
            ("2", "The command line was wrong; nothing was done."),
            ("3", "compare: something is slower than --fail-if allows."),
            ("130", "Interrupted; what was finished is shown and kept."),
        ],
    ),
    (
        "Environment",
        &[
            (
                "CIPHERTUNE_WISDOM",
                "The wisdom file, instead of the one in the user's config folder.",
            ),
            (
                "CIPHERTUNE_IMPLEMENTATION",
                "Forces one implementation on programs that use the library, as in aesni or vaes512, whatever the \
                 wisdom says. It does not change what is measured.",
            ),
            (
                "CIPHERTUNE_CPU",
                "CPU features that Ciphertune is to do without, as in -aes,-avx2: it measures and chooses as on a \
                 processor that lacks them. Other libraries have means of their own, such as OPENSSL_ia32cap.",
            ),
            ("NO_COLOR", "If set, nothing is coloured."),
        ],
    ),
    (
        "Files",
        &[(
            "~/.config/ciphertune/wisdom",
            "The choices made on this machine. With XDG_CONFIG_HOME set, that folder stands for ~/.config.",
        )],
    ),
];

/// The sections as plain text.
pub fn after_help() -> String {
    let mut text = String::new();
    for (heading, pairs) in SECTIONS {
        text += &format!("{heading}:\n");
        for (name, meaning) in pairs {
            text += &format!("  {name}\n          {meaning}\n");
        }
        text += "\n";
    }
    text
}

pub fn completions(shell: Shell) -> Result<ExitCode> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Args::command(), "ciphertune", &mut script);
    stdout::print(|out| out.write_all(&script))?;
    Ok(ExitCode::SUCCESS)
}

/// The page of one command, or that of all.
pub fn man(command: Option<&str>) -> Result<ExitCode> {
    // The sections are rendered as such below.
    let mut root = Args::command().after_long_help(None);
    root.build();
    let version = root.render_version();
    let page = match command.and_then(|name| root.find_subcommand(name)) {
        Some(command) => command.clone(),
        None => root,
    };
    let has_subcommands = page.has_subcommands();
    let man = Man::new(page).source(version.trim()).manual("Ciphertune");
    stdout::print(|out| {
        man.render_title(out)?;
        man.render_name_section(out)?;
        man.render_synopsis_section(out)?;
        man.render_description_section(out)?;
        man.render_options_section(out)?;
        if has_subcommands {
            man.render_subcommands_section(out)?;
        }
        sections().to_writer(out)
    })?;
    Ok(ExitCode::SUCCESS)
}

fn sections() -> Roff {
    let mut roff = Roff::new();
    for (heading, pairs) in SECTIONS {
        roff.control("SH", [heading.to_uppercase().as_str()]);
        for (name, meaning) in pairs {
            roff.control("TP", []).text([bold(*name)]).text([roman(*meaning)]);
        }
    }
    roff
}
