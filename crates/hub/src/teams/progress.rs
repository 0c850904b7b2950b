//! Progress lines of a team for A2A and MCP clients.

use std::collections::HashSet;

use super::TeamView;

/// Progress lines that were reported already.
#[derive(Default)]
pub struct ProgressReporter(HashSet<String>);

impl ProgressReporter {
    /// Returns the new progress lines since the last call, one sentence each.
    pub fn since(&mut self, view: &TeamView) -> Vec<String> {
        all(view).into_iter().filter(|step| self.0.insert(step.clone())).collect()
    }
}

fn all(view: &TeamView) -> Vec<String> {
    let name = |seat: usize| view.members.get(seat).map(|member| member.name.as_str()).unwrap_or_default();
    let came = view.members.iter().filter_map(|member| match member.status {
        "active" => Some(format!("{} takes part.", member.name)),
        "declined" => Some(format!("{} declined.", member.name)),
        "left" | "silent" => Some(format!("{} left.", member.name)),
        _ => None,
    });
    let work = view.assignments.iter().map(|work| {
        let (to, state) = (name(usize::from(work.to.0)), work.state.replace('_', " "));
        format!("{} ({to}): {state}.", work.title)
    });
    came.chain(work).collect()
}
