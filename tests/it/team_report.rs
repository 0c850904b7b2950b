//! Tests of a team that has ended: diagram, replay, files, and share link.

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::{
    agent::Agent,
    clerk,
    client::{Answer, Client, text_of},
    hub::{Hub, on_both},
    team,
    tokens::make,
};

/// Launches a team and returns its id once it has ended.
async fn ended(client: &Client, new: &Value) -> String {
    until_ended(client, &team::launch(client, new).await).await
}

async fn until_ended(client: &Client, id: &str) -> String {
    team::ended(client, id).await;
    id.to_owned()
}

async fn counted(client: &Client) -> String {
    ended(client, &json!({ "goal": "17 * 23", "members": ["@plexus/calc"] })).await
}

/// Creates a share link and returns its path.
async fn share(hub: &Hub, client: &Client, team: &str) -> String {
    let made = client.call(Method::POST, &format!("/teams/{team}/share"), &json!({})).await;
    let url = text_of(&made.expect(StatusCode::CREATED).json()["url"]);
    url.strip_prefix(hub.origin()).expect("an address of this hub").to_owned()
}

/// Returns the main content of a page, without the request id.
fn shown(answer: &Answer) -> String {
    let id = answer.header("x-request-id");
    let main = answer.body.split_once("<main").expect("a page").1.split_once("</main>").expect("its end").0;
    main.replace(id, "")
}

