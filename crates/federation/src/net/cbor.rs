//! CBOR encoding (RFC 8949) of requests and responses, with size limits checked before allocation.
//!
//! Structs are arrays in field order; keys and hashes are byte strings. The protocol name carries the
//! version; later additions use a new protocol name.

use plexus_a2a::keys::PublicKey;
use plexus_domain::Digest;
use serde::{
    Deserialize, Deserializer, Serialize,
    de::{DeserializeOwned, Error as _, SeqAccess, Visitor},
};
use serde_bytes::{ByteArray, ByteBuf};

use crate::{
    HubId,
    engine::{HubInventory, MAX_BATCH, MAX_FOUND, MAX_FRAME, PeerRequest, PeerResponse, SearchQuery},
    record::{MAX_BYTES, MAX_TAGS, Seq, SetFingerprint, Tag},
};

/// Maximum bytes of a request. An offer is the largest: listings and a head.
pub const MAX_REQUEST: usize = 640 * 1024;
/// Maximum bytes of a search query.
pub const MAX_QUERY: usize = 8 * 1024;
/// Maximum bytes of a response. Records that do not fit are requested again.
pub const MAX_ANSWER: usize = 2 * 1024 * 1024 + 64 * 1024;
/// Maximum total bytes of the records in one response.
pub const MAX_RECORD_BYTES: usize = 2 * 1024 * 1024;
/// Maximum inventory rows in one response: all hubs that a hub can know.
const MAX_ROWS: usize = 10_000;
/// Maximum records in one message: head and hub record for each hub of a batch.
const MAX_RECORDS: usize = 2 * MAX_BATCH;

/// Why bytes are not a valid message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WireError {
    #[error("The message has more than {0} bytes.")]
    TooLarge(usize),
    #[error("The message cannot be read: {0}.")]
    Unreadable(String),
    #[error("The message breaks a rule: {0}.")]
    Rule(&'static str),
}

/// A message of a peer: a request, or an offer of records that it found missing here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PeerMessage {
    Request(PeerRequest),
    Offer(Vec<Vec<u8>>),
}

/// Reply to a message. An offer is only acknowledged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PeerReply {
    Answer(PeerResponse),
    Noted,
}

impl PeerReply {
    /// Returns the approximate size in memory, in bytes.
    pub(super) fn weight(&self) -> usize {
        match self {
            Self::Answer(PeerResponse::Rows(rows)) => {
                rows.as_ref().map_or(0, |rows| rows.len() * size_of::<HubInventory>())
            }
            Self::Answer(PeerResponse::Compare { message }) => message.len(),
            Self::Answer(PeerResponse::Records(records)) => records.iter().map(Vec::len).sum(),
            Self::Noted => 0,
        }
    }
}

/// Decodes a message, on a protocol with a limit of `limit` bytes.
pub fn read_message(bytes: &[u8], limit: usize) -> Result<PeerMessage, WireError> {
    read::<CborRequest>(bytes, limit)?.try_into()
}

/// Decodes a reply.
pub fn read_reply(bytes: &[u8]) -> Result<PeerReply, WireError> {
    read::<CborResponse>(bytes, MAX_ANSWER)?.try_into()
}

/// Encodes a message.
pub fn write_message(message: &PeerMessage) -> Result<Vec<u8>, WireError> {
    write(&CborRequest::from(message), MAX_REQUEST)
}

/// Encodes a reply.
pub fn write_reply(reply: &PeerReply) -> Result<Vec<u8>, WireError> {
    write(&CborResponse::from(reply), MAX_ANSWER)
}

/// Encoded form of [`PeerMessage`].
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum CborRequest {
    Rows(ByteArray<32>),
    Heads(BoundedVec<ByteArray<32>, MAX_BATCH>),
    Compare(ByteArray<32>, ByteBuf),
    Bodies(ByteArray<32>, BoundedVec<ByteArray<32>, MAX_BATCH>),
    Find(String, BoundedVec<String, MAX_TAGS>, u16),
    Offer(BoundedVec<ByteBuf, MAX_RECORDS>),
}

