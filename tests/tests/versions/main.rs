//! Old and new code together: what a deploy mixes up, in both directions, on one set of tables.
//!
//! Real function processes over DynamoDB's API. The other release is played by what it leaves in the tables, past the functions: an item of a
//! layout that does not exist yet ([`newer`]), the items that version 1 has left in a file ([`older`]), an attribute that only a later
//! release knows ([`unknown`]). [`rollout`] has two stacks on one directory, and a newer release at work on what an older one holds.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod newer;
mod older;
mod rollout;
mod support;
mod unknown;
