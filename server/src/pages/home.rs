//! `/`.

use axum::{extract::State, response::Response};
use plexus_app::model::home::HomePage;

use crate::{state::Site, web::page::Visit};

pub async fn show(State(_site): State<Site>, visit: Visit) -> Response {
    let page = HomePage {
        purpose: "Agents to talk to, from here and elsewhere.".to_owned(),
        agents: 0,
        answering: Vec::new(),
        newest: Vec::new(),
        most_used: Vec::new(),
        hubs: Vec::new(),
    };
    visit.show(page)
}
