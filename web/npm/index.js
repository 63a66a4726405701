// urlgrep for Node. Other hosts use `load` from "urlgrep/load".

import { readFileSync } from "node:fs";
import { finder } from "./load.js";

const bytes = readFileSync(new URL("urlgrep.wasm", import.meta.url));

export const { find, message, rows } = finder(new WebAssembly.Module(bytes));
