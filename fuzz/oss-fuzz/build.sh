#!/bin/bash -eu
# Builds each target, with its seeds and its words. OSS-Fuzz sets SRC and OUT.
cd "$SRC/urlgrep"
cargo fuzz build -O
for target in fuzz/fuzz_targets/*.rs; do
    name=$(basename "$target" .rs)
    cp "fuzz/target/x86_64-unknown-linux-gnu/release/$name" "$OUT/"
    if [ -d "fuzz/corpus/$name" ]; then
        (cd "fuzz/corpus/$name" && zip -q -r "$OUT/${name}_seed_corpus.zip" .)
    fi
    case $name in
    # As in the table of fuzz/README.md.
    scan | validate | extract) words=urls ;;
    unpack | attachment) words=pack ;;
    json | strings) words=$name ;;
    derive) continue ;;
    *) words=mail ;;
    esac
    cp "fuzz/$words.dict" "$OUT/$name.dict"
done
