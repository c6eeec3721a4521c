//! `TfIdfVectorizer`: how often sequences hold certain n-grams.

use std::collections::BTreeMap;

use stratal_tensor_base::{DType, Shape};

use crate::{
    Cause, Context, Definition, Fact, Facts, Inputs, Node, ONNX, Operator, Outputs, SymbolicShape, attribute, dtypes,
};

/// Counts n-grams of a pool in sequences of integers: a vector for a sequence, a row for each of several.
///
/// An n-gram is found where its items follow each other with the same number of others between them, from none to
/// `most_skipped`; n-grams of one item are counted once. Counts are weighted by the n-gram, and those of n-grams with one
/// column are added.
///
/// Pools of texts are not supported, as there are no tensors of texts.
#[derive(Debug, Clone)]
pub struct TfIdfVectorizer {
    /// What is made of counts.
    pub weighting: Weighting,
    /// The shortest n-grams that are counted.
    pub shortest: usize,
    /// The longest n-grams that are counted.
    pub longest: usize,
    /// The most items between two of an n-gram.
    pub most_skipped: usize,
    /// The n-grams, and what counting one means.
    pub pool: BTreeMap<Vec<i64>, NGram>,
    /// The number of columns.
    pub columns: usize,
}

/// What is made of counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weighting {
    /// The count itself: ONNX's `TF`.
    Frequency,
    /// The weight of the n-gram where there is one at all: `IDF`.
    Presence,
    /// The count times the weight: `TFIDF`.
    WeightedFrequency,
}

/// What counting an n-gram means.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NGram {
    /// The column of its count.
    pub column: usize,
    /// Its weight.
    pub weight: f32,
}

impl TfIdfVectorizer {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: ONNX,
        name: "TfIdfVectorizer",
        since: 9,
        inputs: 1..=1,
        outputs: 1..=1,
        attributes: &[
            "max_gram_length",
            "max_skip_count",
            "min_gram_length",
            "mode",
            "ngram_counts",
            "ngram_indexes",
            "pool_int64s",
            "pool_strings",
            "weights",
        ],
        dtypes: dtypes::INDICES,
        build: |node| Ok(Box::new(Self::of(node)?)),
    };

    fn of(node: &Node<'_>) -> Result<Self, Cause> {
        if node.strings("pool_strings")?.is_some() {
            return Err(Cause::Unsupported { what: "a pool of texts".into() });
        }
        let weightings =
            [("TF", Weighting::Frequency), ("IDF", Weighting::Presence), ("TFIDF", Weighting::WeightedFrequency)];
        node.needed("mode", node.string("mode")?)?;
        let weighting = node.word("mode", "TF, IDF or TFIDF", &weightings)?;
        let length = |name| {
            let length = node.needed(name, node.int(name)?)?;
            usize::try_from(length)
                .ok()
                .filter(|length| *length > 0)
                .ok_or_else(|| attribute(name, length, "a positive number"))
        };
        let (shortest, longest) = (length("min_gram_length")?, length("max_gram_length")?);
        if shortest > longest {
            return Err(attribute("min_gram_length", shortest, "at most max_gram_length"));
        }
        node.needed("max_skip_count", node.int("max_skip_count")?)?;
        let most_skipped = node.size_or("max_skip_count", 0)?;
        let columns = node.needed("ngram_indexes", node.ints("ngram_indexes")?)?;
        let pool = pool(node, columns)?;
        // Longer ones are not in the pool.
        let longest = pool.keys().map(Vec::len).max().unwrap_or(0).min(longest);
        let columns = columns.iter().map(|column| *column as usize + 1).max().unwrap_or(0);
        Ok(Self { weighting, shortest, longest, most_skipped, pool, columns })
    }

    /// What the n-grams of one sequence add to columns, in an order that is always the same.
    fn count(&self, sequence: &[i64]) -> Vec<(usize, f32)> {
        let mut counts: BTreeMap<&[i64], (u64, NGram)> = BTreeMap::new();
        let mut items = Vec::new();
        for length in self.shortest..=self.longest.min(sequence.len()) {
            // Single items have nothing between them; what reaches past the end is not there.
            let most_skipped = if length == 1 { 0 } else { self.most_skipped.min(sequence.len()) };
            for skipped in 0..=most_skipped {
                let step = skipped + 1;
                let reach = (length - 1).saturating_mul(step);
                if reach >= sequence.len() {
                    // With more skipped none fits either.
                    break;
                }
                for start in 0..sequence.len() - reach {
                    items.clear();
                    items.extend(sequence[start..].iter().step_by(step).take(length));
                    if let Some((found, ngram)) = self.pool.get_key_value(&items) {
                        counts.entry(found).or_insert((0, *ngram)).0 += 1;
                    }
                }
            }
        }
        let weighted = |(count, ngram): (u64, NGram)| match self.weighting {
            Weighting::Frequency => count as f32,
            Weighting::Presence => ngram.weight,
            Weighting::WeightedFrequency => count as f32 * ngram.weight,
        };
        counts.into_values().map(|counted| (counted.1.column, weighted(counted))).collect()
    }
}

