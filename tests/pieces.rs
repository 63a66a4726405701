//! Any partition of a file into ranges gives each hit once. Tested with mails
//! made to be slow, and with the files of `testdata`.

use crate::common::hostile_mail;
use std::fs;

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

/// Found by fuzzing: the property had no answer for them.
#[test]
fn encoded_files_are_refused() {
    for file in [&b"\xFE\xFF\0h\0t\0t\0p"[..], b"PK\x03\x04http://a.example/"] {
        pieces_give_the_whole(file, &[3]);
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
