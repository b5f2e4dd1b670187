#!/usr/bin/env python3
# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""The vectors as pages for a browser: an index by rule, and each vector step by step, as `slhtool debug --html` shows a spend.

  SLHTOOL=build/dev/src/tool/slhtool python3 doc/bip/vectors/page.py build/vectors
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from html import escape

HERE = pathlib.Path(__file__).resolve().parent
TEMPLATE = HERE.parents[2] / "src/tool/page.html"
TEXTS = (("bip-slhdsa-tapscript.mediawiki", r"^==+ *(.+?) *==+$|'''([a-z0-9]+(?:-[a-z0-9]+)+)'''\. (?=(.*(?:(?<=:)\n\n(?:\* .*\n)+)?))"),
         ("parameter-sets.md", r"^## (.+)$|\*\*(sets-[a-z-]+)\*\*\.? ((?:.|\n(?!-|\n))*)"))
MOST = 20  # steps of a script, and elements of a witness, on a page


def rules():
    """Each rule of the texts by its name, in their order."""
    found = {}
    for page, expression in TEXTS:
        section = ""
        for heading, name, text in re.findall(expression, (HERE.parent / page).read_text(encoding="utf-8"), re.MULTILINE):
            section = heading or section
            if name:
                found[name] = {"name": name, "page": page, "section": section, "text": text}
    return found


def debug(vector):
    """All that a vector's page shows."""
    spend = json.dumps({member: vector[member] for member in ("tx", "spent_outputs", "flags")})
    command = [os.environ.get("SLHTOOL", "slhtool"), "debug", "-", "--json", "--input", str(vector["input"])]
    try:
        result = subprocess.run(command, input=spend, capture_output=True, text=True)
    except OSError as error:
        sys.exit(f"page.py: {command[0]}: {error.strerror} (SLHTOOL names slhtool)")
    if result.returncode not in (0, 1):
        sys.exit(f"page.py: {vector['name']}: {result.stderr.strip()}")
    data = json.loads(result.stdout)
    if data["error"] != (vector["error"] or "SCRIPT_ERR_OK"):
        sys.exit(f"page.py: {vector['name']}: slhtool says {data['error']}, the vector {vector['error'] or 'valid'}")
    data["scripts"] = [script for script in data["scripts"] if script["script"]]
    for script in data["scripts"]:
        steps, script["script"] = script["steps"], script["script"][:20]
        if len(steps) > MOST:
            script["steps"], script["steps_left_out"] = steps[:MOST - 1] + steps[-1:], script["steps_left_out"] + len(steps) - MOST
        for step in script["steps"]:
            if not step["altstack"]:
                del step["altstack"], step["altstack_size"]
    data["witness"]["elements"] = data["witness"]["elements"][-MOST:]
    if "rule" in data:
        data["rule"] = data["rule"]["name"]
    return {**data, "vector": {member: vector[member] for member in ("name", "clauses", "comment") if member in vector}}


def file_of(name):
    return name.replace("/", ".") + ".html"


def index(of, vectors):
    """By rule: its text, and links to the vectors that show it."""
    wrong = sum(vector["error"] is not None for vector in vectors)
    parts = ["<h1>Vectors by rule</h1>", f"<p>{len(vectors)} vectors, {len(vectors) - wrong} valid and {wrong} invalid. "
             "A vector shows one rule or several.</p>"]
    section = None
    for name, rule in of.items():
        if rule["section"] != section:
            section = rule["section"]
            parts.append(f"<h2>{escape(section)}</h2>")
        mine = [vector for vector in vectors if name in vector["clauses"]]
        kinds = {"valid": [each for each in mine if each["error"] is None], "invalid": [each for each in mine if each["error"]]}
        parts.append(f"<details><summary><code>{name}</code>: {len(kinds['valid'])} valid, {len(kinds['invalid'])} invalid</summary>"
                     f'<p class="marks" id="rule-{name}">{escape(rule["text"])}</p>')
        for kind, shown in kinds.items():
            links = [f'<li><a href="{file_of(each["name"])}">{each["name"]}</a> {each["error"] or ""}</li>' for each in shown]
            parts += [f"<h3>{kind.capitalize()}: {len(shown)}</h3>", f"<ul>{''.join(links)}</ul>"] if links else []
        parts.append("</details>")
    return "\n".join(parts)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path, metavar="DIR", help="for index.html and a page for each vector")
    options = parser.parse_args()
    of = rules()
    vectors = [vector for name in ("spends", "parameter-sets") for vector in json.loads((HERE / f"{name}.json").read_bytes())]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        shown = list(pool.map(debug, vectors))

    options.folder.mkdir(parents=True, exist_ok=True)

    def write(name, text):
        (options.folder / name).write_text(text, encoding="utf-8")
        return len(text.encode())

    # The template's style and script are in files that all pages share.
    template = TEMPLATE.read_text(encoding="utf-8")
    style, script = (re.search(rf"<{tag}>\n(.*?)</{tag}>\n", template, re.DOTALL) for tag in ("style", "script"))
    template = template.replace(style[0], '<link rel="stylesheet" href="page.css">').replace(script[0], '<script src="page.js"></script>')
    size = write("page.css", style[1]) + write("page.js", f"const RULES = {json.dumps(of)};\n{script[1]}")

    def page(name, title, body="", data=None):
        text = re.sub("<(?=[/!sS])", r"\\u003c", json.dumps(data, separators=(",", ":")))  # nothing that ends or hides the script
        return write(name, template.replace("@TITLE@", escape(title)).replace("@BODY@", body).replace("@DATA@", text))

    size += page("index.html", "Vectors by rule", body=index(of, vectors))
    size += sum(page(file_of(vector["name"]), vector["name"], data=data) for vector, data in zip(vectors, shown))
    print(f"{options.folder / 'index.html'}: {len(vectors)} vectors, {size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
