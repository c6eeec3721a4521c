//! The dictionary in an npy header: the little of Python's literals that NumPy writes, without recursion.

use super::NpyError;

/// The entries of the dictionary, as they stand there.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Dictionary {
    /// The type string; of a structured type its text, in brackets.
    pub(super) descr: Option<String>,
    pub(super) fortran_order: Option<bool>,
    pub(super) shape: Option<Vec<u64>>,
}

/// The most axes that an array may have; NumPy's own limit.
const RANK_MAX: usize = 64;

/// Reads the text of a header.
pub(super) fn dictionary(text: &str) -> Result<Dictionary, NpyError> {
    let mut reader = Reader { text, position: 0 };
    let mut found = Dictionary::default();
    reader.expect('{', "it does not begin with `{`")?;
    while !reader.take('}') {
        let start = reader.position;
        let key = reader.quoted()?;
        reader.expect(':', "a key is not followed by `:`")?;
        let is_new = match key {
            "descr" => found.descr.replace(reader.descr()?.into()).is_none(),
            "fortran_order" => found.fortran_order.replace(reader.truth()?).is_none(),
            "shape" => found.shape.replace(reader.shape()?).is_none(),
            _ => return Err(NpyError::Malformed { position: start, reason: "an unknown key" }),
        };
        if !is_new {
            return Err(NpyError::Malformed { position: start, reason: "a key stands there twice" });
        }
        if !reader.take(',') && !reader.rest().starts_with('}') {
            return reader.refuse("an entry is not followed by `,` or `}`");
        }
        reader.skip_space();
    }
    if reader.rest().is_empty() { Ok(found) } else { reader.refuse("something follows the dictionary") }
}

struct Reader<'a> {
    text: &'a str,
    /// Invariant: on a character's boundary.
    position: usize,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.position..]
    }

    fn refuse<T>(&self, reason: &'static str) -> Result<T, NpyError> {
        Err(NpyError::Malformed { position: self.position, reason })
    }

    fn skip_space(&mut self) {
        self.position = self.text.len() - self.rest().trim_start().len();
    }

    /// Takes a character and the space around it, if it is the next one.
    fn take(&mut self, character: char) -> bool {
        self.skip_space();
        let is_next = self.rest().starts_with(character);
        if is_next {
            self.position += character.len_utf8();
            self.skip_space();
        }
        is_next
    }

    fn expect(&mut self, character: char, otherwise: &'static str) -> Result<(), NpyError> {
        if self.take(character) { Ok(()) } else { self.refuse(otherwise) }
    }

    /// A text in quotes of either kind. Escapes do not occur in what NumPy writes.
    fn quoted(&mut self) -> Result<&'a str, NpyError> {
        self.skip_space();
        let Some(quote) = self.rest().chars().next().filter(|first| matches!(first, '\'' | '"')) else {
            return self.refuse("a text in quotes is missing");
        };
        let inside = &self.rest()[1..];
        let Some(length) = inside.find(quote) else { return self.refuse("a text has no end") };
        let text = &inside[..length];
        if text.contains('\\') {
            return self.refuse("a text has an escape");
        }
        self.position += length + 2;
        self.skip_space();
        Ok(text)
    }

    /// A type string, or the text of a list or tuple that describes a structured type.
    fn descr(&mut self) -> Result<&'a str, NpyError> {
        self.skip_space();
        if !self.rest().starts_with(['[', '(']) {
            return self.quoted();
        }
        let start = self.position;
        let mut depth = 0_usize;
        let mut quote = None;
        for (offset, character) in self.rest().char_indices() {
            match (quote, character) {
                (Some(open), _) => quote = (open != character).then_some(open),
                (None, '\'' | '"') => quote = Some(character),
                (None, '[' | '(') => depth += 1,
                (None, ']' | ')') => depth -= 1,
                (None, _) => {}
            }
            if depth == 0 {
                self.position = start + offset + 1;
                self.skip_space();
                return Ok(&self.text[start..=start + offset]);
            }
        }
        self.refuse("a list has no end")
    }

    fn truth(&mut self) -> Result<bool, NpyError> {
        self.skip_space();
        for (word, value) in [("True", true), ("False", false)] {
            if self.rest().starts_with(word) {
                self.position += word.len();
                self.skip_space();
                return Ok(value);
            }
        }
        self.refuse("neither True nor False")
    }

    /// A tuple of extents. Python 2 wrote an `L` behind them.
    fn shape(&mut self) -> Result<Vec<u64>, NpyError> {
        self.expect('(', "the shape is no tuple")?;
        let mut extents = Vec::new();
        while !self.take(')') {
            if extents.len() == RANK_MAX {
                return self.refuse("the shape has more than 64 axes");
            }
            let digits = self.rest().len() - self.rest().trim_start_matches(|c: char| c.is_ascii_digit()).len();
            let Ok(extent) = self.rest()[..digits].parse() else {
                return self.refuse("an extent is no number from 0 to 2^64-1");
            };
            extents.push(extent);
            self.position += digits;
            let _ = self.take('L');
            if !self.take(',') && !self.rest().starts_with(')') {
                return self.refuse("an extent is not followed by `,` or `)`");
            }
        }
        Ok(extents)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_numpy_writes_is_read() {
        let found = dictionary("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }          \n").unwrap();
        assert_eq!(found.descr.as_deref(), Some("<f4"));
        assert_eq!((found.fortran_order, found.shape), (Some(false), Some(vec![2, 3])));
        assert_eq!(dictionary("{'shape': ()}").unwrap().shape, Some(vec![]));
        assert_eq!(dictionary("{'shape': (3,)}").unwrap().shape, Some(vec![3]));
        assert_eq!(dictionary("{\"shape\": (3L, 4L)}").unwrap().shape, Some(vec![3, 4]));
        assert_eq!(
            dictionary("{'descr': [('a', '<f4'), (']', '<i2', (2,))], }").unwrap().descr.as_deref(),
            Some("[('a', '<f4'), (']', '<i2', (2,))]")
        );
    }

    #[test]
    fn anything_else_is_refused_where_it_goes_wrong() {
        for (text, position) in [
            ("", 0),
            ("[1]", 0),
            ("{'shape' (2,)}", 9),
            ("{'shape': (2,), 'shape': (2,)}", 16),
            ("{'shape': (-1,)}", 11),
            ("{'shape': (18446744073709551616,)}", 11),
            ("{'shape': (2 3)}", 13),
            ("{'shape': (2,), 'colour': 'red'}", 16),
            ("{'fortran_order': 1}", 18),
            ("{'descr': '<f4}", 10),
            ("{'descr': '<f\\x34'}", 10),
            ("{'descr': [('a', '<f4')}", 10),
            ("{'descr': '<f4'} + 1", 17),
            ("{'descr': '<f4'", 15),
            ("{'descr': ]}", 10),
        ] {
            match dictionary(text) {
                Err(NpyError::Malformed { position: found, .. }) => assert_eq!(found, position, "{text}"),
                other => panic!("{text}: {other:?}"),
            }
        }
    }
}
