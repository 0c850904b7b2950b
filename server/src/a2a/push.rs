//! Push notification configurations (specification 1.0 sections 3.1.7 to 3.1.10).

use plexus_a2a::wire::{Method, v1};
use plexus_domain::{RunId, agent::A2aProtocol};
use plexus_hub::calls::webhooks::{self, NamedWebhook, WebhookAuth, WebhookConfig, WebhookRequestInput};

use super::{
    error::{self, MethodError},
    methods::{Methods, id},
};

type Result<T> = std::result::Result<T, MethodError>;

impl Methods {
    pub async fn create_push(
        &self,
        config: v1::TaskPushNotificationConfig,
    ) -> Result<v1::TaskPushNotificationConfig> {
        let run = id(config.task_id.as_deref().unwrap_or_default())?;
        let webhook_request = webhook_request(config, self.protocol)?;
        let named = webhooks::add(&self.site.hub, &self.authorized, run, webhook_request).await;
        Ok(tell(run, named.map_err(|error| error::of(Method::CreatePushConfig, error))?))
    }

    pub async fn get_push(
        &self,
        request: v1::GetPushConfigRequest,
    ) -> Result<v1::TaskPushNotificationConfig> {
        let run = id(&request.task_id)?;
        let named = webhooks::find(&self.site.hub, &self.authorized, run, &request.id).await;
        Ok(tell(run, named.map_err(|error| error::of(Method::GetPushConfig, error))?))
    }

    /// Lists the configurations of a task, always in one page: a task has few.
    pub async fn list_push(
        &self,
        request: v1::ListPushConfigsRequest,
    ) -> Result<v1::ListPushConfigsResponse> {
        let run = id(&request.task_id)?;
        let all = webhooks::list(&self.site.hub, &self.authorized, run).await;
        let all = all.map_err(|error| error::of(Method::ListPushConfigs, error))?;
        let configs = all.into_iter().map(|named| tell(run, named)).collect();
        Ok(v1::ListPushConfigsResponse { configs, next_page_token: String::new() })
    }

    pub async fn delete_push(&self, request: v1::DeletePushConfigRequest) -> Result<()> {
        let run = id(&request.task_id)?;
        let gone = webhooks::remove(&self.site.hub, &self.authorized, run, &request.id).await;
        gone.map_err(|error| error::of(Method::DeletePushConfig, error))
    }
}

/// Validates a push configuration. `protocol` is the version of its payloads.
pub fn webhook_request(
    config: v1::TaskPushNotificationConfig,
    protocol: A2aProtocol,
) -> Result<WebhookRequestInput> {
    let authentication = config
        .authentication
        .map(|given| WebhookAuth { scheme: given.scheme, credentials: given.credentials });
    let hook = WebhookConfig::new(&config.url, protocol, config.token, authentication);
    let hook = hook.map_err(|error| error::of(Method::CreatePushConfig, error.into()))?;
    Ok(WebhookRequestInput { name: config.id, hook })
}

/// Returns a configuration as its caller supplied it, without the credentials.
fn tell(run: RunId, NamedWebhook { name, hook }: NamedWebhook) -> v1::TaskPushNotificationConfig {
    let scheme = hook.scheme().map(str::to_owned);
    v1::TaskPushNotificationConfig {
        tenant: None,
        id: Some(name),
        task_id: Some(run.to_string()),
        url: hook.url().to_string(),
        token: hook.token().map(str::to_owned),
        authentication: scheme.map(|scheme| v1::AuthenticationInfo { scheme, credentials: None }),
    }
}
