// The page in a real browser: Chromium, driven by its own protocol over a pipe, so that nothing is
// installed for it.
//
//     URLGREP=target/release/urlgrep WEB=target/web node --test web/tests/page.test.mjs
//
// With SCREENSHOTS=FOLDER it also writes pictures of the page.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { Browser } from "./browser.mjs";

const repository = new URL("../..", import.meta.url).pathname;
const folder = process.env.WEB ?? join(repository, "target/web");
const command = process.env.URLGREP ?? join(repository, "target/release/urlgrep");
const address = pathToFileURL(join(folder, "urlgrep.html")).href;
const scratch = mkdtempSync(join(tmpdir(), "urlgrep-page-"));
let browser;

before(async () => {
  browser = await Browser.start();
});

after(async () => {
  await browser?.end();
  rmSync(scratch, { recursive: true, force: true });
});

/** Opens the page, and waits until it has searched. */
async function open(fragment = "") {
  await browser.open(address + fragment);
  await browser.until('document.body?.dataset.ready === "true"');
}

/** The rows of the list: place, URL, form or `refused`, and the reason. */
const LISTED = `[...document.querySelectorAll("#list button")].map((b) => ({
  place: b.querySelector(".place").textContent, url: b.querySelector(".url").textContent,
  chip: b.querySelector(".chip").textContent, why: b.querySelector(".why")?.textContent ?? null }))`;

/** The same rows from the command. */
function expected(path, ...options) {
  const args = ["--json", "--rejects=both", "--fields", "type,url,line,column,form,reason", ...options, path];
  const rows = execFileSync(command, args, { encoding: "utf8" }).trimEnd().split("\n").map((row) => JSON.parse(row));
  return rows.map((row) => ({
    place: row.line === null ? "" : row.column === null ? `line ${row.line}` : `${row.line}:${row.column}`,
    url: row.url,
    chip: row.type === "reject" ? "refused" : row.form,
    why: row.reason,
  }));
}

async function choose(name, value) {
  await browser.run(`const e = document.getElementById(${JSON.stringify(name)});
    if (e.type === "checkbox") { e.checked = ${JSON.stringify(value)}; } else { e.value = ${JSON.stringify(value)}; }
    e.dispatchEvent(new Event("change"));`);
}

async function show(text) {
  await browser.run(`const e = document.getElementById("text"); e.value = ${JSON.stringify(text)};
    e.dispatchEvent(new Event("input"));`);
}

/** The page may not grow unseen. The module is 443 KB of it, and what decodes it 11 KB. */
test("the page has at most 490 KB when it is compressed for the way", () => {
  const size = gzipSync(readFileSync(join(folder, "urlgrep.html")), { level: 9 }).length;
  assert.ok(size < 490_000, `${size}`);
});

test("a file gives the rows of the command", async () => {
  await open();
  for (const name of ["mail/notes.txt", "mail/list.mbox", "mail/maildir/cur/1023264000.M1P42.host.example.org"]) {
    const path = join(repository, "testdata", name);
    await browser.setFile("#file", path);
    await browser.until(`document.getElementById("about").textContent.startsWith(${JSON.stringify(name.split("/").at(-1))})`);
    const listed = await browser.value(LISTED);
    assert.ok(listed.length > 0, name);
    const most = expected(path).slice(0, 200);
    assert.deepEqual(listed, most, name);
  }
});

test("every example gives the rows of the command", async () => {
  await open();
  const count = await browser.value('document.querySelectorAll("#example option").length');
  assert.equal(count, 21, "20 examples and the text of the user");
  for (let n = 0; n < count - 1; n++) {
    await choose("example", String(n));
    const example = await browser.value(`({ text: document.getElementById("text").value, about: document.getElementById("about").textContent,
      profile: document.getElementById("profile").value,
      www: document.getElementById("www").checked, headers: document.getElementById("headers").checked })`);
    const path = join(scratch, "example");
    writeFileSync(path, example.text);
    const options = ["--profile", example.profile, "--headers", example.headers ? "all" : "written"];
    const rows = expected(path, ...options, ...(example.www ? ["--www"] : []));
    assert.deepEqual(await browser.value(LISTED), rows, `example ${n}`);
    assert.ok(rows.some((row) => row.chip !== "refused"), `example ${n} has no URL`);
    assert.ok(example.about.length > 20, `example ${n} explains nothing`);
  }
});

