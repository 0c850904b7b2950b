use plexus_domain::{
    Address, ChatId, Name,
    chat::Title,
    sanitized_text::{ellipsize, has_invisible, multi_line, one_line},
};

/// Fuzzes addresses, mentions, names, ids, and text sanitising.
pub fn address(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    whole_address(&text);
    mention(&text);
    if let Ok(name) = text.parse::<Name>() {
        assert_eq!(name.as_str(), text);
        assert!((1..=Name::MAX).contains(&text.len()) && text.is_ascii());
        assert_eq!(name.canonical().parse::<Name>().unwrap(), name);
    }
    if let Ok(id) = text.parse::<ChatId>() {
        assert_eq!(id.to_string().parse::<ChatId>().unwrap(), id);
        assert_eq!(id.to_string().len(), 36);
    }
    cleaned(&text);
}

fn whole_address(text: &str) {
    let Ok(address) = text.parse::<Address>() else { return };
    let shown = address.to_string();
    assert_eq!(shown.trim_start_matches('@'), text.trim_start_matches('@'));
    assert_eq!(shown.parse::<Address>().unwrap(), address);
    assert!(shown.is_ascii() && !shown.contains(char::is_whitespace));
    let json = serde_json::to_string(&address).unwrap();
    assert_eq!(serde_json::from_str::<Address>(&json).unwrap(), address);
}

fn mention(text: &str) {
    let Some((address, rest)) = Address::split_mention(text) else { return };
    assert!(text.ends_with(rest) && rest.len() < text.len());
    assert_eq!(rest, rest.trim_start());
    let (again, _) =
        Address::split_mention(&format!("{address} {rest}")).expect("what was read is a mention");
    assert_eq!(again, address);
}

fn cleaned(text: &str) {
    let line = one_line(text);
    assert_eq!(one_line(&line), line, "cleaning twice changes nothing");
    assert!(
        !has_invisible(&line)
            && !line.contains(|c: char| c.is_whitespace() && c != ' ')
            && line.trim() == line
    );
    let block = multi_line(text);
    assert_eq!(multi_line(&block), block, "cleaning twice changes nothing");
    assert!(!has_invisible(&block));
    let short = ellipsize(&line, 20);
    assert!(short.chars().count() <= 20 && (short == line || short.ends_with('…')));
    let title = Title::from_message(text);
    assert_eq!(one_line(title.as_str()), title.as_str());
}
