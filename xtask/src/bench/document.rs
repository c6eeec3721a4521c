//! The tables in `docs/performance.md`: those of the groups that were measured are replaced, the others stay.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result};

const BEGIN: &str = "<!-- measured: begin -->\n```text\n";
const END: &str = "\n```\n<!-- measured: end -->";

/// The document with new tables, which stand in the order of their names.
pub(super) fn update(document: &str, tables: &str) -> Result<String> {
    let (before, rest) =
        document.split_once(BEGIN).context("docs/performance.md has lost the mark where tables begin")?;
    let (old, after) = rest.split_once(END).context("docs/performance.md has lost the mark where tables end")?;
    let mut blocks: BTreeMap<&str, &str> = BTreeMap::new();
    for block in old.split("\n\n").chain(tables.split("\n\n")).filter(|block| !block.trim().is_empty()) {
        let name = block.lines().next().unwrap_or_default();
        blocks.insert(name, block);
    }
    let blocks: Vec<&str> = blocks.into_values().collect();
    Ok(format!("{before}{BEGIN}{}{END}{after}", blocks.join("\n\n")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measured_groups_are_replaced_and_others_stay() {
        let document = format!("# Speed\n\n{BEGIN}add\nold\n\nexp\nkept{END}\n\nThe end.\n");
        let updated = update(&document, "relu\nfirst\n\nadd\nnew").unwrap();
        assert_eq!(updated, format!("# Speed\n\n{BEGIN}add\nnew\n\nexp\nkept\n\nrelu\nfirst{END}\n\nThe end.\n"));
    }

    #[test]
    fn a_document_without_marks_is_refused() {
        assert!(update("# Speed\n", "add\nnew").unwrap_err().to_string().contains("where tables begin"));
    }
}
