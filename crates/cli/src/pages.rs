//! What people read about the command: below the help, in the man page, and what their shell completes.
use std::process::ExitCode;

use clap::{Arg, Command, CommandFactory, builder::PossibleValuesParser};
use clap_complete::Shell;
use clap_mangen::{
    Man,
    roff::{Roff, bold, italic, roman},
};

use crate::{Result, args::Args, stdout};

/// The commands that have a page of their own.
pub const PAGES: [&str; 9] = [
    "tune", "speed", "advise", "compare", "import", "list", "wisdom", "provider", "doctor",
];

/// Sections after the options: a heading, and pairs of a name and what it means.
const SECTIONS: [(&str, &[(&str, &str)]); 3] = [
    (
        "Exit status",
        &[
            ("0", "All went well."),
            (
                "1",
                "Something failed: an implementation gave a wrong answer, crashed or hung; a library could not be \
                 loaded; nothing that was asked for can run here, or be compared; a file could not be read or \
                 written; wisdom was absent or refused. Whatever else was asked for is done nevertheless.",
            ),
            (
                "2",
                "The command line was wrong, or the environment; nothing was done.",
            ),
            ("3", "compare: something is slower than --fail-if allows."),
            (
                "130",
                "Interrupted, or 129 by the end of the terminal and 143 by SIGTERM; what was finished is shown and kept.",
            ),
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
                 processor that lacks them; tune then takes a file of its own, named by --wisdom or CIPHERTUNE_WISDOM. Other \
                 libraries have means of their own, such as OPENSSL_ia32cap.",
            ),
            ("NO_COLOR", "If set, nothing is coloured."),
            (
                "CLICOLOR_FORCE",
                "If set, and NO_COLOR is not, there are colours where no terminal is too.",
            ),
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
    // As people type them: shells tell letters apart, which the commands do not.
    let in_small_letters = |arg: Arg| {
        let names = arg.get_possible_values().into_iter();
        // clap wants them for ever, and this program ends soon.
        let small = names.map(|value| &*value.get_name().to_lowercase().leak());
        arg.value_parser(PossibleValuesParser::new(small))
    };
    let mut command = Args::command();
    for name in ["tune", "speed"] {
        command = command.mut_subcommand(name, |it| it.mut_arg("algorithms", in_small_letters));
    }
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command, "ciphertune", &mut script);
    stdout::print(|out| out.write_all(&script))?;
    Ok(ExitCode::SUCCESS)
}

/// The page of one command, or that of all.
pub fn man(command: Option<&str>) -> Result<ExitCode> {
    // The sections are rendered as such below.
    let mut root = Args::command().after_long_help(None);
    root.build();
    let mut page = match command.and_then(|name| root.find_subcommand(name)) {
        Some(command) => command.clone(),
        None => root,
    };
    let subcommands = subcommands(&page);
    // clap_mangen's own synopsis leaves out which arguments repeat and what follows them.
    let usage = page.render_usage().to_string();
    let man = Man::new(page.override_usage(usage.trim_start_matches("Usage: ").to_owned()))
        // Quoted, since roff would take the version for what is not there.
        .date("\"\"")
        .source(env!("CARGO_PKG_VERSION"))
        .manual("Ciphertune");
    stdout::print(|out| {
        man.render_title(out)?;
        man.render_name_section(out)?;
        man.render_synopsis_section(out)?;
        man.render_description_section(out)?;
        man.render_options_section(out)?;
        subcommands.to_writer(out)?;
        sections().to_writer(out)
    })?;
    Ok(ExitCode::SUCCESS)
}

/// What a page says of commands within its own: those without a page have all of their options there.
fn subcommands(page: &Command) -> Roff {
    let mut roff = Roff::new();
    let mut commands = page
        .get_subcommands()
        .filter(|command| command.get_name() != "help")
        .peekable();
    if commands.peek().is_some() {
        roff.control("SH", ["COMMANDS"]);
    }
    for command in commands {
        let name = command.get_name();
        let has_page = PAGES.contains(&name);
        let name = match has_page {
            true => format!("ciphertune-{name}(1)"),
            false => name.to_owned(),
        };
        let about = command.get_about().map(ToString::to_string).unwrap_or_default();
        roff.control("TP", []).text([bold(name)]).text([roman(about)]);
        let is_to_be_told = |arg: &&Arg| !has_page && !arg.is_global_set() && arg.get_id() != "help";
        for arg in command.get_arguments().filter(is_to_be_told) {
            let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
            roff.control("RS", []).control("TP", []);
            roff.text([italic(arg.to_string())])
                .text([roman(help)])
                .control("RE", []);
        }
    }
    roff
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_option_is_on_a_page_that_is_there() {
        let mut root = Args::command();
        root.build();
        let page = subcommands(&root).render();
        assert!(page.contains("tune(1)") && page.contains("completions"), "{page}");
        assert!(
            !page.contains("completions(1)") && !page.contains("patience"),
            "{page}"
        );
        for name in PAGES {
            let command = root.find_subcommand(name).unwrap();
            let page = subcommands(command).render();
            assert!(!page.contains("(1)"), "{page}");
            for option in command.get_subcommands().flat_map(|command| command.get_opts()) {
                let long = option.get_long().unwrap().replace('-', "\\-");
                assert_eq!(page.contains(&long), !option.is_global_set(), "{name}: {page}");
            }
        }
    }
}
