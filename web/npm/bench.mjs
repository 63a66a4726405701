// Time and finds beside linkify-it, on one text.
//
//     npm install linkify-it && WEB=target/web node web/npm/bench.mjs FILE
//
// The first 20 MB of FILE are read as Latin-1, so that both get the same characters. linkify-it
// finds schemeless hosts and mail addresses by default. That is switched off, because `find` is
// not asked for them.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const require = createRequire(resolve("package.json"));
const LinkifyIt = require("linkify-it");
const { find } = await import(pathToFileURL(resolve(join(process.env.WEB, "npm/index.js"))));
const text = readFileSync(process.argv[2]).subarray(0, 20e6).toString("latin1");
const linkify = new LinkifyIt({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });

function measure(name, work) {
  work();
  let best = Infinity;
  let count = 0;
  for (let round = 0; round < 5; round++) {
    const before = process.cpuUsage();
    count = work();
    const { user, system } = process.cpuUsage(before);
    best = Math.min(best, (user + system) / 1e6);
  }
  console.log(`${name}\t${best.toFixed(2)} s\t${(text.length / 1e6 / best).toFixed(0)} MB/s\t${count} found`);
}

measure("urlgrep, all keys", () => find(text).length);
measure("urlgrep, the URL and its place", () => find(text, { fields: ["url"] }).length);
measure("linkify-it", () => (linkify.match(text) ?? []).length);