/// Encoded form of [`PeerReply`].
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum CborResponse {
    Same,
    Rows(BoundedVec<WireRow, MAX_ROWS>),
    Compare(ByteBuf),
    Records(BoundedVec<ByteBuf, MAX_RECORDS>),
    Noted,
}

/// Encoded inventory row: hub, sequence number of its last head, count, fingerprint, whether the copy is
/// partial.
#[derive(Serialize, Deserialize)]
struct WireRow(ByteArray<32>, Option<u64>, u64, ByteArray<32>, bool);

impl From<&PeerMessage> for CborRequest {
    fn from(message: &PeerMessage) -> Self {
        let hub = |hub: &HubId| ByteArray::new(*hub.as_bytes());
        let digest = |digest: &Digest| ByteArray::new(*digest.as_bytes());
        match message {
            PeerMessage::Request(PeerRequest::Rows { root }) => Self::Rows(digest(root)),
            PeerMessage::Request(PeerRequest::Heads { hubs }) => Self::Heads(hubs.iter().map(hub).collect()),
            PeerMessage::Request(PeerRequest::Compare { hub: of, message }) => {
                Self::Compare(hub(of), ByteBuf::from(message.clone()))
            }
            PeerMessage::Request(PeerRequest::Bodies { hub: of, hashes }) => {
                Self::Bodies(hub(of), hashes.iter().map(digest).collect())
            }
            PeerMessage::Request(PeerRequest::Find(query)) => {
                let tags = query.tags.iter().map(|tag| tag.as_str().to_owned()).collect();
                Self::Find(query.text.clone(), tags, u16::try_from(query.limit).unwrap_or(u16::MAX))
            }
            PeerMessage::Offer(records) => Self::Offer(blobs(records)),
        }
    }
}

impl TryFrom<CborRequest> for PeerMessage {
    type Error = WireError;

    fn try_from(asked: CborRequest) -> Result<Self, WireError> {
        Ok(Self::Request(match asked {
            CborRequest::Rows(root) => PeerRequest::Rows { root: Digest::from_bytes(*root) },
            CborRequest::Heads(hubs) => {
                PeerRequest::Heads { hubs: hubs.0.iter().map(hub_id).collect::<Result<_, _>>()? }
            }
            CborRequest::Compare(hub, message) => {
                PeerRequest::Compare { hub: hub_id(&hub)?, message: frame(message)? }
            }
            CborRequest::Bodies(hub, hashes) => {
                let hashes = hashes.0.iter().map(|hash| Digest::from_bytes(**hash)).collect();
                PeerRequest::Bodies { hub: hub_id(&hub)?, hashes }
            }
            CborRequest::Find(text, tags, limit) => {
                let tags = tags.0.into_iter().map(Tag::try_from).collect::<Result<_, _>>();
                let tags = tags.map_err(WireError::Rule)?;
                PeerRequest::Find(query(text, tags, limit)?)
            }
            CborRequest::Offer(records) => return Ok(Self::Offer(records_of(records)?)),
        }))
    }
}

impl From<&PeerReply> for CborResponse {
    fn from(reply: &PeerReply) -> Self {
        match reply {
            PeerReply::Answer(PeerResponse::Rows(None)) => Self::Same,
            PeerReply::Answer(PeerResponse::Rows(Some(rows))) => {
                Self::Rows(rows.iter().map(WireRow::from).collect())
            }
            PeerReply::Answer(PeerResponse::Compare { message }) => {
                Self::Compare(ByteBuf::from(message.clone()))
            }
            PeerReply::Answer(PeerResponse::Records(records)) => Self::Records(blobs(records)),
            PeerReply::Noted => Self::Noted,
        }
    }
}

impl TryFrom<CborResponse> for PeerReply {
    type Error = WireError;

    fn try_from(told: CborResponse) -> Result<Self, WireError> {
        Ok(Self::Answer(match told {
            CborResponse::Same => PeerResponse::Rows(None),
            CborResponse::Rows(rows) => {
                PeerResponse::Rows(Some(rows.0.iter().map(HubInventory::try_from).collect::<Result<_, _>>()?))
            }
            CborResponse::Compare(message) => PeerResponse::Compare { message: frame(message)? },
            CborResponse::Records(records) => PeerResponse::Records(records_of(records)?),
            CborResponse::Noted => return Ok(Self::Noted),
        }))
    }
}

