use plexus_federation::record::{self, ParsedRecord};

/// Fuzzes listings, inventory heads and hub records. The encoding of a valid record is unique, so that
/// replicas are identical to the original.
pub fn record(data: &[u8]) {
    let again = match record::parse(data) {
        Ok(ParsedRecord::Listing(listing)) => listing.verify().map(|listing| listing.encode()),
        Ok(ParsedRecord::Hub(record)) => record.verify().map(|record| record.encode()),
        Ok(ParsedRecord::Head(head)) => head.verify().map(|head| head.encode()),
        Err(error) => Err(error),
    };
    match again {
        Ok(again) => assert_eq!(again, data),
        Err(error) => assert!(error.to_string().len() < 1_000, "a short reason"),
    }
}
