//! Registration of HTTP endpoints in one call.

use plexus_domain::{
    DraftId, Error as Refusal,
    agent::http_endpoint::{EndpointRequestSpec, Preset},
};
use plexus_hub::{
    Error, Hub,
    agents::{
        http_endpoint::{self, EndpointForm},
        register_a2a, test_call,
    },
    caller::Caller,
};
use serde_json::json;

use super::{NewAgent, trust_origins};

/// Returns the request template of an endpoint: the given one, or that of a preset. `None` if the new agent
/// is not an endpoint.
pub fn request(
    described: Option<EndpointRequestSpec>,
    preset: Option<&str>,
    url: Option<&str>,
    model: &Option<String>,
) -> Result<Option<EndpointRequestSpec>, Refusal> {
    if let Some(mut request) = described {
        if request.url.is_empty() {
            request.url = url.unwrap_or_default().to_owned();
        }
        return Ok(Some(request));
    }
    let Some(preset) = preset else { return Ok(None) };
    let unknown = || {
        let known = Preset::ALL.map(Preset::as_str).join(", ");
        Refusal::invalid("preset", format!("Unknown preset. Available: {known}."))
    };
    let mut request = Preset::parse(preset).ok_or_else(unknown)?.request(url.unwrap_or_default());
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
    mut request: EndpointRequestSpec,
    new: &NewAgent,
) -> Result<DraftId, Error> {
    let name = new.chosen_name()?;
    // Presets include authentication; without credentials the endpoint is called without it.
    if new.preset.is_some() && new.credentials.is_none() {
        request.auth = None;
    }
    let mut about = new.about(&name);
    if about.summary.is_empty() {
        about.summary.clone_from(&name);
    }
    let filled = EndpointForm { about, request };
    let draft = http_endpoint::describe(hub, caller, new.choice(name), filled).await?;
    trust_origins(hub, caller, draft, new.trust_origins).await?;
    register_a2a::continue_unverified(hub, caller, draft).await?;
    if let Some(message) = &new.test_message {
        let tried = test_call::send_test_message(hub, caller, draft, message).await?;
        if let Some(words) = tried.failed {
            return Err(Refusal::invalid("test_message", words).into());
        }
    }
    test_call::finish_test_step(hub, caller, draft).await?;
    Ok(draft)
}
