//! Tests of the stream journal.

use plexus_domain::{MessageId, ProcessId};
use plexus_store::{
    on_both,
    stream_journal::{self, JournalEntry},
    testing::World,
};

/// Returns pieces of these messages in round-robin order, like a flush of many streams.
fn pieces(messages: &[MessageId], count: i64) -> Vec<JournalEntry> {
    let turns = i64::try_from(messages.len()).unwrap();
    (0..count)
        .map(|seq| JournalEntry {
            seq,
            message: messages[usize::try_from(seq % turns).unwrap()],
            part: 0,
            byte_offset: seq / turns * 6,
            body: "tok\0é".into(),
        })
        .collect()
}

on_both! {
    async fn pieces_come_back_in_the_order_they_arrived(store: Store) {
        let mut world = World::new(store);
        let (process, other) = (world.id(ProcessId::new), world.id(ProcessId::new));
        let messages: Vec<MessageId> = (0..7).map(|_| world.id(MessageId::new)).collect();
        // Uses every statement size: 3 * 128 + 3 * 32 + 2 * 8 + 3.
        let written = pieces(&messages, 499);
        let mut tx = world.store.write_background().await.unwrap();
        stream_journal::append(&mut tx, process, &written).await.unwrap();
        stream_journal::append(&mut tx, other, &written[..1]).await.unwrap();
        stream_journal::append(&mut tx, other, &[]).await.unwrap();
        tx.commit().await.unwrap();

        let mut conn = world.store.read().await.unwrap();
        assert_eq!(stream_journal::list_after(&mut conn, process, -1, &messages, 1000).await.unwrap(), written);
        assert_eq!(stream_journal::list_after(&mut conn, process, 100, &messages, 2).await.unwrap(), written[101..103]);
        let after = stream_journal::list_after(&mut conn, process, 3, &messages[3..5], 3).await.unwrap();
        assert_eq!(after.iter().map(|piece| piece.seq).collect::<Vec<_>>(), [4, 10, 11]);
        let of_one = stream_journal::list_by_message(&mut conn, process, messages[3]).await.unwrap();
        let expected: Vec<JournalEntry> = written.iter().filter(|piece| piece.message == messages[3]).cloned().collect();
        assert_eq!(of_one, expected);
    }

    async fn text_is_dropped_when_it_is_no_longer_needed(store: Store) {
        let mut world = World::new(store);
        let process = world.id(ProcessId::new);
        let messages = [world.id(MessageId::new), world.id(MessageId::new)];
        let mut tx = world.write().await;
        stream_journal::append(&mut tx, process, &pieces(&messages, 20)).await.unwrap();
        assert_eq!(stream_journal::delete(&mut tx, process, messages[0], 0, 9).await.unwrap(), 5);
        assert_eq!(stream_journal::delete_before(&mut tx, process, 10).await.unwrap(), 5);
        let left = stream_journal::list_after(&mut tx, process, -1, &messages, 100).await.unwrap();
        assert_eq!(left.iter().map(|piece| piece.seq).collect::<Vec<_>>(), (10..20).collect::<Vec<_>>());
        assert_eq!(stream_journal::delete_by_process(&mut tx, process).await.unwrap(), 10);
    }
}
