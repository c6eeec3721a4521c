//! `Resize`: elements at coordinates between those of an operand.

mod extents;

use stratal_kernels::resize::{self, Coordinates, Interpolation, Nearest, ResizeAxis, Scale};

use self::extents::Factor;
use super::axes::listed;
use crate::{Cause, Context, Definition, Fact, Facts, Inputs, Node, ONNX, Operator, Outputs, attribute, dtypes};

/// Resizes axes. Inputs are the operand, the region of [`Coordinates::CropAndResize`], factors and extents, of which one or
/// the other is given; all are in the order of `axes`. An input without elements is as if there were none.
///
/// The region has the start of each axis, then the end of each, in lengths of the operand from its first element to its
/// last. With it a factor is that of the region. Extents by a factor are rounded down from the exact product.
///
/// Coordinates follow from factors where those are given, else from the exact ratio of extents, also where an aspect is kept:
/// ONNX Runtime computes them in f32, so that elements may differ where a coordinate falls between two. Weights and sums are
/// those of [`stratal_kernels::resize`]; the nearest element is taken of any dtype, bits unchanged.
#[derive(Debug, Clone, PartialEq)]
pub struct Resize {
    /// The axes that are resized, each at most once; they may count from the end. None for all.
    pub axes: Option<Vec<i64>>,
    /// What is made of the elements near a coordinate.
    pub interpolation: Interpolation,
    /// Which coordinate of the operand each element of the result has.
    pub coordinates: Coordinates,
    /// Whether linear and cubic interpolation look at as many more elements as the result is smaller.
    pub antialias: bool,
    /// Whether elements outside the operand have no weight, instead of being those at its ends.
    pub exclude_outside: bool,
    /// What is outside the operand with [`Coordinates::CropAndResize`].
    pub extrapolation: f32,
    /// Whether extents that are given keep the aspect of the axes.
    pub aspect: Aspect,
}

/// What becomes of the aspect of axes that are resized to extents.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Aspect {
    /// It changes: each extent is the one given.
    #[default]
    Stretch,
    /// It stays: the extents are the largest of which none is larger than given, rounded, halves up.
    NotLarger,
    /// It stays: the extents are the smallest of which none is smaller than given, rounded, halves up.
    NotSmaller,
}

impl Default for Resize {
    fn default() -> Self {
        Self {
            axes: None,
            interpolation: Interpolation::Nearest(Nearest::RoundPreferFloor),
            coordinates: Coordinates::HalfPixel,
            antialias: false,
            exclude_outside: false,
            extrapolation: 0.0,
            aspect: Aspect::Stretch,
        }
    }
}

impl Resize {
    /// What is known of it.
    pub const DEFINITION: Definition = Definition {
        domain: ONNX,
        name: "Resize",
        since: 19,
        inputs: 1..=4,
        outputs: 1..=1,
        attributes: &[
            "antialias",
            "axes",
            "coordinate_transformation_mode",
            "cubic_coeff_a",
            "exclude_outside",
            "extrapolation_value",
            "keep_aspect_ratio_policy",
            "mode",
            "nearest_mode",
        ],
        dtypes: dtypes::ALL,
        build: |node| Ok(Box::new(Self::of(node)?)),
    };

    fn of(node: &Node<'_>) -> Result<Self, Cause> {
        let coordinates = [
            ("half_pixel", Coordinates::HalfPixel),
            ("half_pixel_symmetric", Coordinates::HalfPixelSymmetric),
            ("pytorch_half_pixel", Coordinates::PytorchHalfPixel),
            ("align_corners", Coordinates::AlignCorners),
            ("asymmetric", Coordinates::Asymmetric),
            ("tf_crop_and_resize", Coordinates::CropAndResize),
        ];
        let aspects =
            [("stretch", Aspect::Stretch), ("not_larger", Aspect::NotLarger), ("not_smaller", Aspect::NotSmaller)];
        Ok(Self {
            axes: node.ints("axes")?.map(<[i64]>::to_vec),
            interpolation: interpolation(node)?,
            coordinates: node.word("coordinate_transformation_mode", "one of ONNX's modes", &coordinates)?,
            antialias: node.flag("antialias", false)?,
            exclude_outside: node.flag("exclude_outside", false)?,
            extrapolation: node.float_or("extrapolation_value", 0.0)?,
            aspect: node.word("keep_aspect_ratio_policy", "stretch, not_larger or not_smaller", &aspects)?,
        })
    }

