//! The rules for Rust files, applied to tokens: strings and comments never count.

use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};

use super::{Finding, Rule};

pub(super) fn findings(text: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    if !text.starts_with("//!") {
        findings.push(Finding { line: 1, rule: Rule::Subject });
    }
    match text.parse::<TokenStream>() {
        Ok(tokens) => look_through(tokens, &mut findings),
        Err(error) => {
            findings.push(Finding { line: error.span().start().line, rule: Rule::Tokens });
        }
    }
    // One path often breaks a rule in two of its words.
    findings.dedup();
    findings
}

/// Looks at each token with those that follow it, and into each group.
fn look_through(tokens: TokenStream, findings: &mut Vec<Finding>) {
    let tokens: Vec<_> = tokens.into_iter().collect();
    for (index, token) in tokens.iter().enumerate() {
        let line = token.span().start().line;
        let rest = &tokens[index + 1..];
        match token {
            TokenTree::Ident(name) => {
                let rule = broken_by_name(name, rest);
                findings.extend(rule.map(|rule| Finding { line, rule }));
            }
            TokenTree::Punct(mark) if mark.as_char() == '#' => {
                if let Some(attribute) = attribute_body(rest)
                    && ignores_a_test(&attribute.stream().into_iter().collect::<Vec<_>>())
                {
                    findings.push(Finding { line, rule: Rule::Ignore });
                }
            }
            TokenTree::Group(group) => look_through(group.stream(), findings),
            _ => {}
        }
    }
}

/// The rule that a name breaks, given the tokens after it.
fn broken_by_name(name: &Ident, rest: &[TokenTree]) -> Option<Rule> {
    let name = name.to_string();
    match name.as_str() {
        "unsafe" => Some(Rule::Unsafe),
        "core" | "std" if path_goes_on_with("arch", rest) => Some(Rule::Arch),
        "sync" if path_goes_on_with("atomic", rest) => Some(Rule::Atomics),
        "todo" | "unimplemented" | "dbg" if is_macro_call(rest) => Some(Rule::Unfinished),
        // Where `sync` itself was imported whole. A type's name alone is fine: it came through a path or a door.
        "atomic" if matches!(rest, [first, second, ..] if is_double_colon(first, second)) => Some(Rule::Atomics),
        _ => None,
    }
}

/// Whether `rest` is `::segment`, or a `::{...}` with a path in it that begins so.
fn path_goes_on_with(segment: &str, rest: &[TokenTree]) -> bool {
    match rest {
        [first, second, TokenTree::Ident(name), ..] if is_double_colon(first, second) => name == segment,
        [first, second, TokenTree::Group(group), ..] if is_double_colon(first, second) => {
            let listed: Vec<_> = group.stream().into_iter().collect();
            listed.split(is_comma).any(|path| begins_with(segment, path))
        }
        _ => false,
    }
}

/// Whether an attribute, given without its brackets, is `ignore` or becomes it by `cfg_attr`.
fn ignores_a_test(attribute: &[TokenTree]) -> bool {
    match attribute {
        [TokenTree::Ident(name), TokenTree::Group(list)] if name == "cfg_attr" => {
            let listed: Vec<_> = list.stream().into_iter().collect();
            // The first entry is the condition.
            listed.split(is_comma).skip(1).any(ignores_a_test)
        }
        _ => begins_with("ignore", attribute),
    }
}

/// What stands in the brackets of an attribute, given the tokens after its `#`.
fn attribute_body(rest: &[TokenTree]) -> Option<&Group> {
    let rest = match rest {
        [TokenTree::Punct(mark), rest @ ..] if mark.as_char() == '!' => rest,
        _ => rest,
    };
    match rest {
        [TokenTree::Group(group), ..] if group.delimiter() == Delimiter::Bracket => Some(group),
        _ => None,
    }
}

fn is_macro_call(rest: &[TokenTree]) -> bool {
    matches!(rest, [TokenTree::Punct(mark), TokenTree::Group(_), ..] if mark.as_char() == '!')
}

fn begins_with(name: &str, tokens: &[TokenTree]) -> bool {
    matches!(tokens, [TokenTree::Ident(first), ..] if first == name)
}

fn is_double_colon(first: &TokenTree, second: &TokenTree) -> bool {
    [first, second].into_iter().all(|token| is_punctuation(':', token))
}

fn is_comma(token: &TokenTree) -> bool {
    is_punctuation(',', token)
}