test("each URL is marked where it stands", async () => {
  await open();
  await show("> ü <URL:http://a.example/b\n> c> and http://h..st/\n");
  const marks = await browser.value('[...document.querySelectorAll("#marks span")].map((s) => [s.className, s.textContent])');
  assert.deepEqual(marks, [
    ["piece wrapped on", "http://a.example/b"],
    ["seam wrapped on", "\n"],
    ["seam wrapped on", "> "],
    ["piece wrapped on", "c"],
    ["piece refused", "http://h..st/"],
  ]);
  // The marks lie under the text of the editor, letter by letter.
  const same = await browser.value(`(() => {
    const [a, b] = ["marks", "text"].map((id) => document.getElementById(id).getBoundingClientRect());
    return [a.x - b.x, a.y - b.y, a.width - b.width];
  })()`);
  assert.deepEqual(same, [0, 0, 0]);
});

test("the details say why", async () => {
  await open();
  await show("http://h..st/ see <URL:http://www.example.org/a-\n b>");
  await browser.run('document.querySelector("#list button").click()');
  let details = await browser.value('document.getElementById("details").textContent');
  for (const text of ["RFC 3987", "reg-name", "9: .", "without a delimiter"]) {
    assert.ok(details.includes(text), `${text}: ${details}`);
  }
  assert.equal(await browser.value('document.querySelector("#details .at").textContent'), ".");
  await browser.run('document.querySelectorAll("#list button")[1].click()');
  details = await browser.value('document.getElementById("details").textContent');
  for (const text of ["http://www.example.org/a-b", "a line break was removed: \\n", "http://www.example.org/ab", "example.org"]) {
    assert.ok(details.includes(text), `${text}: ${details}`);
  }
});

test("hostile text stays text", async () => {
  await open();
  const hostile = `<img src=x onerror="document.title='run'"><script>document.title='run'</script>
    http://a.example/<b>x</b> <URL:http://b.example/"onmouseover="document.title='run'> javascript:document.title='run'
    http://c.example/\u202egpj.exe http://d..example/<svg/onload=document.title='run'>`;
  await show(hostile);
  for (const name of ["iri", "whatwg", "url-00"]) {
    await choose("profile", name);
    const count = await browser.value('document.querySelectorAll("#list button").length');
    for (let n = 0; n < count; n++) {
      await browser.run(`document.querySelectorAll("#list button")[${n}].click()`);
    }
  }
  assert.match(await browser.value("document.title"), /^urlgrep/);
  assert.equal(await browser.value('document.querySelectorAll("main img, main script, main svg, main b, main a").length'), 0);
  const listed = await browser.value(LISTED);
  assert.ok(listed.every((row) => !row.url.includes("\u202e")), "a hidden character is shown as an escape");
});

test("a link carries the text and its settings", async () => {
  await open();
  const text = "Grüße: http://a.example/ä und www.b.example/\n";
  await choose("www", true);
  await choose("profile", "current");
  await show(text);
  await browser.run('document.getElementById("link").click()');
  await browser.until('location.hash.includes("text=")');
  const hash = await browser.value("location.hash");
  await open();
  assert.notEqual(await browser.value('document.getElementById("text").value'), text);
  await browser.open("about:blank");
  await open(hash);
  const got = await browser.value(`[document.getElementById("text").value, document.getElementById("profile").value, document.getElementById("www").checked]`);
  assert.deepEqual(got, [text, "current", true]);
  for (const damaged of ["#text=%%%", "#text=AAAA", "#profile=x&as=y&text=q"]) {
    await browser.open("about:blank");
    await open(damaged);
    assert.match(await browser.value('document.getElementById("about").textContent'), /damaged/);
  }
});

test("a file that is dropped is searched, with bytes that are not UTF-8", async () => {
  await open();
  const path = join(scratch, "latin1.txt");
  writeFileSync(path, Buffer.from("caf\xe9\r\n<http://a.example/x\r\ny> http://b.example/\xe9\r\n", "latin1"));
  await browser.drop(path, 200, 400);
  await browser.until('document.getElementById("about").textContent.startsWith("latin1.txt")');
  assert.deepEqual(await browser.value(LISTED), expected(path));
  const marks = await browser.value('[...document.querySelectorAll("#marks span")].map((s) => s.textContent)');
  assert.deepEqual(marks.slice(0, 3), ["http://a.example/x", "\n", "y"]);
});

