//! `ReduceMin`: the gradient goes to the least element, the first of equal ones.

super::extreme::picks_first!(ReduceMin by ArgMin);
