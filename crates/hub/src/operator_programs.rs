//! Programs that the operator configured as agents or tool servers. They run in a sandbox.

use std::{collections::BTreeSet, fs, os::unix::fs::DirBuilderExt as _, sync::Arc};

use anyhow::Context as _;
use plexus_domain::{Error as Refusal, Name, account::Role, agent::Visibility};
use plexus_runtime::{
    acp::{AcpConnector, AcpSessionPool},
    mcp_client::{McpProcessSlots, McpServer},
    sandbox::{Sandbox, SandboxedCommand},
};

use crate::{HubConfig, caller::Person};

/// A configured program, and which accounts may use it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramConfig {
    pub program: SandboxedCommand,
    pub protocol: ProgramProtocol,
    pub allowed_accounts: ProgramAccess,
}

/// The protocol of a program, which determines its use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ProgramProtocol {
    /// Agent Client Protocol: the program is an agent.
    #[default]
    Acp,
    /// Model Context Protocol: models may call its tools.
    Mcp,
}

/// Which accounts may make agents with a program and call these agents. Administrators always may.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ProgramAccess {
    #[default]
    Administrators,
    /// These accounts, by case-folded name.
    Named(BTreeSet<String>),
    /// Every caller that the owner of an agent lets call it.
    Everyone,
}

impl ProgramAccess {
    pub fn named(names: impl IntoIterator<Item = Name>) -> Self {
        Self::Named(names.into_iter().map(|name| name.canonical()).collect())
    }

    fn lets_in(&self, person: Option<&Person>) -> bool {
        match (self, person) {
            (Self::Everyone, _) => true,
            (_, Some(person)) if person.role == Role::Admin => true,
            (Self::Named(names), Some(person)) => names.contains(&person.name.canonical()),
            _ => false,
        }
    }
}

/// The configured programs with their sandbox, sessions and concurrency limits.
pub struct Programs {
    listed: Vec<ProgramConfig>,
    sandbox: Sandbox,
    sessions: AcpSessionPool,
    places: McpProcessSlots,
}

impl Programs {
    /// Creates missing program folders. Probes the sandbox only if programs are configured.
    pub fn new(config: &HubConfig) -> anyhow::Result<Self> {
        for listed in &config.programs {
            let folder = &listed.program.working_dir;
            fs::DirBuilder::new()
                .recursive(true)
                .mode(0o700)
                .create(folder)
                .with_context(|| format!("making the folder of a program, {}", folder.display()))?;
        }
        let sandbox = match config.programs.is_empty() {
            true => Sandbox::unneeded(),
            false => Sandbox::find(config.allow_unsandboxed_programs),
        };
        if let Err(why) = sandbox.describe()
            && !config.programs.is_empty()
        {
            tracing::error!(error = why, "programs disabled: no sandbox");
        }
        Ok(Self {
            listed: config.programs.clone(),
            sandbox,
            sessions: AcpSessionPool::new(config.max_programs),
            places: McpProcessSlots::new(u32::try_from(config.max_programs).unwrap_or(u32::MAX)),
        })
    }

    /// Returns the names of the programs of one protocol that an account may use.
    pub fn names(&self, person: &Person, protocol: ProgramProtocol) -> Vec<String> {
        let of_kind = self.listed.iter().filter(|listed| listed.protocol == protocol);
        let open = of_kind.filter(|listed| listed.allowed_accounts.lets_in(Some(person)));
        open.map(|listed| listed.program.name.clone()).collect()
    }

    fn find(&self, name: &str) -> Result<&ProgramConfig, Refusal> {
        let missing = || {
            let words = format!("Program {name} not found. The operator lists programs in plexus.toml.");
            Refusal::unavailable(words)
        };
        self.listed.iter().find(|listed| listed.program.name == name).ok_or_else(missing)
    }

    /// Returns the connector of an agent program, if the requester may use it.
    pub fn connector(
        &self,
        person: Option<&Person>,
        name: &str,
        scope: String,
    ) -> Result<AcpConnector, Refusal> {
        let (sandbox, program) =
            (self.sandbox.clone(), self.open_to(person, name, ProgramProtocol::Acp)?.clone());
        Ok(AcpConnector::new(self.sessions.clone(), scope, Arc::new(move || sandbox.launch(&program))))
    }

    /// Returns a tool-server program, if the requester may use it.
    pub fn server(&self, person: Option<&Person>, name: &str) -> Result<McpServer, Refusal> {
        let program = Box::new(self.open_to(person, name, ProgramProtocol::Mcp)?.clone());
        Ok(McpServer::Program { program, sandbox: self.sandbox.clone(), places: self.places.clone() })
    }

    fn open_to(
        &self,
        person: Option<&Person>,
        name: &str,
        protocol: ProgramProtocol,
    ) -> Result<&SandboxedCommand, Refusal> {
        let listed = self.find(name)?;
        if listed.protocol != protocol {
            let words = format!("The program {name} uses another protocol.");
            return Err(Refusal::conflict(words));
        }
        if !listed.allowed_accounts.lets_in(person) {
            let words =
                format!("You are not allowed to use the program {name}. Ask the operator of this hub.");
            return Err(Refusal::forbidden(words));
        }
        Ok(&listed.program)
    }

    /// Refuses to publish an agent while its program is restricted to administrators: it must stay private.
    pub fn check_visibility(&self, name: &str, visibility: Visibility) -> Result<(), Refusal> {
        if visibility > Visibility::Private
            && self.find(name)?.allowed_accounts == ProgramAccess::Administrators
        {
            let words = format!(
                "This agent stays private until the operator sets who may use the program {name} (allowed_accounts in \
                 plexus.toml)."
            );
            return Err(Refusal::invalid("visibility", words));
        }
        Ok(())
    }

    /// Stops the program processes that are idle between messages.
    pub fn close(&self) {
        self.sessions.close();
    }
}
