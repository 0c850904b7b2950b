//! Tests that files and chats which become large do not hold the hub: hostile images and PDF files, exports, print views.
//!
//! They read the peak memory of a hub process, and how long `/healthz` took meanwhile.

use std::{
    io::Cursor,
    time::{Duration, Instant},
};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use image::{DynamicImage, ImageFormat, Rgb, RgbImage};
use plexus_testing::{
    images::{gif, png_chunk, png_header, png_with_profile_bomb, zlib_bomb},
    pdf::{pdf, pdf_bomb},
};
use reqwest::{Method, StatusCode, header};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::{sync::oneshot, task::JoinHandle};

use crate::{
    attachments::{picture, upload},
    client::{Answer, Client, text_of},
    process::Process,
};

/// Memory that work of this kind may add to a hub of 150 MiB.
const MAX_ADDED_BYTES: u64 = 250 << 20;
/// A debug build on a machine that runs other tests too; docs/security.md has the times of a release build.
const MAX_HEALTH_TIME: Duration = Duration::from_secs(1);
/// Interval of the requests for `/healthz`; more of them would take the processor from the work that is measured.
const HEALTH_INTERVAL: Duration = Duration::from_millis(10);

struct Hub {
    process: Process,
    administrator: Client,
    _folder: TempDir,
}

impl Hub {
    async fn start() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let mut process = Process::serve_with(folder.path(), &[]).await;
        let administrator = process.administrator("boss").await;
        Self { process, administrator, _folder: folder }
    }

    async fn person(&self, name: &str) -> Client {
        let client = Client::new(&self.process.origin);
        client.sign_up(name).await;
        client
    }

    /// Runs work, and checks what it costs the hub meanwhile.
    async fn expect_light<T>(&self, name: &str, work: impl Future<Output = T>) -> T {
        let (before, health) = (self.process.resident_memory(), HealthWatch::begin(&self.process.origin));
        self.process.reset_peak_memory();
        let begun = Instant::now();
        let done = work.await;
        let (took, times) = (begun.elapsed(), health.end().await);
        let added = self.process.peak_memory().saturating_sub(before);
        let p99 = times[times.len() * 99 / 100];
        println!("{name}: {took:?}, +{} MiB, /healthz p99 {p99:?} of {}", added >> 20, times.len());
        assert!(added < MAX_ADDED_BYTES, "{name}: {} MiB", added >> 20);
        assert!(p99 < MAX_HEALTH_TIME, "{name}: {p99:?}");
        done
    }
}

/// Requests `/healthz` repeatedly.
struct HealthWatch {
    stop: oneshot::Sender<()>,
    times: JoinHandle<Vec<Duration>>,
}

impl HealthWatch {
    fn begin(origin: &str) -> Self {
        let (client, (stop, mut stopped)) = (Client::new(origin), oneshot::channel());
        let times = tokio::spawn(async move {
            let mut times = Vec::new();
            let mut pace = tokio::time::interval(HEALTH_INTERVAL);
            while stopped.try_recv().is_err() {
                pace.tick().await;
                let begun = Instant::now();
                client.get("/healthz").await.expect(StatusCode::OK);
                times.push(begun.elapsed());
            }
            times.sort_unstable();
            times
        });
        Self { stop, times }
    }

