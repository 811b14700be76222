//! Versioned policies: schemas, CEL rules, provenance.
