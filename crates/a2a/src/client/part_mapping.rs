//! Maps domain parts to A2A wire parts and back.

use plexus_domain::{Digest, Part, PartBody};
use serde_json::json;

use crate::{
    encoded_bytes::DataUrl,
    wire::{Metadata, v1},
};

/// Returns the URL under which the hub serves a stored blob.
pub type BlobUrl<'a> = dyn Fn(&Digest) -> String + 'a;

/// A part received from an agent. The hub must store raw bytes as a blob before they become a message part.
#[derive(Clone, Debug, PartialEq)]
pub enum IncomingPart {
    Part(Box<Part>),
    Bytes {
        bytes: Vec<u8>,
        name: Option<String>,
        media_type: Option<String>,
        metadata: Option<Box<Metadata>>,
    },
}

/// Returns the metadata if it has a member.
pub fn non_empty(metadata: Metadata) -> Option<Metadata> {
    (!metadata.is_empty()).then_some(metadata)
}

/// Converts a wire part. The content of a `data:` URL is a file. Text is not sanitized here but when it is
/// rendered.
pub fn receive(part: v1::Part) -> IncomingPart {
    let v1::Part { content, filename: name, media_type, metadata } = part;
    let metadata = metadata.and_then(non_empty).map(Box::new);
    let content = match content {
        v1::PartContent::Raw(bytes) => return IncomingPart::Bytes { bytes, name, media_type, metadata },
        v1::PartContent::Text(text) => PartBody::Text { text },
        v1::PartContent::Url(url) => match DataUrl::parse(&url) {
            Some(data) => {
                let media_type = media_type.or(data.media_type);
                return IncomingPart::Bytes { bytes: data.bytes, name, media_type, metadata };
            }
            None => PartBody::Link { url },
        },
        v1::PartContent::Data(data) => PartBody::Data { data },
    };
    IncomingPart::Part(Box::new(Part { content, artifact: None, name, media_type, metadata }))
}

/// Converts a part to the wire format. Tool calls and reasoning are internal and yield `None`.
pub fn send(part: &Part, blob_url: &BlobUrl<'_>) -> Option<v1::Part> {
    let content = match &part.content {
        PartBody::Text { text } => v1::PartContent::Text(text.clone()),
        PartBody::Data { data } => v1::PartContent::Data(data.clone()),
        PartBody::File { blob, .. } => v1::PartContent::Url(blob_url(blob)),
        PartBody::Link { url } => v1::PartContent::Url(url.clone()),
        PartBody::Approval { approval, tool, arguments, .. } => v1::PartContent::Data(
            json!({"approval": approval.to_string(), "tool": tool, "arguments": arguments}),
        ),
        PartBody::Question { approval, tool, question, .. } => v1::PartContent::Data(
            json!({"approval": approval.to_string(), "tool": tool, "question": question}),
        ),
        PartBody::Tool(_) | PartBody::Reasoning { .. } => return None,
    };
    // Names of other parts are titles, for which the wire format has no field.
    let is_file = matches!(content, v1::PartContent::Url(_));
    let filename = part.name.clone().filter(|_| is_file);
    Some(v1::Part {
        content,
        metadata: part.metadata.as_deref().cloned(),
        filename,
        media_type: part.media_type.clone(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_come_back_as_they_were_sent() {
        let link = Part {
            name: Some("a".into()),
            media_type: Some("text/csv".into()),
            metadata: Some(Box::new(Metadata::from_iter([("k".to_owned(), json!(1))]))),
            ..PartBody::Link { url: "https://example.org/a".into() }.into()
        };
        for part in [Part::text("**hi**"), PartBody::Data { data: json!([1]) }.into(), link] {
            let wire = send(&part, &|_| unreachable!()).unwrap();
            assert_eq!(receive(wire), IncomingPart::Part(Box::new(part)));
        }
    }

    #[test]
    fn files_are_sent_as_links_and_inner_work_is_not_sent() {
        let blob = Digest::of("x");
        let file = Part::from(PartBody::File { blob, size: 1, image: None });
        let wire = send(&file, &|digest| format!("https://hub.example/blobs/{digest}")).unwrap();
        assert_eq!(wire.content, v1::PartContent::Url(format!("https://hub.example/blobs/{blob}")));
        assert_eq!(send(&PartBody::Reasoning { text: "hm".into() }.into(), &|_| String::new()), None);
        let bytes = v1::Part::from(v1::PartContent::Raw(vec![1]));
        assert_eq!(
            receive(bytes),
            IncomingPart::Bytes { bytes: vec![1], name: None, media_type: None, metadata: None }
        );
    }

    #[test]
    fn the_content_of_a_data_url_is_a_file() {
        let url = v1::Part::from(v1::PartContent::Url("data:text/csv,a%2Cb".into()));
        let media_type = Some("text/csv".to_owned());
        assert_eq!(
            receive(url),
            IncomingPart::Bytes { bytes: b"a,b".to_vec(), name: None, media_type, metadata: None }
        );
    }
}
