//! The pure protocol of Decide Once: keys, canonical form, fingerprints, records, the classifier, outbox rules.
