//! Tests of the use and cost of models: reports of the hub and of accounts, files, and the monthly budget.

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::{
    hub::{Hub, on_both},
    model_settings::{ask, connect, create_agent, model_server, set_model},
};

on_both! {
    async fn answers_are_summed_by_day_model_account_and_agent(hub: &Hub) {
        let (grace, bob, eve) = (hub.administrator("grace").await, hub.person("bob").await, hub.person("eve").await);
        connect(&grace, "cellar", &model_server("cellar").await, &[("price", "1/2")]).await;
        set_model(&grace, "large", &[("price", "1000/1000")]).await.expect(StatusCode::SEE_OTHER);
        create_agent(&grace, "clerk", "cellar/small").await.expect(StatusCode::CREATED);
        create_agent(&bob, "scribe", "cellar/large").await.expect(StatusCode::CREATED);
        grace.get("/admin/usage").await.expect(StatusCode::OK).says("No use in this period");
        for agent in ["@grace/clerk", "@grace/clerk", "@bob/scribe"] {
            ask(&bob, agent).await;
        }
        ask(&eve, "@bob/scribe").await;
        // Another connector uses no model.
        ask(&eve, "@plexus/calc").await;

        let own = bob.api("/usage?days=7").await;
        assert_eq!(own["total"], json!({ "answers": 3, "tokens_in": 300, "tokens_out": 60, "cost_micro": 120_280 }));
        let days = own["by_day"].as_array().expect("a list");
        assert_eq!((days.len(), &days[6]["tokens_in"], &days[0]["answers"]), (7, &json!(300), &json!(0)));
        let entry = |name: Value, answers: u64, cost: u64| {
            json!({ "name": name, "answers": answers, "tokens_in": answers * 100, "tokens_out": answers * 20,
                    "cost_micro": cost })
        };
        let expected = json!([entry(json!("cellar/small"), 2, 280), entry(json!("cellar/large"), 1, 120_000)]);
        assert_eq!(own["by_model"], expected);
        assert_eq!(own["by_account"], json!([]));
        let of_hub = grace.api("/usage?of=hub").await;
        assert_eq!(of_hub["by_provider"], json!([entry(json!("cellar"), 4, 240_280)]));
        assert_eq!(of_hub["by_account"], json!([entry(json!("bob"), 3, 120_280), entry(json!("eve"), 1, 120_000)]));
        assert_eq!(of_hub["by_agent"][0]["answers"], json!(2));
        bob.get("/api/v1/usage?of=hub").await.expect(StatusCode::FORBIDDEN);
        bob.get("/api/v1/usage?days=8").await.expect(StatusCode::UNPROCESSABLE_ENTITY);

        let page = grace.get("/admin/usage?days=7").await.expect(StatusCode::OK);
        for words in ["480", "0.24028", "cellar/large", "/admin/users?q=bob", "@bob/scribe", "role=\"img\""] {
            page.says(words);
        }
        let page = bob.get("/settings/usage").await.expect(StatusCode::OK);
        page.says("0.12028");
        assert!(!page.body.contains("By user"));
        let csv = grace.get("/admin/usage/csv?days=7").await.expect(StatusCode::OK);
        assert_eq!(csv.header("content-type"), "text/csv; charset=utf-8");
        let lines: Vec<&str> = csv.body.lines().collect();
        assert_eq!((lines.len(), lines[0]), (4, "day,provider,model,user,agent,answers,input_tokens,output_tokens,cost"));
        assert!(lines.iter().any(|line| line.ends_with(",\"cellar\",\"small\",\"bob\",\"'@grace/clerk\",2,200,40,0.00028")));
        let own = bob.get("/settings/usage/csv").await.expect(StatusCode::OK);
        assert!(!own.body.contains("\"eve\""), "{}", own.body);
        bob.get("/admin/usage/csv").await.expect(StatusCode::FORBIDDEN);
        hub.visitor().get("/settings/usage").await.expect(StatusCode::SEE_OTHER);
    }

    async fn a_used_up_budget_is_shown_to_administrators_and_stops_priced_models(hub: &Hub) {
        let (grace, bob) = (hub.administrator("grace").await, hub.person("bob").await);
        connect(&grace, "cellar", &model_server("cellar").await, &[("price", "1/2")]).await;
        set_model(&grace, "large", &[("price", "0/0")]).await.expect(StatusCode::SEE_OTHER);
        create_agent(&grace, "clerk", "cellar/small").await.expect(StatusCode::CREATED);
        create_agent(&grace, "free", "cellar/large").await.expect(StatusCode::CREATED);
        let budget = async |fields: &[(&str, &str)]| grace.post("/admin/usage", fields).await;
        for (field, value, words) in [
            ("amount", "-1", "Enter an amount above 0"),
            ("amount", "0", "Enter an amount above 0"),
            ("alert_percents", "80, lots", "percentages from 1 to 1000"),
        ] {
            budget(&[(field, value)]).await.expect(StatusCode::UNPROCESSABLE_ENTITY).says(words);
        }
        let fields = [("amount", "0.0002"), ("alert_percents", "50, 100"), ("stops_models", "yes")];
        budget(&fields).await.expect(StatusCode::SEE_OTHER);
        assert!(!grace.get("/admin").await.body.contains("Models have cost"));
        assert_eq!(ask(&bob, "@grace/clerk").await, "small at cellar");
        grace.get("/admin").await.expect(StatusCode::OK).says("Models have cost 0.00014 this month, 70 % of the budget of 0.0002.");
        assert!(!bob.get("/").await.body.contains("Models have cost"), "for administrators only");
        assert_eq!(hub.number("select alerted_percent from model_budget").await, 50);

        assert_eq!(ask(&bob, "@grace/clerk").await, "small at cellar");
        assert_eq!(hub.number("select alerted_percent from model_budget").await, 100);
        grace.get("/").await.expect(StatusCode::OK).says("Models with a price are stopped until the next month.");
        let words = ask(&bob, "@grace/clerk").await;
        assert!(words.starts_with("This hub has used its model budget of this month."), "{words}");
        assert_eq!(ask(&bob, "@grace/free").await, "large at cellar");

        budget(&[("amount", "0.0002"), ("alert_percents", "100"), ("stops_models", "no")]).await.expect(StatusCode::SEE_OTHER);
        assert_eq!(ask(&bob, "@grace/clerk").await, "small at cellar");
        budget(&[("amount", "")]).await.expect(StatusCode::SEE_OTHER);
        assert!(!grace.get("/admin").await.body.contains("Models have cost"));
        bob.post("/admin/usage", &[("amount", "5")]).await.expect(StatusCode::FORBIDDEN);
        grace.get("/admin/audit").await.expect(StatusCode::OK).says("model_budget.change");
    }

    async fn a_deleted_account_keeps_its_sums_without_a_name(hub: &Hub) {
        let (grace, bob) = (hub.administrator("grace").await, hub.person("bob").await);
        connect(&grace, "cellar", &model_server("cellar").await, &[]).await;
        create_agent(&grace, "clerk", "cellar/small").await.expect(StatusCode::CREATED);
        ask(&bob, "@grace/clerk").await;
        hub.sql("update accounts set state = 'deleted' where id in (select account from model_usage)").await;
        let report = grace.api("/usage?of=hub").await;
        assert_eq!(report["by_account"][0]["name"], Value::Null);
        let page = grace.get("/admin/usage").await.expect(StatusCode::OK);
        page.says("Deleted");
        grace.call(Method::DELETE, "/agents/@grace/clerk", &json!({})).await.expect(StatusCode::NO_CONTENT);
        grace.get("/admin/usage").await.expect(StatusCode::OK).says("@grace/clerk");
    }
}