fn is_punctuation(character: char, token: &TokenTree) -> bool {
    matches!(token, TokenTree::Punct(mark) if mark.as_char() == character)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rules that a piece of Rust breaks, its subject line being given.
    fn broken(code: &str) -> Vec<Rule> {
        let found = findings(&format!("//! An example.\n{code}"));
        found.into_iter().map(|finding| finding.rule).collect()
    }

    #[track_caller]
    fn assert_each(rule: Option<Rule>, examples: &[&str]) {
        for example in examples {
            assert_eq!(broken(example), Vec::from_iter(rule), "in: {example}");
        }
    }

    #[test]
    fn a_file_begins_with_its_subject() {
        let without = [Finding { line: 1, rule: Rule::Subject }];
        assert_eq!(findings("// A remark.\nfn main() {}\n"), without);
        assert_eq!(findings("\n//! Too late.\n"), without);
        assert_eq!(findings(""), without);
        assert_eq!(findings("//! A program.\nfn main() {}\n"), []);
    }

    #[test]
    fn a_file_that_is_no_rust_is_reported() {
        assert_each(Some(Rule::Tokens), &["fn main() {", "let text = \"open;"]);
        assert_each(None, &["fn main() {}", "let text = \"{\";"]);
    }

    #[test]
    fn unsafe_is_found_as_a_keyword_only() {
        assert_each(
            Some(Rule::Unsafe),
            &["unsafe fn poke() {}", "fn f() { unsafe { g() } }", "#[unsafe(no_mangle)] fn f() {}"],
        );
        assert_each(
            None,
            &[
                "#![forbid(unsafe_code)]",
                "/// Nothing unsafe { here }.\nfn f() {}",
                "// unsafe fn f() {}",
                "const WORD: &str = \"unsafe\";",
                "fn unsafe_looking() {}",
            ],
        );
    }

    #[test]
    fn instructions_of_one_machine_are_found_in_every_kind_of_path() {
        assert_each(
            Some(Rule::Arch),
            &[
                "use core::arch::x86_64::*;",
                "fn f() { std::arch::is_x86_feature_detected!(\"avx2\") }",
                "use core::{arch, fmt};",
                "use std::{fmt, arch::aarch64 as neon};",
            ],
        );
        assert_each(None, &["use core::fmt;", "let arch = 1;", "use core::{fmt, archive};", "use my::arch;"]);
    }

    #[test]
    fn atomics_are_found_by_their_path() {
        assert_each(
            Some(Rule::Atomics),
            &[
                "use core::sync::atomic::Ordering;",
                "use std::{sync::{Arc, atomic::fence}};",
                "use std::sync::*; static COUNT: atomic::AtomicUsize = zero();",
                "use loom::sync::atomic;",
            ],
        );
        assert_each(
            None,
            &[
                "use std::sync::Arc;",
                "use crate::sync::AtomicU32;",
                "fn atomically() {}",
                "enum Rule { Atomics }",
                "/// An atomic::AtomicU8.\nfn f() {}",
            ],
        );
    }

    #[test]
    fn no_test_is_left_out() {
        assert_each(
            Some(Rule::Ignore),
            &[
                "#[ignore] fn f() {}",
                "#[ignore = \"slow\"] fn f() {}",
                "#[cfg_attr(miri, ignore)] fn f() {}",
                "#[cfg_attr(miri, test, cfg_attr(debug, ignore = \"slow\"))] fn f() {}",
                "macro_rules! m { () => { #[test] #[ignore] fn f() {} } }",
            ],
        );
        assert_each(
            None,
            &[
                "#[cfg_attr(ignore, test)] fn f() {}",
                "#[doc(ignore)] fn f() {}",
                "/// #[ignore]\nfn f() {}",
                "fn ignore() {}",
                "const LIST: [u8; 1] = [ignore];",
            ],
        );
    }

    #[test]
    fn no_macro_stands_for_missing_code() {
        assert_each(
            Some(Rule::Unfinished),
            &["fn f() { todo!() }", "fn f() { unimplemented![\"x\"] }", "fn f() { dbg!(1); }"],
        );
        assert_each(None, &["fn f() { unreachable!() }", "fn f() { todo != (1) }", "fn dbg() {}", "// todo!()"]);
    }

    #[test]
    fn a_finding_knows_its_line() {
        let found = findings("//! Lines.\n\nfn f() {\n    dbg!(\n        1\n    );\n}\n");
        assert_eq!(found, [Finding { line: 4, rule: Rule::Unfinished }]);
    }
}
