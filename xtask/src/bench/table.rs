//! The table of ratios: one block a group, ours first, each peer beside it.

use std::collections::BTreeMap;

use super::measured::Measured;

/// The name that stands for this project in a benchmark's id.
const OURS: &str = "stratal";

/// Columns: size, who, time, GB/s, and the peer's time over ours (above 1, ours is faster).
pub(super) fn render(measured: &[Measured]) -> String {
    let mut groups: BTreeMap<&str, Vec<&Measured>> = BTreeMap::new();
    for one in measured {
        groups.entry(&one.group).or_default().push(one);
    }
    let blocks = groups.iter().map(|(group, members)| block(group, members));
    blocks.collect::<Vec<_>>().join("\n\n")
}

/// One group: a line for each size and who did it.
fn block(group: &str, members: &[&Measured]) -> String {
    let mut members = members.to_vec();
    members.sort_by_key(|one| (magnitude(&one.size), &one.size, one.who != OURS, &one.who));

    let width = members.iter().map(|one| one.size.len() + 2).max().unwrap_or_default().max(10);
    let line =
        |[size, who, time, rate, ratio]: [&str; 5]| format!("{size:<width$}{who:<20}{time:>12}{rate:>9}{ratio:>12}");
    let mut lines = vec![group.to_owned(), line(["size", "who", "time", "GB/s", "peer/ours"])];
    for one in &members {
        let is_ours = |other: &&&Measured| other.who == OURS && other.size == one.size;
        let ours = members.iter().find(is_ours).filter(|_| one.who != OURS);
        let ratio = ours.map(|ours| one.nanoseconds / ours.nanoseconds);
        // Bytes in a nanosecond are gigabytes in a second.
        let rate = one.bytes.map(|bytes| bytes as f64 / one.nanoseconds);
        let [rate, ratio] = [rate, ratio].map(number);
        lines.push(line([&one.size, &one.who, &time(one.nanoseconds), &rate, &ratio]));
    }
    lines.join("\n")
}

fn number(value: Option<f64>) -> String {
    value.map_or_else(|| "-".to_owned(), |value| format!("{value:.2}"))
}

/// What a size such as `256KiB` amounts to, so that sizes stand in order; 0 for other words.
fn magnitude(size: &str) -> u64 {
    let digits = size.len() - size.trim_start_matches(|digit: char| digit.is_ascii_digit()).len();
    let (number, unit) = size.split_at(digits);
    let factor = match unit {
        "KiB" => 1 << 10,
        "MiB" => 1 << 20,
        "GiB" => 1 << 30,
        _ => 1,
    };
    number.parse().unwrap_or(0_u64).saturating_mul(factor)
}

/// A time with three or more digits and the unit that fits.
fn time(nanoseconds: f64) -> String {
    let (unit, factor) = match nanoseconds {
        ..1e3 => ("ns", 1.0),
        ..1e6 => ("us", 1e3),
        ..1e9 => ("ms", 1e6),
        _ => ("s", 1e9),
    };
    format!("{:.2} {unit}", nanoseconds / factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(id: &str, nanoseconds: f64, bytes: Option<u64>) -> Measured {
        let mut parts = id.split('/').map(str::to_owned);
        let mut part = || parts.next().unwrap_or_default();
        Measured { group: part(), who: part(), size: part(), nanoseconds, bytes }
    }

    #[test]
    fn each_peer_is_set_beside_ours_of_the_same_size() {
        let table = render(&[
            measured("widen/memcpy/64MiB", 8_000_000.0, Some(1 << 26)),
            measured("widen/stratal/64MiB", 16_000_000.0, Some(1 << 26)),
            measured("narrow/half/256KiB", 90_000.0, Some(1 << 18)),
            measured("narrow/stratal/256KiB", 60_000.0, Some(1 << 18)),
            measured("narrow/half/4KiB", 500.0, Some(1 << 12)),
            measured("narrow/stratal/4KiB", 1_000.0, Some(1 << 12)),
        ]);
        let expected = "\
narrow
size      who                         time     GB/s   peer/ours
4KiB      stratal                  1.00 us     4.10           -
4KiB      half                   500.00 ns     8.19        0.50
256KiB    stratal                 60.00 us     4.37           -
256KiB    half                    90.00 us     2.91        1.50

widen
size      who                         time     GB/s   peer/ours
64MiB     stratal                 16.00 ms     4.19           -
64MiB     memcpy                   8.00 ms     8.39        0.50";
        assert_eq!(table, expected);
    }

    #[test]
    fn what_is_not_known_is_left_open() {
        let table = render(&[measured("shape/ndarray", 3.0, None)]);
        let last = table.lines().last().unwrap_or_default();
        assert_eq!(last.split_whitespace().collect::<Vec<_>>(), ["ndarray", "3.00", "ns", "-", "-"]);
    }

    #[test]
    fn sizes_stand_in_order_of_magnitude() {
        assert!(magnitude("4KiB") < magnitude("256KiB") && magnitude("256KiB") < magnitude("64MiB"));
        assert_eq!(magnitude("1000"), 1000);
        assert_eq!(magnitude("wide"), 0);
    }
}
