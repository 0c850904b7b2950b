use proptest::prelude::*;

use super::*;

const NOW: Timestamp = Timestamp::from_millis(1_700_000_000_500);
const BODY: &[u8] = br#"{"hello": "world"}"#;
const WHO: &str = "plexus-person";

fn key(seed: u8) -> SecretKey {
    SecretKey::from_seed(&[seed; 32])
}

fn request<'a>(body: &[u8]) -> SignableRequest<'a> {
    SignableRequest {
        method: "POST",
        authority: "near.example",
        path: "/a2a/ada/tides/",
        query: None,
        fields: vec![(CONTENT_DIGEST.to_owned(), content_digest(body)), (WHO.to_owned(), "p1".to_owned())],
    }
}

fn with<'a>(request: SignableRequest<'a>, (input, signature): (String, String)) -> SignableRequest<'a> {
    let more = [(SIGNATURE_INPUT.to_owned(), input), (SIGNATURE.to_owned(), signature)];
    SignableRequest { fields: request.fields.into_iter().chain(more).collect(), ..request }
}

fn signed<'a>() -> SignableRequest<'a> {
    let request = request(BODY);
    let made = sign(&key(1), &request, NOW, "once");
    with(request, made)
}

fn check(request: &SignableRequest<'_>) -> Result<VerifiedSignature, SignatureError> {
    verify(request, BODY, &[WHO], NOW)
}

fn set(request: &mut SignableRequest<'_>, name: &str, value: &str) {
    request.fields.retain(|(known, _)| known != name);
    request.fields.push((name.to_owned(), value.to_owned()));
}

/// Signs a request with these covered components and parameters, then verifies it.
fn made(covered: &str, params: &str) -> Result<VerifiedSignature, SignatureError> {
    let request = request(BODY);
    let input = format!("x=({covered}){params}");
    let read = SignatureInput::parse(&input)?;
    let signature = BASE64.encode(key(1).sign(base(&request, &read)?.as_bytes()));
    check(&with(request, (input, format!("x=:{signature}:"))))
}

const COVERED: &str = r#""@method" "@authority" "@path" "content-digest" "plexus-person""#;

