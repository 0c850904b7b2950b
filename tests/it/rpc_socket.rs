//! Tests of JSON-RPC 2.0 over WebSocket: requests, chat events, and misbehaving clients.

use std::{collections::HashSet, time::Duration};

use futures::{SinkExt as _, StreamExt as _};
use jsonrpsee::{
    client_transport::ws::WsTransportClientBuilder,
    core::client::{Client as Third, ClientBuilder, ClientT as _, Subscription, SubscriptionClientT as _},
    rpc_params,
};
use reqwest::{Method, StatusCode, header};
use serde_json::{Value, json};
use tokio::{net::TcpStream, time::timeout};
use tokio_tungstenite::{
    MaybeTlsStream, WebSocketStream, connect_async,
    tungstenite::{Message, client::IntoClientRequest as _, error::Error, protocol::CloseFrame},
};

use crate::{
    client::{new_id, text_of},
    events::answer_after,
    hub::{Hub, on_both},
    rpc::request,
    tokens::{make, newest},
};

/// Time limit. Far below the 30 s after which an idle connection gets a ping.
const AT_ONCE: Duration = Duration::from_secs(8);

/// Number of responses of 0.2 MB each: more than the socket buffers hold.
const ASKED: usize = 60;
const SHEET_LINES: usize = 4_000;

pub type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

