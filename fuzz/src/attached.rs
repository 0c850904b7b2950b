use std::{fmt::Debug, sync::Arc};

use futures::FutureExt as _;
use plexus_domain::{Part, PartBody, part::ApprovalDecision, sanitized_text::has_invisible};
use plexus_runtime::{
    Connector as _, RunEnd,
    attached::{
        AttachedConnection, AttachedConnector, AttachedWorker, FrameQueue,
        protocol::{HubFrame, ProgramEvent, ProgramFrame},
    },
};
use serde::{Serialize, de::DeserializeOwned};
use tokio::sync::mpsc::Receiver;
use tokio_util::sync::CancellationToken;

use crate::{
    asked::{request, runtime},
    captured_output::Heard,
};

const MOST_FRAMES: usize = 200;
const MAX_ID_BYTES: usize = 256;
const MAX_LABEL_CHARS: usize = 200;
const MAX_REASON_CHARS: usize = 1_000;

/// Fuzzes the frames between a hub and an attached program, one per line: those that the hub receives, and
/// the frames that the program receives.
pub fn attached(data: &[u8]) {
    let frames = || data.split(|&byte| byte == b'\n').take(MOST_FRAMES);
    hear(frames().filter_map(read::<ProgramFrame>).collect(), data.len());
    work(frames().filter_map(read::<HubFrame>).collect());
}

/// Deserializes a frame and asserts that it survives a round trip.
fn read<T: Debug + PartialEq + Serialize + DeserializeOwned>(line: &[u8]) -> Option<T> {
    let frame: T = serde_json::from_slice(line).ok()?;
    let written = serde_json::to_vec(&frame).unwrap();
    assert_eq!(serde_json::from_slice::<T>(&written).expect("what we write we read"), frame);
    Some(frame)
}

fn hear(sent: Vec<ProgramFrame>, bytes: usize) {
    let mut heard = Heard::default();
    let (link, mut frames) = AttachedConnection::new(CancellationToken::new());
    let (agent, stop, asked) =
        (AttachedConnector::new(link.clone()), CancellationToken::new(), request("Hi"));
    let run = asked.run;
    let end = runtime().block_on(async {
        let talk = async {
            let frame = frames.recv().await;
            assert!(matches!(frame, Some(HubFrame::Message(_))), "{frame:?}");
            let tell = async {
                for news in sent.into_iter().map(|frame| frame.news).chain([ProgramEvent::Completed]) {
                    link.take(ProgramFrame { run, news }).await;
                }
            };
            tokio::join!(tell, be_refused(&mut frames))
        };
        tokio::select! {
            end = agent.run(asked, &mut heard, &stop) => end,
            _ = talk => panic!("the connection ended before the answer"),
        }
    });
    match end {
        Ok(RunEnd::Rejected { reason }) => assert_reason(&reason),
        Err(failure) => assert_reason(&failure.message),
        Ok(_) => {}
    }
    assert!(heard.text.len() <= bytes, "more text than bytes");
    heard.parts.iter().for_each(assert_part);
    let remote = heard.remote.unwrap_or_default();
    assert!([remote.task, remote.context].into_iter().flatten().all(|id| id.len() <= MAX_ID_BYTES));
}

/// Asserts that every approval request is refused: no approver exists.
async fn be_refused(frames: &mut Receiver<HubFrame>) {
    while let Some(frame) = frames.recv().await {
        let is_no = matches!(
            frame,
            HubFrame::ApprovalResult { decision: ApprovalDecision::Refused, .. } | HubFrame::Cancel { .. }
        );
        assert!(is_no, "{frame:?}");
    }
}

/// Asserts that a reason is short and visible. It may have several lines.
fn assert_reason(reason: &str) {
    assert!(reason.chars().count() <= MAX_REASON_CHARS && !has_invisible(reason), "{reason:?}");
}

fn assert_part(part: &Part) {
    assert!(
        !matches!(
            part.content,
            PartBody::File { .. } | PartBody::Approval { .. } | PartBody::Question { .. }
        ),
        "{part:?}"
    );
    for label in [&part.artifact, &part.name, &part.media_type].into_iter().flatten() {
        assert!(label.chars().count() <= MAX_LABEL_CHARS, "{} characters", label.chars().count());
        assert!(!has_invisible(label) && !label.contains('\n'), "{label:?}");
    }
}

/// Asserts that each question is answered exactly once, whatever else is sent. The only agent here is a
/// broken connection.
fn work(frames: Vec<HubFrame>) {
    let asked = frames.iter().filter(|frame| matches!(frame, HubFrame::Message(_))).count();
    let (link, _) = AttachedConnection::new(CancellationToken::new());
    link.close();
    let outbox = Arc::new(FrameQueue::default());
    let mut worker = AttachedWorker::new(Arc::new(AttachedConnector::new(link)), outbox.clone());
    runtime().block_on(async {
        frames.into_iter().for_each(|frame| worker.handle(frame));
        worker.close().await;
    });
    let sent = std::iter::from_fn(|| outbox.next().now_or_never());
    assert_eq!(sent.filter(|frame| frame.news.is_last()).count(), asked);
}
