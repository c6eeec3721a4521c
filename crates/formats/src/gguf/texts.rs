//! `Texts`: many texts in two allocations.

use std::fmt;

/// A list of texts, such as a vocabulary. All of them are one text in memory, with the places where they end.
///
/// ```
/// use stratal_formats::gguf::Texts;
///
/// let tokens: Texts = ["<s>", "", "the"].into_iter().collect();
/// assert_eq!(tokens.len(), 3);
/// assert_eq!(tokens.get(2), Some("the"));
/// assert_eq!(tokens.iter().position(|token| token.is_empty()), Some(1));
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Default)]
pub struct Texts {
    text: String,
    /// Where each ends: ascending, on boundaries of characters.
    ends: Vec<usize>,
}

impl Texts {
    /// The number of texts.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// One of the texts.
    pub fn get(&self, index: usize) -> Option<&str> {
        let end = *self.ends.get(index)?;
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        self.text.get(start..end)
    }

    /// The texts in their order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        (0..self.len()).map(|index| self.get(index).unwrap_or_default())
    }

    /// No texts, with room for so many.
    pub(super) fn with_capacity(texts: usize) -> Self {
        Self { text: String::new(), ends: Vec::with_capacity(texts) }
    }

    /// Adds a text behind the others.
    pub fn push(&mut self, text: &str) {
        self.text.push_str(text);
        self.ends.push(self.text.len());
    }
}

impl<'a> FromIterator<&'a str> for Texts {
    fn from_iter<I: IntoIterator<Item = &'a str>>(texts: I) -> Self {
        let mut list = Self::default();
        for text in texts {
            list.push(text);
        }
        list
    }
}

impl fmt::Debug for Texts {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_list().entries(self.iter()).finish()
    }
}
