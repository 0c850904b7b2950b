//! Tests of the hub as an agent registry: catalog, search, explore, list and lookup (ARD 0.91).

use reqwest::{Method, StatusCode, header};
use serde_json::{Value, json};

use crate::{
    client::{Answer, Client, text_of},
    hub::{Hub, on_both},
};

const CALC: &str = "urn:air:localhost:plexus:calc";

async fn post(client: &Client, path: &str, body: &Value) -> Answer {
    client.send(client.request(Method::POST, &format!("/ard/v1{path}")).json(body)).await
}

async fn search(client: &Client, body: &Value) -> Value {
    post(client, "/search", body).await.expect(StatusCode::OK).json()
}

async fn list(client: &Client, query: &str) -> Value {
    client.get(&format!("/ard/v1/agents{query}")).await.expect(StatusCode::OK).json()
}

fn identifiers(entries: &Value) -> Vec<String> {
    entries.as_array().expect("a list").iter().map(|entry| text_of(&entry["identifier"])).collect()
}

fn assert_entry(entry: &Value) {
    let identifier = text_of(&entry["identifier"]);
    let names: Vec<&str> = identifier.split(':').collect();
    assert!(identifier.starts_with("urn:air:localhost:") && names.len() >= 5, "{entry}");
    assert!(!text_of(&entry["displayName"]).is_empty() && text_of(&entry["type"]).contains('/'), "{entry}");
    assert!(entry["url"].is_string() && entry.get("data").is_none(), "{entry}");
    let queries = entry["representativeQueries"].as_array().expect("sample queries");
    assert!((2..=5).contains(&queries.len()) && queries.iter().all(Value::is_string), "{entry}");
}

/// Returns the error code of a refused request.
fn error(answer: Answer, status: StatusCode) -> String {
    let said = answer.expect(status).json();
    assert!(!text_of(&said["message"]).is_empty(), "{said}");
    text_of(&said["errorCode"])
}

