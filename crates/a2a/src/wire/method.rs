//! A2A methods and their names in each version (specification 1.0 section 9.4, 0.3 section 7).

use plexus_domain::agent::A2aProtocol;

/// A method of the A2A protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Method {
    SendMessage,
    SendStreamingMessage,
    GetTask,
    /// New in 1.0.
    ListTasks,
    CancelTask,
    SubscribeToTask,
    CreatePushConfig,
    GetPushConfig,
    ListPushConfigs,
    DeletePushConfig,
    GetExtendedCard,
}

impl Method {
    pub const ALL: [Self; 11] = [
        Self::SendMessage,
        Self::SendStreamingMessage,
        Self::GetTask,
        Self::ListTasks,
        Self::CancelTask,
        Self::SubscribeToTask,
        Self::CreatePushConfig,
        Self::GetPushConfig,
        Self::ListPushConfigs,
        Self::DeletePushConfig,
        Self::GetExtendedCard,
    ];

    /// Returns the name on the wire, or `None` if the version does not have this method.
    pub const fn name(self, protocol: A2aProtocol) -> Option<&'static str> {
        let (v1, v03) = self.names();
        match protocol {
            A2aProtocol::V1 => Some(v1),
            A2aProtocol::V03 => v03,
        }
    }

    /// Returns the method of this name and the version the name belongs to.
    pub fn parse(name: &str) -> Option<(Self, A2aProtocol)> {
        Self::ALL.into_iter().find_map(|method| match method.names() {
            (v1, _) if v1 == name => Some((method, A2aProtocol::V1)),
            (_, Some(v03)) if v03 == name => Some((method, A2aProtocol::V03)),
            _ => None,
        })
    }

    /// Returns true if the response is an event stream.
    pub const fn is_streaming(self) -> bool {
        matches!(self, Self::SendStreamingMessage | Self::SubscribeToTask)
    }

    /// Returns true for methods on push notification configurations.
    pub const fn is_of_push(self) -> bool {
        matches!(
            self,
            Self::CreatePushConfig | Self::GetPushConfig | Self::ListPushConfigs | Self::DeletePushConfig
        )
    }

    const fn names(self) -> (&'static str, Option<&'static str>) {
        match self {
            Self::SendMessage => ("SendMessage", Some("message/send")),
            Self::SendStreamingMessage => ("SendStreamingMessage", Some("message/stream")),
            Self::GetTask => ("GetTask", Some("tasks/get")),
            Self::ListTasks => ("ListTasks", None),
            Self::CancelTask => ("CancelTask", Some("tasks/cancel")),
            Self::SubscribeToTask => ("SubscribeToTask", Some("tasks/resubscribe")),
            Self::CreatePushConfig => {
                ("CreateTaskPushNotificationConfig", Some("tasks/pushNotificationConfig/set"))
            }
            Self::GetPushConfig => {
                ("GetTaskPushNotificationConfig", Some("tasks/pushNotificationConfig/get"))
            }
            Self::ListPushConfigs => {
                ("ListTaskPushNotificationConfigs", Some("tasks/pushNotificationConfig/list"))
            }
            Self::DeletePushConfig => {
                ("DeleteTaskPushNotificationConfig", Some("tasks/pushNotificationConfig/delete"))
            }
            Self::GetExtendedCard => ("GetExtendedAgentCard", Some("agent/getAuthenticatedExtendedCard")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_tells_the_method_and_the_version() {
        for method in Method::ALL {
            for protocol in [A2aProtocol::V1, A2aProtocol::V03] {
                if let Some(name) = method.name(protocol) {
                    assert_eq!(Method::parse(name), Some((method, protocol)));
                }
            }
        }
        assert_eq!(Method::ListTasks.name(A2aProtocol::V03), None);
        assert_eq!(Method::parse("tasks/list"), None);
    }
}
