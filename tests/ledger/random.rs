//! Files that change at random. After each run the ledger has the rows of a new
//! ledger.

use std::fs;

use super::spool::{Spool, mbox, message};

/// A linear congruential generator with Knuth's multiplier for MMIX.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 33) as usize % limit
    }
}

#[test]
fn any_changes_leave_the_rows_of_a_new_ledger() {
    for seed in 1..=3 {
        let spool = Spool::new();
        let mut random = Random(seed);
        let names = ["a", "b", "c.txt", "sub/d", "sub.e"];
        let mut next = 0;
        for step in 0..15 {
            for _ in 0..1 + random.below(3) {
                let name = names[random.below(names.len())];
                change(&spool, name, &mut random, &mut next);
            }
            let news = spool.run(&["-q", "spool"]);
            assert_eq!(news.errors, "", "seed {seed}, step {step}");
            spool.is_as_new();
        }
    }
}

/// One change of a file.
fn change(spool: &Spool, name: &str, random: &mut Random, next: &mut usize) {
    let is_there = spool.path(name).exists();
    let some = 1 + random.below(6);
    *next += some;
    let more = mbox(*next - some..*next);
    match random.below(9) {
        _ if !is_there => spool.write(name, more),
        0..3 => spool.append(name, more),
        // A part of a message. A later step may append whole messages to it.
        3 => {
            let one = message(*next);
            spool.append(name, &one[..random.below(one.len())]);
        }
        4 => spool.append(name, "\nhttp://text.example/\n\nand\n\n".repeat(40)),
        5 => {
            let len = spool.read(name).len();
            spool.write(name, &spool.read(name)[..random.below(len.max(1))]);
            spool.touch(name);
        }
        6 => {
            let text = spool.read(name);
            let from = random.below(text.len().max(1));
            spool.write(name, &text[from..]);
            spool.touch(name);
        }
        7 => {
            let to = format!("{name}.{next}");
            fs::rename(spool.path(name), spool.path(&to)).unwrap();
        }
        _ => fs::remove_file(spool.path(name)).unwrap(),
    }
}
