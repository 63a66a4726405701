// The package for Node gives the rows of the command.
//
//     URLGREP=target/release/urlgrep WEB=target/web node --test web/tests/module.test.mjs

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";

const repository = new URL("../..", import.meta.url).pathname;
const folder = process.env.WEB ?? join(repository, "target/web");
const command = process.env.URLGREP ?? join(repository, "target/release/urlgrep");
const { find, message, rows } = await import(pathToFileURL(join(folder, "npm/index.js")));
const { load } = await import(pathToFileURL(join(folder, "npm/load.js")));

/** All files below a folder. */
function files(path) {
  if (!statSync(path).isDirectory()) {
    return [path];
  }
  return readdirSync(path).sort().flatMap((name) => files(join(path, name)));
}

/** The rows of the command. Exit status 1 means that there are none. */
function printed(path, ...options) {
  const args = ["--json", "--fields", KEYS, ...options, path];
  try {
    return execFileSync(command, args, { encoding: "utf8", maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "ignore"] });
  } catch (error) {
    if (error.status !== 1) {
      throw error;
    }
    return "";
  }
}

// All keys but those of the path, and those that need a ledger. If a text is not UTF-8, the key with
// its bytes is there too.
const OTHER = /^path|_bytes$|^(corroborated|count)$/;
const first = readFileSync(join(repository, "testdata/mail/notes.txt"));
const KEYS = Object.keys(message(first)[0]).filter((key) => !OTHER.test(key)).join(",");

// The command unpacks these, and the module does not.
const isPacked = (path) => /\.(gz|bz2|xz|zst|Z|zip|tar|tgz|lz|7z)$/.test(path);
// It also reads UTF-16, and the batches that a news server has compressed.
const isOther = (bytes) => {
  const head = bytes.subarray(0, 2).toString("latin1");
  return head === "\xff\xfe" || head === "\xfe\xff" || bytes.subarray(0, 2).toString() === "#!" || bytes.includes(0);
};

test("the rows are those of the command", () => {
  let count = 0;
  for (const name of ["mail", "mime", "jobs", "containers", "extract", "grammar", "benchmark"]) {
    for (const path of files(join(repository, "testdata", name))) {
      const bytes = readFileSync(path);
      if (isPacked(path) || isOther(bytes)) {
        continue;
      }
      const expected = printed(path, "--rejects=both", "--headers", "all", "--www");
      const options = { rejects: true, headers: "all", www: true, fields: KEYS };
      assert.equal(rows(bytes, options), expected, path);
      count += expected.split("\n").length - 1;
    }
  }
  assert.ok(count > 500, `only ${count} rows were compared`);
});

test("each profile judges as in the command", () => {
  const path = join(repository, "testdata/benchmark/pages.py");
  for (const profile of ["url-00", "url-03", "www-uri-00", "url-06", "rfc1738", "current", "iri", "whatwg"]) {
    const expected = printed(path, "--rejects=both", "--profile", profile);
    assert.equal(rows(readFileSync(path), { rejects: true, profile, fields: KEYS }), expected, profile);
  }
});

test("find gives the place in a string", () => {
  const text = "täglich 😀 neu \ud800: <http://www.example.org/a\n b> und\nhttp://b.example/ä.";
  const hits = find(text);
  assert.deepEqual(hits.map((hit) => hit.url), ["http://www.example.org/ab", "http://b.example/ä"]);
  assert.equal(text.slice(hits[0].index, hits[0].lastIndex), "http://www.example.org/a\n b");
  assert.equal(text.slice(hits[1].index, hits[1].lastIndex), "http://b.example/ä");
  assert.equal(hits[1].line, 3);
  const [only] = find(text, { fields: ["url"] });
  assert.deepEqual(Object.keys(only), ["url", "offset", "end", "index", "lastIndex"]);
});

test("the index is right in a text of any length", () => {
  for (let n = 0; n < 3000; n += 7) {
    const text = `${"ä😀x".repeat(n)} http://a.example/`;
    const [hit] = find(text, { fields: ["url"] });
    assert.equal(hit.index, text.indexOf("http"), n);
  }
});

test("find reads a text, and message a message", () => {
  const mail = "From: a@b.example\nSubject: x\nContent-Transfer-Encoding: quoted-printable\n\nhttp://a.example/=\nb";
  assert.deepEqual(message(mail).map((hit) => hit.url), ["http://a.example/b"]);
  assert.equal(message(mail)[0].read_as, "message");
  assert.equal(find(mail)[0].read_as, "text");
  assert.deepEqual(find(""), []);
  assert.deepEqual(message(new Uint8Array()), []);
});

test("a reject has its reason", () => {
  const [hit] = find("http://h..st/", { rejects: true });
  assert.equal(hit.type, "reject");
  assert.equal(hit.rule, "reg-name");
  assert.equal(hit.rule_at, 9);
});

test("a wrong option is a TypeError, and the next search works", () => {
  assert.throws(() => find("", { profile: "rfc1" }), { name: "TypeError", message: 'The option profile has no value "rfc1".' });
  assert.throws(() => find("", { colour: true }), TypeError);
  assert.equal(find("http://a.example/", { profile: undefined }).length, 1);
});

test("load takes bytes or a module", async () => {
  const bytes = readFileSync(join(folder, "npm/urlgrep.wasm"));
  for (const source of [bytes, new WebAssembly.Module(bytes)]) {
    const finder = await load(source);
    assert.equal(finder.find("http://a.example/")[0].host, "a.example");
  }
});

test("the module imports nothing", () => {
  const module = new WebAssembly.Module(readFileSync(join(folder, "npm/urlgrep.wasm")));
  assert.deepEqual(WebAssembly.Module.imports(module), []);
});

test("the page puts its module together as it was", async () => {
  const page = readFileSync(join(folder, "urlgrep.html"), "utf8");
  const bytes = (name) => Buffer.from(new RegExp(`const ${name} = "(.*)";`).exec(page)[1], "base64");
  const tables = JSON.parse(/const TABLES = (.*);/.exec(page)[1]);
  const source = readFileSync(new URL("../page/unpack.js", import.meta.url), "utf8");
  const unpack = new Function(`${source} return unpack;`)();
  const module = await unpack(bytes("WASM"), gunzipSync(bytes("DECODER")), tables);
  assert.equal(Buffer.compare(module, readFileSync(join(folder, "browser.wasm"))), 0);
});
