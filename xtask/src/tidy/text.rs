//! The rule for every text of the project: nothing is put off in a remark.

use super::{Finding, Rule};

/// The marks of work put off, taken apart so that this file does not contain them.
const MARKS: [&str; 2] = [concat!("TO", "DO"), concat!("FIX", "ME")];

pub(super) fn findings(text: &str) -> Vec<Finding> {
    let numbered = (1..).zip(text.lines());
    let marked = numbered.filter(|(_, line)| MARKS.iter().any(|mark| has_word(line, mark)));
    marked.map(|(line, _)| Finding { line, rule: Rule::Later }).collect()
}

/// Whether `word` stands in `line` with no letter, digit or underscore next to it.
fn has_word(line: &str, word: &str) -> bool {
    let is_part = |character: char| character.is_alphanumeric() || character == '_';
    line.match_indices(word)
        .any(|(start, _)| !line[..start].ends_with(is_part) && !line[start + word.len()..].starts_with(is_part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_found_wherever_it_stands() {
        for mark in MARKS {
            let text = format!("# A title\n\nFirst.\n({mark}: the rest)\n");
            assert_eq!(findings(&text), [Finding { line: 4, rule: Rule::Later }]);
        }
    }

    #[test]
    fn a_word_that_only_contains_a_mark_passes() {
        let mark = MARKS[0];
        assert_eq!(findings(&format!("{mark}S, MY_{mark}, {}", mark.to_lowercase())), []);
    }
}