on_both! {
    async fn a_client_of_another_maker_asks_and_follows(hub: &Hub) {
        let ada = hub.person("ada").await;
        let client = third(hub, &make(&ada, &["chat", "read"]).await).await;
        let started: Value = client.request("chats.start", rpc_params![new_id(), "1 + 1", "@plexus/calc"]).await.expect("an answer");
        let mut events = follow(&client, &started["chat"]).await;
        let mut kinds = HashSet::new();
        while !kinds.contains("message_completed") {
            let told = events.next().await.expect("it goes on").expect("JSON");
            assert_eq!(told["data"]["chat"], started["chat"], "{told}");
            kinds.insert(text_of(&told["event"]));
        }
        assert!(kinds.contains("message_created"), "{kinds:?}");
        let (mut batch, chat) = (jsonrpsee::core::params::BatchRequestBuilder::new(), &started["chat"]);
        batch.insert("chats.get", rpc_params![chat]).expect("parameters");
        batch.insert("nothing", rpc_params![]).expect("parameters");
        let answers = client.batch_request::<Value>(batch).await.expect("answers");
        assert_eq!((answers.num_successful_calls(), answers.num_failed_calls()), (1, 1));
        events.unsubscribe().await.expect("it is over");

        let eve = hub.person("eve").await;
        let eve = third(hub, &make(&eve, &["read"]).await).await;
        let refused = eve.subscribe::<Value, _>("chats.subscribe", rpc_params![chat], "chats.unsubscribe").await;
        assert!(refused.expect_err("it is not theirs").to_string().contains("-32004"));
    }

    async fn a_connection_ends_with_its_token(hub: &Hub) {
        let ada = hub.person("ada").await;
        let chat = ada.begin("@plexus/calc", "1 + 1").await.chat;
        let mut kept = open(hub, &make(&ada, &["read"]).await).await;
        let mut revoked = open(hub, &make(&ada, &["read"]).await).await;
        say(&mut revoked, &request("chats.subscribe", json!([chat]))).await;
        assert!(heard(&mut revoked).await["result"].is_u64(), "it follows");
        let id = newest(&ada).await;
        ada.post("/settings/tokens/revoke", &[("id", id.as_str())]).await.expect(StatusCode::SEE_OTHER);
        assert_eq!(u16::from(closed(&mut revoked).await.code), 1008);
        say(&mut kept, &request("chats.list", json!([]))).await;
        assert_eq!(heard(&mut kept).await["result"]["items"][0]["id"], json!(chat), "others go on");

        hub.sql("update api_tokens set expires_at = 1").await;
        say(&mut kept, &request("chats.list", json!([]))).await;
        assert_eq!(u16::from(closed(&mut kept).await.code), 1008);
    }

    async fn events_end_with_the_chat_and_the_connection_does_not(hub: &Hub) {
        let ada = hub.person("ada").await;
        let chat = ada.begin("@plexus/calc", "1 + 1").await.chat;
        let mut socket = open(hub, &make(&ada, &["read"]).await).await;
        say(&mut socket, &request("chats.subscribe", json!({ "chat": chat }))).await;
        let subscription = heard(&mut socket).await["result"].clone();
        ada.call(Method::DELETE, &format!("/chats/{chat}"), &json!({})).await.expect(StatusCode::NO_CONTENT);
        loop {
            let told = heard(&mut socket).await;
            assert_eq!((&told["method"], &told["params"]["subscription"]), (&json!("chats.event"), &subscription));
            if told["params"]["result"]["event"] == json!("stream_end") {
                break;
            }
        }
        say(&mut socket, &request("chats.subscribe", json!({ "chat": chat }))).await;
        assert_eq!(heard(&mut socket).await["error"]["code"], json!(-32_004));
    }

    async fn one_connection_follows_some_chats_and_no_more(hub: &Hub) {
        let ada = hub.person("ada").await;
        let chat = ada.begin("@plexus/calc", "1 + 1").await.chat;
        answer_after(&ada, &chat, 0).await;
        let mut socket = open(hub, &make(&ada, &["read"]).await).await;
        let follow = request("chats.subscribe", json!({ "chat": chat, "after": 1_000_000 }));
        let mut begun = HashSet::new();
        for _ in 0..32 {
            say(&mut socket, &follow).await;
            begun.insert(heard(&mut socket).await["result"].as_u64().expect("a subscription"));
        }
        assert_eq!(begun.len(), 32, "each has a number of its own");
        say(&mut socket, &follow).await;
        assert_eq!(heard(&mut socket).await["error"]["code"], json!(-32_009));
        for (subscription, ended) in [(begun.iter().next(), true), (Some(&1_000), false)] {
            say(&mut socket, &request("chats.unsubscribe", json!([subscription]))).await;
            assert_eq!(heard(&mut socket).await["result"], json!(ended));
        }
        let quiet = json!({ "jsonrpc": "2.0", "method": "chats.subscribe", "params": [chat] });
        say(&mut socket, &quiet).await;
        say(&mut socket, &follow).await;
        assert!(heard(&mut socket).await["result"].is_u64(), "there is room for one again, and the silent one took none");
    }

    async fn who_does_not_read_waits_and_nobody_else_does(hub: &Hub) {
        let ada = hub.person("ada").await;
        let token = make(&ada, &["chat", "read"]).await;
        let mut slow = open(hub, &token).await;
        let sheet: String = (0..SHEET_LINES).map(|n| format!("{n} * 2 + sqrt 2\n")).collect();
        let start = json!([new_id(), sheet, "@plexus/calc"]);
        say(&mut slow, &request("chats.start", start)).await;
        let chat = heard(&mut slow).await["result"]["chat"].clone();
        say(&mut slow, &request("chats.subscribe", json!([chat]))).await;
        // Reads nothing meanwhile, and sends more requests than are answered concurrently.
        let (mut asking, mut reading) = slow.split();
        let mut listing = request("chats.get", json!([chat]));
        let flood = tokio::spawn(async move {
            for id in 1_000..1_000 + ASKED {
                listing["id"] = json!(id);
                asking.send(Message::text(listing.to_string())).await.expect("it is read in the end");
            }
            asking
        });
        let mut other = open(hub, &token).await;
        for _ in 0..20 {
            say(&mut other, &request("agents.list", json!([]))).await;
            assert!(heard(&mut other).await["result"]["items"].is_array());
        }
        let (mut answered, mut ended) = (HashSet::new(), false);
        while answered.len() < ASKED || !ended {
            let message = reading.next().await.expect("it goes on").expect("a message");
            let Some(told) = value(&message) else { continue };
            match told["id"].as_u64() {
                Some(7) => {}
                Some(id) => assert!(answered.insert(id) && told["result"].is_object(), "{id} is answered once"),
                None => ended |= told["params"]["result"]["event"] == json!("message_completed"),
            }
        }
        drop(flood.await.expect("all was sent"));
    }

    async fn what_cannot_be_read_is_said_and_what_is_too_large_ends_it(hub: &Hub, [("PLEXUS_MAX_MESSAGE_BYTES", "65536")]) {
        let ada = hub.person("ada").await;
        let mut socket = open(hub, &make(&ada, &["read"]).await).await;
        for (sent, code) in [("{", -32_700), ("", -32_700), ("[]", -32_600), ("1", -32_600)] {
            socket.send(Message::text(sent)).await.expect("it is sent");
            assert_eq!(heard(&mut socket).await["error"]["code"], json!(code), "{sent}");
        }
        socket.send(Message::binary(vec![0xff, 0xfe])).await.expect("it is sent");
        assert_eq!(heard(&mut socket).await["error"]["code"], json!(-32_700));
        socket.send(Message::binary(request("agents.list", json!([])).to_string())).await.expect("it is sent");
        assert!(heard(&mut socket).await["result"].is_object(), "frames of bytes are read, too");
        let negative = r#"{"jsonrpc":"2.0","method":"agents.list","id":-1.5}"#;
        socket.send(Message::text(format!("[{negative},{negative}]"))).await.expect("it is sent");
        assert_eq!(heard(&mut socket).await[1]["id"], json!(-1.5));
        // The hub may close the connection before this is sent completely.
        let _ = socket.send(Message::text("x".repeat(200_000))).await;
        while let Some(Ok(message)) = timeout(AT_ONCE, socket.next()).await.expect("at once") {
            assert!(message.is_close(), "{message:?}");
        }
    }

    async fn only_an_account_opens_a_connection(hub: &Hub) {
        let ada = hub.person("ada").await;
        for token in [None, Some("plx_made-up")] {
            let Err(Error::Http(refused)) = connect(hub, token).await else { panic!("it was let in") };
            assert_eq!(refused.status(), StatusCode::UNAUTHORIZED.as_u16());
            assert!(refused.headers().contains_key("www-authenticate"));
        }
        let cookie = ada.request(Method::GET, "/rpc").header(header::UPGRADE, "websocket");
        ada.send(cookie).await.expect(StatusCode::UNAUTHORIZED);
    }
}

