//! Runs each command of a report. The report shows the first rows of a table,
//! and the command under the table prints all rows.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Output};

const MARK: &str = "All of them: <code>";

/// A table and the command under it.
struct Block {
    /// The title of a list of examples, for example `bare: the first 20`.
    summary: String,
    /// The cells of each row, the headings first.
    rows: Vec<Vec<String>>,
    command: String,
}

/// The text from the last `from` to the next `to`.
fn last<'t>(text: &'t str, from: &str, to: &str) -> &'t str {
    let at = text.rfind(from).map_or(text.len(), |at| at + from.len());
    text[at..].split(to).next().unwrap_or_default()
}

/// A text without markup.
fn plain(markup: &str) -> String {
    let pieces = markup.split('<');
    let texts = pieces.map(|piece| piece.split_once('>').map_or(piece, |(_, text)| text));
    let names = [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&amp;", "&"),
    ];
    let text = texts.collect::<String>();
    names
        .iter()
        .fold(text, |text, (name, c)| text.replace(name, c))
}

/// The cells of a row.
fn cells(row: &str) -> Vec<String> {
    let cells = row.split_inclusive("</td>");
    let cells = cells.flat_map(|cell| cell.split_inclusive("</th>"));
    cells
        .filter(|cell| !cell.starts_with("</tr>"))
        .map(plain)
        .collect()
}

fn blocks(page: &str) -> Vec<Block> {
    let parts: Vec<&str> = page.split(MARK).collect();
    let pairs = parts.windows(2);
    pairs
        .map(|pair| {
            let is_list = pair[0].rfind("<details>") > pair[0].rfind("</details>");
            let summary = last(pair[0], "<summary>", "</summary>");
            let table = last(pair[0], "<table>", "</table>");
            Block {
                summary: if is_list {
                    plain(summary)
                } else {
                    String::new()
                },
                rows: table.split("<tr>").skip(1).map(cells).collect(),
                command: plain(pair[1].split("</code>").next().unwrap_or_default()),
            }
        })
        .collect()
}

fn shell(folder: &Path, command: &str) -> Output {
    let binary = Path::new(env!("CARGO_BIN_EXE_urlgrep"));
    let path = std::env::var("PATH").unwrap_or_default();
    let mut shell = Command::new("sh");
    shell.args(["-c", command]).current_dir(folder);
    shell.env_remove("URLGREP_CONFIG_PATH");
    shell.env(
        "PATH",
        format!("{}:{path}", binary.parent().unwrap().display()),
    );
    shell.output().unwrap()
}

/// The numbers of the lines of `--tally`, or of `uniq -c`, by key.
fn tally(out: &str) -> BTreeMap<&str, u64> {
    out.lines()
        .filter_map(|line| {
            let (number, key) = line.trim_start().split_once(['\t', ' '])?;
            Some((key, number.parse().ok()?)).filter(|_| !key.is_empty())
        })
        .collect()
}

fn number(cell: &str) -> u64 {
    cell.replace(',', "").parse().unwrap()
}

impl Block {
    /// The output has the rows of the page, and as many rows as the page says.
    fn compare(&self, out: &str, errors: &str) {
        let Some((head, rows)) = self.rows.split_first() else {
            // Without years there is no table of years.
            return;
        };
        match &*head[0] {
            "URL" if !self.summary.is_empty() => self.compare_list(rows, out),
            "year" if head[1] == "domains" => compare_domains(rows, out),
            "year" | "month" => {
                let mut years = BTreeMap::<&str, u64>::new();
                for (key, number) in tally(out) {
                    *years.entry(key.split('\t').next().unwrap()).or_default() += number;
                }
                for row in rows {
                    let by_authors = number(&row[row.len() - 2]);
                    let all = years
                        .get(row[0].trim_end_matches('*'))
                        .copied()
                        .unwrap_or(0);
                    assert_eq!(all, by_authors, "{}", self.command);
                }
            }
            "read as" | "not searched" => {
                for row in rows {
                    let is_its = |line: &str| line.contains(&row[0]) && line.contains(&row[1]);
                    assert!(errors.lines().any(is_its), "{}: {row:?}", self.command);
                }
            }
            _ => {
                let all = tally(out);
                assert!(all.len() >= rows.len(), "{}: {out}", self.command);
                for row in rows {
                    // `--tally` escapes bytes beyond ASCII. The page does not.
                    let key = row[0].split(|c: char| !c.is_ascii()).next().unwrap();
                    let same = all.iter().filter(|(name, _)| name.starts_with(key));
                    let mut numbers = same.map(|(_, number)| *number);
                    assert!(
                        numbers.any(|n| n == number(&row[1])),
                        "{}: {row:?}",
                        self.command
                    );
                }
            }
        }
    }

