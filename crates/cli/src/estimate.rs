//! `ciphertune tune --patience estimate`
use std::process::ExitCode;

use ciphertune::{Basis, GcmPlan, Implementation, LengthClass, Plan, Plans, Processor};
use clap::{CommandFactory, error::ErrorKind};

use crate::{
    Result,
    args::{Args, Tune},
    classes, session, stdout,
};

/// Shows what CPUID suggests, and what programs go by now.
pub fn run(args: &Tune) -> Result<ExitCode> {
    refuse_idle_options(args);
    let sentence = |implementation: &dyn Fn(usize) -> Implementation| {
        classes::sentence(LengthClass::all().map(|class| (class, implementation(class.measured()))))
    };
    let suggested = sentence(&|length| Plan::estimate().implementation(length));
    let of_gcm = Plans::<GcmPlan>::estimate();
    let sealing = sentence(&|length| of_gcm.forward().implementation(length));
    let opening = sentence(&|length| of_gcm.backward().implementation(length));
    let lines = [
        format!(
            "By what CPUID says of {}, and nothing measured:",
            Processor::current().brand
        ),
        format!("AES-GCM: sealing {sealing}; opening {opening}"),
        format!("AES-CTR: {suggested}"),
        "The other modes: as AES-CTR, but CFB8 as what has a block for each of its bytes, and where portable serves 16 \
         bytes, it serves OFB, CMAC, and encryption by CBC and CFB, whatever the length; -r2 differs in CTR alone"
            .to_owned(),
        format!("In use now: {}", in_use()?),
    ];
    stdout::print(|out| stdout::sentences(&lines, out))?;
    Ok(ExitCode::SUCCESS)
}

/// What asks for more than an estimate is a mistake, and no output that someone waits for comes of it.
fn refuse_idle_options(args: &Tune) {
    let options = [
        ("--wisdom", args.wisdom.is_some()),
        ("--libcrypto", !args.libraries.libcrypto.is_empty()),
        ("--provider", !args.libraries.provider.is_empty()),
        ("--format", args.output.format.is_some()),
        ("--intervals", args.output.intervals),
        ("--shares", args.output.shares),
        ("--costs", args.output.costs),
        ("--fit", args.output.fit),
        ("--until-stable", args.certainty.until_stable.is_some()),
        ("--output", args.output.output.is_some()),
    ];
    if let Some((option, _)) = options.iter().find(|(_, given)| *given) {
        let problem = format!(
            "'--patience estimate' measures nothing, so '{option}' has no use; leave one of them out"
        );
        let mut command = Args::command();
        command.build();
        let tune = command.find_subcommand_mut("tune").expect("this is its code");
        tune.error(ErrorKind::ArgumentConflict, problem).exit();
    }
}

fn in_use() -> Result<String> {
    Ok(match session::selection()?.basis() {
        Basis::Forced(forced) => format!("{}, which CIPHERTUNE_IMPLEMENTATION forces", forced.name()),
        Basis::Wisdom(wisdom) => format!(
            "the wisdom made {} (see `ciphertune wisdom show`)",
            wisdom.dates()
        ),
        Basis::Estimate(why) => format!("this, since {why}"),
        _ => "a choice of a kind that this program does not know".to_owned(),
    })
}