    async fn end(self) -> Vec<Duration> {
        let _ = self.stop.send(());
        self.times.await.expect("it answers")
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn hostile_images_hold_neither_memory_nor_other_users() {
    let hub = Hub::start().await;
    let wide = [png_header(7_000, 7_000, 8, 2), png_chunk(b"IDAT", &zlib_bomb(141)), png_chunk(b"IEND", b"")]
        .concat();
    let deep =
        [png_header(7_000, 7_000, 16, 6), png_chunk(b"IDAT", &zlib_bomb(400)), png_chunk(b"IEND", b"")]
            .concat();
    let bombs = [
        ("profile", png_with_profile_bomb(&picture()), StatusCode::CREATED),
        ("frames", gif((1, 1), 12, (10_000, 10_000)), StatusCode::UNPROCESSABLE_ENTITY),
        ("wide", wide, StatusCode::CREATED),
        ("deep", deep, StatusCode::UNPROCESSABLE_ENTITY),
        ("slow", gif((1_500, 1_500), 4, (1_500, 1_500)), StatusCode::CREATED),
    ];
    let attackers =
        [hub.person("ada").await, hub.person("bob").await, hub.person("cyd").await, hub.person("dan").await];
    let eve = hub.person("eve").await;
    for (name, bytes, status) in bombs {
        let attack = async {
            let each = attackers.iter().chain(&attackers).enumerate().map(|(number, attacker)| {
                let file = format!("{name}{number}.png");
                let bytes = bytes.clone();
                async move { upload(attacker, &file, "image/png", bytes).await }
            });
            let honest = async {
                let begun = Instant::now();
                upload(&eve, "eve.png", "image/png", picture()).await.expect(StatusCode::CREATED);
                begun.elapsed()
            };
            tokio::join!(futures::future::join_all(each), honest)
        };
        let (answers, waited) = hub.expect_light(name, attack).await;
        println!("{name}: another user's image took {waited:?}");
        // Four turns of other accounts at most are before it, two at a time.
        assert!(waited < Duration::from_secs(30), "{name}: {waited:?}");
        for answer in answers {
            // On a busy machine what takes long is refused for its time.
            let is_late =
                matches!(answer.status, StatusCode::UNPROCESSABLE_ENTITY | StatusCode::SERVICE_UNAVAILABLE);
            let may_be_late = ["wide", "slow"].contains(&name);
            assert!(
                answer.status == status || may_be_late && is_late,
                "{name}: {} {}",
                answer.status,
                answer.body
            );
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_refuses_images_without_reading_them() {
    let hub = Hub::start().await;
    let bomb = STANDARD.encode(png_with_profile_bomb(&picture()));
    let part = json!({ "raw": bomb, "filename": "a.png", "mediaType": "image/png" });
    let message = json!({ "messageId": "m", "role": "ROLE_USER", "parts": [{ "text": "1 + 1" }, part] });
    let body =
        json!({ "jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": { "message": message } })
            .to_string();
    let visitor = Client::new(&hub.process.origin);
    let ask = async || {
        let request = visitor.request(Method::POST, "/a2a/plexus/calc").header("A2A-Version", "1.0");
        visitor.send(request.header(header::CONTENT_TYPE, "application/json").body(body.clone())).await
    };
    let answers = hub.expect_light("A2A", futures::future::join_all((0..6).map(|_| ask()))).await;
    for answer in answers {
        let answer = answer.json();
        assert_eq!(answer["error"]["code"], json!(-32005), "{answer}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_photo_takes_seconds() {
    let hub = Hub::start().await;
    let mut seed = 1_u32;
    let photo = RgbImage::from_fn(4_000, 3_000, |x, y| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let noise = (seed >> 27) as u8;
        Rgb([(x / 16) as u8 ^ noise, (y / 12) as u8 ^ noise, noise * 4])
    });
    let mut jpeg = Cursor::new(Vec::new());
    DynamicImage::ImageRgb8(photo).write_to(&mut jpeg, ImageFormat::Jpeg).expect("it is encoded");
    let jpeg = jpeg.into_inner();
    println!("a photo of {} bytes", jpeg.len());
    assert!(jpeg.len() > 4_000_000);
    let stored = hub.expect_light("photo", upload(&hub.administrator, "a.jpg", "image/jpeg", jpeg)).await;
    let stored = stored.expect(StatusCode::CREATED).json();
    assert_eq!(stored["image"], json!({ "width": 4_000, "height": 3_000 }));
}

#[tokio::test(flavor = "multi_thread")]
async fn hostile_pdf_files_leave_a_slot_to_others() {
    let hub = Hub::start().await;
    let boss = &hub.administrator;
    let new = json!({ "name": "clerk", "summary": "x", "instructions": "Answer." });
    let made = boss.call(Method::POST, "/agents", &new).await;
    if made.status != StatusCode::CREATED {
        // Without a model server there is no agent with files.
        return;
    }
    let put = async |bytes: Vec<u8>| -> Answer {
        let request = boss.request(Method::PUT, "/api/v1/agents/boss/clerk/files/a.pdf");
        boss.send(request.header(header::CONTENT_TYPE, "application/pdf").body(bytes)).await
    };
    let attack = futures::future::join_all((0..4).map(|_| put(pdf_bomb())));
    for answer in hub.expect_light("PDF", attack).await {
        answer.refusal(StatusCode::UNPROCESSABLE_ENTITY);
    }
    put(pdf(&["Berths"])).await.expect(StatusCode::OK);
}

#[tokio::test(flavor = "multi_thread")]
async fn exports_and_print_views_of_a_large_chat_are_streamed() {
    let hub = Hub::start().await;
    let (boss, text) = (&hub.administrator, "word ".repeat(200_000));
    let messages: Vec<Value> = (0..24)
        .map(|number| {
            let parent = (number > 0).then(|| (number - 1).to_string());
            let author = json!({ "kind": "person", "name": "bob" });
            json!({ "id": number.to_string(), "parent": parent, "branch": 0, "author": author, "parts": [{ "kind": "text", "text": text }] })
        })
        .collect();
    let file = json!({ "format": "plexus-chat/1", "hub": "https://hub.example/", "id": "p", "title": "Large", "current_message": "23", "messages": messages });
    boss.send(boss.request(Method::POST, "/api/v1/chats/import").body(file.to_string()))
        .await
        .expect(StatusCode::OK);
    let chat = text_of(&boss.api("/chats").await["items"][0]["id"]);

    let paths = [format!("/api/v1/chats/{chat}/export"), format!("/chat/{chat}/export")];
    for path in paths {
        let exports = (0..8).map(|_| async {
            let mut answer = boss.request(Method::GET, &path).send().await.expect("it answers");
            assert_eq!(answer.status(), StatusCode::OK);
            let mut bytes = 0;
            while let Some(chunk) = answer.chunk().await.expect("a whole answer") {
                bytes += chunk.len();
            }
            assert!(bytes > 24_000_000, "{bytes}");
        });
        hub.expect_light(&path, futures::future::join_all(exports)).await;
    }
    let prints = (0..20).map(|_| async {
        let page = boss.get(&format!("/chat/{chat}/print")).await.expect(StatusCode::OK);
        assert_eq!(page.body.matches("<article ").count(), 4, "the newest messages");
    });
    hub.expect_light("print", futures::future::join_all(prints)).await;
}
