//! `Equation`: which axes of operands are summed over together.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use crate::{Cause, attribute};

/// An equation such as `bij, bjk -> bik`: a term of letters for each operand, and one for the output.
///
/// ```
/// use stratal_ops::Equation;
///
/// let equation: Equation = "b...i, bi -> b...".parse()?;
/// assert_eq!(equation.to_string(), "b...i,bi->b...");
/// assert_eq!("ji".parse::<Equation>()?.to_string(), "ji->ij");
/// assert!("ij->ik".parse::<Equation>().is_err());
/// # Ok::<(), stratal_ops::Cause>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Equation {
    operands: Vec<Term>,
    output: Term,
}

/// What labels the axes of an operand, or of the output.
type Term = Vec<Symbol>;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Symbol {
    Letter(char),
    Ellipsis,
}

/// What an axis is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Label {
    /// An axis of the ellipses, by its distance from their last one.
    Ellipsis(usize),
    Letter(char),
}

/// The labels of all axes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Indices {
    pub(super) operands: Vec<Vec<Label>>,
    pub(super) output: Vec<Label>,
}

const NAME: &str = "equation";

impl FromStr for Equation {
    type Err = Cause;

    fn from_str(text: &str) -> Result<Self, Cause> {
        let wrong = |expected: &'static str| attribute(NAME, format!("{text:?}"), expected);
        let parse = |term: &str| term_of(term).map_err(wrong);
        let (inputs, output) = match text.split_once("->") {
            Some((inputs, output)) => (inputs, Some(output)),
            None => (text, None),
        };
        let operands = inputs.split(',').map(parse).collect::<Result<Vec<_>, _>>()?;
        let mut counts = BTreeMap::<char, usize>::new();
        for symbol in operands.iter().flatten() {
            if let Symbol::Letter(letter) = symbol {
                *counts.entry(*letter).or_default() += 1;
            }
        }
        let has_ellipsis = operands.iter().flatten().any(|symbol| *symbol == Symbol::Ellipsis);
        let Some(output) = output else {
            let once = counts.iter().filter(|(_, count)| **count == 1).map(|(letter, _)| Symbol::Letter(*letter));
            let output = has_ellipsis.then_some(Symbol::Ellipsis).into_iter().chain(once).collect();
            return Ok(Self { operands, output });
        };
        let output = parse(output)?;
        for (position, symbol) in output.iter().enumerate() {
            let is_known = match symbol {
                Symbol::Letter(letter) => counts.contains_key(letter),
                Symbol::Ellipsis => has_ellipsis,
            };
            if !is_known {
                return Err(wrong("an output of labels that an operand has"));
            }
            if output[..position].contains(symbol) {
                return Err(wrong("an output that has each label once"));
            }
        }
        Ok(Self { operands, output })
    }
}

fn term_of(text: &str) -> Result<Term, &'static str> {
    let mut term = Term::new();
    let mut rest = text.trim_matches(' ');
    while let Some(first) = rest.chars().next() {
        let (symbol, length) = match first {
            ' ' => {
                rest = &rest[1..];
                continue;
            }
            letter if letter.is_ascii_alphabetic() => (Symbol::Letter(letter), 1),
            _ if rest.starts_with("...") && term.contains(&Symbol::Ellipsis) => {
                return Err("one ellipsis a term at most");
            }
            _ if rest.starts_with("...") => (Symbol::Ellipsis, 3),
            _ => return Err("terms of letters and ellipses, commas between, and one arrow at most"),
        };
        term.push(symbol);
        rest = &rest[length..];
    }
    Ok(term)
}

impl Equation {
    /// The labels of all axes, for operands of these ranks.
    pub(super) fn indices(&self, ranks: &[usize]) -> Result<Indices, Cause> {
        if ranks.len() != self.operands.len() {
            let (terms, operands) = (self.operands.len(), ranks.len());
            return Err(Cause::Unfit(format!("equation {self} is of {terms} operands, found {operands}")));
        }
        let mut most = 0;
        let mut labels = Vec::with_capacity(ranks.len());
        for (input, (term, rank)) in self.operands.iter().zip(ranks).enumerate() {
            let has_ellipsis = term.contains(&Symbol::Ellipsis);
            let letters = term.len() - usize::from(has_ellipsis);
            let of_ellipsis = rank.checked_sub(letters).filter(|left| has_ellipsis || *left == 0);
            let Some(of_ellipsis) = of_ellipsis else {
                let or_more = if has_ellipsis { " or more" } else { "" };
                let term = Text(term);
                let text =
                    format!("input {input} has rank {rank}: expected {letters}{or_more}, as {term} in {self} says");
                return Err(Cause::Unfit(text));
            };
            most = most.max(of_ellipsis);
            labels.push(expand(term, of_ellipsis));
        }
        Ok(Indices { operands: labels, output: expand(&self.output, most) })
    }
}

fn expand(term: &Term, of_ellipsis: usize) -> Vec<Label> {
    let labels = term.iter().flat_map(|symbol| match symbol {
        Symbol::Letter(letter) => vec![Label::Letter(*letter)],
        Symbol::Ellipsis => (0..of_ellipsis).rev().map(Label::Ellipsis).collect(),
    });
    labels.collect()
}

impl fmt::Display for Equation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, term) in self.operands.iter().enumerate() {
            write!(formatter, "{}{}", if number > 0 { "," } else { "" }, Text(term))?;
        }
        write!(formatter, "->{}", Text(&self.output))
    }
}

/// A term to be read.
struct Text<'a>(&'a Term);

impl fmt::Display for Text<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|symbol| match symbol {
            Symbol::Letter(letter) => write!(formatter, "{letter}"),
            Symbol::Ellipsis => formatter.write_str("..."),
        })
    }
}

impl fmt::Display for Label {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Letter(letter) => write!(formatter, "{letter}"),
            Self::Ellipsis(distance) => write!(formatter, "... at {}", -1 - *distance as i64),
        }
    }
}
