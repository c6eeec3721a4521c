//! The confusion table: which digits are taken for which.

use std::fmt;

/// How often each class was taken for each.
#[derive(Debug, Default)]
pub(crate) struct Confusion {
    counts: [[usize; 10]; 10],
}

impl Confusion {
    /// Of what images are and what they were taken for.
    pub(crate) fn new(are: &[i64], found: &[i64]) -> Self {
        let mut table = Self::default();
        for (&is, &found) in are.iter().zip(found) {
            table.counts[is as usize][found as usize] += 1;
        }
        table
    }
}

impl fmt::Display for Confusion {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "is \\ taken for")?;
        for class in 0..10 {
            write!(formatter, "{class:>5}")?;
        }
        for (class, counts) in self.counts.iter().enumerate() {
            write!(formatter, "\n{class:>14}")?;
            for count in counts {
                // Zeros are most of the table, and say nothing.
                if *count == 0 { write!(formatter, "    .")? } else { write!(formatter, "{count:>5}")? }
            }
        }
        Ok(())
    }
}
