//! Tests of the hub as a registry of MCP servers.

use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::{
    agent::Agent,
    agent_lists::until,
    clerk,
    client::{Client, text_of},
    hub::{Hub, on_both},
};

const OFFICIAL: &str = "io.modelcontextprotocol.registry/official";

async fn get(client: &Client, query: &str) -> Value {
    client.get(&format!("/v0.1/servers{query}")).await.expect(StatusCode::OK).json()
}

fn names(page: &Value) -> Vec<String> {
    let servers = page["servers"].as_array().expect("a list");
    assert_eq!(page["metadata"]["count"], json!(servers.len()));
    servers.iter().map(|server| text_of(&server["server"]["name"])).collect()
}

on_both! {
    async fn every_agent_that_can_be_found_is_a_server_and_so_is_the_hub(hub: &Hub) {
        let admin = hub.administrator("grace").await;
        let puppet = Agent::start().await;
        clerk::register(&admin, &puppet.url, "puppet").await;
        let visitor = hub.visitor();
        let whole = until(&visitor, "/v0.1/servers", |page| names(page).len() == 6).await;
        let whole = names(&whole);
        let own = |name: &str| format!("1.0.0.127/{name}");
        assert_eq!(whole.last(), Some(&own("hub")));
        assert!(whole.contains(&own("plexus.calc")) && whole.contains(&own("grace.puppet")), "{whole:?}");

        let (mut paged, mut cursor) = (Vec::new(), String::new());
        loop {
            let page = get(&visitor, &format!("?limit=1&cursor={cursor}")).await;
            paged.extend(names(&page));
            cursor = text_of(&page["metadata"]["nextCursor"]);
            if cursor.is_empty() {
                break;
            }
        }
        assert_eq!(paged, whole, "page by page it is the same");
        assert_eq!(names(&get(&visitor, "?search=puppet").await), [own("grace.puppet")]);
        assert_eq!(names(&get(&visitor, "?updated_since=2100-01-01T00:00:00Z").await), Vec::<String>::new());
        assert_eq!(names(&get(&visitor, "?updated_since=2020-01-01T00:00:00Z").await), whole);
        for wrong in ["?limit=0", "?limit=x", "?cursor=x", "?updated_since=then"] {
            let refused = visitor.get(&format!("/v0.1/servers{wrong}")).await.expect(StatusCode::BAD_REQUEST).json();
            assert!(refused["error"].is_string(), "{wrong}: {refused}");
        }
    }

    async fn a_server_has_versions_and_says_where_it_is(hub: &Hub) {
        let admin = hub.administrator("grace").await;
        let puppet = Agent::start().await;
        clerk::register(&admin, &puppet.url, "puppet").await;
        let visitor = hub.visitor();
        let latest = get(&visitor, "/1.0.0.127%2Fgrace.puppet/versions/latest").await;
        let server = &latest["server"];
        assert_eq!(server["remotes"][0]["url"], json!(format!("{}/mcp/grace/puppet", hub.origin())));
        assert_eq!(server["remotes"][0]["headers"][0]["isSecret"], json!(true));
        assert_eq!((&latest["_meta"][OFFICIAL]["status"], &latest["_meta"][OFFICIAL]["isLatest"]), (&json!("active"), &json!(true)));
        let same = get(&visitor, &format!("/1.0.0.127%2Fgrace.puppet/versions/{}", text_of(&server["version"]))).await;
        assert_eq!(same, latest);
        assert_eq!(names(&get(&visitor, "/1.0.0.127%2Fgrace.puppet/versions").await).len(), 1);
        let calc = get(&visitor, "/1.0.0.127%2Fplexus.calc/versions/latest").await;
        assert_eq!(calc["server"]["remotes"][0].get("headers"), None, "it is open to all");
        assert_eq!(names(&get(&visitor, "/1.0.0.127%2Fhub/versions").await).len(), 1);
        for missing in ["org.example%2Fgrace.puppet/versions", "1.0.0.127%2Fgrace.none/versions", "1.0.0.127%2Fgrace.puppet/versions/9.9.9", "%2F/versions", "1.0.0.127%2Fx/versions"] {
            let answer = visitor.get(&format!("/v0.1/servers/{missing}")).await.expect(StatusCode::NOT_FOUND).json();
            assert!(answer["error"].is_string(), "{missing}");
        }
    }
}
