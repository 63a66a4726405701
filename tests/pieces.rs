//! Any partition of a file into ranges gives each hit once. Tested with mails
//! made to be slow, and with the files of `testdata`.

use crate::common::hostile_mail;
use std::fs;
use std::ops::ControlFlow;
use urlgrep::search::{Searcher, SearcherBuilder};

use crate::common::pieces::pieces_give_the_whole;
use crate::common::rows::files;

/// A few cuts of `len` bytes, at arbitrary places.
fn cuts(len: usize, seed: usize) -> Vec<u64> {
    (1..6)
        .map(|n| ((n * 7919 + seed) * 104_729 % (len + 1)) as u64)
        .collect()
}

#[test]
fn partitions_of_hostile_mail() {
    for (i, family) in hostile_mail::families().iter().enumerate() {
        // Printed if the test fails.
        println!("{}", family.name);
        let mail = family.make(80_000);
        pieces_give_the_whole(&mail, &cuts(mail.len(), i));
    }
}

/// The same URLs are found if nobody asks for their places and roles.
#[test]
fn urls_without_places() {
    let urls = |builder: SearcherBuilder, mail: &[u8]| {
        let mut urls = Vec::new();
        builder.build().search_message(mail, |found| {
            urls.push(found.hit.text().to_vec());
            ControlFlow::Continue(())
        });
        urls
    };
    let mut total = 0;
    for family in hostile_mail::families() {
        let mail = family.make(20_000);
        let all = urls(Searcher::builder(), &mail);
        let bare = Searcher::builder().details(false).places(false);
        assert_eq!(all, urls(bare, &mail), "{}", family.name);
        total += all.len();
    }
    assert!(total > 1000, "{total}");
}

/// Found by fuzzing: the property had no answer for them.
#[test]
fn encoded_files_are_refused() {
    for file in [&b"\xFE\xFF\0h\0t\0t\0p"[..], b"PK\x03\x04http://a.example/"] {
        pieces_give_the_whole(file, &[3]);
    }
}

/// Found by fuzzing: the property took the fault of an attachment for one of the file.
#[test]
fn attached_more_than_is_opened() {
    let message = b"From: a@b.example\nDate: x\nMessage-ID: <1@a.example>\nMIME-Version: 1.0\n\
        Content-Type: application/postscript\n\nhttp://a.example/\n\n";
    let nested = message.repeat(9);
    let file = [&b"From a@b.example Thu Jan  1 00:00:00 1970\n"[..], &nested].concat();
    for text in [&nested, &file] {
        pieces_give_the_whole(text, &cuts(text.len(), 3));
    }
}

#[test]
fn partitions_of_rows() {
    for file in ["containers", "extract", "mime"]
        .iter()
        .flat_map(|folder| files(folder))
    {
        let text = fs::read(&file).expect("a row file").repeat(3);
        pieces_give_the_whole(&text, &cuts(text.len(), 3));
    }
}
