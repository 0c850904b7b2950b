//! Connectors: how the hub runs agents, and its outbound clients.
