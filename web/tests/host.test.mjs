// The module of the page in a real browser, whose charsets and hosts it uses, gives the rows of the
// command.
//
//     URLGREP=target/release/urlgrep WEB=target/web node --test web/tests/host.test.mjs

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Browser } from "./browser.mjs";

const repository = new URL("../..", import.meta.url).pathname;
const folder = process.env.WEB ?? join(repository, "target/web");
const command = process.env.URLGREP ?? join(repository, "target/release/urlgrep");
const scratch = mkdtempSync(join(tmpdir(), "urlgrep-host-"));
const FIELDS = "type,url,line,column,form,rule,rule_at,canonical,cautions,text,subject,member,domain,uri";
let browser;

before(async () => {
  browser = await Browser.start();
  const host = readFileSync(new URL("../page/host.js", import.meta.url), "utf8");
  const load = readFileSync(new URL("../npm/load.js", import.meta.url), "utf8").replaceAll(/^export /gm, "");
  const module = readFileSync(join(folder, "browser.wasm")).toString("base64");
  await browser.value(`(async () => {
    ${host}
    ${load}
    const bytes = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    const engine = await load(bytes(${JSON.stringify(module)}), browserHost());
    window.rows = (text, options) => engine.rows(bytes(text), options);
  })()`);
});

after(async () => {
  await browser?.end();
  rmSync(scratch, { recursive: true, force: true });
});

/** Compares the rows of a file, and returns their number. */
async function compare(path, profile = "iri") {
  const args = ["--json", "--fields", FIELDS, "--rejects=both", "--headers", "all", "--profile", profile, path];
  let expected = "";
  try {
    expected = execFileSync(command, args, { encoding: "utf8", maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "ignore"] });
  } catch (error) {
    // There are no URLs.
    assert.equal(error.status, 1);
  }
  const options = { fields: FIELDS, rejects: true, headers: "all", profile };
  const text = readFileSync(path).toString("base64");
  const rows = await browser.value(`rows(${JSON.stringify(text)}, ${JSON.stringify(options)})`);
  const [wanted, got] = [expected, rows].map((lines) => lines.split("\n"));
  const pairs = wanted.map((line, n) => [line, got[n]]).filter(([line, other]) => line !== other);
  assert.deepEqual(pairs.slice(0, 5), [], path);
  assert.equal(got.length, wanted.length, path);
  return wanted.length - 1;
}

function files(path) {
  return statSync(path).isDirectory() ? readdirSync(path).sort().flatMap((name) => files(join(path, name))) : [path];
}

