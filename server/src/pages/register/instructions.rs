//! Page `/register/instructions`: registers a model with instructions.

use std::str::FromStr;

use axum::{
    extract::{Query, State},
    response::{IntoResponse as _, Redirect, Response},
};
use plexus_app::{
    text,
    view_models::{
        Form, Locale,
        register::{InstructionsPage, MissingModel, ModelOption},
    },
};
use plexus_domain::{
    Error as Refusal,
    agent::{
        AnswerLimits, AnswerLimitsInput, Hundredths, ModelParameters, ModelParametersInput, ReasoningEffort,
        ToolServerLocation, ToolSource,
    },
    money,
};
use plexus_hub::{
    Error,
    agents::{model_agent, model_agent::ModelAgentForm, program_agent, tool_credentials::ForServer},
    caller::{Caller, Scope},
    config::{Prices, ProgramProtocol},
    model_providers::{self, OfferedModel},
};
use serde::Deserialize;

use crate::{
    app_state::AppState,
    pages::{account::refused, admin::model_settings::ability_texts},
    web::{form::Fields, page::PageContext},
};

/// Query of the page: the model that is selected at first.
#[derive(Deserialize)]
pub struct ModelQuery {
    #[serde(default)]
    model: String,
}

pub async fn show(
    State(site): State<AppState>,
    visit: PageContext,
    Query(query): Query<ModelQuery>,
) -> Response {
    let page = page(&site, &visit).await;
    let page = page.map(|page| InstructionsPage { form: Form::filled([("model", query.model)]), ..page });
    visit.show_or_refuse(page)
}

async fn page(site: &AppState, visit: &PageContext) -> Result<InstructionsPage, Error> {
    let caller = &visit.caller;
    let owner = caller.may(Scope::Agents)?.name.to_string();
    let (programs, priced) = tools_here(site, caller).await?;
    let (models, form) = (options(site, visit).await?, Form::default());
    Ok(InstructionsPage { owner, programs, priced, editing: None, missing_model: None, models, form })
}

/// Returns the models that the caller may choose for an agent.
pub async fn options(site: &AppState, visit: &PageContext) -> Result<Vec<ModelOption>, Error> {
    let person = visit.caller.may(Scope::Agents)?;
    let models = model_providers::offered_models(&site.hub, person).await?;
    Ok(models.into_iter().map(|model| option(visit.frame().locale, model)).collect())
}

/// Returns the name of an agent's model if it is not among those of the hub, with the most similar one of them.
pub fn missing_model<'a>(name: &str, models: impl Iterator<Item = &'a str> + Clone) -> Option<MissingModel> {
    let mut listed = models.clone().peekable();
    let is_missing = listed.peek().is_some() && !listed.any(|model| model == name);
    is_missing
        .then(|| MissingModel { name: name.to_owned(), nearest: model_providers::nearest_name(name, models) })
}

fn option(locale: Locale, model: OfferedModel) -> ModelOption {
    let mut facts: Vec<String> = model.display_name.iter().map(|_| model.name.clone()).collect();
    // As text, so that the number has no separators, as in the settings of the model.
    facts.push(text!(locale => "model-option-tokens", tokens = model.context_tokens.to_string()));
    if model.prices != Prices::default() {
        facts.push(text!(locale => "model-option-price", price = model.prices.to_string()));
    }
    facts.extend(ability_texts(locale, model.abilities));
    let title = model.display_name.unwrap_or_else(|| model.name.clone());
    let facts = facts.join(&text!(locale => "list-separator"));
    ModelOption { label: text!(locale => "model-option", title = title, facts = facts), id: model.name }
}

pub async fn write(State(site): State<AppState>, visit: PageContext, fields: Fields) -> Response {
    let written = async {
        let (name, given) = (fields.get("name"), given(&fields));
        model_agent::write(&site.hub, &visit.caller, name, filled(&fields)?, given.as_slice()).await
    };
    match written.await {
        Ok(id) => Redirect::to(&format!("/register/{id}/publish")).into_response(),
        Err(error) => match page(&site, &visit).await {
            Ok(page) => refused(visit, error, fields, |form| InstructionsPage { form, ..page }),
            Err(error) => visit.refuse(error),
        },
    }
}

/// Reads the form; shared with the edit page. Starters and tools are one per line, tags are separated by
/// commas.
pub fn filled(fields: &Fields) -> Result<ModelAgentForm, Refusal> {
    let text = |name: &str| fields.get(name).to_owned();
    Ok(ModelAgentForm {
        title: text("title"),
        summary: text("summary"),
        instructions: text("instructions"),
        model: text("model"),
        starters: fields.get("starters").lines().map(str::to_owned).collect(),
        tags: fields.get("tags").split(',').map(str::to_owned).collect(),
        tools: tools(fields.get("tools"))?,
        budget: budget(fields)?,
        reads_images: fields.get("images") == "yes",
        parameters: parameters(fields)?,
    })
}

