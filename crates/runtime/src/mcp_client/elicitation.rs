//! Elicitation: questions that an MCP server asks the user while it executes a tool call (MCP specification, "Elicitation").

use plexus_domain::form_question::{FormAnswer, FormQuestion};
use rmcp::{
    ClientHandler, ErrorData, RoleClient,
    model::{
        ClientCapabilities, ClientConfig, ElicitRequestParams, ElicitResult, ElicitationAction,
        ElicitationCapability, ElicitationSchema, FormElicitationCapability,
    },
    service::RequestContext,
};
use serde_json::Value;
use tokio::sync::{mpsc, oneshot};

/// Questions that wait for the reader of the channel; further ones are cancelled.
const MAX_WAITING: usize = 1;

/// A question of a server that waits for its answer. Dropping it cancels the question.
pub struct PendingQuestion {
    pub question: FormQuestion,
    reply: oneshot::Sender<FormAnswer>,
}

impl PendingQuestion {
    pub fn answer(self, answer: FormAnswer) {
        // The server may have ended the call meanwhile.
        let _ = self.reply.send(answer);
    }
}

/// Receives the questions of a server and passes them on.
pub struct ElicitationHandler {
    questions: mpsc::Sender<PendingQuestion>,
}

impl ElicitationHandler {
    pub fn new() -> (Self, mpsc::Receiver<PendingQuestion>) {
        let (questions, receiver) = mpsc::channel(MAX_WAITING);
        (Self { questions }, receiver)
    }

    async fn ask(&self, message: &str, schema: &ElicitationSchema) -> ElicitResult {
        let question = match parse(message, schema) {
            Ok(question) => question,
            Err(error) => {
                tracing::info!(error, "MCP elicitation: declined, because the form cannot be shown");
                return ElicitResult::new(ElicitationAction::Decline);
            }
        };
        let (reply, answer) = oneshot::channel();
        if self.questions.try_send(PendingQuestion { question, reply }).is_err() {
            return ElicitResult::new(ElicitationAction::Cancel);
        }
        match answer.await {
            Ok(FormAnswer::Given { values }) => {
                ElicitResult::new(ElicitationAction::Accept).with_content(Value::Object(values))
            }
            Ok(FormAnswer::Declined) => ElicitResult::new(ElicitationAction::Decline),
            Ok(FormAnswer::Unanswered) | Err(_) => ElicitResult::new(ElicitationAction::Cancel),
        }
    }
}

impl ClientHandler for ElicitationHandler {
    fn get_info(&self) -> ClientConfig {
        let mut capabilities = ClientCapabilities::default();
        let form = FormElicitationCapability::default();
        capabilities.elicitation = Some(ElicitationCapability::new().with_form(form));
        let mut config = ClientConfig::default();
        config.capabilities = capabilities;
        config
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        _context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        match request {
            ElicitRequestParams::FormElicitationParams { message, requested_schema, .. } => {
                Ok(self.ask(&message, &requested_schema).await)
            }
            // A page of the server could ask for anything in the name of the hub.
            _ => Ok(ElicitResult::new(ElicitationAction::Decline)),
        }
    }
}

fn parse(message: &str, schema: &ElicitationSchema) -> Result<FormQuestion, String> {
    let sorted = || schema.properties.keys().cloned().collect();
    let order: Vec<String> = schema.property_order.clone().unwrap_or_else(sorted);
    let property = |name: String| {
        let property = schema.properties.get(&name)?;
        Some(serde_json::to_value(property).map(|property| (name, property)))
    };
    let properties: Result<Vec<_>, _> = order.into_iter().filter_map(property).collect();
    let properties = properties.map_err(|error| error.to_string())?;
    let required = schema.required.as_deref().unwrap_or_default();
    FormQuestion::parse(message, &properties, required).map_err(|error| error.to_string())
}