    fn compare_list(&self, rows: &[Vec<String>], out: &str) {
        for row in rows {
            // For rewritten links, the command prints the URL inside, which is
            // in the second column.
            let at = usize::from(self.summary.starts_with("Rewritten"));
            // The page cuts long URLs and escapes hidden characters, and the command does not.
            let url = row[at].split(['…', '\\']).next().unwrap();
            let url = url.split("%E2%80").next().unwrap();
            assert!(out.contains(url), "{}: {url}", self.command);
        }
        let lines = out.lines().count();
        let (name, count) = self.summary.split_once(": ").unwrap();
        match count.strip_prefix("all ") {
            // In these lists the page counts a URL once, or once per message.
            // The command prints every occurrence.
            Some(all) if self.command.contains("--role") || name.starts_with("URLs") => {
                assert!(lines >= number(all) as usize, "{}: {out}", self.command);
            }
            Some(all) => assert_eq!(lines, number(all) as usize, "{}: {out}", self.command),
            None => assert!(lines >= rows.len(), "{}: {out}", self.command),
        }
    }
}

/// The table of new and vanished domains agrees with a tally by year and domain.
fn compare_domains(rows: &[Vec<String>], out: &str) {
    let pairs = out.lines().filter_map(|line| {
        let mut cells = line.split('\t').skip(1);
        Some((cells.next()?, cells.next()?))
    });
    let pairs = pairs.filter(|(year, domain)| *year != "-" && *domain != "-");
    let mut years = BTreeMap::<&str, Vec<&str>>::new();
    for (year, domain) in pairs {
        years.entry(domain).or_default().push(year);
    }
    assert!(rows.len() >= 2);
    let last = rows.len() - 1;
    for (at, row) in rows.iter().enumerate() {
        let year = row[0].trim_end_matches('*');
        let count = |is: &dyn Fn(&[&str]) -> bool| years.values().filter(|all| is(all)).count();
        let domains = count(&|all| all.contains(&year));
        let new = count(&|all| all.iter().min() == Some(&year));
        let vanished = count(&|all| all.iter().max() == Some(&year));
        assert_eq!([&*row[1], &*row[2]], [domains.to_string(), new.to_string()]);
        let expected = if at < last {
            vanished.to_string()
        } else {
            String::new()
        };
        assert_eq!(row[4], expected, "{year}");
        let is_named = |name: &str, end: &dyn Fn(&[&str]) -> Option<bool>| {
            name.is_empty() || years.get(name).and_then(|all| end(all)) == Some(true)
        };
        assert!(
            is_named(&row[3], &|all| Some(*all.iter().min()? == year)),
            "{row:?}"
        );
        assert!(
            is_named(&row[5], &|all| Some(*all.iter().max()? == year)),
            "{row:?}"
        );
    }
}

/// Makes a report with the arguments `args` in `folder`, and runs its commands.
/// Returns the number of commands.
fn check(folder: &Path, args: &str) -> usize {
    let page = shell(folder, &format!("urlgrep --report - {args}"));
    let blocks = blocks(&String::from_utf8(page.stdout).unwrap());
    let has_jq = shell(folder, "jq --version").status.success();
    for block in &blocks {
        if block.command.contains("jq ") && !has_jq {
            println!("left out: jq is not there: {}", block.command);
            continue;
        }
        let out = shell(folder, &block.command);
        let errors = String::from_utf8_lossy(&out.stderr);
        // Inputs with faults have status 2 here and in the report.
        let is_fine = matches!(out.status.code(), Some(0 | 2)) && !errors.contains("error:");
        assert!(is_fine, "{}: {errors}", block.command);
        block.compare(&String::from_utf8_lossy(&out.stdout), &errors);
    }
    blocks.len()
}

#[test]
fn commands_print_what_the_page_counts() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    assert!(check(root, "testdata/mail testdata/extract") >= 40);
    assert!(check(root, "--unwrap testdata/extract/joined.toml") >= 10);
}

#[cfg(feature = "ledger")]
#[test]
fn commands_of_a_ledger_print_what_its_page_counts() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let dir = crate::cli::kit::Dir::new();
    let root = root.join("testdata");
    let folders = format!("'{0}/mail' '{0}/extract'", root.display());
    shell(
        dir.path(),
        &format!("urlgrep --ledger links.db -q {folders}"),
    );
    assert!(check(dir.path(), "--ledger links.db") >= 30);
}
