//! What is drawn at random: attributes, tensors, and how both are mended after an error, so that many uses are good ones.

use std::ops::RangeInclusive;

use proptest::prelude::RngExt;
use proptest::test_runner::{RngAlgorithm, TestRng};
use stratal_ops::{Attribute, Attributes, Cause, Definition, Node};
use stratal_tensor::Tensor;
use stratal_tensor_base::DType;

/// Numbers at the limits of what they are read as.
const LIMITS: [i64; 12] = [
    i64::MIN,
    i64::MIN + 1,
    i64::MAX,
    i32::MIN as i64,
    i32::MAX as i64,
    1 << 31,
    1 << 40,
    1 << 62,
    65_536,
    -129,
    300,
    100,
];

/// Floats that calculations seldom expect.
const ODD_FLOATS: [f64; 10] =
    [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0, 1e300, -1e300, 1e-310, f64::MIN_POSITIVE, 4e9, 0.5];

/// Texts that operators parse.
const TEXTS: [&str; 14] = [
    "",
    "ij,jk->ik",
    "ii->i",
    "...ij->...ji",
    "ij",
    "->",
    "i,,j",
    "i->ii",
    "Tanh",
    "Relu",
    "edge",
    "linear",
    "TFIDF",
    "\u{e4}\u{1f600}",
];

/// An operand, before it is a tensor.
#[derive(Debug, Clone)]
pub(crate) struct Operand {
    pub(crate) dtype: DType,
    pub(crate) extents: Vec<i64>,
    /// Whether elements are small, as those of good indices are.
    pub(crate) is_tame: bool,
}

/// Draws, the same for the same seed.
#[derive(Debug)]
pub(crate) struct Draw(TestRng);

impl Draw {
    pub(crate) fn new(operator: usize, case: usize) -> Self {
        let mut seed = [0; 32];
        seed[..8].copy_from_slice(&(operator as u64).to_le_bytes());
        seed[8..16].copy_from_slice(&(case as u64).to_le_bytes());
        Self(TestRng::from_seed(RngAlgorithm::ChaCha, &seed))
    }

    pub(crate) fn chance(&mut self, percent: u32) -> bool {
        self.0.random_range(0..100) < percent
    }

    pub(crate) fn one<T: Clone>(&mut self, of: &[T]) -> T {
        of[self.0.random_range(0..of.len())].clone()
    }

    pub(crate) fn number(&mut self, range: RangeInclusive<i64>) -> i64 {
        self.0.random_range(range)
    }

    /// How many inputs or outputs a use has: mostly as many as may be.
    pub(crate) fn count(&mut self, allowed: &RangeInclusive<usize>) -> usize {
        if self.chance(3) {
            return self.one(&[0, 1, 2, 40]);
        }
        let (least, most) = (*allowed.start() as i64, (*allowed.end()).min(allowed.start() + 6) as i64);
        self.number(least..=most) as usize
    }

    fn integer(&mut self) -> i64 {
        if self.chance(12) { self.one(&LIMITS) } else { self.number(-2..=4) }
    }

    fn float(&mut self) -> f64 {
        if self.chance(15) { self.one(&ODD_FLOATS) } else { self.number(-8..=8) as f64 / 4.0 }
    }