    /// The rule, with the positions of region, factors and extents.
    pub(super) fn rule(&self, inputs: &Facts<'_>, positions: [usize; 3]) -> Result<Vec<Fact>, Cause> {
        let is_nearest = matches!(self.interpolation, Interpolation::Nearest(_));
        let dtype = inputs.dtype(0, if is_nearest { dtypes::ALL } else { dtypes::NUMBERS })?;
        let shape = inputs.shape(0)?;
        let axes = listed(self.axes.as_deref(), shape.rank())?;
        let [region, factors, extents] = positions.map(|input| inputs.get(input).filter(|fact| is_given(Some(fact))));
        let mut resized = shape.clone();
        let mut resize = |axis: usize, extent: Option<crate::Extent>| {
            resized.extents_mut()[axis] = extent.unwrap_or_else(|| inputs.unknown(&axis.to_string()));
        };
        if self.coordinates == Coordinates::CropAndResize {
            let region = region.ok_or(Cause::MissingInput { input: positions[0] })?;
            inputs.dtype(positions[0], dtypes::FLOATS)?;
            super::axes::check_length(inputs, positions[0], 2 * axes.len())?;
            if let Some(region) = region.known_numbers() {
                (0..axes.len()).try_for_each(|position| self.region(Some(&region), axes.len(), position).map(drop))?;
            }
        }
        match (factors, extents) {
            (Some(factors), None) => {
                inputs.dtype(positions[1], dtypes::FLOATS)?;
                super::axes::check_length(inputs, positions[1], axes.len())?;
                let needs_region = self.coordinates == Coordinates::CropAndResize;
                let region = if needs_region { region.and_then(Fact::known_numbers) } else { None };
                let known = factors.known_numbers().filter(|_| !needs_region || region.is_some());
                let factors = known.map(|known| self.factors(&known, region.as_deref(), axes.len())).transpose()?;
                for (position, axis) in axes.iter().enumerate() {
                    let factor = factors.as_ref().map(|factors| factors[position]);
                    resize(*axis, factor.map(|factor| factor.extent(&shape[*axis])).transpose()?.flatten());
                }
            }
            (None, Some(extents)) => {
                inputs.dtype(positions[2], dtypes::INDICES)?;
                super::axes::check_length(inputs, positions[2], axes.len())?;
                super::axes::check_extents(positions[2], extents.integers().unwrap_or_default())?;
                let to = extents.integers();
                let kept = match (self.aspect, to) {
                    (_, None) => None,
                    (Aspect::Stretch, Some(to)) => Some(to.to_vec()),
                    (aspect, Some(to)) => {
                        let from: Vec<_> = axes.iter().map(|axis| shape[*axis].clone()).collect();
                        extents::kept(aspect, &from, to)?
                    }
                };
                for (position, axis) in axes.iter().enumerate() {
                    resize(*axis, kept.as_ref().map(|kept| kept[position].clone()));
                }
            }
            _ => return Err(Cause::Unfit("needs either factors or extents".into())),
        }
        Ok(vec![Fact::new(dtype, resized)])
    }

    /// The factors of all axes that are resized, with the regions that they are of, if factors are given.
    fn factors(&self, factors: &[f64], region: Option<&[f64]>, axes: usize) -> Result<Vec<Factor>, Cause> {
        let of = |position: usize| {
            let factor = Factor { factor: factors[position], region: self.region(region, axes, position)? };
            factor.check()
        };
        (0..axes).map(of).collect()
    }

    /// The part of an axis that is taken.
    fn region(&self, region: Option<&[f64]>, axes: usize, position: usize) -> Result<[f64; 2], Cause> {
        match region {
            _ if self.coordinates != Coordinates::CropAndResize => Ok([0.0, 1.0]),
            Some(region) if region.len() == 2 * axes => Ok([region[position], region[position + axes]]),
            Some(region) => Err(Cause::Unfit(format!("{} numbers are no region of {axes} axes", region.len()))),
            None => Err(Cause::MissingInput { input: 1 }),
        }
    }
}

/// What `mode` says, with the attributes that belong to it.
fn interpolation(node: &Node<'_>) -> Result<Interpolation, Cause> {
    let nearest = [
        ("round_prefer_floor", Nearest::RoundPreferFloor),
        ("round_prefer_ceil", Nearest::RoundPreferCeil),
        ("floor", Nearest::Floor),
        ("ceil", Nearest::Ceil),
    ];
    let nearest = node.word("nearest_mode", "round_prefer_floor, round_prefer_ceil, floor or ceil", &nearest)?;
    let coefficient = node.float_or("cubic_coeff_a", -0.75)?;
    let modes = [
        ("nearest", Interpolation::Nearest(nearest)),
        ("linear", Interpolation::Linear),
        ("cubic", Interpolation::Cubic(coefficient.into())),
    ];
    let mode = node.word("mode", "nearest, linear or cubic", &modes)?;
    match mode {
        Interpolation::Cubic(_) if !coefficient.is_finite() => {
            Err(attribute("cubic_coeff_a", coefficient, "a finite number"))
        }
        mode => Ok(mode),
    }
}

