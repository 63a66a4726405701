//! Order, counts and tables: `--unwrap`.

use super::kit::Dir;

const LINK: &str =
    "https://eur01.safelinks.protection.outlook.com/?url=http%3A%2F%2Fa.example%2Fx&data=02";

#[test]
fn links_of_gateways_are_taken_off() {
    let text = format!("{LINK}\nhttp://a.example/x\n<{LINK}3>\n");
    let dir = Dir::with("a", &text);
    dir.run(["--format", "{url} {unwrapped}", "a"]).is(&format!(
        "{LINK} http://a.example/x\nhttp://a.example/x \n{LINK}3 http://a.example/x\n"
    ));
    let inner = "http://a.example/x\n";
    dir.run(["--unwrap", "a"]).is(&inner.repeat(3));
    dir.run(["--unwrap", "-u", "a"]).is(inner);
    dir.run(["--unwrap", "--tally", "a"])
        .is(&format!("3\t{inner}"));
    dir.run(["--unwrap", "-c", "--host", "a.example", "a"])
        .is("3\n");
    dir.run([
        "--unwrap",
        "--format",
        "{alternates} {unwrapped}",
        "-m1",
        "a",
    ])
    .is(&format!("{LINK} \n"));
    // The record is that of the link in the file.
    let json = dir.run(["--unwrap", "--json", "a"]).bytes;
    dir.write("json", &json);
    dir.run(["--verify", "json"])
        .ends(0, "", "3 replayed, 0 in decoded text");
}
