// A browser for tests: Chromium, and its protocol over a pipe (file descriptors 3 and 4).

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

// Without these, Chromium asks hosts of its maker for updates and more.
const FLAGS = [
  "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
  "--disable-background-networking", "--disable-component-update", "--disable-sync",
  "--remote-debugging-pipe", "--hide-scrollbars",
];

const PATIENCE = 20_000;

export class Browser {
  /** The addresses that the page asked for. */
  requests = [];
  /** What the page wrote to the console, and its errors. */
  messages = [];

  #last = 0;
  #waiting = new Map();
  #events = [];

  static async start() {
    const browser = new Browser();
    browser.folder = mkdtempSync(join(tmpdir(), "urlgrep-chromium-"));
    const flags = [...FLAGS, `--user-data-dir=${browser.folder}`, "about:blank"];
    browser.process = spawn(process.env.CHROMIUM ?? "chromium", flags, { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
    browser.process.stdio[4].on("data", (bytes) => browser.#receive(bytes));
    const { targetInfos } = await browser.send("Target.getTargets");
    const { targetId } = targetInfos.find((target) => target.type === "page");
    const { sessionId } = await browser.send("Target.attachToTarget", { targetId, flatten: true });
    browser.session = sessionId;
    for (const domain of ["Page", "Runtime", "Network", "Log", "DOM"]) {
      await browser.send(`${domain}.enable`);
    }
    return browser;
  }

  #rest = Buffer.alloc(0);

  #receive(bytes) {
    const all = Buffer.concat([this.#rest, bytes]);
    let from = 0;
    for (let at = all.indexOf(0); at >= 0; at = all.indexOf(0, from)) {
      this.#take(JSON.parse(all.subarray(from, at).toString()));
      from = at + 1;
    }
    this.#rest = all.subarray(from);
  }

  #take(message) {
    const waiting = this.#waiting.get(message.id);
    if (waiting) {
      this.#waiting.delete(message.id);
      if (message.error) {
        waiting.reject(new Error(`${waiting.method}: ${message.error.message}`));
      } else {
        waiting.resolve(message.result);
      }
      return;
    }
    const { method, params } = message;
    if (method === "Network.requestWillBeSent") {
      this.requests.push(params.request.url);
    } else if (method === "Runtime.exceptionThrown") {
      this.messages.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
    } else if (method === "Runtime.consoleAPICalled") {
      this.messages.push(params.args.map((arg) => arg.value).join(" "));
    } else if (method === "Log.entryAdded") {
      this.messages.push(params.entry.text);
    } else if (method === "Page.loadEventFired") {
      this.#events.splice(0).forEach((resolve) => resolve());
    }
  }

  send(method, params = {}) {
    const id = ++this.#last;
    const message = { id, method, params, sessionId: this.session };
    this.process.stdio[3].write(`${JSON.stringify(message)}\0`);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`${method}: no answer`)), PATIENCE);
      const settled = (settle) => (value) => {
        clearTimeout(timer);
        settle(value);
      };
      this.#waiting.set(id, { method, resolve: settled(resolve), reject: settled(reject) });
    });
  }

  async open(address) {
    const loaded = new Promise((resolve) => this.#events.push(resolve));
    await this.send("Page.navigate", { url: address });
    // A change of the fragment alone loads nothing, so the tests go over about:blank.
    await Promise.race([loaded, new Promise((resolve) => setTimeout(resolve, PATIENCE).unref())]);
  }

  /** The value of an expression. */
  async value(expression) {
    const answer = await this.send("Runtime.evaluate", { expression, returnByValue: true, awaitPromise: true });
    if (answer.exceptionDetails) {
      throw new Error(`${expression}: ${answer.exceptionDetails.exception?.description}`);
    }
    return answer.result.value;
  }

  async run(statements) {
    await this.value(`(() => { ${statements} })()`);
  }

  async until(condition) {
    const end = Date.now() + PATIENCE;
    while (!(await this.value(`Boolean(${condition})`))) {
      if (Date.now() > end) {
        throw new Error(`never: ${condition}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  async setFile(selector, path) {
    const { root } = await this.send("DOM.getDocument");
    const { nodeId } = await this.send("DOM.querySelector", { nodeId: root.nodeId, selector });
    await this.send("DOM.setFileInputFiles", { nodeId, files: [path] });
  }

  async drop(path, x, y) {
    const data = { items: [], files: [path], dragOperationsMask: 1 };
    for (const type of ["dragEnter", "dragOver", "drop"]) {
      await this.send("Input.dispatchDragEvent", { type, x, y, data });
    }
  }

  async press(key) {
    const code = { ArrowDown: 40, ArrowUp: 38, ArrowRight: 39 }[key];
    for (const type of ["keyDown", "keyUp"]) {
      await this.send("Input.dispatchKeyEvent", { type, key, code: key, windowsVirtualKeyCode: code });
    }
  }

  /** The size of the window, and light or dark. */
  async look(width, height, scheme) {
    const mobile = width < 600;
    await this.send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile });
    await this.send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: scheme }] });
  }

  async picture() {
    const { data } = await this.send("Page.captureScreenshot", { format: "png", captureBeyondViewport: true });
    return Buffer.from(data, "base64");
  }

  async end() {
    const ended = new Promise((resolve) => this.process.once("exit", resolve));
    this.session = undefined;
    await this.send("Browser.close").catch(() => this.process.kill());
    await ended;
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