/// Connects the client of jsonrpsee.
async fn third(hub: &Hub, token: &str) -> Third {
    let mut headers = header::HeaderMap::new();
    headers.insert(header::AUTHORIZATION, format!("Bearer {token}").parse().expect("a header"));
    let builder = WsTransportClientBuilder { headers, ..WsTransportClientBuilder::default() };
    let (sender, receiver) =
        builder.build(address(hub).parse().expect("an address")).await.expect("a connection");
    ClientBuilder::default().build_with_tokio(sender, receiver)
}

async fn follow(client: &Third, chat: &Value) -> Subscription<Value> {
    client.subscribe("chats.subscribe", rpc_params![chat], "chats.unsubscribe").await.expect("a subscription")
}

fn address(hub: &Hub) -> String {
    format!("{}/rpc", hub.origin().replace("http://", "ws://"))
}

async fn connect(hub: &Hub, token: Option<&str>) -> Result<Socket, Error> {
    let mut request = address(hub).into_client_request()?;
    if let Some(token) = token {
        let value = format!("Bearer {token}").parse().expect("a header");
        request.headers_mut().insert(header::AUTHORIZATION, value);
    }
    Ok(connect_async(request).await?.0)
}

pub async fn open(hub: &Hub, token: &str) -> Socket {
    connect(hub, Some(token)).await.expect("a connection")
}

pub async fn say(socket: &mut Socket, request: &Value) {
    socket.send(Message::text(request.to_string())).await.expect("it is sent");
}

pub async fn heard(socket: &mut Socket) -> Value {
    loop {
        let message = timeout(AT_ONCE, socket.next()).await.expect("at once").expect("it goes on");
        if let Some(told) = value(&message.expect("a message")) {
            return told;
        }
    }
}

/// Returns the JSON of a text message, or `None` for a ping.
fn value(message: &Message) -> Option<Value> {
    let Message::Text(text) = message else { return None };
    Some(serde_json::from_str(text).expect("JSON"))
}

/// Returns the close frame of the hub.
async fn closed(socket: &mut Socket) -> CloseFrame {
    loop {
        match timeout(AT_ONCE, socket.next()).await.expect("at once") {
            Some(Ok(Message::Close(Some(frame)))) => return frame,
            Some(Ok(_)) => {}
            other => panic!("{other:?}"),
        }
    }
}
