//! Framing of stream requests: kind (one byte), length (four bytes, big-endian), payload.

use std::io;

use futures::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use serde::{Serialize, de::DeserializeOwned};

/// Maximum bytes of a request or response head.
const MAX_HEAD: usize = 16 << 10;
/// Maximum bytes of one piece of a body.
const MAX_PIECE: usize = 64 << 10;

const HEAD: u8 = 0;
const PIECE: u8 = 1;
const END: u8 = 2;

pub async fn write_head(io: &mut (impl AsyncWrite + Unpin), head: &impl Serialize) -> io::Result<()> {
    let bytes = serde_json::to_vec(head)?;
    if bytes.len() > MAX_HEAD {
        return Err(invalid("the head of a call is too large"));
    }
    write(io, HEAD, &bytes).await
}

/// Writes part of a body, split into pieces.
pub async fn write_body(io: &mut (impl AsyncWrite + Unpin), body: &[u8]) -> io::Result<()> {
    for piece in body.chunks(MAX_PIECE) {
        write(io, PIECE, piece).await?;
    }
    Ok(())
}

pub async fn write_end(io: &mut (impl AsyncWrite + Unpin)) -> io::Result<()> {
    write(io, END, &[]).await
}

async fn write(io: &mut (impl AsyncWrite + Unpin), kind: u8, bytes: &[u8]) -> io::Result<()> {
    let length = u32::try_from(bytes.len()).map_err(|_| invalid("a frame is too large"))?;
    let mut start = [kind, 0, 0, 0, 0];
    start[1..].copy_from_slice(&length.to_be_bytes());
    io.write_all(&start).await?;
    io.write_all(bytes).await?;
    io.flush().await
}

pub async fn read_head<T: DeserializeOwned>(io: &mut (impl AsyncRead + Unpin)) -> io::Result<T> {
    let (kind, length) = read_start(io).await?;
    if kind != HEAD || length > MAX_HEAD {
        return Err(invalid("a call begins with a head of 16 KiB at most"));
    }
    Ok(serde_json::from_slice(&read_bytes(io, length).await?)?)
}

/// Reads the next piece of a body; `None` at its end. An end of the stream before that is an error.
pub async fn read_piece(io: &mut (impl AsyncRead + Unpin)) -> io::Result<Option<Vec<u8>>> {
    match read_start(io).await? {
        (PIECE, length @ 1..=MAX_PIECE) => Ok(Some(read_bytes(io, length).await?)),
        (END, 0) => Ok(None),
        _ => Err(invalid("a body is pieces of 64 KiB at most, and an end")),
    }
}

async fn read_start(io: &mut (impl AsyncRead + Unpin)) -> io::Result<(u8, usize)> {
    let mut start = [0; 5];
    io.read_exact(&mut start).await?;
    let [kind, a, b, c, d] = start;
    let length = usize::try_from(u32::from_be_bytes([a, b, c, d])).map_err(|_| invalid("too large"))?;
    Ok((kind, length))
}

/// Reads `length` bytes; the caller has bounded `length`.
async fn read_bytes(io: &mut (impl AsyncRead + Unpin), length: usize) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; length];
    io.read_exact(&mut bytes).await?;
    Ok(bytes)
}

fn invalid(words: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, words)
}