impl From<&HubInventory> for WireRow {
    fn from(row: &HubInventory) -> Self {
        let fingerprint = ByteArray::new(*row.fingerprint.as_bytes());
        Self(ByteArray::new(*row.hub.as_bytes()), row.head.map(Seq::get), row.count, fingerprint, row.partial)
    }
}

impl TryFrom<&WireRow> for HubInventory {
    type Error = WireError;

    fn try_from(WireRow(hub, head, count, fingerprint, partial): &WireRow) -> Result<Self, WireError> {
        let head = head.map(Seq::try_from).transpose().map_err(WireError::Rule)?;
        let fingerprint = SetFingerprint::from_bytes(**fingerprint);
        Ok(Self { hub: hub_id(hub)?, head, count: *count, fingerprint, partial: *partial })
    }
}

fn hub_id(bytes: &ByteArray<32>) -> Result<HubId, WireError> {
    PublicKey::from_bytes(bytes).map(HubId::from).map_err(|_| WireError::Rule("a hub is named by its key"))
}

fn frame(message: ByteBuf) -> Result<Vec<u8>, WireError> {
    let fits = message.len() <= MAX_FRAME;
    fits.then(|| message.into_vec()).ok_or(WireError::Rule("a step of comparing has at most 64 KiB"))
}

fn query(text: String, tags: Vec<Tag>, limit: u16) -> Result<SearchQuery, WireError> {
    if text.len() > SearchQuery::MAX_TEXT {
        return Err(WireError::Rule("a query has at most 1,000 bytes"));
    }
    Ok(SearchQuery { text, tags, limit: usize::from(limit).min(MAX_FOUND) })
}

fn records_of(records: BoundedVec<ByteBuf, MAX_RECORDS>) -> Result<Vec<Vec<u8>>, WireError> {
    if records.0.iter().any(|record| record.len() > MAX_BYTES) {
        return Err(WireError::Rule("a record has at most 16 KiB"));
    }
    Ok(records.0.into_iter().map(ByteBuf::into_vec).collect())
}

fn blobs(records: &[Vec<u8>]) -> BoundedVec<ByteBuf, MAX_RECORDS> {
    records.iter().map(|record| ByteBuf::from(record.clone())).collect()
}

fn read<T: DeserializeOwned>(bytes: &[u8], limit: usize) -> Result<T, WireError> {
    if bytes.len() > limit {
        return Err(WireError::TooLarge(limit));
    }
    cbor4ii::serde::from_slice(bytes).map_err(|error| unreadable(&error))
}

fn write<T: Serialize>(value: &T, limit: usize) -> Result<Vec<u8>, WireError> {
    let bytes = cbor4ii::serde::to_vec(Vec::new(), value).map_err(|error| unreadable(&error))?;
    if bytes.len() <= limit { Ok(bytes) } else { Err(WireError::TooLarge(limit)) }
}

/// Converts a parser error; its text is shortened because it repeats the input.
fn unreadable(error: &dyn std::error::Error) -> WireError {
    let words = plexus_domain::sanitized_text::one_line(&error.to_string());
    WireError::Unreadable(plexus_domain::sanitized_text::ellipsize(&words, 200))
}

/// A list with a maximum length. Deserialization fails at the first surplus item, before it uses memory.
#[derive(Serialize)]
#[serde(transparent)]
struct BoundedVec<T, const MAX: usize>(Vec<T>);

impl<T, const MAX: usize> FromIterator<T> for BoundedVec<T, MAX> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        Self(items.into_iter().collect())
    }
}

impl<'de, T: Deserialize<'de>, const MAX: usize> Deserialize<'de> for BoundedVec<T, MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Items<T, const MAX: usize>(std::marker::PhantomData<T>);

        impl<'de, T: Deserialize<'de>, const MAX: usize> Visitor<'de> for Items<T, MAX> {
            type Value = Vec<T>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, "a list of at most {MAX}")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Vec<T>, A::Error> {
                let mut list = Vec::new();
                while let Some(item) = items.next_element()? {
                    if list.len() == MAX {
                        return Err(A::Error::custom(format_args!("a list has more than {MAX} items")));
                    }
                    list.push(item);
                }
                Ok(list)
            }
        }

        deserializer.deserialize_seq(Items::<T, MAX>(std::marker::PhantomData)).map(Self)
    }
}

