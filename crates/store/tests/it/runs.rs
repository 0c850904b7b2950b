//! Tests of runs and the instances that work on them.

use std::{collections::HashMap, time::Duration};

use plexus_domain::{
    ApprovalId, CallOptions, Digest, PushId, RunId, RunState,
    run::{Failure, FailureClass, Usage},
};
use plexus_store::{
    approvals::{self, Approval, Decision},
    on_both, processes,
    runs::{self, NewRun, Origin, RunTally, RunTransition},
    testing::World,
    webhooks::{self, Webhook},
};

on_both! {
    async fn a_step_is_taken_from_the_state_it_was_decided_on(store: Store) {
        let mut world = World::new(store);
        let ada = world.person("ada").await;
        let agent = world.agent(&ada, "@ada/calc").await;
        let chat = world.chat(&ada, &[&agent]).await;
        let question = world.say(chat, ada.principal, None, "2+2").await;
        let (run, _) = world.run(&ada, &agent, chat, question, 1).await;
        let failure = Failure::new(FailureClass::TimedOut, "No answer for a minute.\0");
        let (began, ended) = (world.now(), world.now());
        let begin = RunTransition { from: RunState::Queued, to: RunState::Working, at: began, failure: None, usage: None };
        let usage = Usage { tokens_in: 10, tokens_out: u64::from(u32::MAX) * 2, cost_micro: 7 };
        let (failure, usage_at_end) = (Some(&failure), Some(usage));
        let end = RunTransition {
            from: RunState::Working,
            to: RunState::Failed,
            at: ended,
            failure,
            usage: usage_at_end,
        };

        let mut tx = world.write().await;
        assert!(!runs::set_state(&mut tx, run, &end).await.unwrap(), "it has not begun");
        assert!(runs::set_state(&mut tx, run, &begin).await.unwrap());
        assert!(!runs::set_state(&mut tx, run, &begin).await.unwrap(), "it has begun");
        assert!(runs::set_state(&mut tx, run, &end).await.unwrap());
        let found = runs::find(&mut tx, run).await.unwrap().unwrap();
        assert_eq!((found.state, found.state_at), (RunState::Failed, ended));
        assert_eq!((found.started_at, found.ended_at), (Some(began), Some(ended)));
        assert_eq!(found.failure(), Some(Failure::new(FailureClass::TimedOut, "No answer for a minute.")));
        assert_eq!(found.usage(), usage);
        assert_eq!(runs::list(&mut tx, &[run]).await.unwrap(), std::slice::from_ref(&found));
        assert_eq!(runs::list_by_chat(&mut tx, chat).await.unwrap(), std::slice::from_ref(&found));
        let tally = RunTally { completed: 0, failed: 1 };
        let since = async |tx: &mut _, at| runs::tally(tx, &[agent.agent], at).await.unwrap();
        assert_eq!(since(&mut tx, found.queued_at).await, HashMap::from([(agent.agent, tally)]));
        assert_eq!(since(&mut tx, found.queued_at + Duration::from_millis(1)).await, HashMap::new());
        assert_eq!(runs::list_by_agent(&mut tx, agent.agent, 5).await.unwrap(), [found]);
    }

    async fn options_of_a_call_are_kept_until_its_run_ends(store: Store) {
        let mut world = World::new(store);
        let ada = world.person("ada").await;
        let agent = world.agent(&ada, "@ada/calc").await;
        let chat = world.chat(&ada, &[&agent]).await;
        let options = CallOptions { stop: vec!["END".to_owned()], max_tokens: Some(7), ..CallOptions::default() };
        let new = NewRun {
            id: world.id(RunId::new),
            chat,
            agent: agent.agent,
            version: agent.version,
            caller: ada.principal,
            origin: Origin::OpenAi,
            instance: None,
            state: RunState::Queued,
            queued_at: world.now(),
            options: options.clone(),
            is_withheld: true,
        };
        let at = world.now();
        let mut tx = world.write().await;
        runs::insert(&mut tx, &new).await.unwrap();
        let step = |from, to| RunTransition { from, to, at, failure: None, usage: None };
        assert!(runs::set_state(&mut tx, new.id, &step(RunState::Queued, RunState::Working)).await.unwrap());
        let run = runs::find(&mut tx, new.id).await.unwrap().unwrap();
        assert_eq!((run.call_options(), run.is_withheld, run.is_truncated), (options, true, false));
        assert!(runs::set_truncated(&mut tx, new.id).await.unwrap());
        assert!(runs::set_state(&mut tx, new.id, &step(RunState::Working, RunState::Completed)).await.unwrap());
        let run = runs::find(&mut tx, new.id).await.unwrap().unwrap();
        assert_eq!((run.options, run.is_truncated), (None, true));
    }

    async fn runs_of_a_dead_process_are_found(store: Store) {
        let mut world = World::new(store);
        let ada = world.person("ada").await;
        let agent = world.agent(&ada, "@ada/calc").await;
        let chat = world.chat(&ada, &[&agent]).await;
        let question = world.say(chat, ada.principal, None, "2+2").await;
        let (dead, alive) = (world.process().await, world.process().await);
        let mut started = Vec::new();
        for process in [Some(dead), Some(dead), Some(alive), None] {
            let (run, _) = world.run(&ada, &agent, chat, question, 1).await;
            let mut tx = world.write().await;
            runs::set_process(&mut tx, run, process).await.unwrap();
            tx.commit().await.unwrap();
            started.push(run);
        }
        let mut tx = world.write().await;
        let at = world.now();
        for (from, to) in [(RunState::Queued, RunState::Working), (RunState::Working, RunState::InputRequired)] {
            assert!(runs::set_state(&mut tx, started[1], &RunTransition { from, to, at, failure: None, usage: None }).await.unwrap());
        }
        assert!(processes::heartbeat(&mut tx, alive, at).await.unwrap());
        let others = processes::list_others(&mut tx, dead).await.unwrap();
        assert_eq!(others.iter().map(|one| (one.id, one.last_heartbeat_at)).collect::<Vec<_>>(), [(alive, at)]);

        let ids = |found: Vec<runs::Run>| found.into_iter().map(|run| run.id).collect::<Vec<_>>();
        assert_eq!(ids(runs::list_unfinished(&mut tx, dead).await.unwrap()), [started[0]], "one waits for its caller");
        assert_eq!(ids(runs::list_orphaned(&mut tx).await.unwrap()), [started[3]]);
        assert!(processes::delete(&mut tx, dead).await.unwrap());
        assert!(!processes::heartbeat(&mut tx, dead, at).await.unwrap(), "it was declared dead");
        assert_eq!(ids(runs::list_orphaned(&mut tx).await.unwrap()), [started[0], started[3]]);
    }

    async fn a_run_that_was_taken_from_a_process_is_not_touched_by_it(store: Store) {
        let mut world = World::new(store);
        let ada = world.person("ada").await;
        let agent = world.agent(&ada, "@ada/calc").await;
        let chat = world.chat(&ada, &[&agent]).await;
        let question = world.say(chat, ada.principal, None, "2+2").await;
        let (run, _) = world.run(&ada, &agent, chat, question, 1).await;
        let (former, now) = (world.process().await, world.process().await);
        let step = RunTransition {
            from: RunState::Queued,
            to: RunState::Working,
            at: world.now(),
            failure: None,
            usage: None,
        };
        let mut tx = world.write().await;
        runs::set_process(&mut tx, run, Some(former)).await.unwrap();
        assert_eq!(runs::list_busy(&mut tx, &[chat]).await.unwrap(), [chat]);
        assert_eq!(runs::list_busy(&mut tx, &[]).await.unwrap(), []);
        assert!(!runs::claim(&mut tx, run, Some(now), now).await.unwrap(), "it was another's");
        assert!(runs::claim(&mut tx, run, Some(former), now).await.unwrap());
        assert!(!runs::set_state_by(&mut tx, former, run, &step).await.unwrap());
        assert!(runs::set_state_by(&mut tx, now, run, &step).await.unwrap());
    }

    async fn a_stop_is_taken_by_the_process_that_works_on_the_run(store: Store) {
        let mut world = World::new(store);
        let ada = world.person("ada").await;
        let agent = world.agent(&ada, "@ada/calc").await;
        let chat = world.chat(&ada, &[&agent]).await;
        let question = world.say(chat, ada.principal, None, "2+2").await;
        let (own, other) = (world.process().await, world.process().await);
        let mut asked = Vec::new();
        for process in [Some(own), Some(other), None] {
            let (run, _) = world.run(&ada, &agent, chat, question, 1).await;
            let mut tx = world.write().await;
            runs::set_process(&mut tx, run, process).await.unwrap();
            for _ in 0..2 {
                runs::request_cancel(&mut tx, run).await.unwrap();
            }
            tx.commit().await.unwrap();
            asked.push(run);
        }
        let mut tx = world.write().await;
        assert_eq!(runs::take_cancel_requests(&mut tx, own).await.unwrap(), [asked[0]]);
        assert_eq!(runs::take_cancel_requests(&mut tx, own).await.unwrap(), []);
        assert_eq!(runs::take_cancel_requests(&mut tx, other).await.unwrap(), [asked[1]]);
        // The request for an orphaned run stays until an instance takes over the run.
        assert!(runs::claim(&mut tx, asked[2], None, own).await.unwrap());
        assert_eq!(runs::take_cancel_requests(&mut tx, own).await.unwrap(), [asked[2]]);
    }

    async fn a_question_is_answered_once_and_in_time(store: Store) {
        let mut world = World::new(store);
        let ada = world.person("ada").await;
        let agent = world.agent(&ada, "@ada/calc").await;
        let chat = world.chat(&ada, &[&agent]).await;
        let question = world.say(chat, ada.principal, None, "list my files").await;
        let (run, _) = world.run(&ada, &agent, chat, question, 1).await;
        let now = world.now();
        let approval = Approval {
            id: world.id(ApprovalId::new),
            run,
            tool: "shell".to_owned(),
            arguments: serde_json::json!({ "command": "ls" }),
            question: None,
            answer: None,
            args_sha256: Digest::of("ls"),
            decision: None,
            decided_by: None,
            expires_at: world.now(),
        };
        let mut tx = world.write().await;
        let (id, by) = (approval.id, ada.principal);
        approvals::insert(&mut tx, &approval).await.unwrap();
        assert_eq!(approvals::list_waiting(&mut tx, by, now, 9).await.unwrap(), [], "the run has not begun");
        let (from, to) = (RunState::Queued, RunState::Working);
        assert!(runs::set_state(&mut tx, run, &RunTransition { from, to, at: now, failure: None, usage: None }).await.unwrap());
        let waiting = approvals::list_waiting(&mut tx, by, now, 9).await.unwrap();
        assert_eq!(waiting, std::slice::from_ref(&approval));
        assert_eq!(approvals::list_waiting(&mut tx, by, approval.expires_at, 9).await.unwrap(), []);
        assert!(!approvals::decide(&mut tx, id, Decision::Yes, None, by, approval.expires_at).await.unwrap());
        assert!(approvals::decide(&mut tx, id, Decision::No, None, by, now).await.unwrap());
        assert!(!approvals::decide(&mut tx, id, Decision::Yes, None, by, now).await.unwrap());
        assert!(!approvals::close(&mut tx, id, now).await.unwrap());
        let found = approvals::find(&mut tx, id).await.unwrap().unwrap();
        assert_eq!((found.decision, found.decided_by), (Some(Decision::No), Some(by)));
        assert_eq!(approvals::list_by_run(&mut tx, run).await.unwrap(), [found]);

        let hook = Webhook { id: world.id(PushId::new), run, caller: None, name: "mine".to_owned(), ciphertext: vec![0, 255] };
        webhooks::set(&mut tx, &hook).await.unwrap();
        let again = Webhook { id: world.id(PushId::new), ciphertext: vec![1], ..hook.clone() };
        webhooks::set(&mut tx, &again).await.unwrap();
        let kept = Webhook { id: hook.id, ..again };
        assert_eq!(webhooks::list_by_run(&mut tx, run).await.unwrap(), std::slice::from_ref(&kept));
        assert_eq!(webhooks::find(&mut tx, hook.id).await.unwrap(), Some(kept));
        assert!(webhooks::delete(&mut tx, run, "mine").await.unwrap());
        assert!(!webhooks::delete(&mut tx, run, "mine").await.unwrap());
    }
}
