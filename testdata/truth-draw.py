#!/usr/bin/env python3
"""Draws the places of truth.toml from a corpus folder, with a fixed seed.

A place is the colon of a scheme. There are five strata, drawn evenly over the
collections of the corpus. Places inside a `<URL:` wrapper are left out. Of places
with the same 48 bytes around them only the first is used. Addresses are masked before
anyone reads the context: letters and digits are replaced, and shapes are kept.
"""
import os, re, random, sys, json
root, out = sys.argv[1], sys.argv[2]
rnd = random.Random(1738)
GROUPS = ["news/spool", "news/comp.lang.lisp-1986-1990.mbx", "news/comp.lang.lisp-2016-2017.mbx",
          "list/cypherpunks-1995", "list/cypherpunks-1996.mbox", "list/pipermail",
          "mail/linux-hams.mbox", "mail/spamassassin", "mime", "rfc"]
WANT = {"slashes": 120, "scheme-only": 80, "line-end": 80, "quoted": 60, "bracketed": 60}
SLASH = re.compile(rb"[A-Za-z][A-Za-z0-9+.-]{0,31}(:)//")
ONLY = re.compile(rb"(?i)(?<![A-Za-z0-9])(?:mailto|news|mid|cid|urn|tel|sips?|xmpp|magnet|doi|data)(:)(?=\S)")
ENDS = re.compile(rb"[A-Za-z][A-Za-z0-9+.-]{0,31}(:)//[^\s<>\"]*(?=\r?\n)")
QUOT = re.compile(rb"\"\s*[A-Za-z][A-Za-z0-9+.-]{1,31}(:)(?://|(?<=mailto:)|(?<=news:)|(?<=cid:))")
BRAK = re.compile(rb"<\s*[A-Za-z][A-Za-z0-9+.-]{1,31}(:)(?://|(?<=mailto:)|(?<=news:)|(?<=mid:))", re.I)
places = {s: {} for s in WANT}
for g in GROUPS:
    p = os.path.join(root, g)
    files = [p] if os.path.isfile(p) else sorted(os.path.join(d, f) for d, _, fs in os.walk(p) for f in fs)
    for f in files:
        b = open(f, "rb").read()
        def add(s, off):
            w = b[max(0, off - 200):off]
            if re.search(rb"(?is)<\s*URL\s*:[^>]*$", w): return
            places[s].setdefault(g, []).append((f, off))
        for m in SLASH.finditer(b): add("slashes", m.start(1))
        for m in ONLY.finditer(b): add("scheme-only", m.start(1))
        for m in ENDS.finditer(b):
            ls = b.rfind(b"\n", 0, m.start()) + 1
            if m.end() - ls >= 60: add("line-end", m.start(1))
        for m in QUOT.finditer(b): add("quoted", m.start(1))
        for m in BRAK.finditer(b): add("bracketed", m.start(1))
def mask(ctx):
    def word(s, pat):
        o, i = bytearray(), 0
        for c in s:
            if chr(c).isalpha():
                ch = pat[i % len(pat)]; i += 1
                o.append(ord(ch.upper()) if chr(c).isupper() else ord(ch))
            else: o.append(c)
        return bytes(o)
    def rep(m):
        l, by, d = m.groups()
        parts = d.split(b".")
        parts = [word(x, "example") for x in parts[:-1]] + parts[-1:]
        return word(l, "user") + by + b".".join(parts)
    at = rb"([A-Za-z0-9._+=$%-]+)(@| at )([A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+)"
    ctx = re.sub(at, rep, ctx)
    # A login and a host of one label, but not `user:password@host`.
    ctx = re.sub(rb"(?<![\w.-])([a-z]{3,})(@)([a-z]{5,})\b(?![.-])",
                 lambda m: word(m.group(1), "user") + b"@" + word(m.group(3), "example"), ctx)
    # American telephone numbers.
    phone = rb"(?<![\w/=-])\(?\d{3}[-. )]{1,2}\d{3}[-.]\d{4}(?![\w/])"
    return re.sub(phone, lambda m: re.sub(rb"\d", b"0", m.group()), ctx)
rows, seen = [], set()
for s, n in WANT.items():
    gs = [g for g in GROUPS if places[s].get(g)]
    for g in gs: rnd.shuffle(places[s][g])
    got = 0
    while got < n and any(places[s][g] for g in gs):
        g = rnd.choice(gs)
        if not places[s][g]: continue
        f, off = places[s][g].pop()
        b = open(f, "rb").read()
        key = b[max(0, off - 8):off + 40]
        if key in seen: continue
        seen.add(key)
        a = max(0, off - 360); 
        if a: a = min(off, (b.find(b"\n", a, off) + 1) or a)
        z = min(len(b), off + 520)
        if z < len(b): z = max(off + 1, b.rfind(b"\n", off, z) + 1) if b.rfind(b"\n", off, z) > 0 else z
        head = b[max(0, off - 200000):off]
        cte = re.findall(rb"(?im)^content-transfer-encoding:\s*([\w-]+)", head)
        cty = re.findall(rb"(?im)^content-type:\s*([^\s;]+)", head)
        rows.append(dict(stratum=s, file=os.path.relpath(f, root), offset=off, at=off - a,
                         line=b.count(b"\n", 0, off) + 1,
                         cte=cte[-1].decode("latin1").lower() if cte else "", ctype=cty[-1].decode("latin1").lower() if cty else "",
                         context=mask(b[a:z]).decode("latin1")))
        got += 1
json.dump(rows, open(out, "w"), indent=1)
def show(c):
    return "".join(ch if 32 <= ord(ch) < 127 or ch == "\n" else ("\\t" if ch == "\t" else "\\x%02x" % ord(ch)) for ch in c.replace("\r\n", "\n"))
with open(out.replace(".json", ".txt"), "w") as o:
    for i, r in enumerate(rows):
        c = r["context"]; at = r["at"]
        o.write(f"=== {i}  [{r['stratum']}] {r['file']}:{r['line']}  last-seen content-type={r['ctype']} cte={r['cte']}\n")
        o.write(show(c[:at]) + "\u25b6:" + show(c[at + 1:]) + "\n")
print({s: sum(r["stratum"] == s for r in rows) for s in WANT}, len(rows))
