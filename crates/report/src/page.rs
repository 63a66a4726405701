//! The HTML page. The templates escape every text. Only the plot and the style
//! sheet are inserted without escaping, because their texts come from this
//! library.

use std::borrow::Borrow;
use std::collections::BTreeMap;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::count::{Kinds, ROWS, Tally, Top};
use super::csv;
use super::days::{DayCounts, DaySpan, Step};
use super::entry::Example;
use super::plot::{self, Curve, Look};
use super::years::{self, Year};
use super::{Report, SCHEMES, number};
use urlgrep_base::span::SeamKind;
use urlgrep_mail::mime::Date;

const STYLE: &str = include_str!("style.css");
/// Forbids every request and every script.
const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";
/// Prints the URLs inside rewritten links. With `--unwrap` they are the hits.
const REWRITTEN: &str =
    " | jq -r 'select(.unwrapped or any(.alternates[]?; .kind == \"outer\")) | .unwrapped // .url'";
/// Counts the gateways of rewritten links.
const GATEWAYS: &str = " | jq -r '(select(.unwrapped) | .host), (.alternates[]? | select(.kind == \"outer\") | .url | split(\"/\")[2])' | sort | uniq -c | sort -rn";
/// Links that are neither of authors nor in quotations.
const BOILERPLATE: &str = "headers, signatures, footers";
/// The options that select the links of authors, and [`BOILERPLATE`].
const OF_AUTHORS: &str = "--authored";
const OF_BOILERPLATE: &str = "--role=header,signature,footer";
/// The maximum number of years or months in the table.
const TIME_ROWS: usize = 64;
/// The id, the title and the content of a section.
type Section = (&'static str, &'static str, fn(&Report) -> Markup);

const SECTIONS: [Section; 12] = [
    ("time", "Links over time", time),
    ("hosts", "Domains and hosts", hosts),
    ("years", "Domains by year", domains_by_year),
    ("urls", "Most linked URLs", urls),
    ("people", "Who posts", people),
    (
        "boilerplate",
        "Headers, signatures and footers",
        boilerplate,
    ),
    ("read", "What was read", read),
    ("forms", "Forms and repairs", forms),
    ("roles", "Roles", roles),
    ("rejects", "Rejects", rejects),
    ("rewritten", "Rewritten links", rewritten),
    ("cautions", "Cautions and doubts", cautions),
];

pub(super) fn render(report: &Report) -> Markup {
    let name = match &*report.title {
        "" => "Links",
        title => title,
    };
    let dates = report.days.span().map(|span| format!(", {}", span.text()));
    let title = format!("{name}{}", dates.unwrap_or_default());
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                header {
                    h1 { (title) }
                    (tiles(report))
                    nav aria-label="Sections" {
                        ul { @for (id, title, _) in SECTIONS { li { a href={ "#" (id) } { (title) } } } }
                    }
                }
                main {
                    @for (id, title, content) in SECTIONS {
                        section id=(id) { h2 { (title) } (content(report)) }
                    }
                }
                footer {
                    p.soft { "Made by urlgrep " (env!("CARGO_PKG_VERSION")) ": " code { "urlgrep --report FILE " (report.arguments()) }
                        ". URLs are shown as text, not as links. A link CSV saves the rows of its table." }
                }
            }
        }
    }
}

fn tiles(report: &Report) -> Markup {
    let only = report.repairs.only_repaired();
    let at_least = if report.repairs.is_full { "≥ " } else { "" };
    let top = |top: &Top| {
        let mark = if top.is_partial { "≥ " } else { "" };
        format!("{mark}{}", number(top.len() as u64))
    };
    let [authors, boilerplate, quoted] = report.sources;
    let tiles = [
        ("links by authors", number(authors)),
        (BOILERPLATE, number(boilerplate)),
        ("in quotations", number(quoted)),
        (
            "different URLs",
            format!("{at_least}{}", number(only.urls as u64)),
        ),
        (
            "found only by repair",
            format!("{at_least}{}", number(only.repaired as u64)),
        ),
        ("domains", top(&report.domains)),
        ("authors with links", top(&report.authors)),
        ("messages", number(report.reading.messages)),
    ];
    html! {
        dl.tiles { @for (name, value) in &tiles { div { dt { (name) } dd { (value) } } } }
        @if report.faults > 0 {
            p.fault { (number(report.faults)) " inputs could not be read completely: see " a href="#read" { "What was read" } "." }
        }
    }
}

