//! Files and links in the results of assignments: those that another assignment builds on, and their names.

use std::collections::BTreeMap;

use plexus_domain::{
    Part, PartBody, RunState,
    team::{Assignment, AssignmentNo, Team},
};
use plexus_store::runs;

use super::assignments::{AssignmentRef, answer};
use crate::{Hub, Result};

/// Maximum number of files and links that are passed on; the others are skipped.
const MAX_ITEMS: usize = 16;

/// Returns the files and links that these assignments produced, within the limits of one message.
pub(super) async fn collect_input_files(
    hub: &Hub,
    team: &Team,
    inputs: &[AssignmentNo],
) -> Result<Vec<Part>> {
    let answers = load_answers(hub, team, inputs).await?;
    let found = answers.into_iter().flat_map(|(_, parts)| parts).collect();
    Ok(bounded(found, hub.config().limits.max_file_bytes as u64))
}

/// Returns the names of the files and links that each assignment produced.
pub(super) async fn list_file_names(hub: &Hub, team: &Team) -> Result<BTreeMap<AssignmentNo, Vec<String>>> {
    let all: Vec<AssignmentNo> = (0..).map(AssignmentNo).take(team.assignments().len()).collect();
    let mut names: BTreeMap<AssignmentNo, Vec<String>> = BTreeMap::new();
    for (no, parts) in load_answers(hub, team, &all).await? {
        let files = parts.into_iter().filter(|part| is_file(&part.content));
        let named = files.map(|part| part.name.unwrap_or_else(|| "a file without a name".to_owned()));
        names.entry(no).or_default().extend(named);
    }
    Ok(names)
}

/// Returns the answers to those of the assignments that have a result, in the order of the runs.
async fn load_answers(
    hub: &Hub,
    team: &Team,
    assignments: &[AssignmentNo],
) -> Result<Vec<(AssignmentNo, Vec<Part>)>> {
    let works = assignments.iter().filter_map(|no| Some((*no, team.assignment(*no)?)));
    let works: Vec<(AssignmentNo, &Assignment)> = works.filter(|(_, work)| work.result().is_some()).collect();
    let mut found = Vec::new();
    if works.is_empty() {
        return Ok(found);
    }
    let mut conn = hub.store().read().await?;
    let runs = runs::list_by_chat(&mut conn, team.id()).await?;
    for run in runs.into_iter().filter(|run| run.state == RunState::Completed) {
        let Some(about) = AssignmentRef::read(&mut conn, &run).await? else { continue };
        if let Some((no, _)) = works.iter().find(|(_, work)| about.is(team, work)) {
            found.push((*no, answer(&mut conn, run.id).await?));
        }
    }
    Ok(found)
}

const fn is_file(content: &PartBody) -> bool {
    matches!(content, PartBody::File { .. } | PartBody::Link { .. })
}

/// Selects files and links, up to the size limit. Files that do not fit are skipped.
fn bounded(parts: Vec<Part>, mut room: u64) -> Vec<Part> {
    let fits = |part: &Part| {
        let left = match &part.content {
            PartBody::File { size, .. } => room.checked_sub(*size),
            PartBody::Link { .. } => Some(room),
            _ => None,
        };
        room = left.unwrap_or(room);
        left.is_some()
    };
    // For the receiver they are files of a message, not parts of an artifact.
    parts.into_iter().filter(fits).take(MAX_ITEMS).map(|part| Part { artifact: None, ..part }).collect()
}

#[cfg(test)]
mod tests {
    use plexus_domain::Digest;

    use super::*;

    fn file(name: &str, size: u64) -> Part {
        let content = PartBody::File { blob: Digest::of(name), size, image: None };
        Part { name: Some(name.to_owned()), artifact: Some("a".to_owned()), ..Part::from(content) }
    }

    #[test]
    fn what_there_is_no_room_for_stays() {
        let parts = vec![file("a", 6), Part::text("words"), file("b", 5), file("c", 4), file("d", 1)];
        let names: Vec<_> = bounded(parts, 10).into_iter().map(|part| (part.name, part.artifact)).collect();
        assert_eq!(names, [(Some("a".to_owned()), None), (Some("c".to_owned()), None)]);
        let many = (0..99).map(|_| file("a", 0)).collect();
        assert_eq!(bounded(many, 0).len(), MAX_ITEMS);
    }
}