/// Returns the credentials for one MCP server, or `None` if all fields are empty.
pub fn given(fields: &Fields) -> Option<ForServer> {
    let is_empty = ["url", "header", "secret"].iter().all(|name| fields.get(name).trim().is_empty());
    (!is_empty).then(|| for_server(fields))
}

pub fn for_server(fields: &Fields) -> ForServer {
    let text = |name: &str| fields.get(name).trim().to_owned();
    ForServer { url: text("url"), header: text("header"), secret: text("secret") }
}

/// Returns the operator's MCP servers that the caller may use, and whether any model here has a price.
pub async fn tools_here(site: &AppState, caller: &Caller) -> Result<(Vec<String>, bool), Error> {
    let programs = program_agent::programs(&site.hub, caller, ProgramProtocol::Mcp)?;
    Ok((programs, model_providers::availability(&site.hub).await?.has_prices))
}

/// Parses one URL or program name per line. A trailing `ask` makes each call wait for the user's approval.
fn tools(text: &str) -> Result<Vec<ToolSource>, Refusal> {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let source = |line: &str| match line.split_whitespace().collect::<Vec<_>>()[..] {
        [at] => Ok(ToolSource { place: place(at), require_approval: false }),
        [at, "ask"] => Ok(ToolSource { place: place(at), require_approval: true }),
        _ => Err(Refusal::invalid(
            "tools",
            "Write one URL per line. Add “ask” after it to require approval of each call.",
        )),
    };
    lines.map(source).collect()
}

fn place(at: &str) -> ToolServerLocation {
    if at.contains("://") {
        ToolServerLocation::Url(at.to_owned())
    } else {
        ToolServerLocation::Program(at.to_owned())
    }
}

fn budget(fields: &Fields) -> Result<AnswerLimits, Refusal> {
    let given = |name: &str| fields.given(name).map(str::trim).filter(|text| !text.is_empty());
    let cost = given("cost").map(|text| {
        money::parse_micros(text).ok_or_else(|| Refusal::invalid("cost", "Enter an amount such as 0.05."))
    });
    AnswerLimits::try_from(AnswerLimitsInput {
        turns: number(given("turns"), "turns")?,
        tokens: number(given("tokens"), "tokens")?,
        seconds: number(given("seconds"), "seconds")?,
        cost_micro: cost.transpose()?,
    })
}

fn parameters(fields: &Fields) -> Result<ModelParameters, Refusal> {
    let decimal = |name: &str| {
        let wrong = |_| Refusal::invalid(name, "Enter a number such as 0.7.");
        let text = Some(fields.get(name).trim()).filter(|text| !text.is_empty());
        text.map(|text| text.parse::<f64>().map_err(wrong)).transpose()
    };
    ModelParameters::try_from(ModelParametersInput {
        temperature: decimal("temperature")?,
        top_p: decimal("top_p")?,
        reasoning_effort: ReasoningEffort::parse(fields.get("reasoning_effort")),
    })
}

fn number<T: FromStr>(text: Option<&str>, name: &str) -> Result<Option<T>, Refusal> {
    let wrong = |_| Refusal::invalid(name, "Enter a whole number.");
    text.map(|text| text.parse().map_err(wrong)).transpose()
}

fn line(source: &ToolSource) -> String {
    let ask = if source.require_approval { " ask" } else { "" };
    format!("{}{ask}", source.place)
}

/// Returns the form filled with stored instructions.
pub fn form(kept: &ModelAgentForm) -> Form {
    let parameters = kept.parameters;
    let decimal = |number: Option<Hundredths>| number.map(|number| number.to_string()).unwrap_or_default();
    Form::filled([
        ("temperature", decimal(parameters.temperature())),
        ("top_p", decimal(parameters.top_p())),
        (
            "reasoning_effort",
            parameters.reasoning_effort().map(ReasoningEffort::as_str).unwrap_or_default().to_owned(),
        ),
        ("title", kept.title.clone()),
        ("summary", kept.summary.clone()),
        ("instructions", kept.instructions.clone()),
        ("model", kept.model.clone()),
        ("starters", kept.starters.join("\n")),
        ("tags", kept.tags.join(", ")),
        ("tools", kept.tools.iter().map(line).collect::<Vec<_>>().join("\n")),
        ("images", if kept.reads_images { "yes" } else { "no" }.to_owned()),
        ("turns", kept.budget.turns().to_string()),
        ("tokens", kept.budget.tokens().to_string()),
        ("seconds", kept.budget.seconds().to_string()),
        ("cost", kept.budget.cost_micro().map(money::format_micros).unwrap_or_default()),
    ])
}