#[cfg(test)]
mod tests {
    use plexus_a2a::keys::SecretKey;

    use super::*;

    fn hub(n: u8) -> HubId {
        SecretKey::from_seed(&[n; 32]).public().into()
    }

    #[test]
    fn what_is_written_is_read() {
        let query = SearchQuery {
            text: "count words".into(),
            tags: vec![Tag::from_text("count").unwrap()],
            limit: 7,
        };
        let requests = [
            PeerRequest::Rows { root: Digest::of("x") },
            PeerRequest::Heads { hubs: vec![hub(1), hub(2)] },
            PeerRequest::Compare { hub: hub(1), message: vec![0x61; 900] },
            PeerRequest::Bodies { hub: hub(1), hashes: vec![Digest::of("y"); MAX_BATCH] },
            PeerRequest::Find(query),
        ];
        let messages =
            requests.into_iter().map(PeerMessage::Request).chain([PeerMessage::Offer(vec![vec![1; 50]; 33])]);
        for message in messages {
            assert_eq!(read_message(&write_message(&message).unwrap(), MAX_REQUEST), Ok(message));
        }
        let head = Some(Seq::try_from(7).unwrap());
        let row = HubInventory {
            hub: hub(1),
            head,
            count: 9,
            fingerprint: SetFingerprint::default(),
            partial: true,
        };
        let answers = [
            PeerResponse::Rows(None),
            PeerResponse::Rows(Some(vec![row, HubInventory { head: None, ..row }])),
            PeerResponse::Compare { message: Vec::new() },
            PeerResponse::Records(vec![vec![2; MAX_BYTES]; 100]),
        ];
        for reply in answers.into_iter().map(PeerReply::Answer).chain([PeerReply::Noted]) {
            assert_eq!(read_reply(&write_reply(&reply).unwrap()), Ok(reply));
        }
    }

    #[test]
    fn a_row_takes_little() {
        let row = HubInventory {
            hub: hub(1),
            head: Seq::try_from(7).ok(),
            count: 9,
            fingerprint: SetFingerprint::default(),
            partial: false,
        };
        let bytes = write_reply(&PeerReply::Answer(PeerResponse::Rows(Some(vec![row; MAX_ROWS])))).unwrap();
        assert!(bytes.len() <= 80 * MAX_ROWS, "{}", bytes.len());
    }

    #[test]
    fn what_is_too_much_is_refused_early() {
        // Two million empty byte strings would use 48 MB as a list.
        let flood =
            [vec![0xa1, 0x67], b"records".to_vec(), vec![0x9f], vec![0x40; 2_000_000], vec![0xff]].concat();
        assert!(matches!(read_reply(&flood), Err(WireError::Unreadable(_))));
        assert_eq!(read_reply(&vec![0; MAX_ANSWER + 1]), Err(WireError::TooLarge(MAX_ANSWER)));
        let nested = [vec![0xa1, 0x64], b"rows".to_vec(), vec![0x81; 100_000]].concat();
        assert!(matches!(read_message(&nested, MAX_REQUEST), Err(WireError::Unreadable(_))));
        let large =
            PeerMessage::Request(PeerRequest::Compare { hub: hub(1), message: vec![0; MAX_FRAME + 1] });
        assert!(matches!(
            read_message(&write_message(&large).unwrap(), MAX_REQUEST),
            Err(WireError::Rule(_))
        ));
        let record = PeerReply::Answer(PeerResponse::Records(vec![vec![0; MAX_BYTES + 1]]));
        assert!(matches!(read_reply(&write_reply(&record).unwrap()), Err(WireError::Rule(_))));
        let weak = [vec![0xa1, 0x65], b"heads".to_vec(), vec![0x81, 0x58, 32], vec![0; 32]].concat();
        assert!(matches!(read_message(&weak, MAX_REQUEST), Err(WireError::Rule(_))));
    }
}