fn read(report: &Report) -> Markup {
    let reading = &report.reading;
    html! {
        p {
            @if reading.of_ledger {
                "The links below are in " (number(reading.files)) " files and members of archives, in "
                (number(reading.messages)) " messages. A ledger keeps nothing else of what was read."
            } @else {
                (number(reading.files)) " files and members of archives were searched"
                @if reading.bytes > 0 { ", " (number(reading.bytes)) " bytes in all" }
                "; " (number(reading.messages)) " messages were found in them. "
                (number(reading.passed_over)) " special files, such as devices and symbolic links, were skipped. "
                (number(reading.notes)) " faults inside messages were tolerated."
            }
        }
        (counts("read as", "files", reading.kinds.iter().map(|(name, n)| (*name, *n))))
        h3 { "What was not read" }
        @if reading.of_ledger {
            p { "Files with an error have it in the column " code { "fault" } " of the table " code { "file" } "." }
        } @else if report.faults == 0 && reading.unsearched.is_empty() {
            p { "Everything was read." }
        }
        @for (what, rows) in [("parts", &reading.unsearched.parts), ("files", &reading.unsearched.files)] {
            @if !rows.is_empty() {
                (counts("not searched", what, rows.iter().map(|(name, n)| (*name, *n))))
            }
        }
        @if report.faults > 0 {
            p { (number(report.faults)) " inputs could not be read completely" @if report.faults > ROWS as u64 { "; the first " (ROWS) } "." }
            ul { @for text in &report.fault_rows { li { code { (text) } } } }
        }
        (command(report, "--stats --notes --tally=scheme", ""))
    }
}

fn time(report: &Report) -> Markup {
    let Some(span) = report.days.span() else {
        return html! { p { "No link has a date." } };
    };
    let step = span.step.max(Step::Month);
    let mut rows = report.days.by(step);
    let (first, last) = span.steps_of(step);
    let of_all = links(&rows);
    rows.retain(|at, _| (first..=last).contains(at));
    let far = of_all - links(&rows);
    let used = |&at: &usize| rows.values().any(|row| row[at] > 0);
    let schemes: Vec<usize> = (0..SCHEMES.len()).filter(used).collect();
    let cut = Cut::of(span, step);
    html! {
        p { "By the Date field of the message, in UTC. A URL counts once per message. "
            "Links in quotations are left out, and those of programs have a plot of their own, in "
            a href="#boilerplate" { "Headers, signatures and footers" } "."
            @if report.days.undated > 0 { " " (number(report.days.undated)) " links have no date, or a date outside of 1970 to 2100." }
            @if far > 0 { " " (number(far)) " links have a date far from all others, and are not in the table." } }
        (figure(report, span, Curved::AUTHORS))
        details {
            summary { "All numbers" }
            div.wide { table {
                caption { "Links by " (step.name()) ", those by authors also by scheme: "
                    (csv::link("time", &time_head(step, &schemes), &time_rows(&rows, step, &schemes)))
                    (cut.note()) }
                thead { tr {
                    th scope="col" { (step.name()) }
                    @for &at in &schemes { th.n scope="col" { (SCHEMES[at]) } }
                    th.n scope="col" { "by authors" }
                    th.n scope="col" { (BOILERPLATE) }
                } }
                tbody { @for (at, row) in rows.iter().take(TIME_ROWS) { tr {
                    th.d scope="row" { (step.label(*at)) (cut.mark(*at)) }
                    @for &at in &schemes { td.n { (number(row[at])) } }
                    td.n { (number(by_authors(row))) }
                    td.n { (number(row[SCHEMES.len()])) }
                } } }
            } }
            (command(report, &format!("--tally={},scheme {OF_AUTHORS}", step.name()), ""))
        }
    }
}

