//! A loopback proxy before the engine: it counts calls by API operation and, when armed, answers as a store in trouble would.