fn params(created: i64, expires: i64) -> String {
    let key = key(1).public();
    format!(r#";created={created};expires={expires};nonce="n";keyid="{key}""#)
}

#[test]
fn the_example_of_the_rfc_comes_out_the_same() {
    // RFC 9421 appendices B.1.4, B.2 and B.2.6.
    let seed = "9f8362f87a484a954e6e740c5b4c0e84229139a20aa8ab56ff66586f6a7d29c5";
    let seed = data_encoding::HEXLOWER.decode(seed.as_bytes()).unwrap();
    let key = SecretKey::from_seed(&seed.try_into().unwrap());
    assert_eq!(BASE64.encode(key.public().as_bytes()), "JrQLj5P/89iXES9+vFgrIy29clF9CC/oPPsw3c5D0bs=");
    let fields = [
        ("date", "Tue, 20 Apr 2021 02:07:55 GMT"),
        ("content-type", "application/json"),
        ("content-length", "18"),
    ];
    let request = SignableRequest {
        method: "POST",
        authority: "example.com",
        path: "/foo",
        query: Some("param=Value&Pet=dog"),
        fields: fields.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
    };
    let header = "sig-b26=(\"date\" \"@method\" \"@path\" \"@authority\" \"content-type\" \"content-length\")\
                  ;created=1618884473;keyid=\"test-key-ed25519\"";
    let input = SignatureInput::parse(header).unwrap();
    assert_eq!(format!("sig-b26={}", input.described()), header);
    let expected = "wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw==";
    let base = base(&request, &input).unwrap();
    assert_eq!(BASE64.encode(key.sign(base.as_bytes())), expected);
    let signature = structured_fields::signature(&format!("sig-b26=:{expected}:"), "sig-b26").unwrap();
    assert_eq!(check_signature(&request, &input, &key.public(), &signature), Ok(()));
}

#[test]
fn the_digest_is_that_of_rfc_9530() {
    // RFC 9530 appendix B.1.
    let body = b"{\"hello\": \"world\"}\n";
    let header = "sha-256=:RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=:";
    assert_eq!(content_digest(body), header);
    assert_eq!(check_digest(&format!("sha-512=:AAAA:, {header}"), body), Ok(()));
    for wrong in ["", "sha-512=:AAAA:", &format!("{header}, {header}"), &header.replace('R', "S")] {
        assert_eq!(check_digest(wrong, body), Err(SignatureError::Digest), "{wrong}");
    }
}

#[test]
fn what_is_signed_is_taken_with_its_key_and_its_nonce() {
    let taken = check(&signed()).unwrap();
    assert_eq!(taken.key, key(1).public());
    assert_eq!((taken.nonce.as_str(), taken.expires.millis()), ("once", 1_700_000_060_000));
    let request = SignableRequest { query: Some("A2A-Version=1.0"), ..request(BODY) };
    let with_query = with(request.clone(), sign(&key(1), &request, NOW, "once"));
    assert!(check(&with_query).is_ok());
    let another = SignableRequest { query: Some("A2A-Version=0.3"), ..with_query };
    assert_eq!(check(&another), Err(SignatureError::Mismatch));
}

#[test]
fn a_change_of_anything_that_is_covered_is_seen() {
    let mismatch = Err(SignatureError::Mismatch);
    assert_eq!(check(&SignableRequest { method: "GET", ..signed() }), mismatch);
    assert_eq!(
        check(&SignableRequest { authority: "far.example", ..signed() }),
        mismatch,
        "it was for another hub"
    );
    assert_eq!(check(&SignableRequest { path: "/a2a/ada/moon/", ..signed() }), mismatch);
    let uncovered = Err(SignatureError::Uncovered("@query".into()));
    assert_eq!(check(&SignableRequest { query: Some("x"), ..signed() }), uncovered);
    for (name, value) in [(WHO, "p2"), (CONTENT_DIGEST, &*content_digest(b"{}"))] {
        let mut request = signed();
        set(&mut request, name, value);
        assert_eq!(check(&request), mismatch, "{name}");
    }
    assert_eq!(verify(&signed(), b"{}", &[WHO], NOW), Err(SignatureError::Digest));
    let mut another = signed();
    let input = another.field(SIGNATURE_INPUT).unwrap().replace("\"once\"", "\"twice\"");
    set(&mut another, SIGNATURE_INPUT, &input);
    assert_eq!(check(&another), mismatch);
    let mut renamed = signed();
    let input = renamed.field(SIGNATURE_INPUT).unwrap();
    let input = input.replace(&key(1).public().key_id(), &key(2).public().key_id());
    set(&mut renamed, SIGNATURE_INPUT, &input);
    assert_eq!(check(&renamed), mismatch, "another key signed");
}

#[test]
fn a_signature_holds_for_its_minute() {
    let at = |seconds: i64| verify(&signed(), BODY, &[WHO], Timestamp::from_millis(seconds * 1_000));
    assert!(at(1_700_000_000).is_ok() && at(1_700_000_059).is_ok());
    assert_eq!(at(1_700_000_060), Err(SignatureError::Expired));
    assert!(at(1_699_999_970).is_ok(), "clocks differ a little");
    assert_eq!(at(1_699_999_969), Err(SignatureError::Ahead));
    let created = 1_700_000_000;
    assert!(made(COVERED, &params(created, created + 60)).is_ok());
    for (from, to) in [(created, created + 61), (created, created), (created, created - 1)] {
        assert_eq!(made(COVERED, &params(from, to)), Err(SignatureError::Times), "{from} to {to}");
    }
}

#[test]
fn a_signature_that_says_too_little_is_refused() {
    let full = params(1_700_000_000, 1_700_000_060);
    for name in COVERED.split(' ') {
        let less = COVERED.replace(name, "").trim().to_owned();
        let error = Err(SignatureError::Uncovered(name.trim_matches('"').to_owned()));
        assert_eq!(made(&less, &full), error, "{name}");
    }
    let without = |what: &str| {
        let kept = full.split(';').filter(|param| !param.starts_with(what)).collect::<Vec<_>>();
        made(COVERED, &kept.join(";"))
    };
    assert_eq!(without("created"), Err(SignatureError::Times));
    assert_eq!(without("expires"), Err(SignatureError::Times));
    assert_eq!(without("nonce"), Err(SignatureError::Nonce));
    assert_eq!(without("keyid"), Err(SignatureError::Key));
    assert!(made(COVERED, &format!("{full};alg=\"ed25519\";tag=\"more\"")).is_ok());
    assert_eq!(made(COVERED, &format!("{full};alg=\"hmac-sha256\"")), Err(SignatureError::Algorithm));
    assert_eq!(made(&format!("{COVERED} \"date\""), &full), Err(SignatureError::Missing("date".into())));
    let long = full.replace("\"n\"", &format!("\"{}\"", "n".repeat(129)));
    assert_eq!(made(COVERED, &long), Err(SignatureError::Nonce));
}

#[test]
fn two_signatures_and_other_spellings_are_refused() {
    let joined = |name: &str| {
        let mut request = signed();
        let twice = request.field(name).unwrap();
        let twice = format!("{twice}, {}", twice.replacen(LABEL, "other", 1));
        set(&mut request, name, &twice);
        check(&request)
    };
    assert_eq!(joined(SIGNATURE_INPUT), Err(SignatureError::Several));
    assert_eq!(joined(SIGNATURE), Err(SignatureError::Several));
    for name in [SIGNATURE_INPUT, SIGNATURE] {
        let mut request = signed();
        request.fields.retain(|(known, _)| known != name);
        assert_eq!(check(&request), Err(SignatureError::Malformed), "no {name}");
    }
    for junk in [
        "",
        "x",
        "x=",
        "x=()",
        "x=(",
        "x=(a)",
        "X=(\"a\")",
        "x=(\"a\";bs)",
        "x=(\"a\" \"a\")",
        "x=(\"A\")",
        "x=(\"a\");created=01",
        "x=(\"a\");created=1.5",
        "x=(\"a\");created=-1",
        "x=(\"a\");created",
        "x=(\"a\");created=9999999999999999",
        "x=(\"a\");nonce=\"\\n\"",
        "x=(\"a\");n=1;n=2",
        "x=(\"a\"\"b\")",
        "x=(\"a\")y",
        "x=(\"ä\")",
    ] {
        let mut request = signed();
        set(&mut request, SIGNATURE_INPUT, junk);
        assert!(check(&request).is_err(), "{junk}");
    }
    let mut request = signed();
    set(&mut request, SIGNATURE, &format!("{LABEL}=:{}:", "A".repeat(4_000)));
    assert_eq!(check(&request), Err(SignatureError::Malformed));
}

proptest! {
    #![proptest_config(plexus_testing::cases(64))]

    #[test]
    fn what_a_hub_signs_is_taken_and_no_bit_of_it_can_be_changed(
        seed in any::<[u8; 32]>(),
        path in "/[a-z0-9/~%-]{0,40}",
        query in proptest::option::of("[a-z=&]{0,20}"),
        nonce in "[ -~]{1,40}",
        body in any::<Vec<u8>>(),
        at in any::<prop::sample::Index>(),
    ) {
        let key = SecretKey::from_seed(&seed);
        let request = SignableRequest { path: &path, query: query.as_deref(), ..request(&body) };
        let sent = with(request.clone(), sign(&key, &request, NOW, &nonce));
        let taken = verify(&sent, &body, &[WHO], NOW).unwrap();
        prop_assert_eq!((taken.key, taken.nonce), (key.public(), nonce));
        let mut bent = sent.clone();
        let at = at.index(sent.field(SIGNATURE_INPUT).unwrap().len());
        let mut input = sent.field(SIGNATURE_INPUT).unwrap().as_bytes().to_vec();
        input[at] ^= 1;
        if let Ok(input) = String::from_utf8(input) {
            set(&mut bent, SIGNATURE_INPUT, &input);
            prop_assert!(verify(&bent, &body, &[WHO], NOW).is_err(), "{}", input);
        }
    }

    #[test]
    fn junk_is_refused_without_a_panic(input in ".{0,80}", signature in ".{0,80}", shaped in "[a-z]{1,3}=\\([\"a-z@ ;]{0,20}\\)[;=\"a-z0-9\\\\]{0,30}") {
        for input in [input, shaped] {
            let request = with(request(BODY), (input, signature.clone()));
            prop_assert!(check(&request).is_err());
        }
    }
}
