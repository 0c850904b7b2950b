//! Tests of sign-up, sign-in and sign-out, sessions, and account deletion.

use reqwest::StatusCode;

use crate::{
    client::{Client, PASSWORD},
    hub::{Hub, on_both},
};

const ANOTHER: &str = "a fresh password of several words";

on_both! {
    async fn the_first_administrators_link_works_once(hub: &Hub) {
        let link = hub.first_administrator_link().await.expect("nobody administers the hub");
        let path = link.strip_prefix(hub.origin()).expect("a link to this hub");
        let token = path.split_once("admin=").expect("a token").1;

        let admin = hub.visitor();
        admin.get(path).await.expect(StatusCode::OK).says(token);
        let fields = [("name", "root-ada"), ("password", PASSWORD), ("admin", token)];
        admin.post("/signup", &fields).await.expect(StatusCode::SEE_OTHER);
        admin.get("/").await.expect(StatusCode::OK).says("root-ada");

        let late = hub.visitor();
        let fields = [("name", "late"), ("password", PASSWORD), ("admin", token)];
        late.post("/signup", &fields).await.expect(StatusCode::FORBIDDEN).says("This link is used");
        assert!(!late.get(path).await.body.contains(token), "a dead link looks like the usual sign-up");
        assert!(hub.first_administrator_link().await.is_none());
        late.sign_up("late").await;
    }

    async fn a_newer_link_kills_the_older(hub: &Hub) {
        let older = hub.first_administrator_link().await.expect("a link");
        let newer = hub.first_administrator_link().await.expect("a link");
        let sign_up = async |link: &str, name: &str| {
            let token = link.split_once("admin=").expect("a token").1;
            hub.visitor().post("/signup", &[("name", name), ("password", PASSWORD), ("admin", token)]).await
        };
        sign_up(&older, "old").await.expect(StatusCode::FORBIDDEN);
        sign_up(&newer, "new").await.expect(StatusCode::SEE_OTHER);
    }

    async fn signing_in_says_the_same_of_a_wrong_password_and_an_unknown_name(hub: &Hub) {
        let ada = hub.person("ada").await;
        assert!(ada.is_signed_in().await);
        ada.post("/logout", &[]).await.expect(StatusCode::SEE_OTHER);
        assert!(!ada.is_signed_in().await);

        let wrong = ada.sign_in("ada", "not the right password").await.expect(StatusCode::UNPROCESSABLE_ENTITY);
        let unknown = ada.sign_in("eve", "not the right password").await.expect(StatusCode::UNPROCESSABLE_ENTITY);
        for answer in [&wrong, &unknown] {
            answer.says("Incorrect name or password.");
        }
        assert!(wrong.body.contains("value=\"ada\""), "the name is kept");
        assert!(!wrong.body.contains("not the right password"), "the password is not");

        ada.sign_in("ADA", PASSWORD).await.expect(StatusCode::SEE_OTHER);
        assert!(ada.is_signed_in().await);
    }

    async fn a_session_that_is_signed_out_is_dead_in_every_copy(hub: &Hub) {
        let ada = hub.person("ada").await;
        let copy = ada.at(hub.origin());
        assert!(copy.is_signed_in().await);
        ada.post("/logout", &[]).await.expect(StatusCode::SEE_OTHER);
        assert!(!copy.is_signed_in().await);
    }

    async fn a_new_password_ends_the_other_sessions(hub: &Hub) {
        let ada = hub.person("ada").await;
        let other = hub.visitor();
        other.sign_in("ada", PASSWORD).await.expect(StatusCode::SEE_OTHER);

        let wrong = [("current", "not the right password"), ("password", ANOTHER)];
        let refused = ada.post("/settings/account/password", &wrong).await.expect(StatusCode::UNPROCESSABLE_ENTITY);
        refused.says("current password is incorrect");
        refused.says("id=\"f-password-current-error\"");
        let short = ada.post("/settings/account/password", &[("current", PASSWORD), ("password", "short")]).await;
        short.expect(StatusCode::UNPROCESSABLE_ENTITY).says("at least 15 characters");
        assert!(other.is_signed_in().await);

        let right = [("current", PASSWORD), ("password", ANOTHER)];
        ada.post("/settings/account/password", &right).await.expect(StatusCode::SEE_OTHER);
        assert!(ada.is_signed_in().await && !other.is_signed_in().await);
        other.sign_in("ada", PASSWORD).await.expect(StatusCode::UNPROCESSABLE_ENTITY);
        other.sign_in("ada", ANOTHER).await.expect(StatusCode::SEE_OTHER);
    }

    async fn sessions_are_listed_and_revoked_by_their_owner_only(hub: &Hub) {
        let ada = hub.person("ada").await;
        let (second, third) = (hub.visitor(), hub.visitor());
        for other in [&second, &third] {
            other.sign_in("ada", PASSWORD).await.expect(StatusCode::SEE_OTHER);
        }
        let listed = sessions(&ada).await;
        assert_eq!(listed.len(), 2, "its own has no button");

        let eve = hub.person("eve").await;
        eve.post("/settings/sessions/revoke", &[("id", &listed[0])]).await.expect(StatusCode::NOT_FOUND);
        assert_eq!(sessions(&ada).await.len(), 2);

        ada.post("/settings/sessions/revoke", &[("id", &listed[0])]).await.expect(StatusCode::SEE_OTHER);
        let left = [second.is_signed_in().await, third.is_signed_in().await];
        assert_eq!(left.iter().filter(|signed_in| **signed_in).count(), 1);

        ada.post("/settings/sessions/revoke", &[("id", "others")]).await.expect(StatusCode::SEE_OTHER);
        assert!(!second.is_signed_in().await && !third.is_signed_in().await);
        assert!(ada.is_signed_in().await && eve.is_signed_in().await);
    }

    async fn a_session_ends_by_itself(hub: &Hub) {
        let ada = hub.person("ada").await;
        assert!(ada.is_signed_in().await);
        hub.sql("update sessions set last_seen_at = last_seen_at - 1296000000").await;
        assert!(!ada.is_signed_in().await, "after two weeks without a visit");
        ada.sign_in("ada", PASSWORD).await.expect(StatusCode::SEE_OTHER);
        hub.sql("update sessions set created_at = created_at - 2678400000").await;
        assert!(!ada.is_signed_in().await, "after a month, however often it was used");
    }

    async fn an_account_that_is_deleted_leaves_its_name_taken(hub: &Hub) {
        let ada = hub.person("ada").await;
        let said = ada.begin("@plexus/calc", "1 + 1").await;
        let delete = async |name: &str, password: &str| {
            ada.post("/settings/account/delete", &[("name", name), ("current", password)]).await
        };
        delete("bob", PASSWORD).await.expect(StatusCode::UNPROCESSABLE_ENTITY).says("Type your name");
        let refused = delete("ada", "not the right password").await.expect(StatusCode::UNPROCESSABLE_ENTITY);
        refused.says("id=\"f-delete-current-error\"");
        delete("ada", PASSWORD).await.expect(StatusCode::SEE_OTHER);

        assert!(!ada.is_signed_in().await);
        hub.sql("update accounts set purge_at = 1 where purge_at is not null").await;
        hub.tidy().await;
        ada.sign_in("ada", PASSWORD).await.expect(StatusCode::UNPROCESSABLE_ENTITY).says("Incorrect name or \
            password");
        let again = ada.post("/signup", &[("name", "Ada"), ("password", PASSWORD)]).await;
        again.expect(StatusCode::UNPROCESSABLE_ENTITY).says("This name is taken.");
        hub.visitor().get("/@ada").await.expect(StatusCode::NOT_FOUND);
        let bob = hub.person("bob").await;
        bob.get(&format!("/api/v1/chats/{}", said.chat)).await.expect(StatusCode::NOT_FOUND);
    }

    async fn the_only_administrator_stays(hub: &Hub) {
        let admin = hub.administrator("boss").await;
        let refused = admin.post("/settings/account/delete", &[("name", "boss"), ("current", PASSWORD)]).await;
        refused.expect(StatusCode::CONFLICT).says("You are the only administrator.");
        assert!(admin.is_signed_in().await);
    }

    async fn names_that_cannot_be_given_are_refused_at_their_field(hub: &Hub) {
        let visitor = hub.visitor();
        for name in ["plexus", "admin", "a b", "", "<b>", "ünicode", &"x".repeat(60)] {
            let answer = visitor.post("/signup", &[("name", name), ("password", PASSWORD)]).await;
            answer.expect(StatusCode::UNPROCESSABLE_ENTITY).says("id=\"f-name-error\"");
        }
    }

    async fn each_wrong_field_of_a_sign_up_is_named(hub: &Hub) {
        let page = hub.visitor().post("/signup", &[("name", "a b"), ("password", "short")]).await;
        let page = page.expect(StatusCode::UNPROCESSABLE_ENTITY);
        page.says("Please correct the errors below");
        page.says("A name has only the letters a to z, digits, hyphens and underscores.");
        page.says("id=\"f-name-error\"");
        page.says("Use at least 15 characters");
        page.says("id=\"f-password-error\"");
    }

    async fn an_account_that_was_used_is_not_listed_as_never_seen(hub: &Hub) {
        let admin = hub.administrator("grace").await;
        let ada = hub.person("ada").await;
        let other = ada.at(hub.origin());
        other.sign_in("ada", PASSWORD).await.expect(StatusCode::SEE_OTHER);
        ada.post("/logout", &[]).await.expect(StatusCode::SEE_OTHER);
        other.post("/logout", &[]).await.expect(StatusCode::SEE_OTHER);
        assert!(!admin.get("/admin/users").await.expect(StatusCode::OK).body.contains("Never"));
        let bob = hub.person("bob").await;
        bob.post("/settings/account/password", &[("current", PASSWORD), ("password", ANOTHER)]).await;
        hub.sql("delete from sessions where account = (select a.id from accounts a join namespaces n \
                 on n.id = a.namespace where n.name = 'bob')").await;
        let page = admin.get("/admin/users").await;
        assert!(!page.body.contains("Never"), "the sessions that a new password ended count");
    }

    async fn a_closed_hub_takes_nobody(hub: &Hub, [("PLEXUS_REGISTRATION", "closed")]) {
        let visitor = hub.visitor();
        let page = visitor.get("/signup").await.expect(StatusCode::OK);
        assert!(!page.body.contains("name=\"password\""), "there is nothing to fill in");
        let refused = visitor.post("/signup", &[("name", "ada"), ("password", PASSWORD)]).await;
        refused.expect(StatusCode::FORBIDDEN).says("Registration is closed");
    }

    async fn a_hub_by_invitation_asks_for_one(hub: &Hub, [("PLEXUS_REGISTRATION", "invite")]) {
        let visitor = hub.visitor();
        visitor.get("/signup").await.expect(StatusCode::OK);
        for invite in ["", "made-up"] {
            let fields = [("name", "ada"), ("password", PASSWORD), ("invite", invite)];
            visitor.post("/signup", &fields).await.expect(StatusCode::UNPROCESSABLE_ENTITY).says("invitation");
        }
        assert!(!visitor.is_signed_in().await);
    }

    async fn a_hub_with_approval_lets_people_wait(hub: &Hub, [("PLEXUS_REGISTRATION", "approval")]) {
        let ada = hub.visitor();
        ada.post("/signup", &[("name", "ada"), ("password", PASSWORD)]).await.expect(StatusCode::OK);
        assert!(!ada.is_signed_in().await);
        ada.sign_in("ada", PASSWORD).await.expect(StatusCode::FORBIDDEN).says("approve");
        hub.sql("update accounts set state = 'active' where state = 'pending'").await;
        ada.sign_in("ada", PASSWORD).await.expect(StatusCode::SEE_OTHER);
    }

    async fn a_sign_up_that_waits_for_approval_leads_where_it_began(hub: &Hub, [("PLEXUS_REGISTRATION", "approval")]) {
        let (ada, next) = (hub.visitor(), "/chat?to=@plexus/calc&text=1+%2B+1");
        let waiting = ada.post("/signup", &[("name", "ada"), ("password", PASSWORD), ("next", next)]).await;
        waiting.expect(StatusCode::OK).says("href=\"/login?next=%2Fchat%3Fto%3D");
        hub.sql("update accounts set state = 'active' where state = 'pending'").await;
        assert_eq!(ada.sign_in("ada", PASSWORD).await.expect(StatusCode::SEE_OTHER).location(), next);
        assert_eq!(ada.sign_in("ada", PASSWORD).await.expect(StatusCode::SEE_OTHER).location(), "/", "only once");
        let elsewhere = [("name", "eve"), ("password", PASSWORD), ("next", "//example.org")];
        let eve = hub.visitor();
        eve.post("/signup", &elsewhere).await.expect(StatusCode::OK);
        hub.sql("update accounts set state = 'active' where state = 'pending'").await;
        assert_eq!(eve.sign_in("eve", PASSWORD).await.expect(StatusCode::SEE_OTHER).location(), "/");
    }

    async fn an_invitation_leads_where_the_sign_up_began(hub: &Hub, [("PLEXUS_REGISTRATION", "invite")]) {
        let (boss, ada) = (hub.administrator("boss").await, hub.visitor());
        ada.get("/signup?next=%2F%40plexus%2Fcalc").await.expect(StatusCode::OK).says("By invitation only");
        let page = boss.post("/admin/invites", &[("role", "user"), ("days", "7")]).await;
        let token = page.body.split("/signup?invite=").nth(1).and_then(|rest| rest.split(['"', '<']).next());
        let fields = [("name", "ada"), ("password", PASSWORD), ("invite", token.expect("an invitation"))];
        assert_eq!(ada.post("/signup", &fields).await.expect(StatusCode::SEE_OTHER).location(), "/@plexus/calc");
    }

    async fn two_who_take_one_name_at_once(hub: &Hub) {
        let (one, other) = (hub.visitor(), hub.visitor());
        let fields = [("name", "ada"), ("password", PASSWORD)];
        let (one, other) = tokio::join!(one.post("/signup", &fields), other.post("/signup", &fields));
        let mut got = [one.status, other.status];
        got.sort();
        assert_eq!(got, [StatusCode::SEE_OTHER, StatusCode::UNPROCESSABLE_ENTITY]);
    }
}