/// The last step of a page, if only a part of it was counted.
struct Cut(Option<(i32, String)>);

impl Cut {
    fn of(span: DaySpan, step: Step) -> Cut {
        let last = if step == Step::Year {
            span.years().1
        } else {
            span.steps().1
        };
        Cut(span.is_cut_on(step).map(|day| (last, day)))
    }

    /// The mark of the step in a table.
    fn mark(&self, at: i32) -> &'static str {
        let is_cut = self.0.as_ref().is_some_and(|(last, _)| *last == at);
        if is_cut { "*" } else { "" }
    }

    /// The meaning of the mark, for the caption of a table.
    fn note(&self) -> Markup {
        html! { @if let Some((_, day)) = &self.0 { ". * Only until " (day) ", the last day with a link." } }
    }
}

/// The columns of the table of years.
fn time_head(step: Step, schemes: &[usize]) -> Vec<&'static str> {
    let names = schemes.iter().map(|&at| SCHEMES[at]);
    let mut head = vec![step.name()];
    head.extend(names);
    head.extend(["by authors", BOILERPLATE]);
    head
}

/// The rows of the table of years as text.
fn time_rows(rows: &BTreeMap<i32, DayCounts>, step: Step, schemes: &[usize]) -> Vec<Vec<String>> {
    let cells = |(at, row): (&i32, &DayCounts)| {
        let mut cells = vec![step.label(*at)];
        cells.extend(schemes.iter().map(|&scheme| row[scheme].to_string()));
        cells.push(by_authors(row).to_string());
        cells.push(by_machines(row).to_string());
        cells
    };
    rows.iter().take(TIME_ROWS).map(cells).collect()
}

/// The number of links of all steps.
fn links(rows: &BTreeMap<i32, DayCounts>) -> u64 {
    rows.values().flatten().sum()
}

/// The number of links by authors, and of [`BOILERPLATE`].
fn by_authors(row: &DayCounts) -> u64 {
    row[..SCHEMES.len()].iter().sum()
}

fn by_machines(row: &DayCounts) -> u64 {
    row[SCHEMES.len()]
}

/// A line of a plot: its name, its look, and what it counts.
struct Curved {
    name: &'static str,
    look: Look,
    count: fn(&DayCounts) -> u64,
}

impl Curved {
    const AUTHORS: Curved = Curved {
        name: "links by authors",
        look: plot::AUTHORS,
        count: by_authors,
    };
    const MACHINES: Curved = Curved {
        name: "links in headers, signatures and footers",
        look: plot::MACHINES,
        count: by_machines,
    };
}

/// A plot in two sizes, of which the style sheet shows one. It has a single line, because in
/// modern lists programs write so many links that those of authors would be a flat line at the
/// bottom of a common plot.
fn figure(report: &Report, span: DaySpan, curve: Curved) -> Markup {
    let rows = report.days.by(span.step);
    let (first, last) = span.steps();
    let count = |at| rows.get(&at).map_or(0, curve.count);
    let line = Curve {
        name: curve.name,
        look: curve.look,
        points: (first..=last).map(|at| (at, count(at))).collect(),
        is_cut: span.is_cut_on(span.step).is_some(),
    };
    let svg = |size| {
        let label = format!(
            "<svg role=\"img\" aria-label=\"{} by {}; a table has the numbers\" ",
            curve.name,
            span.step.name()
        );
        let lines = std::slice::from_ref(&line);
        PreEscaped(plot::plot(lines, span.step, size).replacen("<svg ", &label, 1))
    };
    html! {
        figure {
            div.large { (svg(plot::WIDE)) }
            div.small { (svg(plot::NARROW)) }
            figcaption {
                (capital(curve.name)) " by " (span.step.name())
                @if let Some(day) = span.is_cut_on(span.step) {
                    ". The last point is hollow: the last day with a link is " (day)
                } "."
            }
        }
    }
}