/// Whether an input is there and has elements.
fn is_given(fact: Option<&Fact>) -> bool {
    let is_empty = |fact: &Fact| fact.shape.as_ref().is_some_and(|shape| shape.iter().any(|extent| extent.is(0)));
    fact.is_some_and(|fact| !is_empty(fact))
}

impl Operator for Resize {
    fn definition(&self) -> &'static Definition {
        &Self::DEFINITION
    }

    fn shape_inputs(&self) -> &'static [usize] {
        &[1, 2, 3]
    }

    fn infer(&self, inputs: &Facts<'_>) -> Result<Vec<Fact>, Cause> {
        self.rule(inputs, [1, 2, 3])
    }

    fn compute(&self, context: &Context<'_>, inputs: &Inputs<'_>, outputs: &mut Outputs<'_>) -> Result<(), Cause> {
        let x = inputs.required(0)?;
        let numbers = |input| inputs.numbers(input).filter(|numbers| !numbers.is_empty());
        let (region, factors) = (numbers(1), numbers(2));
        let axes = listed(self.axes.as_deref(), x.shape().rank())?;
        if let Some(factors) = factors.as_ref().filter(|factors| factors.len() != axes.len()) {
            return Err(Cause::Unfit(format!("{} factors are not one for each of {} axes", factors.len(), axes.len())));
        }
        outputs.write(0, |result| {
            let mut resize = resize::Resize {
                antialias: self.antialias,
                exclude_outside: self.exclude_outside,
                extrapolation: self.extrapolation,
                ..resize::Resize::new(self.interpolation, self.coordinates)
            };
            for (position, axis) in axes.iter().enumerate() {
                let region = self.region(region.as_deref(), axes.len(), position)?;
                let scale = match &factors {
                    // The ends of a region fall onto the ends of the result, whatever the factor is.
                    Some(factors) if self.coordinates != Coordinates::CropAndResize => Scale::Factor(factors[position]),
                    _ => Scale::Extents,
                };
                let is_kept = x.shape().extent(*axis) == result.shape().extent(*axis)
                    && matches!(scale, Scale::Extents | Scale::Factor(1.0))
                    && region == [0.0, 1.0];
                if !is_kept {
                    resize.axes.push(ResizeAxis { axis: *axis as i64, scale, region });
                }
            }
            Ok::<_, Cause>(context.kernels().resize(&resize, x, result)?)
        })
    }
}

#[cfg(test)]
mod tests {
    use stratal_tensor::Tensor;
    use stratal_tensor_base::DType;

    use super::*;
    use crate::{Attributes, Elements, Extent, SymbolicShape, build, infer};

    fn x() -> Fact {
        Fact::new(DType::F32, SymbolicShape::new([1.into(), 3.into(), Extent::symbol("height"), 5.into()]))
    }

    fn floats(floats: &[f64]) -> Fact {
        Fact::new(DType::F32, [floats.len() as i64]).with_elements(Some(Elements::Floats(floats.to_vec())))
    }

    fn integers(integers: &[i64]) -> Fact {
        Fact::of_extents(DType::I64, integers.iter().map(|&integer| integer.into()).collect())
    }

    fn shape(
        resize: &Resize,
        region: Option<&Fact>,
        factors: Option<&Fact>,
        extents: Option<&Fact>,
    ) -> Result<String, String> {
        let facts =
            infer(resize, "node", &[Some(&x()), region, factors, extents]).map_err(|error| error.cause.to_string())?;
        Ok(facts[0].shape.as_ref().unwrap().to_string())
    }

    fn spatial() -> Resize {
        Resize { axes: Some(vec![2, -1]), ..Resize::default() }
    }