/// Returns the ids of the revocable sessions on the page.
async fn sessions(client: &Client) -> Vec<String> {
    let page = client.get("/settings/sessions").await.expect(StatusCode::OK).body;
    let fields = page.split("<input").filter(|input| input.contains("name=\"id\""));
    let values = fields.filter_map(|input| input.split("value=\"").nth(1)?.split('"').next());
    values.filter(|value| *value != "others").map(str::to_owned).collect()
}

on_both! {
    async fn an_administrator_creates_a_link_that_sets_a_new_password_once(hub: &Hub) {
        const NEW: &str = "seven quiet herons wade";
        let (grace, bob) = (hub.administrator("grace").await, hub.person("bob").await);
        let token = bob.api("/account").await["id"].as_str().map(str::to_owned);
        let users = grace.get("/admin/users?q=bob").await.expect(StatusCode::OK).body;
        let action = users.split("action=\"").find(|rest| rest.starts_with("/admin/users/")).expect("a row of bob");
        let action = action.split('"').next().expect("an address");
        assert!(token.is_none_or(|id| action.ends_with(&id)));
        bob.post(action, &[("action", "reset")]).await.expect(StatusCode::FORBIDDEN);
        let page = grace.post(action, &[("action", "reset")]).await.expect(StatusCode::OK).body;
        let link = page.split("/reset?token=").nth(1).and_then(|rest| rest.split(['"', '<']).next()).expect("a link");

        let visitor = hub.visitor();
        let path = format!("/reset?token={link}");
        visitor.get(&path).await.expect(StatusCode::OK).says("New password for @");
        let short = visitor.post("/reset", &[("token", link), ("password", "short")]).await;
        short.expect(StatusCode::UNPROCESSABLE_ENTITY).says("Use at least 15 characters");
        assert!(bob.is_signed_in().await, "nothing has changed yet");
        visitor.post("/reset", &[("token", link), ("password", NEW)]).await.expect(StatusCode::SEE_OTHER);
        assert!(!bob.is_signed_in().await, "a new password ends the sessions");
        bob.sign_in("bob", NEW).await.expect(StatusCode::SEE_OTHER);

        visitor.get(&path).await.expect(StatusCode::OK).says("This link no longer works");
        visitor.post("/reset", &[("token", link), ("password", PASSWORD)]).await.expect(StatusCode::FORBIDDEN);
        for forged in ["", "x", &"A".repeat(2_000), &link[1..]] {
            visitor.post("/reset", &[("token", forged), ("password", PASSWORD)]).await.expect(StatusCode::FORBIDDEN);
        }
        let audit = grace.get("/admin/audit").await.expect(StatusCode::OK);
        audit.says("account.reset_link");
        audit.says("account.password");
        assert!(!audit.body.contains(link));
    }
}