fn hosts(report: &Report) -> Markup {
    html! {
        p { "First and last are dates of messages, and the bar is the time between them. "
            "Only links by authors count, a URL once per message." }
        h3 { "Registered domains" }
        (top(report, "domain", &report.domains, ("--tally=domain", OF_AUTHORS, "")))
        h3 { "Hosts" }
        (top(report, "host", &report.hosts, ("--tally=host", OF_AUTHORS, "")))
    }
}

fn domains_by_year(report: &Report) -> Markup {
    let span = report.days.span();
    let Some(span) = span.filter(|span| span.years().0 < span.years().1) else {
        return html! { p { "The links are not of two years or more." } };
    };
    let all = command(report, &format!("--tally=year,domain {OF_AUTHORS}"), "");
    let cut = Cut::of(span, Step::Year);
    let rows = years::by_year(&report.domains, span);
    let rows: Vec<_> = rows.iter().take(TIME_ROWS).collect();
    let (_, last) = span.years();
    let cells = rows
        .iter()
        .map(|(at, row)| year_cells(**at, row, **at == last));
    let cells: Vec<Vec<String>> = cells.collect();
    let head = YEAR_COLUMNS.map(|(name, _)| name);
    html! {
        p { "Only links by authors count, a URL once per message." }
        h3 { "The most frequent domains" }
        (small_lines(report, span))
        (all)
        h3 { "New and vanished domains" }
        p { "A domain is new in the first year with a link to it. It vanished in the last such year, unless that is the last year of the page. Of each kind, the one with the most links in all years is named." }
        div.wide { table {
            caption { "Domains by year: " (csv::link("new and vanished domains", &head, &cells)) (cut.note()) }
            thead { tr { @for (name, is_number) in YEAR_COLUMNS {
                @if is_number { th.n scope="col" { (name) } } @else { th scope="col" { (name) } }
            } } }
            tbody { @for (at, year) in &rows { tr {
                th.d scope="row" { (at) (cut.mark(**at)) }
                td.n { (number(year.domains)) }
                td.n { (number(year.new.number)) } td.u { (year.new.name()) }
                // Whether a domain of the last year vanishes is not known.
                @if **at < last { td.n { (number(year.last.number)) } td.u { (year.last.name()) } }
                @else { td.n {} td.u {} }
            } } }
        } }
        @if report.domains.is_partial { p { "Rare domains were dropped, so these numbers may be too low." } }
        (all)
    }
}

/// The columns of the table of new and vanished domains, and whether they are numbers.
const YEAR_COLUMNS: [(&str, bool); 6] = [
    ("year", false),
    ("domains", true),
    ("new", true),
    ("most linked new one", false),
    ("vanished", true),
    ("most linked vanished one", false),
];

/// A row of that table as text.
fn year_cells(at: i32, year: &Year, is_last: bool) -> Vec<String> {
    let mut cells = vec![
        at.to_string(),
        year.domains.to_string(),
        year.new.number.to_string(),
        year.new.name().to_owned(),
    ];
    if is_last {
        cells.extend([String::new(), String::new()]);
    } else {
        cells.push(year.last.number.to_string());
        cells.push(year.last.name().to_owned());
    }
    cells
}

