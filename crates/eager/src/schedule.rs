//! Schedules: the rate of learning by the number of the step.

use std::f64::consts::PI;

/// The rate of learning by the number of the step, from 0 on.
///
/// A schedule is a function of the step alone, so training that goes on from a file has the same rates.
///
/// ```
/// use stratal_eager::{CosineSchedule, Schedule, Warmup};
///
/// let schedule = Warmup { steps: 10, then: CosineSchedule { first: 0.1, last: 0.0, steps: 100 } };
/// assert!((schedule.rate(4) - 0.05).abs() < 1e-12);
/// assert_eq!(schedule.rate(10), 0.1);
/// assert_eq!(schedule.rate(1000), 0.0);
/// ```
pub trait Schedule {
    /// The rate of a step.
    fn rate(&self, step: u64) -> f64;
}

/// One rate for all steps.
#[derive(Debug, Clone, Copy)]
pub struct ConstantSchedule {
    /// The rate.
    pub rate: f64,
}

/// A rate that is multiplied by a factor after every so many steps.
#[derive(Debug, Clone, Copy)]
pub struct StepSchedule {
    /// The rate at first.
    pub first: f64,
    /// After how many steps it changes; 0 counts as 1.
    pub every: u64,
    /// What it is multiplied by.
    pub factor: f64,
}

/// A rate that goes from one to another in a straight line, and stays.
#[derive(Debug, Clone, Copy)]
pub struct LinearSchedule {
    /// The rate at first.
    pub first: f64,
    /// The rate from the last step on.
    pub last: f64,
    /// How many steps that takes.
    pub steps: u64,
}

/// A rate that goes from one to another along half a cosine, and stays.
#[derive(Debug, Clone, Copy)]
pub struct CosineSchedule {
    /// The rate at first.
    pub first: f64,
    /// The rate from the last step on.
    pub last: f64,
    /// How many steps that takes.
    pub steps: u64,
}

/// Another schedule, begun by steps whose rates rise to its first one.
#[derive(Debug, Clone, Copy)]
pub struct Warmup<S> {
    /// How many steps rise; the first has a share of one in so many.
    pub steps: u64,
    /// What comes then, its steps counted from 0.
    pub then: S,
}

impl Schedule for ConstantSchedule {
    fn rate(&self, _: u64) -> f64 {
        self.rate
    }
}

impl Schedule for StepSchedule {
    fn rate(&self, step: u64) -> f64 {
        self.first * self.factor.powf((step / self.every.max(1)) as f64)
    }
}

impl Schedule for LinearSchedule {
    fn rate(&self, step: u64) -> f64 {
        let share = share(step, self.steps);
        self.first * (1.0 - share) + self.last * share
    }
}

impl Schedule for CosineSchedule {
    fn rate(&self, step: u64) -> f64 {
        let share = (1.0 - (PI * share(step, self.steps)).cos()) / 2.0;
        self.first * (1.0 - share) + self.last * share
    }
}

impl<S: Schedule> Schedule for Warmup<S> {
    fn rate(&self, step: u64) -> f64 {
        match step.checked_sub(self.steps) {
            Some(step) => self.then.rate(step),
            None => self.then.rate(0) * (step + 1) as f64 / self.steps as f64,
        }
    }
}

/// How much of the way is done.
fn share(step: u64, steps: u64) -> f64 {
    if step >= steps { 1.0 } else { step as f64 / steps as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_halve() {
        let schedule = StepSchedule { first: 0.8, every: 3, factor: 0.5 };
        let rates: Vec<f64> = (0..7).map(|step| schedule.rate(step)).collect();
        assert_eq!(rates, [0.8, 0.8, 0.8, 0.4, 0.4, 0.4, 0.2]);
    }

    #[test]
    fn lines_and_cosines_end_where_they_should() {
        let line = LinearSchedule { first: 1.0, last: 0.2, steps: 4 };
        assert!((line.rate(2) - 0.6).abs() < 1e-15);
        assert_eq!((line.rate(0), line.rate(4), line.rate(u64::MAX)), (1.0, 0.2, 0.2));
        let cosine = CosineSchedule { first: 1.0, last: 0.0, steps: 4 };
        assert!((cosine.rate(1) - (1.0 + 0.5_f64.sqrt()) / 2.0).abs() < 1e-15);
        assert_eq!(cosine.rate(4), 0.0);
        // No steps at all: the end at once.
        assert_eq!(LinearSchedule { steps: 0, ..line }.rate(0), 0.2);
    }

    #[test]
    fn a_warmup_rises_to_the_first_rate() {
        let schedule = Warmup { steps: 4, then: ConstantSchedule { rate: 0.4 } };
        let rates: Vec<f64> = (0..6).map(|step| schedule.rate(step)).collect();
        assert_eq!(rates, [0.1, 0.2, 0.30000000000000004, 0.4, 0.4, 0.4]);
        assert_eq!(Warmup { steps: 0, ..schedule }.rate(0), 0.4);
    }
}
