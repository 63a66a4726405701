//! Valid URLs, derived from the documents' BNF by the choices in the input. The
//! grammar accepts them, and the extractor finds them wrapped and bare.

#![no_main]

#[allow(dead_code, reason = "each target uses a part of it")]
#[path = "../../tests/common/properties/mod.rs"]
mod properties;

use libfuzzer_sys::fuzz_target;

#[allow(dead_code, reason = "the regular expressions are for the oracles")]
#[path = "../../tests/common/bnf/mod.rs"]
mod bnf;

use std::sync::LazyLock;

use urlgrep::Profile;

static GRAMMARS: LazyLock<[bnf::Grammar; 6]> = LazyLock::new(bnf::all);

fuzz_target!(|data: &[u8]| {
    let [profile, root, style, breaks, choices @ ..] = data else {
        return;
    };
    let number = *profile as usize % GRAMMARS.len();
    let (profile, grammar) = (Profile::ALL[number], &GRAMMARS[number]);
    let url = grammar.url(*root as usize, choices, None);
    if url.len() > 2000 {
        return;
    }
    // The BNF has no maximum for the length of a label, but host names do. URLs
    // with a longer label are skipped.
    let long = url.split(|b| !b.is_ascii_alphanumeric() && *b != b'-' && *b != b'_');
    if long.into_iter().any(|label| label.len() > 63) {
        return;
    }
    assert!(
        properties::url_keeps_its_promises(profile, &url),
        "{profile} {}",
        url.escape_ascii()
    );
    let pick = |from: &[&'static str], shift: u32| from[(*style >> shift) as usize % from.len()];
    let layout = properties::Layout {
        leader: pick(&["", "> ", ">", "| ", "# ", "JS> ", "- ", "│ "], 0),
        line_end: pick(&["\n", "\r\n", "\r", "\n"], 3),
        indent: pick(&["", " "], 5),
        trail: pick(&["", "\t"], 6),
        open: pick(&["<URL:", "< url : "], 7),
    };
    let step = 1 + *breaks as usize % 80;
    let places: Vec<usize> = (0..=url.len())
        .skip(*breaks as usize % 7)
        .step_by(step)
        .collect();
    properties::broken_wrapper_is_found(profile, &url, layout, &places);
    properties::bare_is_found(profile, &url, "see ", " there");
});