    #[test]
    fn extents_follow_from_factors_and_extents() {
        let none = floats(&[]);
        let by = |factors: &[f64]| shape(&Resize::default(), Some(&none), Some(&floats(factors)), None).unwrap();
        assert_eq!(by(&[1.0, 1.0, 2.0, 2.5]), "[1, 3, 2*height, 12]");
        assert_eq!(by(&[1.0, 1.0, 0.5, 0.25]), "[1, 3, floor(height / 2), 1]");
        let unknown = Fact::new(DType::F32, [2]);
        assert_eq!(shape(&spatial(), None, Some(&unknown), None).unwrap(), "[1, 3, node.2, node.3]");
        let to = Fact::of_extents(DType::I64, vec![Extent::symbol("size"), 8.into()]);
        assert_eq!(shape(&spatial(), Some(&none), Some(&none), Some(&to)).unwrap(), "[1, 3, size, 8]");
        let kept = Resize { axes: Some(vec![1, 3]), aspect: Aspect::NotSmaller, ..Resize::default() };
        assert_eq!(shape(&kept, None, None, Some(&integers(&[7, 8]))).unwrap(), "[1, 7, height, 12]");
        let kept = Resize { aspect: Aspect::NotLarger, ..spatial() };
        assert_eq!(shape(&kept, None, None, Some(&integers(&[7, 8]))).unwrap(), "[1, 3, node.2, node.3]");
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let (two, three, one) = (floats(&[2.0, 2.0]), floats(&[2.0; 3]), integers(&[1, 1]));
        let by = |factor: f64| shape(&spatial(), None, Some(&floats(&[1.0, factor])), None).unwrap_err();
        let error =
            |factors: Option<&Fact>, extents: Option<&Fact>| shape(&spatial(), None, factors, extents).unwrap_err();
        assert_eq!(error(None, None), "needs either factors or extents");
        assert_eq!(error(Some(&two), Some(&one)), "needs either factors or extents");
        assert_eq!(error(Some(&three), None), "input 2 has shape [3]: expected [2]");
        assert_eq!(by(0.0), "cannot resize by a factor of 0");
        assert_eq!(by(f64::NAN), "cannot resize by a factor of NaN");
        assert_eq!(by(1e9), "5 elements times 1000000000 are too many for an axis");
        assert_eq!(error(None, Some(&integers(&[1, -1]))), "input 3 holds -1: expected no negative number");
        let crop = Resize { coordinates: Coordinates::CropAndResize, ..spatial() };
        assert_eq!(shape(&crop, None, Some(&two), None).unwrap_err(), "input 1 is missing");
        assert_eq!(shape(&crop, Some(&two), Some(&two), None).unwrap_err(), "input 1 has shape [2]: expected [4]");
        let attributes = Attributes::new().with("mode", "cubic").with("cubic_coeff_a", f32::NAN);
        let error = build("", "Resize", &attributes, 3, 1).unwrap_err().cause.to_string();
        assert_eq!(error, "attribute cubic_coeff_a is NaN: expected a finite number");
        let truths = Fact::new(DType::Bool, [2, 2]);
        let linear = Resize { interpolation: Interpolation::Linear, ..Resize::default() };
        let error = infer(&linear, "node", &[Some(&truths), None, Some(&two)]).unwrap_err().cause.to_string();
        assert!(error.starts_with("input 0 is bool"), "{error}");
    }

    #[test]
    fn factors_are_of_the_region() {
        let x = Tensor::from_slice(&[0.0_f32, 1.0, 2.0, 3.0, 4.0], &[5]).unwrap();
        let list = |list: &[f32]| Tensor::from_slice(list, &[list.len() as i64]).unwrap();
        let crop = Resize {
            coordinates: Coordinates::CropAndResize,
            interpolation: Interpolation::Linear,
            extrapolation: -1.0,
            ..Resize::default()
        };
        let context = Context::new().unwrap();
        let resized = |region: &[f32], factor: f32| {
            let resized = context.run(&crop, &[Some(&x), Some(&list(region)), Some(&list(&[factor]))]).unwrap();
            resized[0].to_vec::<f32>().unwrap()
        };
        // Five elements of which 0.4 are taken are two, and twice as many four.
        assert_eq!(resized(&[0.0, 0.4], 1.0), [0.0, 1.6]);
        assert_eq!(resized(&[0.0, 0.75], 1.0), [0.0, 1.5, 3.0]);
        assert_eq!(resized(&[0.5, 1.5], 0.6), [2.0, 4.0, -1.0]);
        // As long as the operand, but of a part of it.
        assert_eq!(resized(&[0.25, 0.75], 2.0), [1.0, 1.5, 2.0, 2.5, 3.0]);
    }

    #[test]
    fn the_nearest_truth_is_taken() {
        use stratal_tensor_base::Bool;
        let x = Tensor::from_slice(&[Bool::TRUE, Bool::FALSE], &[2]).unwrap();
        let factor = Tensor::from_slice(&[2.0_f32], &[1]).unwrap();
        let resized = Context::new().unwrap().run(&Resize::default(), &[Some(&x), None, Some(&factor)]).unwrap();
        assert_eq!(resized[0].to_vec::<Bool>().unwrap(), [true, true, false, false].map(Bool::from));
    }
}
