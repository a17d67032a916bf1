//! Standard input, which `-` stands for among the files that a command reads.
use std::path::Path;

pub fn is_meant(file: &Path) -> bool {
    file == Path::new("-")
}

/// What to open: the file, or where the system has standard input.
pub fn place(file: &Path) -> &Path {
    match is_meant(file) {
        true => Path::new("/dev/stdin"),
        false => file,
    }
}
