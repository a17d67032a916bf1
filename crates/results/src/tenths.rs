/// A number with one decimal, as in a percentage: `3.0`. From a thousand million on it has an exponent: what a few figures
/// cannot tell apart, at a confidence near certainty, has more digits than a line has room for.
pub fn tenths(number: f64) -> String {
    match number.abs() >= 1e9 {
        true => format!("{number:.2e}"),
        false => format!("{number:.1}"),
    }
}

#[cfg(test)]
mod tests {
    use super::tenths;

    #[test]
    fn digits_have_an_end() {
        let shown = [0.0, 2.96, -12.34, 1234.5, 2.0447e35].map(tenths);
        assert_eq!(shown, ["0.0", "3.0", "-12.3", "1234.5", "2.04e35"]);
    }
}