// The command unpacks files, and reads UTF-16. The module does neither with what it is given, and
// does not open attachments in these formats.
const isPacked = (path) => /\.(gz|bz2|xz|zst|Z|zip|tar|tgz|lz|7z)$/.test(path);
const isOther = (bytes) => /^(\xff\xfe|\xfe\xff|#!)|\0/.test(bytes.toString("latin1"));

test("the rows of the test data are those of the command", async () => {
  let count = 0;
  for (const name of ["mail", "mime", "jobs", "containers", "extract"]) {
    for (const path of files(join(repository, "testdata", name))) {
      if (!isPacked(path) && !isOther(readFileSync(path))) {
        count += await compare(path);
      }
    }
  }
  assert.ok(count > 500, `only ${count} rows were compared`);
});

/** Numbers that look random and are the same each time. */
function* numbers() {
  for (let n = 1; ; n = (n * 48271) % 0x7fffffff) {
    yield n;
  }
}

const SINGLE = ["ibm866", "iso-8859-2", "iso-8859-3", "iso-8859-4", "iso-8859-5", "iso-8859-6", "iso-8859-7", "iso-8859-8",
  "iso-8859-8-i", "iso-8859-10", "iso-8859-13", "iso-8859-14", "iso-8859-15", "iso-8859-16", "koi8-r", "koi8-u", "macintosh",
  "windows-874", "windows-1250", "windows-1251", "windows-1252", "windows-1253", "windows-1254", "windows-1255",
  "windows-1256", "windows-1257", "windows-1258", "x-mac-cyrillic", "x-user-defined", "latin1", "us-ascii", "cp437"];
const MULTI = ["big5", "euc-jp", "euc-kr", "gb18030", "gbk", "shift_jis", "utf-8", "iso-2022-jp", "hz-gb-2312", "iso-2022-kr"];

// These pairs of Big5 are two characters. Chromium 156 makes another one of them.
const WRONG = [0x8862, 0x8864, 0x88a3, 0x88a5];

/** Every byte, every pair of bytes, and bytes without sense, each as the path of a URL. */
function* paths(charset) {
  for (let a = 128; a < 256; a++) {
    yield [a];
    for (let b = 0x30; MULTI.includes(charset) && b < 256; b++) {
      if (charset === "big5" && WRONG.includes(a * 256 + b)) {
        continue;
      }
      yield charset === "iso-2022-jp" ? [0x1b, 0x24, 0x42, a & 127, b & 127, 0x1b, 0x28, 0x42] : [a, b];
    }
  }
  const random = numbers();
  for (let n = 0; n < 3000; n++) {
    const length = 1 + (random.next().value % 6);
    const bytes = Array.from({ length }, () => 0x21 + (random.next().value % 223));
    if (charset !== "big5" || !bytes.includes(0x88)) {
      yield bytes;
    }
  }
}

test("every charset is that of the command", async () => {
  let count = 0;
  for (const charset of [...SINGLE, ...MULTI]) {
    const path = join(scratch, charset);
    const head = `From: a@b.example\nSubject: =?${charset}?B?${Buffer.from([0x41, 0xb0, 0xa1, 0xc3, 0xe4, 0x42]).toString("base64")}?=\nContent-Type: text/plain; charset=${charset}\n\n`;
    const lines = Array.from(paths(charset), (bytes) => Buffer.concat([Buffer.from("\nhttp://a.example/b"), Buffer.from(bytes), Buffer.from("c d\n")]));
    writeFileSync(path, Buffer.concat([Buffer.from(head), ...lines]));
    count += await compare(path);
  }
  assert.ok(count > 200_000, `only ${count} rows were compared`);
});

test("UTF-16 with and without a mark is that of the command", async () => {
  for (const charset of ["utf-16", "utf-16le", "utf-16be"]) {
    for (const isBig of [false, true]) {
      for (const mark of ["", "\ufeff"]) {
        const text = Buffer.from(`${mark}http://a.example/ä😀\nhttp://b.example/\ud800\n`, "utf16le");
        const body = (isBig ? text.swap16() : text).toString("base64");
        const path = join(scratch, `${charset}-${isBig}-${mark.length}`);
        writeFileSync(path, `From: a@b.example\nSubject: s\nContent-Type: text/plain; charset=${charset}\nContent-Transfer-Encoding: base64\n\n${body}\n`);
        await compare(path);
      }
    }
  }
});

test("hosts of the URL Standard are those of the command", async () => {
  const tests = JSON.parse(readFileSync(join(repository, "testdata/whatwg/urltestdata.json"), "utf8"));
  const inputs = tests.filter((test) => test.input && !/[\n\r<>]/.test(test.input)).map((test) => test.input);
  const hosts = ["bücher.example", "xn--bcher-kva.example", "XN--BCHER-KVA.example", "xn--a", "xn--abc-.example", "faß.example", "ＡＢＣ。example",
    "עברית.example", "a1.עברית", "é.1", "1.2.3.４", "example.中国", "a\u200db.example", "क्\u200dष.example", "☃.example", "xn--n3h.example", "ä%20b.example", "a\u0323.example"];
  const path = join(scratch, "hosts");
  writeFileSync(path, [...inputs, ...hosts.map((host) => `http://${host}/p`)].map((url) => `<URL:${url}>\n\n`).join(""));
  assert.ok((await compare(path, "whatwg")) > 300);
  await compare(path);
});

test("a packed attachment stays closed, and the rest is read", async () => {
  const part = (name, body) => `--x\nContent-Type: application/octet-stream; name=${name}\nContent-Transfer-Encoding: base64\n\n${body}\n`;
  const bzip2 = "QlpoOTFBWSZTWcsBJmsAAAVZgAAQAAGAEDJGREAgADEA0AECPRqZqSKHMU4SPJQt+LuSKcKEhlgJM1g=";
  const text = Buffer.from(`From: a@b.example\nSubject: s\nContent-Type: multipart/mixed; boundary=x\n\n--x\n\nhttp://a.example/\n${part("a.bz2", bzip2)}--x--\n`);
  const rows = await browser.value(`rows(${JSON.stringify(text.toString("base64"))}, { fields: "type,url,reason", notes: true })`);
  assert.deepEqual(rows.split("\n").slice(0, 1), ['{"type":"hit","url":"http://a.example/","reason":null}']);
  assert.match(rows, /"type":"note"/);
});