/// The n-grams, which stand in one list: first those of one item, then those of two, and so on.
fn pool(node: &Node<'_>, columns: &[i64]) -> Result<BTreeMap<Vec<i64>, NGram>, Cause> {
    let items = node.needed("pool_int64s", node.ints("pool_int64s")?)?;
    let starts = node.needed("ngram_counts", node.ints("ngram_counts")?)?;
    let weights = node.floats("weights")?;
    if let Some(column) = columns.iter().find(|column| !(0..i64::from(i32::MAX)).contains(*column)) {
        return Err(attribute("ngram_indexes", column, "a column from 0 on, within the limits of shapes"));
    }
    if let Some(weights) = weights.filter(|weights| weights.len() != columns.len()) {
        return Err(attribute("weights", format!("{weights:?}"), "as many as ngram_indexes"));
    }
    let unfit = || attribute("ngram_counts", format!("{starts:?}"), "ascending starts of whole n-grams in pool_int64s");
    let mut pool = BTreeMap::new();
    let mut number = 0;
    for (place, start) in starts.iter().enumerate() {
        let end = starts.get(place + 1).copied().unwrap_or(items.len() as i64);
        let range = usize::try_from(*start).ok().zip(usize::try_from(end).ok());
        let ngrams = range.and_then(|(start, end)| items.get(start..end)).ok_or_else(unfit)?;
        let length = place + 1;
        if ngrams.len() % length != 0 {
            return Err(unfit());
        }
        for ngram in ngrams.chunks(length) {
            let Some(column) = columns.get(number) else {
                return Err(attribute("ngram_indexes", format!("{columns:?}"), "one for each n-gram of the pool"));
            };
            let weight = weights.map_or(1.0, |weights| weights[number]);
            if pool.insert(ngram.to_vec(), NGram { column: *column as usize, weight }).is_some() {
                return Err(attribute("pool_int64s", format!("{ngram:?} twice"), "each n-gram once"));
            }
            number += 1;
        }
    }
    if number != columns.len() {
        return Err(attribute("ngram_indexes", format!("{columns:?}"), "one for each n-gram of the pool"));
    }
    Ok(pool)
}

impl Operator for TfIdfVectorizer {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        inputs.dtype(0, dtypes::INDICES)?;
        let shape = inputs.shape(0)?;
        let columns = self.columns as i64;
        let counted = match &**shape {
            [_] => [columns.into()].into_iter().collect::<SymbolicShape>(),
            [rows, _] => [rows.clone(), columns.into()].into_iter().collect(),
            _ => return Err(Cause::Shape { input: 0, shape: shape.to_string(), expected: "rank 1 or 2".into() }),
        };
        Ok(vec![Fact::new(DType::F32, counted)])
    }

    fn compute(&self, _context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let shape: Shape = *inputs.required(0)?.shape();
        let items = inputs.integers(0)?.ok_or(Cause::MissingInput { input: 0 })?;
        let (rows, length) = match shape.rank() {
            1 => (1, shape.extent(0)),
            _ => (shape.extent(0), shape.extent(1)),
        };
        outputs.write(0, |result| {
            let dtype = result.dtype();
            let unfit = || Cause::Unfit(format!("counts are float32, not {dtype}"));
            let mut result = result.typed::<f32>().ok_or_else(unfit)?;
            let geometry = *result.geometry();
            geometry.offsets().for_each(|offset| result.elements_mut()[offset] = 0.0);
            for row in 0..rows {
                for (column, count) in self.count(&items[row * length..][..length]) {
                    let index = [row as i64, column as i64];
                    let offset = geometry.offset_of(&index[2 - shape.rank()..])?;
                    result.elements_mut()[offset] += count;
                }
            }
            Ok::<_, Cause>(())
        })
    }
}

#[cfg(test)]
mod tests {
    use stratal_tensor::Tensor;

    use super::*;
    use crate::{Attributes, build, infer};

