//! `/openapi.json` as a stack serves it, and whether an answer is one that it describes.

use http::Method;
use serde_json::{Value, json};

use crate::{Answer, Stack};

/// The description of the API.
#[derive(Debug)]
pub struct Description(Value);

impl Description {
    /// As the stack serves it.
    ///
    /// # Panics
    /// It serves none.
    pub async fn of(stack: &Stack) -> Self {
        Self(stack.get("/openapi.json").send().await.expect(200).json())
    }

    /// The answer has a status, a media type, headers and a body that are described for its resource and method. What is asked of a resource, or with a method,
    /// that there is none of, is described once for all.
    ///
    /// # Panics
    /// It is not.
    #[track_caller]
    pub fn holds_for(&self, method: &Method, path: &str, answer: &Answer) {
        let path = path.split('?').next().unwrap_or_default();
        let at = match (self.template(path), answer.status.as_u16()) {
            (None, 404) => "/components/responses/RouteUnknown".to_owned(),
            (Some(_), 405) => "/components/responses/MethodNotAllowed".to_owned(),
            (Some(template), status) => {
                let described = if method == Method::HEAD {
                    "get".to_owned()
                } else {
                    method.as_str().to_ascii_lowercase()
                };
                let template = template.replace('~', "~0").replace('/', "~1");
                format!("/paths/{template}/{described}/responses/{status}")
            }
            (None, _) => panic!("{path} is not described: {answer:?}"),
        };
        let response = self.0.pointer(&at);
        let response = response.unwrap_or_else(|| panic!("{at} is missing for {answer:?}"));
        for (name, header) in response["headers"].as_object().into_iter().flatten() {
            self.header_holds(name, self.resolved(header), answer);
        }
        let media_type = answer.header("content-type").unwrap_or_default();
        let content = &response["content"][media_type];
        assert!(content.is_object(), "{at} has no {media_type}: {answer:?}");
        if method != Method::HEAD {
            self.meets(&at, &content["schema"], &answer.json());
        }
    }

    #[track_caller]
    fn header_holds(&self, name: &str, header: &Value, answer: &Answer) {
        let Some(value) = answer.header(name) else {
            assert_ne!(header["required"], true, "no {name} in {answer:?}");
            return;
        };
        let schema = &header["schema"];
        let value = match schema["type"].as_str() {
            Some("integer") => json!(value.parse::<i64>().unwrap()),
            _ => json!(value),
        };
        let validator = jsonschema::validator_for(schema).unwrap();
        assert!(validator.is_valid(&value), "{name}: {value} in {answer:?}");
    }

    /// Schemas refer to each other within the document.
    #[track_caller]
    fn meets(&self, at: &str, schema: &Value, body: &Value) {
        let schema = json!({ "allOf": [schema], "components": self.0["components"] });
        let validator = jsonschema::validator_for(&schema).unwrap();
        if let Err(error) = validator.validate(body) {
            panic!("{at}: {error} in {body}");
        }
    }

    fn resolved<'a>(&'a self, value: &'a Value) -> &'a Value {
        match value["$ref"].as_str() {
            Some(target) => self.0.pointer(target.trim_start_matches('#')).unwrap(),
            None => value,
        }
    }

    /// The described path that `path` is one of.
    fn template(&self, path: &str) -> Option<&str> {
        let described = self.0["paths"].as_object().unwrap().keys();
        described.map(String::as_str).find(|template| {
            let (mut named, mut asked) = (template.split('/'), path.split('/'));
            named.clone().count() == asked.clone().count()
                && named.all(|part| {
                    let here = asked.next().unwrap_or_default();
                    part == here || (part.starts_with('{') && !here.is_empty())
                })
        })
    }
}
