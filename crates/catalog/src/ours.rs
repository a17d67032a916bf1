use ciphertune::Ctr;

use crate::{Context, Description, Fault, Implementation, builtin::BuiltIn};

/// Ciphertune's own, those that this processor cannot run among them.
pub(crate) fn all() -> Vec<Box<dyn Implementation>> {
    ciphertune::Implementation::all()
        .iter()
        .map(|&implementation| Box::new(ours(implementation)) as Box<dyn Implementation>)
        .collect()
}

fn ours(implementation: ciphertune::Implementation) -> impl Implementation {
    BuiltIn {
        description: Description {
            id: format!("ciphertune/{}", implementation.name()),
            origin: "built in: crate ciphertune".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            features: names(implementation, |_| true).map(str::to_owned).collect(),
            constant_time: true,
            selectable: true,
            unavailable: unavailable(implementation),
        },
        context: move |_, key: &[u8], iv: &[u8; 16]| {
            let ctr = Ctr::with_implementation(implementation, key, iv).map_err(fault)?;
            Ok(Box::new(Stream(ctr)) as Box<dyn Context>)
        },
    }
}

fn unavailable(implementation: ciphertune::Implementation) -> Option<String> {
    let needed: Vec<_> = names(implementation, |_| true).collect();
    let missing: Vec<_> = names(implementation, |feature| {
        !feature.is_present() && !feature.is_hidden()
    })
    .collect();
    let hidden: Vec<_> = names(implementation, ciphertune::Feature::is_hidden).collect();
    let mut reasons = Vec::new();
    if !missing.is_empty() {
        reasons.push(format!("this processor has no {}", missing.join(", no ")));
    }
    if !hidden.is_empty() {
        reasons.push(format!("CIPHERTUNE_CPU hides {}", hidden.join(", ")));
    }
    (!reasons.is_empty()).then(|| format!("needs {}: {}", needed.join(", "), reasons.join(", and ")))
}

fn names(
    implementation: ciphertune::Implementation,
    which: impl Fn(ciphertune::Feature) -> bool,
) -> impl Iterator<Item = &'static str> {
    let features = implementation.features().iter().copied();
    features
        .filter(move |&feature| which(feature))
        .map(ciphertune::Feature::name)
}

struct Stream(Ctr);

impl Context for Stream {
    fn apply(&mut self, data: &mut [u8]) -> Result<(), Fault> {
        self.0.apply(data).map_err(fault)
    }

    fn apply_to(&mut self, input: &[u8], output: &mut [u8]) -> Result<(), Fault> {
        self.0.apply_to(input, output).map_err(fault)
    }
}

pub(crate) fn fault(error: ciphertune::Error) -> Fault {
    Fault(error.to_string())
}
