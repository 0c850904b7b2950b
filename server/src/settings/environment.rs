//! Environment variables that look like settings and are none.

use super::all;

/// Variables that programs of this project read besides the settings.
const OTHERS: [&str; 3] = ["PLEXUS_TOKEN", "PLEXUS_BINARY", "PLEXUS_BUILD_CACHE"];
const OTHER_PREFIXES: [&str; 4] = ["PLEXUS_TEST_", "PLEXUS_DEMO_", "PLEXUS_FUZZ_", "PLEXUS_INTEROP_"];
/// Greatest distance at which a name counts as a misspelling.
const MAX_EDITS: usize = 3;

/// Returns a warning for each variable that begins with `PLEXUS_` and that no program reads.
pub fn unknown_variables(names: impl Iterator<Item = String>) -> Vec<String> {
    let is_known = |name: &str| {
        OTHERS.contains(&name)
            || OTHER_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
            || all().any(|setting| {
                name == setting.variable
                    || (setting.secret && name.strip_suffix("_FILE") == Some(setting.variable))
            })
    };
    let mut unknown: Vec<String> =
        names.filter(|name| name.starts_with("PLEXUS_") && !is_known(name)).collect();
    unknown.sort();
    let warning = |name: &String| match nearest(name, all().map(|setting| setting.variable)) {
        Some(near) => format!("{name} is no setting and has no effect; did you mean {near}?"),
        None => format!("{name} is no setting and has no effect; `plexus config` lists all settings"),
    };
    unknown.iter().map(warning).collect()
}

/// Returns the name that `wanted` probably misspells.
pub(super) fn nearest<'a>(wanted: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let distance = |name: &&str| strsim::damerau_levenshtein(wanted, name);
    names.min_by_key(distance).filter(|name| distance(name) <= MAX_EDITS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_variable_is_named_with_the_nearest_setting() {
        let names =
            ["PLEXUS_LISTEN", "PLEXUS_LLM_API_KEY_FILE", "PLEXUS_TOKEN", "PLEXUS_TEST_POSTGRES", "HOME"];
        assert!(unknown_variables(names.into_iter().map(str::to_owned)).is_empty());
        let wrong = ["PLEXUS_REGISTRATON", "PLEXUS_COLOUR_OF_THE_SKY", "PLEXUS_LISTEN_FILE"];
        let found = unknown_variables(wrong.into_iter().map(str::to_owned));
        assert_eq!(found.len(), 3, "{found:?}");
        assert!(
            found[0].starts_with("PLEXUS_COLOUR_OF_THE_SKY is no setting") && !found[0].contains("did you")
        );
        assert!(found[2].ends_with("did you mean PLEXUS_REGISTRATION?"), "{found:?}");
    }
}
