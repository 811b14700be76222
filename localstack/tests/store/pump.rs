//! The pump on a real stream, with a function that does as its test says. Cases O03, O07, O08.

mod batches;
mod limits;
mod script;
mod trimming;