    fn attributes() -> Attributes {
        Attributes::new()
            .with("mode", "TFIDF")
            .with("min_gram_length", 1)
            .with("max_gram_length", 2)
            .with("max_skip_count", 1)
            .with("ngram_counts", vec![0, 2])
            .with("ngram_indexes", vec![2, 0, 1])
            .with("pool_int64s", vec![5, 6, 5, 6])
            .with("weights", vec![0.5_f32, 10.0, 100.0])
    }

    fn counts(attributes: &Attributes, sequence: &[i64]) -> Vec<f32> {
        let operator = build("", "TfIdfVectorizer", attributes, 1, 1).unwrap();
        let x = Tensor::from_slice(sequence, &[sequence.len() as i64]).unwrap();
        Context::new().unwrap().run(&*operator, &[Some(&x)]).unwrap()[0].to_vec().unwrap()
    }

    #[test]
    fn weights_are_those_of_ngrams() {
        let sequence = [5, 6, 6, 5];
        assert_eq!(counts(&attributes(), &sequence), [20.0, 200.0, 1.0]);
        assert_eq!(counts(&attributes().with("mode", "IDF"), &sequence), [10.0, 100.0, 0.5]);
        assert_eq!(counts(&attributes().with("mode", "TF"), &sequence), [2.0, 2.0, 2.0]);
        assert_eq!(counts(&attributes(), &[]), [0.0; 3]);
        // Two n-grams of one column are added.
        assert_eq!(counts(&attributes().with("ngram_indexes", vec![0, 0, 1]), &sequence), [21.0, 200.0]);
    }

    #[test]
    fn skips_of_any_size_end_with_the_sequence() {
        let many = attributes().with("max_skip_count", i64::MAX).with("max_gram_length", i64::MAX).with("mode", "TF");
        assert_eq!(counts(&many, &[5, 0, 0, 0, 6]), [1.0, 1.0, 1.0]);
    }

    #[test]
    fn pools_must_fit_their_lists() {
        let error =
            |attributes: Attributes| build("", "TfIdfVectorizer", &attributes, 1, 1).unwrap_err().cause.to_string();
        let texts = [
            attributes().with("pool_strings", vec!["a".to_string()]),
            attributes().with("ngram_counts", vec![0, 1]).with("pool_int64s", vec![5, 6, 5, 6]),
            attributes().with("ngram_counts", vec![0, 5]),
            attributes().with("ngram_counts", vec![2, 0]),
            attributes().with("ngram_indexes", vec![2, 0]).with("weights", vec![1.0_f32; 2]),
            attributes().with("ngram_indexes", vec![2, 0, 1, 3]).with("weights", vec![1.0_f32; 4]),
            attributes().with("ngram_indexes", vec![2, 0, -1]),
            attributes().with("weights", vec![1.0_f32]),
            attributes().with("pool_int64s", vec![5, 5, 5, 6]),
            attributes().with("min_gram_length", 3),
            attributes().with("max_gram_length", 0),
            attributes().with("mode", "idf"),
        ];
        insta::assert_snapshot!(texts.map(error).join("\n"), @r#"
        is not supported with a pool of texts
        attribute ngram_counts is [0, 1]: expected ascending starts of whole n-grams in pool_int64s
        attribute ngram_counts is [0, 5]: expected ascending starts of whole n-grams in pool_int64s
        attribute ngram_counts is [2, 0]: expected ascending starts of whole n-grams in pool_int64s
        attribute ngram_indexes is [2, 0]: expected one for each n-gram of the pool
        attribute ngram_indexes is [2, 0, 1, 3]: expected one for each n-gram of the pool
        attribute ngram_indexes is -1: expected a column from 0 on, within the limits of shapes
        attribute weights is [1.0]: expected as many as ngram_indexes
        attribute pool_int64s is [5] twice: expected each n-gram once
        attribute min_gram_length is 3: expected at most max_gram_length
        attribute max_gram_length is 0: expected a positive number
        attribute mode is "idf": expected TF, IDF or TFIDF
        "#);
    }

    #[test]
    fn sequences_stand_in_rows() {
        let operator = build("", "TfIdfVectorizer", &attributes(), 1, 1).unwrap();
        let shape = |x: Fact| infer(&*operator, "node", &[Some(&x)]).map_err(|error| error.to_string());
        assert_eq!(shape(Fact::new(DType::I32, [7, 0])).unwrap()[0].shape, Some([7, 3].into()));
        let error = shape(Fact::new(DType::I64, [1, 2, 3])).unwrap_err();
        assert_eq!(error, "TfIdfVectorizer: input 0 has shape [1, 2, 3]: expected rank 1 or 2");
    }
}
