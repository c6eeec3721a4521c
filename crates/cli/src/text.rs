//! Texts for people: sizes, counts, and what comes from files.

use anstyle::{AnsiColor, Style};

/// A size in bytes: `86.6 MiB`.
pub(crate) fn size(bytes: u64) -> String {
    humansize::format_size(bytes, humansize::BINARY.decimal_places(1))
}

/// A count: `22.7 M`, and below ten thousand in full.
pub(crate) fn count(count: u64) -> String {
    if count < 10_000 {
        return count.to_string();
    }
    humansize::format_size(count, humansize::FormatSizeOptions::from(humansize::DECIMAL).decimal_places(1).suffix(""))
        .replace("kB", "k")
        .replace('B', "")
}

/// A number and what is counted: `1 tensor`, `2 tensors`.
pub(crate) fn counted(number: u64, one: &str) -> String {
    format!("{} {one}{}", count(number), if number == 1 { "" } else { "s" })
}

/// Text from a file, safe to show on a terminal: control characters and what turns the direction of writing are escaped.
pub(crate) fn printable(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        if steers(character) {
            shown.extend(character.escape_unicode());
        } else {
            shown.push(character);
        }
    }
    shown
}

/// JSON that means the same and is safe to show on a terminal. Its lines stay.
pub(crate) fn printable_json(json: &str) -> String {
    let mut shown = String::with_capacity(json.len());
    for character in json.chars() {
        // Where JSON has such a character, it is within a text.
        if steers(character) && character != '\n' {
            // All of them have at most 16 bits.
            shown.push_str(&format!("\\u{:04x}", u32::from(character)));
        } else {
            shown.push(character);
        }
    }
    shown
}

/// Control characters, and those that turn the direction of writing or end a line.
fn steers(character: char) -> bool {
    let turns = matches!(
        character,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
    );
    character.is_control() || turns
}

/// Text in bold, which the stream takes away where no terminal is.
pub(crate) fn bold(text: &str) -> String {
    styled(Style::new().bold(), text)
}

/// Text in red.
pub(crate) fn red(text: &str) -> String {
    styled(AnsiColor::Red.on_default().bold(), text)
}

fn styled(style: Style, text: &str) -> String {
    format!("{style}{text}{style:#}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_for_people() {
        assert_eq!([0, 1023, 1024, 90_868_376].map(size), ["0 B", "1023 B", "1 KiB", "86.7 MiB"]);
        assert_eq!([0, 9_999, 10_000, 22_713_216].map(count), ["0", "9999", "10 k", "22.7 M"]);
        assert_eq!(counted(1, "tensor"), "1 tensor");
        assert_eq!(counted(0, "tensor"), "0 tensors");
    }

    #[test]
    fn what_a_file_says_cannot_steer_a_terminal() {
        assert_eq!(printable_json("{\n\"\u{9b}é\u{61c}\": 1}"), "{\n\"\\u009bé\\u061c\": 1}");
        assert_eq!(printable("a\u{1b}[31mb\r\n\u{9b}é\u{202e}"), r"a\u{1b}[31mb\u{d}\u{a}\u{9b}é\u{202e}");
    }
}
