use futures::{executor::block_on, io::Cursor};
use proptest::prelude::*;

use super::{RequestHead, framing};

fn question() -> RequestHead {
    let headers = [("a2a-version".to_owned(), "1.0".to_owned())].into();
    RequestHead { path: "/a2a/ada/tides/".into(), headers, deadline_ms: 1_000 }
}

fn written(body: &[u8]) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    block_on(async {
        framing::write_head(&mut bytes, &question()).await.unwrap();
        framing::write_body(&mut bytes, body).await.unwrap();
        framing::write_end(&mut bytes).await.unwrap();
    });
    bytes.into_inner()
}

fn read(bytes: &[u8]) -> std::io::Result<(RequestHead, Vec<u8>)> {
    let mut bytes = Cursor::new(bytes);
    block_on(async {
        let (head, mut body) = (framing::read_head(&mut bytes).await?, Vec::new());
        while let Some(piece) = framing::read_piece(&mut bytes).await? {
            body.extend(piece);
        }
        Ok((head, body))
    })
}

#[test]
fn what_is_larger_than_a_frame_comes_in_pieces() {
    let body = vec![7; 200_000];
    assert_eq!(read(&written(&body)).unwrap(), (question(), body));
}

#[test]
fn frames_are_bounded_before_they_are_read() {
    let announced = |kind: u8, length: u32| [&[kind][..], &length.to_be_bytes(), b"{}"].concat();
    assert!(read(&announced(0, 1 << 20)).is_err(), "a head of 1 MiB");
    assert!(read(&announced(0, u32::MAX)).is_err());
    assert!(read(&announced(1, 2)).is_err(), "a body without a head");
    let head = &written(b"")[..written(b"").len() - 5];
    let after = |frame: Vec<u8>| read(&[head, &frame].concat());
    assert!(after(announced(1, 1 << 17)).is_err(), "a piece of 128 KiB");
    assert!(after(announced(1, 0)).is_err(), "pieces of nothing would never end");
    assert!(after(announced(2, 2)).is_err());
    assert!(after(announced(9, 2)).is_err());
    assert!(after(Vec::new()).is_err(), "it broke off before its end");
}

proptest! {
    #![proptest_config(plexus_testing::cases(64))]

    #[test]
    fn a_call_comes_as_it_was_sent(body in any::<Vec<u8>>()) {
        prop_assert_eq!(read(&written(&body)).unwrap(), (question(), body));
    }

    #[test]
    fn junk_is_refused_without_a_panic(bytes in any::<Vec<u8>>()) {
        let _ = read(&bytes);
    }
}