/// A small line for each of the most frequent domains.
fn small_lines(report: &Report, span: DaySpan) -> Markup {
    let lines = years::lines(&report.domains, span);
    let cut = span.is_cut_on(Step::Year);
    let (first, last) = span.years();
    let cells = lines.iter().flat_map(|(name, points)| {
        let cell =
            move |(at, n): &(i32, u64)| vec![(*name).to_owned(), at.to_string(), n.to_string()];
        points.iter().map(cell)
    });
    let cells: Vec<Vec<String>> = cells.collect();
    html! {
        figure {
            ul.lines { @for (name, points) in &lines { li {
                (name)
                div aria-hidden="true" { (PreEscaped(plot::small(points.clone(), cut.is_some()))) }
                @if let Some((at, most)) = points.iter().rev().max_by_key(|point| point.1) {
                    div.soft { "at most " (number(*most)) ", in " (at) }
                }
            } } }
            figcaption {
                "Links by authors to the most frequent domains, " (first) " to " (last)
                ", each with a scale of its own: " (csv::link("domains by year", &["domain", "year", "links"], &cells))
                @if let Some(day) = cut { ". The end in dots is " (last) ", until " (day) }
                "."
            }
        }
    }
}

fn urls(report: &Report) -> Markup {
    top(
        report,
        "URL",
        &report.top_urls,
        ("--tally=url", OF_AUTHORS, ""),
    )
}

fn people(report: &Report) -> Markup {
    html! {
        h3 { "Authors" }
        (top(report, "author", &report.authors, ("--tally=from", OF_AUTHORS, "")))
        h3 { "Groups and lists" }
        (top(report, "group or list", &report.groups, ("--tally=group", OF_AUTHORS, "")))
    }
}

fn boilerplate(report: &Report) -> Markup {
    html! {
        p { "Links that programs and habits repeat. They are not in the tables above." }
        @if let Some(span) = report.days.span() { (figure(report, span, Curved::MACHINES)) }
        h3 { "URLs" }
        (top(report, "repeated URL", &report.other_urls, ("--tally=url", OF_BOILERPLATE, "")))
        h3 { "Hosts" }
        (top(report, "repeated host", &report.other_hosts, ("--tally=host", OF_BOILERPLATE, "")))
    }
}

fn forms(report: &Report) -> Markup {
    let repaired = report.repairs.only_repaired();
    let seams = report.seams.rows();
    let only = |name: &str| {
        let at = SeamKind::ALL.iter().position(|kind| kind.name() == name);
        at.map_or(0, |at| repaired.by_kind[at])
    };
    let rows = report.repaired.iter();
    let rows = rows.filter(|(url, _)| report.repairs.is_only_repaired(*url));
    let rows: Vec<&Example> = rows.map(|row| &row.1).take(ROWS).collect();
    let repairs = seams.iter().map(|(name, count, _)| {
        vec![
            (*name).to_owned(),
            count.to_string(),
            only(name).to_string(),
        ]
    });
    let repairs: Vec<Vec<String>> = repairs.collect();
    html! {
        h3 { "How URLs were delimited" }
        (kinds(report, "form", &report.forms, &|name| (format!("--form={name} -Hn"), String::new())))
        h3 { "Repairs" }
        p { (number(repaired.repaired as u64)) " of " (number(repaired.urls as u64)) " different URLs never occur unbroken. They were found only because "
            "line breaks, quote marks, transfer encodings or markup inside them were undone." }
        @if report.repairs.is_full { p { "Only the first " (number(super::repairs::URLS as u64)) " different URLs were distinguished." } }
        @if !seams.is_empty() {
            div.wide { table {
                caption { "Links by repair: "
                    (csv::link("repairs", &["repair", "links", "URLs found only by it"], &repairs)) }
                thead { tr { th scope="col" { "repair" } th.n scope="col" { "links" } th.n scope="col" { "URLs found only by it" } th.bar scope="col" { "share" } } }
                tbody { @for (name, count, _) in &seams { tr {
                    th scope="row" { (name) } td.n { (number(*count)) } td.n { (number(only(name))) }
                    (bar(*count, seams[0].1))
                } } }
            } }
            @for (name, _, examples) in &seams {
                @let filter = format!(" | jq -r 'select(any((.seams // .decoded.seams)[]?; .kind == \"{name}\")) | .url'");
                (list(name, "", examples, &command(report, "--json", &filter)))
            }
            (list("URLs that never occur unbroken", "repairs", &rows,
                &command(report, "--json", " | jq -r 'select((.seams // .decoded.seams) | length > 0) | .url'")))
        }
    }
}

