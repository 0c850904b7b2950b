//! Which built-in agents can do the parts of a goal, by their own parsers: their cards have words of many goals.

use plexus_domain::{
    Address,
    agent::Builtin,
    team::{
        Team,
        formation::{GoalPart, Skill},
    },
};
use plexus_runtime::builtin::can_answer;

use crate::{Hub, agents::working_builtins};

/// A part of a goal as candidates are searched for it, with the built-in agents that can do it.
pub(super) struct Need {
    pub skill: Skill,
    pub builtins: Vec<(Builtin, Address)>,
}

/// Returns the needs with the built-in agents for each.
pub(super) async fn needs_of(hub: &Hub, team: &Team, skills: &[Skill]) -> Vec<Need> {
    let goal = team.charter().goal.as_str();
    let mut parts: Vec<GoalPart> = team.charter().parts();
    let mut needs = Vec::with_capacity(skills.len());
    for skill in skills {
        // Two parts may need the same skill.
        let part = parts.iter().position(|part| part.skill == *skill).map(|at| parts.remove(at));
        let request = part.map_or_else(|| skill.to_string(), |part| part.full_text);
        let mut builtins = Vec::new();
        for (program, address, _) in working_builtins() {
            if can_answer(program, hub.outbound().calc(), &request, goal).await {
                builtins.push((program, address));
            }
        }
        needs.push(Need { skill: skill.clone(), builtins });
    }
    needs
}
