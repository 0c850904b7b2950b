//! OpenAPI 3.1 document of `/api/v1` (spec.openapis.org), generated from the handlers.

use std::sync::LazyLock;

use axum::{http::HeaderMap, response::Response};
use utoipa::{
    Modify, OpenApi,
    openapi::{
        OpenApi as Document, PathItem, Ref,
        path::Operation,
        security::{HttpAuthScheme, HttpBuilder, SecurityScheme},
    },
};

use super::{lasting, whole};
use crate::web::{
    error::{Body, RefusedRequest},
    etag::cached,
    json_body::JSON,
};

/// Returns this OpenAPI document.
#[utoipa::path(get, path = "/openapi.json", operation_id = "openapi", tag = "Description", security(()),
    responses((status = OK, description = "An OpenAPI document.", body = Object)))]
pub async fn show(headers: HeaderMap) -> Response {
    cached(&headers, JSON, TEXT.clone().into_bytes())
}

/// The document with every operation, its parameters and responses.
pub static DOCUMENT: LazyLock<Document> = LazyLock::new(made);
static TEXT: LazyLock<String> = LazyLock::new(|| serde_json::to_string(&*DOCUMENT).unwrap_or_default());

#[derive(OpenApi)]
#[openapi(
    info(title = "Plexus", description = "The functions of the web interface for programs. See /docs/api."),
    servers((url = "/api/v1")),
    components(responses(RefusedRequest), schemas(Body)),
    modifiers(&Token)
)]
struct Base;

struct Token;

impl Modify for Token {
    fn modify(&self, document: &mut Document) {
        let words = "Create it under Settings, Tokens; it begins with plx_.";
        let scheme = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).description(Some(words)).build();
        document
            .components
            .get_or_insert_default()
            .add_security_scheme("token", SecurityScheme::Http(scheme));
    }
}

fn made() -> Document {
    let mut document = Base::openapi();
    document.merge(whole().into_openapi());
    document.merge(lasting().into_openapi());
    document.paths.paths.values_mut().flat_map(operations).for_each(add_refusals);
    document
}

fn operations(path: &mut PathItem) -> impl Iterator<Item = &mut Operation> {
    [&mut path.get, &mut path.post, &mut path.put, &mut path.patch, &mut path.delete].into_iter().flatten()
}

/// Adds the error responses that an operation can have.
fn add_refusals(operation: &mut Operation) {
    let takes = |place: &str| {
        let given = serde_json::to_value(&operation.parameters).unwrap_or_default();
        given.as_array().is_some_and(|given| given.iter().any(|one| one["in"] == place))
    };
    let needs_token = operation.security.iter().flatten().all(|way| *way != Default::default());
    let has_body = operation.request_body.is_some();
    let refusals = [
        ("400", takes("query")),
        ("401", true),
        ("403", needs_token),
        ("404", takes("path")),
        ("413", has_body),
        ("415", has_body),
        ("422", has_body || takes("query")),
        ("default", true),
    ];
    for (status, _) in refusals.into_iter().filter(|(_, applies)| *applies) {
        let said = Ref::from_response_name("RefusedRequest");
        operation.responses.responses.insert(status.to_owned(), said.into());
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn what_it_refers_to_is_there() {
        let document: Value = serde_json::from_str(&TEXT).unwrap();
        let places = TEXT.split("\"$ref\":\"#").skip(1).map(|rest| rest.split('"').next().unwrap());
        let missing: Vec<_> = places.filter(|place| document.pointer(place).is_none()).collect();
        assert_eq!(missing, Vec::<&str>::new());
    }

    #[test]
    fn every_request_has_a_name_a_summary_and_a_way_to_be_refused() {
        let document: Value = serde_json::from_str(&TEXT).unwrap();
        let mut names = Vec::new();
        for (path, item) in document["paths"].as_object().unwrap() {
            for (method, operation) in item.as_object().unwrap() {
                let place = format!("{method} {path}");
                assert!(operation["summary"].as_str().is_some_and(|words| words.ends_with('.')), "{place}");
                assert!(operation["responses"]["default"].is_object(), "{place}");
                assert!(operation["security"].is_array(), "{place}");
                names.push(operation["operationId"].as_str().unwrap().to_owned());
            }
        }
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!((names.len(), count > 20), (count, true));
    }
}
