//! `Excerpt`: the first bytes of a caller's text, kept inline so that an error can quote it without a heap.

use core::fmt;

/// The first 32 bytes of a text, cut on a character boundary.
///
/// Names come from files and requests and may be of any length; an error keeps this much of one.
/// `Display` and `Debug` print it quoted and escaped, with `...` behind a text that was cut.
///
/// ```
/// use stratal_tensor_base::Excerpt;
///
/// assert_eq!(Excerpt::new("quaternion").to_string(), "\"quaternion\"");
/// assert_eq!(Excerpt::new(&"long ".repeat(9)).as_str().len(), Excerpt::CAPACITY);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Excerpt {
    bytes: [u8; Excerpt::CAPACITY],
    length: u8,
    is_cut: bool,
}

impl Excerpt {
    /// The most bytes an excerpt keeps.
    pub const CAPACITY: usize = 32;

    /// Keeps the beginning of `text`.
    pub fn new(text: &str) -> Self {
        let length = text.floor_char_boundary(Self::CAPACITY);
        let mut bytes = [0; Self::CAPACITY];
        bytes[..length].copy_from_slice(&text.as_bytes()[..length]);
        Self { bytes, length: length as u8, is_cut: length < text.len() }
    }

    /// The kept text.
    pub fn as_str(&self) -> &str {
        // The bytes were copied from a `str` up to a character boundary, so this never falls back.
        core::str::from_utf8(&self.bytes[..usize::from(self.length)]).unwrap_or_default()
    }

    /// Whether the text was longer than what is kept.
    pub fn is_cut(&self) -> bool {
        self.is_cut
    }
}

impl fmt::Display for Excerpt {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:?}", self.as_str())?;
        formatter.write_str(if self.is_cut { "..." } else { "" })
    }
}

impl fmt::Debug for Excerpt {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::ToString;

    #[test]
    fn keeps_short_text_whole() {
        for text in ["", "x", "12345678901234567890123456789012"] {
            let excerpt = Excerpt::new(text);
            assert_eq!(excerpt.as_str(), text);
            assert!(!excerpt.is_cut());
        }
    }

    #[test]
    fn cuts_on_a_character_boundary() {
        // 31 ASCII bytes, then a character of four bytes that does not fit.
        let text = "1234567890123456789012345678901\u{1F980}tail";
        let excerpt = Excerpt::new(text);
        assert_eq!(excerpt.as_str(), &text[..31]);
        assert!(excerpt.is_cut());
    }

    #[test]
    fn escapes_what_a_terminal_would_interpret() {
        assert_eq!(Excerpt::new("a\"\u{1b}[0m").to_string(), r#""a\"\u{1b}[0m""#);
    }
}
