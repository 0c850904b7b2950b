use serde_json::json;

use super::*;

fn at() -> Url {
    "https://auth.example/token".parse().unwrap()
}

fn answer(status: u16, body: &str) -> Result<TokenResponse, TokenError> {
    read(&at(), StatusCode::from_u16(status).unwrap(), None, body.as_bytes())
}

fn sent(secret: Option<&str>, grant: &TokenGrant) -> Vec<(String, String)> {
    let client = Client { id: "hub one".to_owned(), secret: secret.map(Secret::new) };
    let body = body(&client, grant, &"https://agent.example/a2a".parse().unwrap());
    form_urlencoded::parse(body.as_bytes()).into_owned().collect()
}

#[test]
fn a_request_says_what_its_grant_needs_and_never_the_secret() {
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let resource = pair("resource", "https://agent.example/a2a");
    let scopes = vec!["read".to_owned(), "a&b".to_owned()];
    let expected = [pair("grant_type", "client_credentials"), pair("scope", "read a&b"), resource.clone()];
    assert_eq!(sent(Some("s3cret"), &TokenGrant::Client { scopes }), expected);
    let redirect = "https://hub.example/oauth/callback".parse().unwrap();
    let grant = TokenGrant::Code { code: Secret::new("c"), verifier: Secret::new("v"), redirect };
    let expected = [
        pair("grant_type", "authorization_code"),
        pair("code", "c"),
        pair("code_verifier", "v"),
        pair("redirect_uri", "https://hub.example/oauth/callback"),
        pair("client_id", "hub one"),
        resource.clone(),
    ];
    assert_eq!(sent(None, &grant), expected);
    let expected = [pair("grant_type", "refresh_token"), pair("refresh_token", "r"), resource];
    assert_eq!(sent(Some("s3cret"), &TokenGrant::Refresh(Secret::new("r"))), expected);
}

#[test]
fn a_client_proves_itself_with_both_halves_encoded() {
    let header = basic("a:b c", &Secret::new("d%é")).unwrap();
    assert!(header.is_sensitive());
    let pair = header.to_str().unwrap().strip_prefix("Basic ").unwrap();
    assert_eq!(BASE64_STANDARD.decode(pair).unwrap(), b"a%3Ab+c:d%25%C3%A9");
}

#[test]
fn a_token_is_read_with_its_life() {
    let text = |lives: Value| {
        json!({"access_token": "t", "token_type": "bearer", "expires_in": lives, "refresh_token": "r", "more": 1})
            .to_string()
    };
    for (lives, expected) in [
        (json!(60), Some(60)),
        (json!("60"), Some(60)),
        (json!(u64::MAX), Some(MAX_DURATION.as_secs())),
        (json!(-1), None),
        (json!("soon"), None),
        (Value::Null, None),
    ] {
        let granted = answer(200, &text(lives.clone())).unwrap();
        assert_eq!((granted.access.reveal(), granted.refresh.unwrap().reveal()), ("t", "r"));
        assert_eq!(granted.lives.map(|lives| lives.as_secs()), expected, "{lives}");
    }
}

#[test]
fn what_is_no_bearer_token_is_garbage() {
    for body in [
        String::new(),
        "<html>".to_owned(),
        "[]".to_owned(),
        json!({"access_token": "t"}).to_string(),
        json!({"access_token": "t", "token_type": "DPoP"}).to_string(),
        json!({"access_token": "", "token_type": "Bearer"}).to_string(),
        json!({"access_token": "a\r\nb: c", "token_type": "Bearer"}).to_string(),
        json!({"access_token": "t".repeat(MAX_TOKEN_BYTES + 1), "token_type": "Bearer"}).to_string(),
    ] {
        let denied = answer(200, &body).unwrap_err();
        assert_eq!((denied.failure.class, denied.code), (FailureClass::Garbage, None), "{body}");
    }
}

#[test]
fn a_refusal_is_told_in_the_words_of_the_server() {
    let body =
        json!({"error": "invalid_grant", "error_description": "It\u{202e} ended\nyesterday"}).to_string();
    for status in [200, 400, 401] {
        let denied = answer(status, &body).unwrap_err();
        assert_eq!(denied.code.as_deref(), Some("invalid_grant"));
        let words = "The authorization server at auth.example refused: invalid_grant, It ended yesterday.";
        assert_eq!(denied.failure, Failure::new(FailureClass::Refused, words));
    }
    for (status, class) in [
        (500, FailureClass::Unreachable),
        (302, FailureClass::Refused),
        (404, FailureClass::Refused),
        (429, FailureClass::Refused),
    ] {
        let denied = answer(status, "").unwrap_err();
        assert_eq!((denied.failure.class, denied.code), (class, None), "{status}");
    }
    let denied = answer(503, &body).unwrap_err();
    assert_eq!(denied.code, None, "a server that fails refuses nothing");
}

#[test]
fn endpoints_are_read_from_the_document_of_their_issuer() {
    let at: Url = "https://auth.example/tenant/.well-known/openid-configuration".parse().unwrap();
    let document = |issuer: &str, token: &str| {
        json!({ "issuer": issuer, "authorization_endpoint": "https://auth.example/authorize", "token_endpoint": token,
                "jwks_uri": "https://auth.example/keys" })
        .to_string()
    };
    let token = "https://auth.example/token";
    let found = read_document(&at, document("https://auth.example/tenant", token).as_bytes()).unwrap();
    assert_eq!((found.authorization.path(), found.token.as_str()), ("/authorize", token));
    for wrong in [
        document("https://evil.example", token),
        document("https://auth.example", token),
        document("https://auth.example/tenant", "https://auth.example/token#x"),
        document("https://auth.example/tenant", &format!("{token}/{}", "x".repeat(MAX_URL_BYTES))),
        document("https://auth.example/tenant", "token"),
        "{}".to_owned(),
        "<html>".to_owned(),
    ] {
        assert!(read_document(&at, wrong.as_bytes()).is_err(), "{wrong}");
    }
}
