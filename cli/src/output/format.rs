//! Formats sizes, times and durations.

use jiff::Timestamp;

/// A size with its unit, in powers of 1000.
pub fn size(bytes: u64) -> String {
    let mut value = bytes as f64;
    let mut units = ["B", "kB", "MB", "GB", "TB"].into_iter().peekable();
    while let Some(unit) = units.next() {
        if value < 999.5 || units.peek().is_none() {
            let digits = usize::from(unit != "B" && value < 99.95);
            return format!("{value:.digits$} {unit}");
        }
        value /= 1000.0;
    }
    String::new()
}

/// A number of things: "1 file", "2 files".
pub fn count(number: u64, what: &str) -> String {
    let plural = match what.strip_suffix('y') {
        Some(stem) => format!("{stem}ies"),
        None => format!("{what}s"),
    };
    format!("{number} {}", if number == 1 { what } else { &plural })
}

/// How long ago a time is, or how far ahead: "5 min ago", "in 3 d". Other text stays unchanged.
pub fn age(time: &str, now: Timestamp) -> String {
    let Ok(at) = time.parse::<Timestamp>() else { return time.to_owned() };
    let seconds = now.as_second() - at.as_second();
    let span = span(seconds.unsigned_abs());
    match seconds {
        0 => "now".to_owned(),
        1.. => format!("{span} ago"),
        _ => format!("in {span}"),
    }
}

/// How long something took.
pub fn took(milliseconds: u64) -> String {
    match milliseconds {
        0..1_000 => format!("{milliseconds} ms"),
        1_000..60_000 => format!("{}.{} s", milliseconds / 1_000, milliseconds % 1_000 / 100),
        _ => span(milliseconds / 1_000),
    }
}

/// A duration in its largest unit.
pub fn span(seconds: u64) -> String {
    const UNITS: [(u64, &str); 5] =
        [(365 * 86_400, "y"), (86_400, "d"), (3_600, "h"), (60, "min"), (1, "s")];
    let unit = UNITS.iter().find(|(length, _)| seconds >= *length);
    unit.map_or("0 s".to_owned(), |(length, name)| format!("{} {name}", seconds / length))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_three_digits_at_most() {
        for (bytes, shown) in [
            (0, "0 B"),
            (999, "999 B"),
            (1_000, "1.0 kB"),
            (99_949, "99.9 kB"),
            (150_000, "150 kB"),
            (999_600, "1.0 MB"),
            (4_294_967_296, "4.3 GB"),
            (u64::MAX, "18446744 TB"),
        ] {
            assert_eq!(size(bytes), shown);
        }
    }

    #[test]
    fn counts_have_their_plural() {
        assert_eq!(
            [count(0, "file"), count(1, "directory"), count(2, "directory")],
            ["0 files", "1 directory", "2 directories"]
        );
    }

    #[test]
    fn ages_say_their_direction() {
        let now: Timestamp = "2026-11-26T12:00:00Z".parse().unwrap();
        for (time, shown) in [
            ("2026-11-26T12:00:00Z", "now"),
            ("2026-11-26T11:59:01.5Z", "59 s ago"),
            ("2026-11-26T10:30:00Z", "1 h ago"),
            ("2026-11-29T12:00:00Z", "in 3 d"),
            ("9998-12-31T00:00:00Z", "in 7977 y"),
            ("soon", "soon"),
        ] {
            assert_eq!(age(time, now), shown);
        }
    }
}
