//! Conversion of method parameters.

use crate::wire::{v1, v03};

impl From<v03::MessageSendParams> for v1::SendMessageRequest {
    fn from(old: v03::MessageSendParams) -> Self {
        Self {
            tenant: None,
            message: old.message.into(),
            configuration: old.configuration.map(Into::into),
            metadata: old.metadata,
        }
    }
}

impl From<v1::SendMessageRequest> for v03::MessageSendParams {
    fn from(new: v1::SendMessageRequest) -> Self {
        Self {
            message: new.message.into(),
            configuration: new.configuration.map(Into::into),
            metadata: new.metadata,
        }
    }
}

impl From<v03::MessageSendConfiguration> for v1::SendMessageConfiguration {
    fn from(old: v03::MessageSendConfiguration) -> Self {
        Self {
            accepted_output_modes: old.accepted_output_modes,
            task_push_notification_config: old.push_notification_config.map(Into::into),
            history_length: old.history_length,
            return_immediately: old.blocking == Some(false),
        }
    }
}

impl From<v1::SendMessageConfiguration> for v03::MessageSendConfiguration {
    fn from(new: v1::SendMessageConfiguration) -> Self {
        Self {
            accepted_output_modes: new.accepted_output_modes,
            history_length: new.history_length,
            push_notification_config: new.task_push_notification_config.map(Into::into),
            blocking: Some(!new.return_immediately),
        }
    }
}

impl From<v03::PushNotificationConfig> for v1::TaskPushNotificationConfig {
    fn from(old: v03::PushNotificationConfig) -> Self {
        let authentication = old.authentication.and_then(|old| {
            let scheme = old.schemes.into_iter().next()?;
            Some(v1::AuthenticationInfo { scheme, credentials: old.credentials })
        });
        Self { tenant: None, id: old.id, task_id: None, url: old.url, token: old.token, authentication }
    }
}

impl From<v1::TaskPushNotificationConfig> for v03::PushNotificationConfig {
    fn from(new: v1::TaskPushNotificationConfig) -> Self {
        let authentication = new
            .authentication
            .map(|new| v03::PushAuthentication { schemes: vec![new.scheme], credentials: new.credentials });
        Self { id: new.id, url: new.url, token: new.token, authentication }
    }
}

impl From<v03::TaskPushNotificationConfig> for v1::TaskPushNotificationConfig {
    fn from(old: v03::TaskPushNotificationConfig) -> Self {
        Self { task_id: Some(old.task_id), ..old.push_notification_config.into() }
    }
}

impl From<v1::TaskPushNotificationConfig> for v03::TaskPushNotificationConfig {
    fn from(mut new: v1::TaskPushNotificationConfig) -> Self {
        let task_id = new.task_id.take().unwrap_or_default();
        Self { task_id, push_notification_config: new.into() }
    }
}

impl From<v03::TaskQueryParams> for v1::GetTaskRequest {
    fn from(old: v03::TaskQueryParams) -> Self {
        Self { tenant: None, id: old.id, history_length: old.history_length }
    }
}

impl From<v1::GetTaskRequest> for v03::TaskQueryParams {
    fn from(new: v1::GetTaskRequest) -> Self {
        Self { id: new.id, history_length: new.history_length, metadata: None }
    }
}

impl From<v03::TaskIdParams> for v1::CancelTaskRequest {
    fn from(old: v03::TaskIdParams) -> Self {
        Self { tenant: None, id: old.id, metadata: old.metadata }
    }
}

impl From<v1::CancelTaskRequest> for v03::TaskIdParams {
    fn from(new: v1::CancelTaskRequest) -> Self {
        Self { id: new.id, metadata: new.metadata }
    }
}

impl From<v03::TaskIdParams> for v1::SubscribeToTaskRequest {
    fn from(old: v03::TaskIdParams) -> Self {
        Self { tenant: None, id: old.id }
    }
}

impl From<v1::SubscribeToTaskRequest> for v03::TaskIdParams {
    fn from(new: v1::SubscribeToTaskRequest) -> Self {
        Self { id: new.id, metadata: None }
    }
}