on_both! {
    async fn the_catalog_lists_the_registry_and_every_agent(hub: &Hub) {
        let visitor = hub.visitor();
        let answer = visitor.get("/.well-known/ard.json").await.expect(StatusCode::OK);
        assert_eq!(answer.header("access-control-allow-origin"), "*");
        let (catalog, tag) = (answer.json(), answer.header("etag").to_owned());
        assert_eq!(catalog["specVersion"], json!("1.0"));
        assert!(!text_of(&catalog["host"]["displayName"]).is_empty());
        let entries = catalog["entries"].as_array().expect("a list");
        entries.iter().for_each(assert_entry);
        let base = format!("{}/ard/v1", hub.origin());
        assert_eq!((&entries[0]["type"], &entries[0]["url"]), (&json!("application/ai-registry+json"), &json!(base)));
        let calc = entries.iter().find(|entry| entry["identifier"] == json!(CALC)).expect("the calculator");
        assert_eq!(calc["type"], json!("application/a2a-agent-card+json"));
        let card = text_of(&calc["url"]);
        let card = visitor.get(card.strip_prefix(hub.origin()).expect("of this hub")).await.expect(StatusCode::OK);
        assert_eq!(card.json()["name"], calc["displayName"]);

        let again = visitor.request(Method::GET, "/.well-known/ard.json").header(header::IF_NONE_MATCH, tag);
        visitor.send(again).await.expect(StatusCode::NOT_MODIFIED);
        let former = visitor.get("/.well-known/ai-catalog.json").await.expect(StatusCode::OK);
        assert_eq!(former.header("content-type"), "application/ai-catalog+json");
        assert_eq!(former.json(), catalog);
        assert_eq!(visitor.get("/.well-known/ard.json?page=7").await.expect(StatusCode::OK).json()["entries"], json!([]));

        let page = visitor.get("/").await.body;
        assert!(page.contains("rel=\"ard\"") && page.contains("rel=\"ai-catalog\""), "pages lead there");
        let robots = visitor.get("/robots.txt").await.body;
        assert!(robots.contains(&format!("Agentmap: {}/.well-known/ard.json", hub.origin())), "{robots}");
    }

    async fn a_search_ranks_pages_and_filters(hub: &Hub) {
        let visitor = hub.visitor();
        let found = search(&visitor, &json!({ "query": { "text": "calculator" } })).await;
        let first = &found["results"][0];
        assert_eq!((&first["identifier"], &first["score"]), (&json!(CALC), &json!(100)));
        assert_eq!(text_of(&first["source"]), format!("{}/ard/v1", hub.origin()));
        assert_eq!(found["referrals"], json!([]));
        let alone = search(&visitor, &json!({ "query": { "text": "calculator" }, "federation": "none" })).await;
        assert_eq!((&alone["results"], alone.get("referrals")), (&found["results"], None));

        let filtered = |filter: Value| json!({ "query": { "text": "calculator", "filter": filter } });
        let mcp = search(&visitor, &filtered(json!({ "type": ["application/mcp-server-card+json"] }))).await;
        assert_eq!((&mcp["results"], mcp.get("pageToken")), (&json!([]), None));
        let tag = text_of(&first["tags"][0]);
        for filter in [
            json!({ "tags": [tag, "nothing"], "type": "application/a2a-agent-card+json" }),
            json!({ "publisher": ["localhost"], "metadata.owner": "plexus" }),
            json!({ "capabilities": first["capabilities"] }),
        ] {
            let some = search(&visitor, &filtered(filter.clone())).await;
            assert!(identifiers(&some["results"]).contains(&CALC.to_owned()), "{filter}: {some}");
        }
        let bound = json!({ "@context": { "ard": "https://agenticresourcediscovery.org/ns#" }, "text": "calculator",
                            "filter": { "ard:type": "application/a2a-agent-card+json" } });
        assert!(!identifiers(&search(&visitor, &json!({ "query": bound })).await["results"]).is_empty());

        let (mut seen, mut token) = (Vec::new(), Value::Null);
        loop {
            let mut body = json!({ "query": { "text": "a calculator or a guide that helps" }, "pageSize": 1 });
            if token.is_string() {
                body["pageToken"] = token;
            }
            let page = search(&visitor, &body).await;
            assert!(page["results"].as_array().is_some_and(|results| results.len() == 1), "{page}");
            seen.extend(identifiers(&page["results"]));
            token = page["pageToken"].clone();
            if token.is_null() {
                break;
            }
        }
        let mut once = seen.clone();
        once.sort();
        once.dedup();
        assert!(seen.len() >= 2 && once.len() == seen.len(), "{seen:?}");
    }

    async fn exploring_counts_what_is_there(hub: &Hub) {
        let visitor = hub.visitor();
        let all = list(&visitor, "").await["total"].clone();
        let facets = json!([{ "field": "type" }, { "field": "publisher" }, { "field": "tags", "limit": 1 }, { "field": "nothing" }]);
        let answer = post(&visitor, "/explore", &json!({ "resultType": { "facets": facets } })).await.expect(StatusCode::OK).json();
        assert_eq!(answer["resultType"], json!("facets"));
        let facets = &answer["facets"];
        assert_eq!(facets["type"]["buckets"], json!([{ "value": "application/a2a-agent-card+json", "count": all }]));
        assert_eq!(facets["publisher"]["buckets"], json!([{ "value": "localhost", "count": all }]));
        assert_eq!(facets["tags"]["buckets"].as_array().map(Vec::len), Some(1));
        assert!(facets["tags"]["otherCount"].as_u64().is_some_and(|rest| rest > 0), "{facets}");
        assert_eq!(facets["nothing"]["buckets"], json!([]));
        let one = json!({ "query": { "text": "calculator", "filter": { "metadata.owner": "nobody" } },
                          "resultType": { "facets": [{ "field": "type", "minCount": 2 }] } });
        let none = post(&visitor, "/explore", &one).await.expect(StatusCode::OK).json();
        assert_eq!(none["facets"]["type"]["buckets"], json!([]));
    }

    async fn lists_are_ordered_filtered_and_paged(hub: &Hub) {
        let visitor = hub.visitor();
        let whole = list(&visitor, "").await;
        let all = identifiers(&whole["items"]);
        assert_eq!(whole["total"], json!(all.len()));
        whole["items"].as_array().expect("a list").iter().for_each(assert_entry);
        let mut backwards = identifiers(&list(&visitor, "?orderBy=displayName%20DESC").await["items"]);
        backwards.reverse();
        assert_eq!(backwards, all);
        assert_eq!(list(&visitor, "?orderBy=updatedAt%20DESC,displayName").await["total"], whole["total"]);
        let first = list(&visitor, "?pageSize=1").await;
        let next = list(&visitor, &format!("?pageSize=1&pageToken={}", text_of(&first["pageToken"]))).await;
        assert_eq!([identifiers(&first["items"]), identifiers(&next["items"])].concat(), all[..2]);
        for (filter, found) in [
            ("type%20%3D%20%27application/a2a-agent-card%2Bjson%27", true),
            ("displayName%20%3D%20%27CALC%27%20AND%20createdAfter%20%3E%20%272000-01-01%27", true),
            ("publisherId%20%3D%20%27other.example,localhost%27", true),
            ("type%20%3D%20%27application/mcp-server-card%2Bjson%27", false),
            ("updatedAfter%20%3E%20%273000-01-01T00:00:00Z%27", false),
        ] {
            let some = list(&visitor, &format!("?filter={filter}")).await;
            assert_eq!(identifiers(&some["items"]).contains(&CALC.to_owned()), found, "{filter}: {some}");
        }
    }

    async fn an_entry_is_found_by_its_exact_identifier(hub: &Hub) {
        let visitor = hub.visitor();
        let path = |identifier: &str| format!("/ard/v1/agents/{identifier}");
        let answer = visitor.get(&path("urn%3Aair%3Alocalhost%3Aplexus%3Acalc")).await.expect(StatusCode::OK);
        assert!(answer.header("cache-control").contains("max-age") && !answer.header("etag").is_empty());
        let entry = answer.json();
        assert_entry(&entry);
        assert_eq!((&entry["identifier"], entry.get("score"), entry.get("source")), (&json!(CALC), None, None));
        let registry = visitor.get(&path("urn%3Aair%3Alocalhost%3Ahub%3Aregistry%3Aard")).await.expect(StatusCode::OK);
        assert_entry(&registry.json());
        for missing in ["urn:air:localhost:plexus:nobody", "urn:air:localhost:plexus:CALC", "urn:air:other.example:plexus:calc", "urn:air:a:b"] {
            assert_eq!(error(visitor.get(&path(missing)).await, StatusCode::NOT_FOUND), "NOT_FOUND", "{missing}");
        }
        for malformed in ["not-a-valid-ard-urn", "%ff", "%zz", "urn:air:localhost", "urn%253Aair%253Alocalhost%253Aplexus%253Acalc"] {
            assert_eq!(error(visitor.get(&path(malformed)).await, StatusCode::BAD_REQUEST), "INVALID_ARGUMENT", "{malformed}");
        }
    }

    async fn what_is_private_is_in_no_list(
        hub: &Hub,
        [("PLEXUS_LLM_BASE_URL", "http://127.0.0.1:9/v1"), ("PLEXUS_LLM_MODEL", "small")]
    ) {
        let ada = hub.person("ada").await;
        let secret = json!({ "name": "secret", "summary": "Hidden.", "instructions": "Be kind.", "visibility": "private" });
        ada.call(Method::POST, "/agents", &secret).await.expect(StatusCode::CREATED);
        let hidden = hub.visitor().get("/ard/v1/agents/urn:air:localhost:ada:secret").await;
        assert_eq!(error(hidden, StatusCode::NOT_FOUND), "NOT_FOUND");
        let everything = list(&hub.visitor(), "?pageSize=100").await.to_string();
        assert!(!everything.contains("secret"), "{everything}");
    }

    async fn what_cannot_be_read_is_refused(hub: &Hub) {
        let visitor = hub.visitor();
        let text = |more: Value| {
            let mut body = json!({ "query": { "text": "x" } });
            body.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
            body
        };
        for body in [
            json!([]),
            json!({}),
            json!({ "query": {} }),
            json!({ "query": { "text": " " } }),
            json!({ "query": { "text": 7 } }),
            json!({ "query": { "text": "x", "filter": [] } }),
            json!({ "query": { "text": "x", "filter": { "nobody:x": "y" } } }),
            text(json!({ "pageSize": 0 })),
            text(json!({ "pageSize": 101 })),
            text(json!({ "pageSize": "ten" })),
            text(json!({ "pageToken": "made-up" })),
            text(json!({ "federation": "always" })),
            text(json!({ "made": "up" })),
        ] {
            assert_eq!(error(post(&visitor, "/search", &body).await, StatusCode::BAD_REQUEST), "INVALID_ARGUMENT", "{body}");
        }
        for body in [json!({}), json!({ "resultType": "facets" }), json!({ "resultType": { "facets": [{}] } }),
                     json!({ "resultType": { "facets": [{ "field": "type", "limit": 0 }] } })] {
            assert_eq!(error(post(&visitor, "/explore", &body).await, StatusCode::BAD_REQUEST), "INVALID_ARGUMENT", "{body}");
        }
        for query in ["?pageSize=0", "?pageSize=x", "?pageToken=x", "?orderBy=nothing", "?filter=type%20%3D%20MCP"] {
            let refused = visitor.get(&format!("/ard/v1/agents{query}")).await;
            assert_eq!(error(refused, StatusCode::BAD_REQUEST), "INVALID_ARGUMENT", "{query}");
        }
        assert_eq!(error(visitor.get("/ard/v1/nothing").await, StatusCode::NOT_FOUND), "NOT_FOUND");
        let stranger = visitor.with_token("plx_made-up");
        assert_eq!(error(stranger.get("/ard/v1/agents").await, StatusCode::UNAUTHORIZED), "UNAUTHENTICATED");
    }
}
