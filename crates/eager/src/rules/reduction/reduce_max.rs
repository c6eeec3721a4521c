//! `ReduceMax`: the gradient goes to the greatest element, the first of equal ones.

super::extreme::picks_first!(ReduceMax by ArgMax);
