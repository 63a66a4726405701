//! The examples give the right results.

#[path = "../examples/find.rs"]
mod find;
#[path = "../examples/folder.rs"]
mod folder;
#[path = "../examples/message.rs"]
mod message;
#[path = "../examples/ranges.rs"]
mod ranges;

#[test]
fn examples() {
    let found = find::find("at <URL:http://a.exa\nmple/b>\nand http://c.example/");
    let expected = [(1, "http://a.example/b"), (3, "http://c.example/")];
    assert_eq!(found, expected.map(|(line, url)| (line, url.to_owned())));

    let mail = b"Subject: x\n\n> http://a.example/\nhttp://b.example/\n";
    let expected = "quoted\thttp://a.example/\nbody\thttp://b.example/\n";
    assert_eq!(message::urls(mail), expected);

    let golden = include_str!("../testdata/mail.golden").lines().count() as u64;
    let hosts = folder::count(vec!["testdata/mail".to_owned()]).unwrap();
    assert_eq!(hosts.values().sum::<u64>(), golden);
    assert_eq!(hosts["gopher.example.org"], 1);

    let mbox = std::fs::read("testdata/mail/list.mbox").unwrap();
    let whole = ranges::urls(&mbox, 1).unwrap();
    assert!(whole.len() > 3);
    for number in 2..9 {
        assert_eq!(ranges::urls(&mbox, number).unwrap(), whole);
    }
}