fn roles(report: &Report) -> Markup {
    html! {
        p { "The function of the place where a link is in its message. A URL counts once per message in each role." }
        (kinds(report, "role", &report.roles, &|name| (format!("--role={name} -Hn"), String::new())))
    }
}

fn rejects(report: &Report) -> Markup {
    html! {
        p { "Texts that look like URLs but are not valid, by the rule that failed." }
        @if report.reading.of_ledger { p { "A ledger keeps no rejects." } }
        (kinds(report, "rule", &report.rules, &|name| {
            ("--rejects --tsv --fields=rule,url,path,line".into(), format!(" | awk -F '\\t' '$1 == \"{name}\"'"))
        }))
    }
}

fn rewritten(report: &Report) -> Markup {
    let rows = &report.rewritten;
    html! {
        p { "Links that a mail gateway or a search engine wrapped around other links." }
        (top(report, "gateway", &report.gateways, ("--json", "", GATEWAYS)))
        @if !rows.is_empty() {
            (list("Rewritten links", "URL inside", rows,
                &command(report, "--json", REWRITTEN)))
        }
    }
}

fn cautions(report: &Report) -> Markup {
    let names = |field: &'static str| {
        move |name: &str| {
            (
                "--json".to_owned(),
                format!(" | jq -r 'select(.{field} | index(\"{name}\")) | .url'"),
            )
        }
    };
    html! {
        h3 { "Cautions" }
        p { "Valid URLs that a reader should be careful with." }
        (kinds(report, "caution", &report.cautions, &names("cautions")))
        h3 { "Doubts" }
        p { "Valid URLs that may have been read wrongly." }
        (kinds(report, "doubt", &report.doubts, &names("doubt")))
    }
}

/// A table of names and their counts.
fn counts<'n>(of: &str, what: &str, rows: impl Iterator<Item = (&'n str, u64)> + Clone) -> Markup {
    let most = rows.clone().map(|row| row.1).max().unwrap_or(0);
    let cells = rows
        .clone()
        .map(|(name, count)| vec![name.to_owned(), count.to_string()]);
    let cells: Vec<Vec<String>> = cells.collect();
    html! {
        div.wide { table {
            caption { (capital(what)) " by " (of) ": " (csv::link(of, &[of, what], &cells)) }
            thead { tr { th scope="col" { (of) } th.n scope="col" { (what) } th.bar scope="col" { "share" } } }
            tbody { @for (name, count) in rows { tr {
                th scope="row" { (name) } td.n { (number(count)) } (bar(count, most))
            } } }
        } }
    }
}

/// The most frequent keys of a table, and the options and the filter that print
/// all of them.
fn top(report: &Report, of: &str, top: &Top, (tally, links, filter): (&str, &str, &str)) -> Markup {
    let rows = top.first();
    let span = report.days.span();
    let step = span.map_or(Step::Day, |span| span.step);
    let cells = rows.iter().map(|(name, tally)| {
        let dates = [tally.first, tally.last].map(|date| Step::Day.day(date));
        let [first, last] = dates;
        vec![(*name).to_owned(), tally.count.to_string(), first, last]
    });
    let cells: Vec<Vec<String>> = cells.collect();
    html! {
        @if rows.is_empty() {
            p.soft { "None." }
        } @else {
            div.wide { table {
                caption { "Links by " (of) ", the most frequent first: "
                    (csv::link(of, &[of, "links", "first", "last"], &cells)) }
                thead { tr {
                    th scope="col" { (of) } th.n scope="col" { "links" }
                    th.bar scope="col" { @if let Some(span) = span { (span.text()) } @else { "time" } }
                    th.d scope="col" { "first" } th.d scope="col" { "last" }
                } }
                tbody { @for (name, Tally { count, first, last }) in &rows { tr {
                    th.u scope="row" { (name) } td.n { (number(*count)) } (time_bar(span, *first, *last))
                    td.d { (step.day(*first)) } td.d { (step.day(*last)) }
                } } }
            } }
            @if top.is_partial {
                p { "There were too many different keys. Rare ones were dropped, so these numbers may be too low." }
            } @else if top.len() > rows.len() {
                p.soft { "The first " (rows.len()) " of " (number(top.len() as u64)) ". " }
            }
            (command(report, format!("{tally} {links}").trim_end(), filter))
        }
    }
}