    fn text(&mut self, expected: &str) -> String {
        let words: Vec<_> =
            expected.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty()).collect();
        if words.is_empty() || self.chance(20) { self.one(&TEXTS).to_owned() } else { self.one(&words).to_owned() }
    }

    fn length(&mut self) -> usize {
        if self.chance(3) { self.one(&[9, 17, 1500]) } else { self.number(0..=4) as usize }
    }

    /// The value of an attribute: mostly of the kind that the operator asks for.
    fn attribute(&mut self, definition: &Definition, name: &str, node: (usize, usize)) -> Attribute {
        let length = self.length();
        let is_small = self.chance(60);
        let small = |draw: &mut Self| if is_small { draw.number(0..=3) } else { draw.integer() };
        match kind(definition, name, node) {
            "an integer" | "0 or 1" if !self.chance(4) => small(self).into(),
            "a number" if !self.chance(4) => Attribute::Float(self.float() as f32),
            "integers" if !self.chance(4) => (0..length).map(|_| small(self)).collect::<Vec<_>>().into(),
            "numbers" if !self.chance(4) => (0..length).map(|_| self.float() as f32).collect::<Vec<_>>().into(),
            "texts" if !self.chance(4) => (0..length).map(|_| self.text("")).collect::<Vec<_>>().into(),
            "a text" if !self.chance(4) => {
                let expected = expected_of(definition, name, "?".into(), node);
                self.text(expected).into()
            }
            "a tensor" if !self.chance(4) => {
                let operand = self.operand(&[], None);
                self.tensor(&operand).into()
            }
            _ => match self.number(0..=5) {
                0 => self.integer().into(),
                1 => Attribute::Float(self.float() as f32),
                2 => self.text("").into(),
                3 => (0..length).map(|_| self.integer()).collect::<Vec<_>>().into(),
                4 => (0..length).map(|_| self.float() as f32).collect::<Vec<_>>().into(),
                _ => (0..length).map(|_| self.text("")).collect::<Vec<_>>().into(),
            },
        }
    }

    pub(crate) fn attributes(&mut self, definition: &Definition, node: (usize, usize)) -> Attributes {
        let mut attributes = Attributes::new();
        for name in definition.attributes {
            if self.chance(25) {
                attributes.insert(*name, self.attribute(definition, name, node));
            }
        }
        if self.chance(1) {
            attributes.insert("nonsense", 1);
        }
        attributes
    }

    /// Mends attributes after an error, which most often makes a good use of a bad one.
    pub(crate) fn mend_attributes(
        &mut self,
        attributes: &mut Attributes,
        cause: &Cause,
        definition: &Definition,
        node: (usize, usize),
    ) -> bool {
        let (Cause::MissingAttribute { name } | Cause::Attribute { name, .. }) = cause else { return false };
        attributes.insert(*name, self.attribute(definition, name, node));
        true
    }

    /// An operand, in some way like another one.
    pub(crate) fn operand(&mut self, dtypes: &[DType], like: Option<&Operand>) -> Operand {
        let dtype = match like {
            _ if self.chance(10) => self.one(&DType::ALL),
            Some(like) if self.chance(60) => like.dtype,
            Some(_) => self.one(&[DType::I64, DType::I64, DType::I32, DType::F32, DType::Bool]),
            None if dtypes.is_empty() => self.one(&DType::ALL),
            None => self.one(dtypes),
        };
        let extents = match like {
            Some(like) if self.chance(35) => like.extents.clone(),
            Some(like) if self.chance(30) => {
                let first = self.number(0..=like.extents.len() as i64) as usize;
                like.extents[first..].to_vec()
            }
            Some(like) if self.chance(30) => vec![like.extents.len() as i64],
            _ => {
                let rank = if self.chance(10) { self.number(5..=8) } else { self.number(0..=4) };
                (0..rank).map(|_| self.one(&[0, 1, 1, 2, 2, 2, 3, 3])).collect()
            }
        };
        Operand { dtype, extents, is_tame: self.chance(60) }
    }

    /// Mends an operand after an error, which most often makes a good use of a bad one.
    pub(crate) fn mend_operands(&mut self, operands: &mut [Option<Operand>], cause: &Cause) -> bool {
        let (Cause::MissingInput { input }
        | Cause::DType { input, .. }
        | Cause::DTypeMismatch { input, .. }
        | Cause::Shape { input, .. }
        | Cause::Element { input, .. }) = *cause
        else {
            return self.redraw(operands);
        };
        let like = operands.first().cloned().flatten();
        let Some(slot) = operands.get_mut(input) else { return false };
        let mut operand = slot.take().unwrap_or_else(|| self.operand(&[], like.as_ref()));
        match cause {
            Cause::DType { expected, .. } => operand.dtype = self.one(expected),
            Cause::DTypeMismatch { expected, .. } => operand.dtype = *expected,
            Cause::Shape { expected, .. } => operand.extents = self.extents(expected),
            Cause::Element { .. } => operand.is_tame = true,
            _ => {}
        }
        *slot = Some(operand);
        true
    }

    /// Draws the extents of one operand again.
    fn redraw(&mut self, operands: &mut [Option<Operand>]) -> bool {
        if operands.is_empty() {
            return false;
        }
        let input = self.number(0..=operands.len() as i64 - 1) as usize;
        let like = operands.first().cloned().flatten();
        let drawn = self.operand(&[], like.as_ref());
        if let Some(operand) = &mut operands[input] {
            (operand.extents, operand.is_tame) = (drawn.extents, true);
        }
        true
    }

    /// Extents that a text asks for, such as `rank 4` or `[2, 3]`.
    fn extents(&mut self, expected: &str) -> Vec<i64> {
        let numbers = expected.split(|c: char| !c.is_ascii_digit()).filter_map(|digits| digits.parse::<i64>().ok());
        let numbers: Vec<_> = numbers.filter(|&number| number < 100).take(8).collect();
        if expected.starts_with('[') {
            return numbers;
        }
        let rank = numbers.first().copied().unwrap_or(1).min(8);
        (0..rank).map(|_| self.one(&[1, 2, 2, 3])).collect()
    }

    /// The tensor of an operand: often a view of more elements, in any order.
    pub(crate) fn tensor(&mut self, operand: &Operand) -> Tensor {
        let mut axes: Vec<_> = (0..operand.extents.len() as i64).collect();
        let (is_permuted, is_flipped) = (self.chance(15), self.chance(10));
        if is_permuted {
            axes.reverse();
        }
        let stored: Vec<_> = axes.iter().map(|&axis| operand.extents[axis as usize]).collect();
        let count = stored.iter().product::<i64>();
        let is_float = operand.dtype.is_float();
        let tensor = if is_float {
            let tame = operand.is_tame;
            let elements =
                (0..count).map(|_| if tame { self.number(-8..=8) as f64 / 4.0 } else { self.float() }).collect();
            Tensor::from_vec::<f64>(elements, &stored)
        } else {
            let tame = operand.is_tame;
            let elements = (0..count).map(|_| if tame { self.number(0..=2) } else { self.integer() }).collect();
            Tensor::from_vec::<i64>(elements, &stored)
        };
        let tensor = tensor.unwrap().cast(operand.dtype).unwrap().permute(&axes).unwrap();
        if is_flipped && !axes.is_empty() { tensor.flip(&[0]).unwrap() } else { tensor }
    }
}

/// The kind that an attribute must be of, as the error for another one says.
fn kind(definition: &Definition, name: &str, node: (usize, usize)) -> &'static str {
    match expected_of(definition, name, Attribute::Strings(vec![]), node) {
        "texts" | "" => expected_of(definition, name, Attribute::Floats(vec![]), node),
        kind => kind,
    }
}

fn expected_of(
    definition: &Definition,
    name: &str,
    value: Attribute,
    (inputs, outputs): (usize, usize),
) -> &'static str {
    let mut attributes = Attributes::new().with(name, value);
    // Other attributes may have to be there first.
    for _ in 0..8 {
        match (definition.build)(&Node { attributes: &attributes, inputs, outputs }) {
            Err(Cause::Attribute { name: of, expected, .. }) if of == name => return expected,
            Err(Cause::MissingAttribute { name }) => attributes.insert(name, 1),
            Err(Cause::Attribute { name, expected, .. }) => match expected {
                "integers" => attributes.insert(name, vec![1_i64, 1]),
                "numbers" => attributes.insert(name, vec![1.0_f32]),
                "a text" => attributes.insert(name, "constant"),
                "a number" => attributes.insert(name, 1.0_f32),
                _ => return "",
            },
            _ => return "",
        }
    }
    ""
}
