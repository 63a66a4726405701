#!/usr/bin/env python3
"""Makes the page of one file, and the files of the package for JavaScript.

    web/build.py MODULES FOLDER

MODULES is the folder with the modules of `web`, `web/browser` and `web/lzma`, as Cargo has built them. FOLDER then has `urlgrep.html` and
`npm/`.
`.ci/web` builds the modules and calls this.
"""

import base64
import gzip
import hashlib
import json
import lzma
import re
import shutil
import sys
from pathlib import Path

sys.dont_write_bytecode = True
import parts

web = Path(__file__).parent
repository = web.parent


def read(name):
    return (web / name).read_text(encoding="utf-8")


def encode(data):
    return base64.b64encode(data).decode()


def digest(text):
    return f"'sha256-{encode(hashlib.sha256(text.encode()).digest())}'"


def page(module, decoder, version):
    # As a classic script, because a browser does not load modules from a disk.
    load = re.sub(r"^export ", "", read("npm/load.js"), flags=re.MULTILINE)
    settings = {"id": lzma.FILTER_LZMA1, "preset": 9 | lzma.PRESET_EXTREME, "lc": 3, "lp": 0, "pb": 0}
    packed = lzma.compress(parts.divide(module), format=lzma.FORMAT_ALONE, filters=[settings])
    constants = [
        f'const WASM = "{encode(packed)}";',
        f'const DECODER = "{encode(gzip.compress(decoder, 9))}";',
        f"const TABLES = {json.dumps(parts.tables(), separators=(',', ':'))};",
    ]
    scripts = [read(f"page/{name}.js") for name in ["host", "unpack", "words", "examples", "page"]]
    # In a function, so that the page has no global names.
    script = "(() => {\n'use strict';\n" + "\n".join([*constants, load, *scripts]) + "})();\n"
    if "</script" in script.lower():
        sys.exit("build: the script would end early")
    style = read("page/page.css")
    policy = "; ".join([
        "default-src 'none'",
        f"script-src {digest(script)} 'wasm-unsafe-eval'",
        f"style-src {digest(style)}",
        "base-uri 'none'",
        "form-action 'none'",
    ])
    texts = {"policy": policy, "style": style, "script": script, "version": f"urlgrep {version}"}
    return re.sub(r"\{\{(\w+)\}\}", lambda name: texts[name[1]], read("page/page.html"))


def main():
    modules, folder = Path(sys.argv[1]), Path(sys.argv[2])
    module = (modules / "urlgrep_web.wasm").read_bytes()
    browser = (modules / "urlgrep_web_browser.wasm").read_bytes()
    decoder = (modules / "urlgrep_web_lzma.wasm").read_bytes()
    version = re.search(r'^version = "(.*)"$', read("Cargo.toml"), flags=re.MULTILINE)[1]
    npm = folder / "npm"
    shutil.rmtree(npm, ignore_errors=True)
    npm.mkdir(parents=True)
    html = page(browser, decoder, version).encode()
    (folder / "urlgrep.html").write_bytes(html)
    for name in ["index.d.ts", "index.js", "load.d.ts", "load.js"]:
        shutil.copy(web / "npm" / name, npm)
    sizes = {"size": f"{len(module) / 1e6:.1f}", "packed": f"{len(gzip.compress(module, 9)) / 1e3:.0f}"}
    readme = re.sub(r"\{\{(\w+)\}\}", lambda name: sizes[name[1]], read("npm/README.md"))
    (npm / "README.md").write_text(readme, encoding="utf-8")
    package = read("npm/package.json").replace('"0.0.0"', f'"{version}"')
    (npm / "package.json").write_text(package, encoding="utf-8")
    for name in ["LICENSE-APACHE", "LICENSE-MIT"]:
        shutil.copy(repository / name, npm)
    (npm / "urlgrep.wasm").write_bytes(module)
    # For the tests.
    (folder / "browser.wasm").write_bytes(browser)
    packed = len(gzip.compress(html, 9))
    print(f"urlgrep.html: {len(html):,} bytes, {packed:,} with gzip; its module: {len(browser):,}; urlgrep.wasm: {len(module):,}")


if __name__ == "__main__":
    main()
