#!/usr/bin/env bash
# notmuch-urls on 3,000 messages: notmuch then finds the same files for each host as
# the command prints.
#
#     notmuch.sh LIBRARY URLGREP
#
# LIBRARY is the folder of liburlgrep_c, URLGREP the command. The messages are those of
# SpamAssassin's public corpus in URLGREP_CORPUS, or made up if it is not there.
set -euo pipefail
library=$1
urlgrep=$(realpath "$2")
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

ln -sf liburlgrep_c.so "$library/liburlgrep.so.1"
${CC:-cc} -std=c99 -Wall -Wextra -Werror -O1 -I "$here/../include" "$here/../examples/notmuch-urls.c" \
    -L "$library" -lurlgrep_c "-Wl,-rpath,$library" -lnotmuch -o "$scratch/notmuch-urls"

mkdir -p "$scratch/mail/cur"
cd "$scratch/mail/cur"
corpus=${URLGREP_CORPUS:-}/mail/spamassassin
if [[ -d $corpus ]]; then
    find "$corpus" -type f -name '*.txt' | sort | sed -n 1,3000p | while read -r file; do
        cat "$file" >"$(basename "$file")"
    done
else
    for number in {1..3000}; do
        printf 'From: ann@example.org\nMessage-ID: <%d@example.org>\nSubject: %d\n\n%s\n%s\n' \
            "$number" "$number" "see http://h$((number % 100)).example.org/$number and" \
            "<http://www.example.org/$(printf "%0$((number % 300))d" 0)>" >"$number"
    done
fi
cd "$scratch"
export NOTMUCH_CONFIG=$scratch/config
printf '[database]\npath=%s/mail\n[new]\ntags=new\n' "$scratch" >config
printf '[user]\nname=ann\nprimary_email=ann@example.org\n' >>config

TIMEFORMAT='notmuch new: %U s'
time notmuch new >/dev/null 2>&1
./notmuch-urls tag:new
notmuch dump --include=properties | sort >first
./notmuch-urls '*' >/dev/null
notmuch dump --include=properties | sort | cmp - first

notmuch search --output=files --duplicate=1 '*' | sort >files
[[ $(wc -l <files) -gt 2500 ]]
"$urlgrep" --format '{path}\t{host}' "$scratch/mail/cur" | grep -v '	$' | sort -u >hosts
# A message that notmuch has twice has the URLs of its first file.
join -t '	' hosts files >expected
cut -f 2 expected | sort | uniq -c | sort -rn | sed -n '1,40p' | while read -r count host; do
    [[ $(notmuch count "property:url.host=$host") == "$count" ]] || {
        echo "property:url.host=$host is not in $count messages" >&2
        exit 1
    }
done
domain=$(notmuch dump --include=properties '*' | grep -o 'url[.]domain=[^ ]*' | sed -n 1p)
[[ $(notmuch count "property:$domain") -gt 0 ]]
# What no longer stands in a message, here what is no link of its body, is taken out.
./notmuch-urls --role body '*' >/dev/null
! notmuch dump --include=properties | sort | cmp --quiet - first || {
    echo "--role body leaves out nothing" >&2
    exit 1
}
echo "$(wc -l <expected) hosts of messages, the 40 most frequent ones compared"
