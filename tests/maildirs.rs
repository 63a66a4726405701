//! Maildirs whose messages move while the engine reads them.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use urlgrep_files::engine::{Engine, Fault, Input, Outbox, Piece, Worker};

/// Notes the paths of pieces, and renames files during the first piece.
struct Renames(Vec<(PathBuf, PathBuf)>);

impl Worker for Renames {
    type Output = Vec<String>;

    fn piece(&mut self, piece: &Piece<'_>, paths: &mut Outbox<'_, Vec<String>>) -> bool {
        for (from, to) in self.0.drain(..) {
            fs::rename(from, to).expect("a rename");
        }
        if piece.first {
            let path = String::from_utf8_lossy(piece.path.unwrap_or(b"-")).into_owned();
            paths.push(path);
        }
        true
    }
}

/// A new maildir with these messages, in the folder of the tests.
fn maildir(name: &str, messages: &[&str]) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&dir);
    for folder in ["cur", "new", "tmp"] {
        fs::create_dir_all(dir.join(folder)).expect("a folder");
    }
    for message in messages {
        fs::write(
            dir.join(message),
            "Subject: x\nFrom: a@b\n\nhttp://a.example/\n",
        )
        .expect("a file");
    }
    dir
}

#[test]
fn messages_that_move_while_a_maildir_is_read() {
    let dir = maildir(
        "moves",
        &[
            "cur/a:2,", "cur/b:2,", "cur/c:2,", "new/d", "new/e", "new/f",
        ],
    );
    let rename = |from: &str, to: &str| (dir.join(from), dir.join(to));
    // After the listing, and before the size is read.
    let early = vec![rename("cur/c:2,", "cur/c:2,S"), rename("new/f", "cur/f:2,")];
    // After that, and before the file is opened. One file is removed.
    let late = vec![
        rename("cur/b:2,", "cur/b:2,S"),
        rename("new/d", "cur/d:2,"),
        rename("new/e", "tmp/e"),
    ];
    let early = std::sync::Mutex::new(early);
    let engine = Engine::builder()
        .threads(1)
        .sort(true)
        .filter(move |entry| {
            if entry.name == b"a:2," {
                for (from, to) in early.lock().expect("no panic").drain(..) {
                    fs::rename(from, to).expect("a rename");
                }
            }
            true
        });
    let (mut paths, mut faults) = (Vec::new(), Vec::new());
    let inputs = vec![Input::Path(dir.clone())];
    engine.build().run_here(inputs, Renames(late), |delivery| {
        paths.append(delivery.output);
        faults.append(delivery.faults);
        true
    });
    let expected = ["cur/a:2,", "cur/b:2,S", "cur/c:2,S", "cur/d:2,", "cur/f:2,"];
    let expected = expected.map(|name| dir.join(name).to_string_lossy().into_owned());
    assert_eq!(paths, expected);
    let faults: Vec<String> = faults.iter().map(Fault::to_string).collect();
    assert!(
        matches!(&faults[..], [one] if one.contains("new/e: No such file")),
        "{faults:?}"
    );
}

/// Another program moves messages and changes flags all the time.
#[test]
fn a_live_maildir_loses_nothing() {
    let names: Vec<String> = (0..150).map(|i| format!("new/{i}.M{i}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let dir = maildir("live", &names);
    let stop = AtomicU64::new(0);
    let mut wrong = Vec::new();
    std::thread::scope(|scope| {
        let moves = scope.spawn(|| {
            let mut paths: Vec<PathBuf> = names.iter().map(|name| dir.join(name)).collect();
            let mut random = 1u64;
            let mut moves = 0;
            while stop.load(Ordering::Relaxed) == 0 {
                random = random
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                let i = (random >> 33) as usize % paths.len();
                let flags = ["", "S", "RS", "FS"][(random >> 60) as usize % 4];
                let to = dir.join(format!("cur/{i}.M{i}:2,{flags}"));
                fs::rename(&paths[i], &to).expect("a rename");
                paths[i] = to;
                moves += 1;
                std::thread::sleep(std::time::Duration::from_micros(200));
            }
            moves
        });
        let mut runs = 0;
        let begin = std::time::Instant::now();
        while runs < 20 || begin.elapsed().as_millis() < 500 {
            let engine = Engine::builder().threads(1 + runs % 2).sort(true).build();
            let (mut seen, mut faults) = (Vec::new(), Vec::new());
            let inputs = vec![Input::Path(dir.clone())];
            engine
                .run(
                    inputs,
                    || Renames(Vec::new()),
                    |delivery| {
                        seen.append(delivery.output);
                        faults.append(delivery.faults);
                        true
                    },
                )
                .expect("threads");
            let base = |path: &String| {
                let name = path.rsplit('/').next().expect("a name");
                name.split(':').next().expect("a base").to_owned()
            };
            let mut seen: Vec<String> = seen.iter().map(base).collect();
            seen.sort();
            let mut expected: Vec<String> = names.iter().map(|name| name[4..].to_owned()).collect();
            expected.sort();
            if !faults.is_empty() || seen != expected {
                wrong.push(format!("run {runs}: {faults:?} {seen:?}"));
            }
            runs += 1;
        }
        stop.store(1, Ordering::Relaxed);
        assert!(moves.join().expect("no panic") > 20);
    });
    assert!(wrong.is_empty(), "{wrong:#?}");
}
