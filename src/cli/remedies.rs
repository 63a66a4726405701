//! What can be done in place of two options that exclude each other.

/// A row has the names of two options, or several with commas between them, and what to do.
const REMEDIES: &str = include_str!("remedies.txt");

/// What can be done in place of these two options, which exclude each other, after a `; `. Empty
/// if no row says it. The names are the long ones, without hyphens before them.
pub fn remedy(one: &str, other: &str) -> String {
    let has = |names: &str, name: &str| names.split(',').any(|listed| listed == name);
    let mut rows = REMEDIES.lines().filter_map(|line| line.split_once(": "));
    let row = rows.find_map(|(names, remedy)| {
        let (first, second) = names.split_once(' ')?;
        let is_row = has(first, one) && has(second, other) || has(first, other) && has(second, one);
        is_row.then_some(remedy)
    });
    row.map_or_else(String::new, |remedy| format!("; {remedy}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::help;

    #[test]
    fn each_row_names_options() {
        let command = help::command();
        let has = |name| {
            let mut options = command.get_arguments();
            options.any(|arg| arg.get_long() == Some(name))
        };
        for (names, _) in REMEDIES.lines().filter_map(|line| line.split_once(": ")) {
            for name in names.split([' ', ',']) {
                assert!(has(name), "{name}");
            }
        }
    }
}