on_both! {
    async fn the_page_of_a_team_that_has_ended_tells_how_it_went(hub: &Hub) {
        let ada = hub.person("ada").await;
        let team = counted(&ada).await;
        let page = ada.get(&format!("/teams/{team}")).await.expect(StatusCode::OK);
        page.says("Report");
        page.says("<svg viewBox=");
        page.says("class=\"bar good\"");
        page.says("The goal: Done");
        page.says("Busy time");
        assert!(!page.body.contains("style="), "the policy lets no style through that stands in a page");
    }

    async fn a_team_is_told_step_by_step(hub: &Hub) {
        let ada = hub.person("ada").await;
        let team = counted(&ada).await;
        let log = ada.api(&format!("/teams/{team}/log")).await["items"].as_array().cloned().expect("a list");
        let kinds: Vec<String> = log.iter().map(|entry| text_of(&entry["event"]["kind"])).collect();
        assert_eq!(kinds, ["founded", "invited", "accepted", "said", "started", "reported", "said"], "{log:#?}");
        let rest = ada.api(&format!("/teams/{team}/log?after=4")).await["items"].clone();
        assert_eq!(rest, json!(log[5..]), "it goes on after a number");
        let step = async |number: usize| ada.get(&format!("/teams/{team}/replay?step={number}")).await.expect(StatusCode::OK);
        for (number, words) in [
            (0, "Team created."),
            (2, "@plexus/calc joined."),
            (3, "@plexus/calc assigned work and waits for the result: The goal to @plexus/calc."),
            (5, "The goal: done."),
            (6, "@plexus/calc wrote the answer."),
        ] {
            step(number).await.says(words);
        }
        let waiting = step(4).await;
        waiting.says("Waiting for results");
        waiting.says(&format!("/teams/{team}/replay?step=5"));
        assert!(!waiting.body.contains("391"), "what comes later is not shown");
        assert!(!waiting.body.contains("data-live=\"") && !waiting.body.contains("Stop team"), "the past is only looked at");
        let last = step(99).await;
        last.says("391");
        assert!(!last.body.contains("step=7"), "nothing comes after the last");
        let at = ada.api(&format!("/teams/{team}?log_seq=4")).await;
        assert_eq!((&at["phase"], &at["answer"], &at["log_seq"]), (&json!("waiting"), &Value::Null, &json!(4)), "{at:#}");
        let eve = hub.person("eve").await;
        eve.get(&format!("/teams/{team}/replay?step=1")).await.expect(StatusCode::NOT_FOUND);
        for path in [format!("/api/v1/teams/{team}/log"), format!("/api/v1/teams/{team}?log_seq=1")] {
            eve.get(&path).await.expect(StatusCode::NOT_FOUND);
        }
    }

    async fn a_link_shows_one_team_to_anybody_until_it_is_revoked(hub: &Hub) {
        let ada = hub.person("ada").await;
        let (team, other) = (counted(&ada).await, counted(&ada).await);
        let link = share(hub, &ada, &team).await;
        let visitor = hub.visitor();
        let page = visitor.get(&link).await.expect(StatusCode::OK);
        page.says("391");
        page.says("Report");
        assert_eq!(page.header("x-robots-tag"), "noindex, nofollow");
        assert_eq!((page.header("referrer-policy"), page.header("cache-control")), ("no-referrer", "no-store"));
        page.says("name=\"robots\" content=\"noindex, nofollow\"");
        let main = shown(&page);
        for nothing in ["href=\"/@", "/teams/", &other, "<form", "Revoke", "Share"] {
            assert!(!main.contains(nothing), "a guest is shown {nothing}: {main}");
        }
        visitor.get(&format!("{link}/replay?step=3")).await.expect(StatusCode::OK).says("assigned work");
        // The link gives access to this page only.
        visitor.get(&format!("/teams/{team}")).await.expect(StatusCode::SEE_OTHER);
        visitor.get(&format!("/api/v1/teams/{team}")).await.expect(StatusCode::UNAUTHORIZED);

        // Only the hash of its secret is stored.
        let word = link.trim_start_matches("/s/");
        assert!(word.len() >= 43, "{word}");
        let kept = format!("select count(*) from team_share_links where cast(hash as text) like '%{word}%'");
        assert_eq!((hub.number("select count(*) from team_share_links").await, hub.number(&kept).await), (1, 0));

        let wrong = visitor.get(&format!("/s/{}", "A".repeat(43))).await.expect(StatusCode::NOT_FOUND);
        ada.call(Method::DELETE, &format!("/teams/{team}/share"), &json!({})).await.expect(StatusCode::NO_CONTENT);
        let revoked = visitor.get(&link).await.expect(StatusCode::NOT_FOUND);
        assert_eq!(shown(&revoked), shown(&wrong), "nobody can tell a link that was from one that never was");
        for beneath in ["/replay?step=1", "/files/x"] {
            let revoked = visitor.get(&format!("{link}{beneath}")).await.expect(StatusCode::NOT_FOUND);
            assert_eq!((shown(&revoked), revoked.header("x-robots-tag")), (shown(&wrong), "noindex, nofollow"));
        }
        ada.call(Method::DELETE, &format!("/teams/{team}/share"), &json!({})).await.expect(StatusCode::NOT_FOUND);
    }

    async fn why_a_team_was_stopped_is_between_its_owner_and_its_members(hub: &Hub) {
        let grace = hub.administrator("grace").await;
        let mut slow = Agent::start().await;
        clerk::register(&grace, &slow.url, "slow").await;
        let team = team::launch(&grace, &json!({ "goal": "For ever", "members": ["@grace/slow"] })).await;
        let _call = slow.called().await;
        let act = json!({ "action": "cancel_team", "reason": "Rumours about the harbour master." });
        grace.call(Method::POST, &format!("/teams/{team}"), &act).await.expect(StatusCode::OK);
        grace.get(&format!("/teams/{}", until_ended(&grace, &team).await)).await.says("harbour master");
        let link = share(hub, &grace, &team).await;
        let entries = grace.api(&format!("/teams/{team}/log")).await["items"].as_array().map_or(0, Vec::len);
        let steps = (0..entries).map(|step| format!("{link}/replay?step={step}"));
        for path in steps.chain([link.clone()]) {
            let page = hub.visitor().get(&path).await;
            assert!(!page.body.contains("harbour master"), "{path}: {}", page.body);
        }
        hub.visitor().get(&link).await.expect(StatusCode::OK).says("Cancelled");
    }

    async fn only_its_owner_shares_a_team_and_only_when_it_has_ended(hub: &Hub) {
        let grace = hub.administrator("grace").await;
        let team = counted(&grace).await;
        let eve = hub.person("eve").await;
        for (method, status) in [(Method::POST, StatusCode::NOT_FOUND), (Method::DELETE, StatusCode::NOT_FOUND)] {
            eve.call(method, &format!("/teams/{team}/share"), &json!({})).await.expect(status);
        }
        eve.post(&format!("/teams/{team}/share"), &[]).await.expect(StatusCode::NOT_FOUND);
        hub.visitor().post(&format!("/teams/{team}/share"), &[]).await.expect(StatusCode::UNAUTHORIZED);
        let reader = grace.with_token(&make(&grace, &["read"]).await);
        reader.call(Method::POST, &format!("/teams/{team}/share"), &json!({})).await.expect(StatusCode::FORBIDDEN);

        let mut slow = Agent::start().await;
        clerk::register(&grace, &slow.url, "slow").await;
        let new = json!({ "goal": "For ever", "members": ["@grace/slow"] });
        let open = text_of(&grace.call(Method::POST, "/teams", &new).await.expect(StatusCode::CREATED).json()["id"]);
        let call = slow.called().await;
        let refused = grace.call(Method::POST, &format!("/teams/{open}/share"), &json!({})).await;
        refused.expect(StatusCode::CONFLICT).says("still working");
        drop(call);

        // On the page: a link is shown once, a new link replaces it, and it can be revoked.
        let path = |page: &Answer| {
            let from = page.body.find("/s/").expect("a link");
            page.body[from..].chars().take_while(|c| !matches!(c, '<' | '"' | '&')).collect::<String>()
        };
        let first = path(&grace.post(&format!("/teams/{team}/share"), &[]).await.expect(StatusCode::OK));
        assert!(!grace.get(&format!("/teams/{team}")).await.body.contains("/s/"), "it is not shown again");
        let second = path(&grace.post(&format!("/teams/{team}/share"), &[]).await.expect(StatusCode::OK));
        let visitor = hub.visitor();
        visitor.get(&first).await.expect(StatusCode::NOT_FOUND);
        visitor.get(&second).await.expect(StatusCode::OK);
        grace.post(&format!("/teams/{team}/unshare"), &[]).await.expect(StatusCode::SEE_OTHER);
        visitor.get(&second).await.expect(StatusCode::NOT_FOUND);
        // Deleting the team deletes its link.
        let third = share(hub, &grace, &team).await;
        grace.call(Method::DELETE, &format!("/chats/{team}"), &json!({})).await.expect(StatusCode::NO_CONTENT);
        visitor.get(&third).await.expect(StatusCode::NOT_FOUND);
    }

    async fn a_link_tells_no_reasons_and_no_names_that_nobody_else_may_know(hub: &Hub) {
        let grace = hub.administrator("grace").await;
        let mut agents = Vec::new();
        for name in ["hushed", "foggy"] {
            let agent = Agent::start().await;
            let new = json!({ "url": agent.url, "name": name, "trust_origins": true });
            grace.call(Method::POST, "/agents", &new).await.expect(StatusCode::CREATED);
            agents.push(agent);
        }
        let members = ["@grace/hushed", "@grace/foggy", "@plexus/calc", "@nobody/here"];
        let new = json!({ "goal": "17 * 23", "members": members });
        let team = grace.call(Method::POST, "/teams", &new).await.expect(StatusCode::CREATED).json();
        for (agent, fails) in [(0, false), (1, true)] {
            let call = agents[agent].called().await;
            call.begin_task().await;
            if fails { call.fail("The database at 10.7.7.7 is down.").await } else { call.complete().await }
        }
        let id = until_ended(&grace, &text_of(&team["id"])).await;
        let own = grace.get(&format!("/teams/{id}")).await.expect(StatusCode::OK);
        own.says("10.7.7.7");
        let last = grace.api(&format!("/teams/{id}")).await["log_seq"].as_u64().expect("a number");

        let (link, visitor) = (share(hub, &grace, &id).await, hub.visitor());
        let mut shown = vec![visitor.get(&link).await.expect(StatusCode::OK)];
        for step in 0..=last {
            shown.push(visitor.get(&format!("{link}/replay?step={step}")).await.expect(StatusCode::OK));
        }
        for page in &shown {
            for secret in ["hushed", "foggy", "@nobody", "10.7.7.7", "that you can talk to"] {
                assert!(!page.body.contains(secret), "{secret}: {}", page.body);
            }
        }
        shown[0].says("@plexus/calc");
        shown[0].says("Member 2");
        shown[2].says("Invited: Member 1, Member 2, @plexus/calc, Member 4.");
    }

    async fn files_of_a_team_come_with_its_link(hub: &Hub) {
        let grace = hub.administrator("grace").await;
        let file = |words: &str| clerk::file(&format!("{words}.txt"), "text/plain", words);
        let url = clerk::serve(vec![file("boats"), clerk::words("See the file.")]).await;
        clerk::register(&grace, &url, "clerk").await;
        let other = clerk::serve(vec![file("secret")]).await;
        clerk::register(&grace, &other, "other").await;
        let team = ended(&grace, &json!({ "goal": "Count", "members": ["@grace/clerk"] })).await;
        let hidden = ended(&grace, &json!({ "goal": "Count", "members": ["@grace/other"] })).await;
        let page = grace.get(&format!("/teams/{team}")).await.expect(StatusCode::OK);
        page.says("Files and links");
        page.says("boats.txt");
        let link = share(hub, &grace, &team).await;
        let visitor = hub.visitor();
        let shown = visitor.get(&link).await.expect(StatusCode::OK);
        let href = shown.body.split('"').find(|word| word.contains("/files/")).expect("a link to the file").to_owned();
        assert!(href.starts_with(&link), "{href}");
        let got = visitor.get(&href).await.expect(StatusCode::OK);
        assert_eq!((got.body.as_str(), got.header("x-robots-tag")), ("boats", "noindex, nofollow"));
        // Files of other teams are not accessible.
        let theirs = grace.get(&format!("/teams/{hidden}")).await;
        let sha = theirs.body.split('"').find_map(|word| word.strip_prefix("/blobs/")).expect("a file").to_owned();
        visitor.get(&format!("{link}/files/{sha}")).await.expect(StatusCode::NOT_FOUND);
        visitor.get(&format!("/blobs/{sha}")).await.expect(StatusCode::SEE_OTHER);
    }
}
