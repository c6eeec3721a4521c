//! What is in a file, for people.

use std::{fmt::Write as _, path::Path};

use comfy_table::{CellAlignment, Table, presets};
use stratal_formats::{MetadataValue, Weight, Weights};

use super::{bytes, elements, totals};
use crate::{
    open::Access,
    text::{bold, counted, printable, size},
};

/// The most characters of a value of metadata.
const VALUE_MAX: usize = 100;

pub(super) fn describe(path: &Path, access: Access, weights: &Weights) -> String {
    let mut text = String::new();
    let file_bytes: u64 = weights.files().iter().map(stratal_formats::ModelFile::len).sum();
    // Writing to a string does not fail.
    let _ = writeln!(text, "{}", bold(&printable(&path.display().to_string())));
    let _ = writeln!(text, "{}, {}, {}", weights.format(), size(file_bytes), access.description());
    if weights.metadata().next().is_some() {
        let _ = writeln!(text, "\n{}", metadata(weights));
    }
    if !weights.is_empty() {
        let _ = writeln!(text, "\n{}", tensors(weights));
    }
    let totals = totals(weights);
    let tensors = counted(weights.len() as u64, "tensor");
    let _ = writeln!(text, "\n{tensors}, {}, {}", counted(totals.elements, "element"), size(totals.bytes));
    text
}

fn tensors(weights: &Weights) -> String {
    let mut table = columns(&["name", "dtype", "shape", "bytes", "where"]);
    if let Some(column) = table.column_mut(3) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    for weight in weights {
        table.add_row([
            printable(weight.name()),
            printable(&weight.element_type().to_string()),
            format!("{:?}", weight.extents()),
            size(bytes(weight)),
            place(weight),
        ]);
    }
    printed(&table)
}

fn place(weight: &Weight) -> String {
    let place = weight.place();
    let range = place.range();
    let file = place.file().map_or_else(String::new, |file| format!("{}: ", printable(file)));
    let note = match place.is_compressed() {
        true if elements(weight) > 0 => format!(", compressed to {}", size(place.bytes())),
        _ => String::new(),
    };
    format!("{file}{}..{}{note}", range.start, range.end)
}

fn metadata(weights: &Weights) -> String {
    let mut table = columns(&["metadata", ""]);
    for (key, value) in weights.metadata() {
        table.add_row([printable(key), shortened(value)]);
    }
    printed(&table)
}

/// A value in one line that is not too long.
fn shortened(value: &MetadataValue) -> String {
    let text = match value {
        MetadataValue::Text(text) => printable(text),
        other => printable(&other.to_string()),
    };
    match text.char_indices().nth(VALUE_MAX) {
        Some((end, _)) => format!("{}... {} in all", &text[..end], counted(text.len() as u64, "byte")),
        None => text,
    }
}

fn columns(titles: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(titles);
    for column in table.column_iter_mut() {
        column.set_padding((0, 2));
    }
    table
}

/// The lines without space at their ends, the first in bold.
fn printed(table: &Table) -> String {
    let text = table.to_string();
    let mut lines = text.lines().map(str::trim_end);
    let first = lines.next().map(bold);
    let lines: Vec<_> = first.into_iter().chain(lines.map(Into::into)).collect();
    lines.join("\n")
}