test("a file in UTF-16 is read, and an archive is not", async () => {
  await open();
  const text = "See http://a.example/ü\n";
  const files = [["le", Buffer.from(`\ufeff${text}`, "utf16le")], ["be", Buffer.from(`\ufeff${text}`, "utf16le").swap16()]];
  for (const [name, bytes] of files) {
    writeFileSync(join(scratch, name), bytes);
    await browser.setFile("#file", join(scratch, name));
    await browser.until(`document.getElementById("about").textContent.startsWith("${name}, ")`);
    assert.match(await browser.value('document.getElementById("about").textContent'), /UTF-16/);
    assert.deepEqual((await browser.value(LISTED)).map((row) => row.url), ["http://a.example/ü"]);
  }
  writeFileSync(join(scratch, "all.zip"), "PK\x03\x04");
  await browser.setFile("#file", join(scratch, "all.zip"));
  await browser.until('document.getElementById("about").textContent.startsWith("all.zip")');
  assert.match(await browser.value('document.getElementById("about").textContent'), /unpacks no archives/);
});

test("a large mailbox shows the text around the chosen URL", async () => {
  await open();
  const path = join(scratch, "large.txt");
  const lines = Array.from({ length: 20_000 }, (_, n) => `Line ${n}: http://host${n}.example/page\n`);
  writeFileSync(path, lines.join(""));
  await browser.setFile("#file", path);
  await browser.until('document.getElementById("count").textContent.startsWith("20000 URLs")');
  assert.equal(await browser.value('document.querySelectorAll("#list button").length'), 200);
  await browser.run('document.getElementById("more").click(); document.querySelectorAll("#list button")[399].click()');
  assert.equal(await browser.value('document.querySelector("#marks .on").textContent'), "http://host399.example/page");
});

test("the keyboard is enough", async () => {
  await open();
  await browser.run('document.querySelector("#list button").focus()');
  await browser.press("ArrowDown");
  assert.equal(await browser.value('document.activeElement.querySelector(".url").textContent'), "mailto:uri@example.org");
  assert.match(await browser.value('document.getElementById("details").textContent'), /^mailto:uri@example.org/);
  await browser.run('document.getElementById("text").focus(); document.getElementById("text").setSelectionRange(40, 40)');
  await browser.press("ArrowRight");
  assert.match(await browser.value('document.getElementById("details").textContent'), /^http:\/\/www.example.org\/drafts/);
  // Every control can be reached with the tabulator, and has a name.
  const unnamed = await browser.value(`[...document.querySelectorAll("select, button, input, textarea")]
    .filter((e) => !e.hidden && (e.tabIndex < 0 || !(e.textContent.trim() || e.labels?.[0]?.textContent.trim() || e.ariaLabel))).length`);
  assert.equal(unnamed, 0);
});

for (const width of [400, 1200]) {
  for (const scheme of ["light", "dark"]) {
    test(`nothing is cut at ${width} pixels, ${scheme}`, async () => {
      await browser.look(width, 900, scheme);
      await open();
      const [inner, wide] = await browser.value("[innerWidth, document.documentElement.scrollWidth]");
      assert.ok(wide <= inner, `${wide} pixels in ${inner}`);
      const ground = await browser.value("getComputedStyle(document.body).backgroundColor");
      assert.equal(ground === "rgb(255, 255, 255)", scheme === "light");
      if (process.env.SCREENSHOTS) {
        writeFileSync(join(process.env.SCREENSHOTS, `page-${width}-${scheme}.png`), await browser.picture());
      }
    });
  }
}

test("the page asked nobody, and had no error", async () => {
  const own = (request) => request.startsWith("file:") || request.startsWith("blob:") || request === "about:blank";
  assert.ok(browser.requests.length > 10);
  assert.deepEqual(browser.requests.filter((request) => !own(request)), []);
  assert.deepEqual(browser.messages, []);
  // The policy of the page refuses what a hostile script would try.
  await open();
  const refused = await browser.value('fetch("http://127.0.0.1:9/").then(() => "sent", () => "refused")');
  assert.equal(refused, "refused");
  assert.ok(browser.messages.some((message) => message.includes("Content Security Policy")), String(browser.messages));
});
