//! Registration of HTTP endpoints in one call.

use plexus_domain::{
    DraftId, Error as Refusal,
    agent::http::{Preset, Request},
};
use plexus_hub::{
    Error, Hub,
    agents::{
        endpoint::{self, Endpoint},
        register, trial,
    },
    caller::Caller,
};
use serde_json::json;

use super::{NewAgent, vouch_for};

/// Returns the request template of an endpoint: the given one, or that of a preset. `None` if the new agent
/// is not an endpoint.
pub fn request(
    described: Option<Request>,
    like: Option<&str>,
    url: Option<&str>,
    model: &Option<String>,
) -> Result<Option<Request>, Refusal> {
    if let Some(mut request) = described {
        if request.url.is_empty() {
            request.url = url.unwrap_or_default().to_owned();
        }
        return Ok(Some(request));
    }
    let Some(like) = like else { return Ok(None) };
    let unknown = || {
        let known = Preset::ALL.map(Preset::as_str).join(", ");
        Refusal::invalid("like", format!("What an endpoint can be called like: {known}."))
    };
    let mut request = Preset::parse(like).ok_or_else(unknown)?.request(url.unwrap_or_default());
    if let (Some(model), Some(body)) = (model, &mut request.body)
        && body.get("model").is_some()
    {
        body["model"] = json!(model);
    }
    Ok(Some(request))
}

pub async fn describe(
    hub: &Hub,
    caller: &Caller,
    mut request: Request,
    new: &NewAgent,
) -> Result<DraftId, Error> {
    let name = new.chosen_name()?;
    // Presets include authentication; without credentials the endpoint is called without it.
    if new.like.is_some() && new.credentials.is_none() {
        request.auth = None;
    }
    let mut about = new.about(&name);
    if about.summary.is_empty() {
        about.summary.clone_from(&name);
    }
    let filled = Endpoint { about, request };
    let draft = endpoint::describe(hub, caller, new.choice(name), filled).await?;
    vouch_for(hub, caller, draft, new.vouch).await?;
    register::go_on(hub, caller, draft).await?;
    if let Some(message) = &new.r#try {
        let tried = trial::try_out(hub, caller, draft, message).await?;
        if let Some(words) = tried.failed {
            return Err(Refusal::invalid("try", words).into());
        }
    }
    trial::accept(hub, caller, draft).await?;
    Ok(draft)
}
