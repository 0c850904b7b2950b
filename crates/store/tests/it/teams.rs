//! Tests of teams: ancestors, descendants and share links.

use plexus_domain::{ChatId, Digest, HubRowId, Timestamp};
use plexus_store::{
    Tx, on_both, processes, team_share_links,
    teams::{self, RelatedTeam, Team, TeamState},
    testing::World,
};
use serde_json::json;

async fn insert(tx: &mut Tx, chat: ChatId, parent: Option<ChatId>, depth_left: u32) {
    let team = Team {
        chat,
        goal: "A goal".to_owned(),
        pattern: "plan_and_delegate".to_owned(),
        home_hub: HubRowId::SELF,
        parent,
        depth_left,
        limits: json!({}),
        state: TeamState::Working,
        deadline: Timestamp::from_millis(1),
    };
    teams::insert(tx, &team).await.unwrap();
}

fn ids(kin: &[RelatedTeam]) -> Vec<ChatId> {
    kin.iter().map(|kin| kin.chat).collect()
}

on_both! {
    async fn a_team_is_conducted_by_one_process_until_that_is_forgotten(store: Store) {
        let mut world = World::new(store);
        let ada = world.person("ada").await;
        let team = world.chat(&ada, &[]).await;
        let (first, second, third) =
            (world.process().await, world.process().await, world.process().await);
        let mut tx = world.write().await;
        assert!(!teams::claim(&mut tx, team, first).await.unwrap(), "there is no such team");
        insert(&mut tx, team, None, 0).await;
        let free = [(team, ada.principal)];
        assert_eq!(teams::list_unclaimed(&mut tx, HubRowId::SELF).await.unwrap(), free);
        assert!(teams::claim(&mut tx, team, first).await.unwrap());
        assert!(!teams::claim(&mut tx, team, second).await.unwrap());
        assert_eq!(teams::list_unclaimed(&mut tx, HubRowId::SELF).await.unwrap(), []);
        assert_eq!(teams::served_until(&mut tx, team).await.unwrap(), None);
        let last = Timestamp::from_millis(77_000);
        assert!(processes::heartbeat(&mut tx, first, last).await.unwrap());
        processes::delete(&mut tx, first).await.unwrap();
        assert_eq!(teams::served_until(&mut tx, team).await.unwrap(), Some(last));
        assert_eq!(teams::list_unclaimed(&mut tx, HubRowId::SELF).await.unwrap(), free);
        assert!(teams::claim(&mut tx, team, second).await.unwrap());
        teams::release_claim(&mut tx, team, third).await.unwrap();
        assert!(!teams::claim(&mut tx, team, third).await.unwrap(), "only who conducts it leaves it");
        teams::release_claim(&mut tx, team, second).await.unwrap();
        assert!(teams::claim(&mut tx, team, third).await.unwrap());
        teams::release_claim(&mut tx, team, third).await.unwrap();
        teams::set_state(&mut tx, team, TeamState::Closed).await.unwrap();
        assert_eq!(teams::list_unclaimed(&mut tx, HubRowId::SELF).await.unwrap(), []);
    }

    async fn a_tree_is_read_up_and_down(store: Store) {
        let mut world = World::new(store);
        let ada = world.person("ada").await;
        let mut chats = Vec::new();
        for _ in 0..5 {
            chats.push(world.chat(&ada, &[]).await);
        }
        let [top, left, right, deep, other] = chats[..] else { panic!("five") };
        let mut tx = world.write().await;
        for (chat, parent, depth) in
            [(top, None, 2), (left, Some(top), 1), (right, Some(top), 1), (deep, Some(right), 0), (other, None, 2)]
        {
            insert(&mut tx, chat, parent, depth).await;
        }
        teams::set_state(&mut tx, deep, TeamState::Closed).await.unwrap();
        tx.commit().await.unwrap();

        let mut conn = world.store.read().await.unwrap();
        let below = teams::list_descendants(&mut conn, top, 10).await.unwrap();
        assert_eq!(ids(&below), [left, right, deep]);
        assert_eq!((below[2].parent, below[2].state), (Some(right), TeamState::Closed));
        assert_eq!(ids(&teams::list_descendants(&mut conn, top, 1).await.unwrap()), [left]);
        assert_eq!(ids(&teams::list_ancestors(&mut conn, deep).await.unwrap()), [right, top]);
        assert!(teams::list_ancestors(&mut conn, other).await.unwrap().is_empty());
        assert_eq!(teams::state(&mut conn, deep).await.unwrap(), Some(TeamState::Closed));
        // Subteams are neither counted nor listed.
        assert_eq!(teams::count_open(&mut conn, ada.principal).await.unwrap(), 2);
        let listed = teams::list_by_member(&mut conn, ada.principal, 10).await.unwrap();
        assert_eq!(listed.iter().map(|item| item.chat).collect::<Vec<_>>(), [other, top]);
    }

    async fn a_link_leads_to_one_team_until_it_is_replaced_or_revoked(store: Store) {
        let mut world = World::new(store);
        let ada = world.person("ada").await;
        let chat = world.chat(&ada, &[]).await;
        let (first, second, at) = (Digest::of("first"), Digest::of("second"), world.now());
        let mut tx = world.write().await;
        insert(&mut tx, chat, None, 0).await;
        team_share_links::put(&mut tx, chat, &first, at).await.unwrap();
        assert_eq!(team_share_links::team(&mut tx, &first).await.unwrap(), Some(chat));
        team_share_links::put(&mut tx, chat, &second, at).await.unwrap();
        assert_eq!(team_share_links::team(&mut tx, &first).await.unwrap(), None);
        assert_eq!(team_share_links::team(&mut tx, &second).await.unwrap(), Some(chat));
        assert_eq!(team_share_links::created_at(&mut tx, chat).await.unwrap(), Some(at));
        assert!(team_share_links::delete(&mut tx, chat).await.unwrap());
        assert!(!team_share_links::delete(&mut tx, chat).await.unwrap());
        assert_eq!(team_share_links::team(&mut tx, &second).await.unwrap(), None);
        assert_eq!(team_share_links::created_at(&mut tx, chat).await.unwrap(), None);
    }
}
