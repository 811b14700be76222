//! The description of this API for tools (OpenAPI 3.1), checked against the code by the tests below.

/// The document, as `GET /openapi.json` answers it.
pub(crate) const DOCUMENT: &str = include_str!("../openapi.json");

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

    use std::collections::BTreeSet;

    use decide_once_service::problem::Kind;
    use decide_once_service::profile::Profile;
    use serde_json::Value;

    use super::DOCUMENT;
    use crate::path::Resource;

    fn document() -> Value {
        serde_json::from_str(DOCUMENT).unwrap()
    }

    /// Every operation: path, method, and itself.
    fn operations(document: &Value) -> Vec<(&String, &String, &Value)> {
        let paths = document["paths"].as_object().unwrap();
        paths
            .iter()
            .flat_map(|(path, methods)| {
                let methods = methods.as_object().unwrap();
                methods
                    .iter()
                    .map(move |(method, operation)| (path, method, operation))
            })
            .collect()
    }

    /// The path with the example of each parameter.
    fn example_path(path: &str, operation: &Value) -> String {
        let mut filled = path.to_owned();
        for parameter in operation["parameters"].as_array().into_iter().flatten() {
            if parameter["in"] == "path" {
                let name = parameter["name"].as_str().unwrap();
                let example = parameter["example"].as_str().unwrap();
                filled = filled.replace(&format!("{{{name}}}"), example);
            }
        }
        filled
    }

    #[test]
    fn the_documents_paths_and_methods_are_the_codes() {
        let document = document();
        let mut described = BTreeSet::new();
        for (path, method, operation) in operations(&document) {
            let example = example_path(path, operation);
            let resource = Resource::parse(&example).unwrap();
            assert_eq!(resource.template(), path, "{example}");
            // `HEAD` follows from `GET` and is not described apart.
            let described_method = method.to_ascii_uppercase();
            let methods = resource.methods().trim_end_matches(", HEAD");
            assert_eq!(methods, described_method, "{path}");
            // An example is an id that can be, not one that is unknown by its form.
            assert!(
                !matches!(
                    resource,
                    Resource::Decision(None) | Resource::Operation(None) | Resource::Policy(None)
                ),
                "{example}"
            );
            described.insert(resource.template());
        }
        let all = [
            Resource::Decisions,
            Resource::Decision(None),
            Resource::Operation(None),
            Resource::Policies,
            Resource::Policy(None),
            Resource::OpenApi,
            Resource::Health,
        ];
        assert_eq!(described, all.iter().map(Resource::template).collect());
    }

    /// Every example of a problem, with the status under which it stands.
    fn problems(document: &Value) -> Vec<(Option<u16>, &String, &Value)> {
        let mut found = Vec::new();
        for (_, _, operation) in operations(document) {
            for (status, response) in operation["responses"].as_object().unwrap() {
                let examples = &response["content"]["application/problem+json"]["examples"];
                for (code, example) in examples.as_object().into_iter().flatten() {
                    found.push((Some(status.parse().unwrap()), code, &example["value"]));
                }
            }
        }
        for response in document["components"]["responses"]
            .as_object()
            .unwrap()
            .values()
        {
            let examples = &response["content"]["application/problem+json"]["examples"];
            for (code, example) in examples.as_object().into_iter().flatten() {
                found.push((None, code, &example["value"]));
            }
        }
        found
    }

    #[test]
    fn the_documents_problems_are_the_codes() {
        let document = document();
        let kinds = Kind::every();
        let codes: BTreeSet<_> = kinds.iter().map(|kind| kind.code().to_owned()).collect();
        let mut described = BTreeSet::new();
        for (status, code, example) in problems(&document) {
            let kind = kinds.iter().find(|kind| kind.code() == code).unwrap();
            assert_eq!(example["type"], format!("urn:decide-once:problem:{code}"));
            assert_eq!(example["title"], kind.title(), "{code}");
            assert_eq!(example["retry"], kind.retry().as_str(), "{code}");
            assert_eq!(example["status"], kind.status(Profile::Default), "{code}");
            assert!(
                status.is_none_or(|status| status == kind.status(Profile::Default)),
                "{code}"
            );
            described.insert(code.clone());
        }
        assert_eq!(described, codes);
        let schema = &document["components"]["schemas"]["Problem"]["properties"]["type"]["enum"];
        let types = schema.as_array().unwrap().iter();
        let types: BTreeSet<_> = types.map(|urn| urn.as_str().unwrap()).collect();
        let expected: BTreeSet<_> = codes
            .iter()
            .map(|code| format!("urn:decide-once:problem:{code}"))
            .collect();
        assert_eq!(types, expected.iter().map(String::as_str).collect());
    }

    #[test]
    fn every_problem_has_a_section_in_the_docs() {
        let text = include_str!("../../../docs/problems.md");
        let sections: BTreeSet<_> = text
            .lines()
            .filter_map(|line| line.strip_prefix("## urn:decide-once:problem:"))
            .collect();
        assert_eq!(sections, Kind::every().iter().map(Kind::code).collect());
    }

    #[test]
    fn every_reference_leads_somewhere() {
        fn check(document: &Value, value: &Value) {
            match value {
                Value::Object(members) => {
                    if let Some(Value::String(target)) = members.get("$ref") {
                        let pointer = target.strip_prefix('#').unwrap();
                        assert!(document.pointer(pointer).is_some(), "{target}");
                    }
                    members.values().for_each(|member| check(document, member));
                }
                Value::Array(items) => items.iter().for_each(|item| check(document, item)),
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
            }
        }
        let document = document();
        check(&document, &document);
    }
}
