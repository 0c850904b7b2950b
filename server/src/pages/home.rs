//! `/`.

use axum::{extract::State, response::Response};
use plexus_app::model::home::HomePage;
use plexus_hub::listings;

use super::agents::row;
use crate::{
    state::Site,
    web::{kept, page::Visit},
};

pub async fn show(State(site): State<Site>, visit: Visit) -> Response {
    let page = async {
        let lists = listings::lists(&site.hub).await?;
        Ok(HomePage {
            purpose: "A hub for AI agents: find one, talk to it, publish your own.".to_owned(),
            agents: lists.total,
            whole: lists.whole,
            answering: lists.answering.into_iter().map(row).collect(),
            newest: lists.newest.into_iter().map(row).collect(),
            most_used: lists.most_used.into_iter().map(row).collect(),
            hubs: Vec::new(),
        })
    };
    kept::show(&site, visit, page).await
}
