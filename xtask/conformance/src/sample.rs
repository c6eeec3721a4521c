//! The committed sample: a few small cases of each operator, as JSON that people can read.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use serde::Serialize;
use stratal_ops::definitions;

use crate::case::{Array, Case};
use crate::ledger::Ledger;
use crate::suite::full_name;

/// As many cases of an operator are taken whatever their attributes are.
const FEW: usize = 3;

/// The most elements of a case, unless an operator has no smaller one.
const MOST_ELEMENTS: usize = 256;

/// The most elements of a case with an attribute that no smaller one has.
const MOST_ELEMENTS_FOR_AN_ATTRIBUTE: usize = 8192;

/// A file for each operator: its name and its text.
pub(crate) fn files(passed: &[Case]) -> Vec<(String, String)> {
    let mut by_operator = BTreeMap::<_, Vec<_>>::new();
    for case in passed {
        by_operator.entry(case.operator.as_str()).or_default().push(case);
    }
    let file = |(operator, cases)| (format!("{operator}.json"), render(&chosen(cases)));
    by_operator.into_iter().map(file).collect()
}

/// The operators of which no case passes, one a line.
pub(crate) fn missing(ledger: &Ledger) -> String {
    let tallies = ledger.by_operator();
    let names = definitions().map(|definition| full_name(definition.domain, definition.name));
    let names: BTreeSet<_> = names.filter(|name| tallies.get(name.as_str()).is_none_or(|t| t.passed == 0)).collect();
    names.into_iter().map(|name| name + "\n").collect()
}

/// The smallest cases, and the smallest with each attribute.
fn chosen(mut cases: Vec<&Case>) -> Vec<&Case> {
    cases.sort_by_key(|case| (elements(case), &case.name));
    let mut chosen = Vec::new();
    let mut attributes = BTreeSet::new();
    for case in cases {
        let has_new = case.attributes.keys().any(|name| !attributes.contains(name));
        let is_one_of_few = chosen.is_empty() || chosen.len() < FEW && elements(case) <= MOST_ELEMENTS;
        if is_one_of_few || has_new && elements(case) <= MOST_ELEMENTS_FOR_AN_ATTRIBUTE {
            attributes.extend(case.attributes.keys());
            chosen.push(case);
        }
    }
    chosen
}

fn elements(case: &Case) -> usize {
    case.inputs.iter().chain(&case.outputs).flatten().map(|array| array.elements.len()).sum()
}

/// One line for each array.
fn render(cases: &[&Case]) -> String {
    let mut text = "[".to_owned();
    for (index, case) in cases.iter().enumerate() {
        text.push_str(if index == 0 { "\n  {" } else { ",\n  {" });
        // Writing to a text cannot fail.
        let _ = write_case(&mut text, case);
        text.push_str("\n  }");
    }
    text + "\n]\n"
}

fn write_case(text: &mut String, case: &Case) -> std::fmt::Result {
    write!(text, "\n    \"name\": {}", json(&case.name))?;
    if !case.domain.is_empty() {
        write!(text, ",\n    \"domain\": {}", json(&case.domain))?;
    }
    write!(text, ",\n    \"operator\": {}", json(&case.operator))?;
    if !case.attributes.is_empty() {
        write!(text, ",\n    \"attributes\": {{")?;
        for (index, (name, setting)) in case.attributes.iter().enumerate() {
            let comma = if index == 0 { "" } else { "," };
            write!(text, "{comma}\n      {}: {}", json(name), json(setting))?;
        }
        write!(text, "\n    }}")?;
    }
    write_arrays(text, "inputs", &case.inputs)?;
    write_arrays(text, "outputs", &case.outputs)?;
    write!(text, ",\n    \"relative\": {},\n    \"absolute\": {}", json(&case.relative), json(&case.absolute))
}

fn write_arrays(text: &mut String, name: &str, arrays: &[Option<Array>]) -> std::fmt::Result {
    write!(text, ",\n    \"{name}\": [")?;
    for (index, array) in arrays.iter().enumerate() {
        let comma = if index == 0 { "" } else { "," };
        write!(text, "{comma}\n      {}", json(array))?;
    }
    write!(text, "\n    ]")
}

/// On one line. What a case is made of is text, numbers and lists, which JSON can always say.
fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::Setting;

    fn case(name: &str, attributes: &[&str], elements: usize) -> Case {
        let text = format!(
            r#"{{"name": "{name}", "operator": "Elu", "relative": 0.001, "absolute": 1e-7, "outputs": [null],
                "inputs": [{{"dtype": "float32", "shape": [{elements}], "elements": {:?}}}]}}"#,
            vec![0.5; elements]
        );
        let mut case: Case = serde_json::from_str(&text).unwrap();
        case.attributes = attributes.iter().map(|&name| (name.to_owned(), Setting::Int(1))).collect();
        case
    }

    #[test]
    fn the_smallest_are_chosen_and_one_with_each_attribute() {
        let all = [
            case("e", &["x"], 6),
            case("d", &["x"], 5),
            case("c", &[], 4),
            case("b", &[], 4),
            case("a", &[], 7),
            case("huge", &["w"], 10_000),
            case("large", &["v"], 1000),
            case("z", &["x", "y"], 9),
        ];
        let names = |cases: Vec<&Case>| chosen(cases).iter().map(|case| case.name.clone()).collect::<Vec<_>>();
        assert_eq!(names(all.iter().collect()), ["b", "c", "d", "z", "large"]);
        assert_eq!(names(vec![&all[5]]), ["huge"]);
    }

    #[test]
    fn cases_have_a_line_for_each_array_and_are_read_again() {
        let (a, b) = (case("a", &["alpha", "beta"], 2), case("b", &[], 0));
        let text = render(&[&a, &b]);
        let expected = r#"[
  {
    "name": "a",
    "operator": "Elu",
    "attributes": {
      "alpha": {"int":1},
      "beta": {"int":1}
    },
    "inputs": [
      {"dtype":"float32","shape":[2],"elements":[0.5,0.5]}
    ],
    "outputs": [
      null
    ],
    "relative": 0.001,
    "absolute": 1e-7
  },
  {
    "name": "b",
    "operator": "Elu",
    "inputs": [
      {"dtype":"float32","shape":[0],"elements":[]}
    ],
    "outputs": [
      null
    ],
    "relative": 0.001,
    "absolute": 1e-7
  }
]
"#;
        assert_eq!(text, expected);
        let read: Vec<Case> = serde_json::from_str(&text).unwrap();
        assert_eq!(render(&read.iter().collect::<Vec<_>>()), text);
    }

    #[test]
    fn operators_without_cases_are_listed() {
        let missing = missing(&Ledger::default());
        assert!(missing.starts_with("Abs\n"), "{missing}");
        assert_eq!(missing.lines().count(), definitions().count());
    }
}
