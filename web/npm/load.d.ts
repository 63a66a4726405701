import type { find, message, rows } from "./index.js";

export interface Finder {
  find: typeof find;
  message: typeof message;
  rows: typeof rows;
}

/** Loads urlgrep.wasm from its bytes. */
export function load(source: BufferSource | WebAssembly.Module): Promise<Finder>;

/** The functions of a compiled module. */
export function finder(module: WebAssembly.Module): Finder;