/// A table of kinds, and the first rows for each kind.
fn kinds(
    report: &Report,
    of: &str,
    kinds: &Kinds,
    options: &dyn Fn(&str) -> (String, String),
) -> Markup {
    let rows = kinds.rows();
    html! {
        @if rows.is_empty() {
            p.soft { "None." }
        } @else {
            (counts(of, if of == "rule" { "rejects" } else { "links" }, rows.iter().map(|row| (row.0, row.1))))
            @for (name, _, examples) in &rows {
                @let (options, filter) = options(name);
                (list(name, "", examples, &command(report, &options, &filter)))
            }
        }
    }
}

/// The first of the rows that a number in a table counts.
fn list(title: &str, note: &str, rows: &[impl Borrow<Example>], all: &Markup) -> Markup {
    let rows: Vec<&Example> = rows.iter().map(Borrow::borrow).collect();
    let has_notes = rows.iter().any(|row| !row.note.is_empty());
    let note = if note.is_empty() { "why" } else { note };
    let cells = rows.iter().map(|row| {
        let line = row.line.map_or_else(String::new, |line| line.to_string());
        let texts = [&*row.url, &*row.note, &*row.path].map(str::to_owned);
        let [url, note, path] = texts;
        vec![url, note, Step::Day.day(row.date), path, line]
    });
    let cells: Vec<Vec<String>> = cells.collect();
    html! {
        details {
            summary { (title) @if rows.len() == ROWS { ": the first " (ROWS) } @else { ": all " (rows.len()) } }
            div.wide { table {
                caption { (capital(title)) ": the first " (rows.len()) " in the order of the input: "
                    (csv::link(title, &["URL", note, "date", "path", "line"], &cells)) }
                thead { tr {
                    th scope="col" { "URL" }
                    @if has_notes { th scope="col" { (note) } }
                    th scope="col" { "date" } th scope="col" { "where" }
                } }
                tbody { @for row in &rows { tr {
                    td.u { code { (row.url) } }
                    @if has_notes { td.u { (row.note) } }
                    td.d { (Step::Day.day(row.date)) }
                    td.u { code { (row.path) @if let Some(line) = row.line { ":" (line) } } }
                } } }
            } }
            (all)
        }
    }
}

/// The command that prints all rows.
fn command(report: &Report, options: &str, filter: &str) -> Markup {
    html! {
        p.soft { "All of them: " code { "urlgrep " (options) " " (report.arguments()) (filter) } }
    }
}

/// The time from the first to the last date.
fn time_bar(span: Option<DaySpan>, first: Option<Date>, last: Option<Date>) -> Markup {
    let percent = |date: Option<Date>| Some(span?.percent(date?));
    let (start, end) = (percent(first).unwrap_or(0), percent(last).unwrap_or(0));
    html! { td.bar aria-hidden="true" {
        @if first.is_some() { i style={ "width:" (end - start) "%;margin-left:" (start) "%" } {} }
    } }
}

/// A text with a first letter in upper case.
fn capital(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(|first| first.to_uppercase().to_string());
    first.unwrap_or_default() + chars.as_str()
}

fn bar(count: u64, most: u64) -> Markup {
    let percent = count * 100 / most.max(1);
    html! { td.bar aria-hidden="true" { i style={ "width:" (percent) "%" } {} } }
}
