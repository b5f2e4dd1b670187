#!/usr/bin/env python3
# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Check the software bill of materials that the build makes (cmake/Sbom.cmake): what SPDX 2.3 requires, and that it is ours.

    contrib/release/check_sbom.py FILE [--table PAGE]
    contrib/release/check_sbom.py FILE --self-test
    contrib/release/check_sbom.py FILE --spdx-tools

--table: every package is in PAGE's table of dependencies with the same licence. --self-test damages the document in every way that is
checked and fails unless each is found. --spdx-tools: by the validator of the SPDX project (spdx-tools on PyPI); 77 (skipped) without it.
"""

import argparse
import copy
import json
import pathlib
import re
import sys

SKIPPED = 77
IN_DOCUMENT = {"spdxVersion", "dataLicense", "SPDXID", "name", "documentNamespace", "creationInfo", "packages", "relationships"}
IN_CREATION = {"created", "creators"}
IN_PACKAGE = {"SPDXID", "name", "downloadLocation", "licenseConcluded", "licenseDeclared", "copyrightText"}
IN_RELATIONSHIP = {"spdxElementId", "relationshipType", "relatedSpdxElement"}
RELATIONSHIPS = {"DESCRIBES", "DEPENDENCY_OF", "BUILD_DEPENDENCY_OF", "OPTIONAL_DEPENDENCY_OF", "TEST_DEPENDENCY_OF", "BUILD_TOOL_OF"}
# Not there when the library is built: it is found when a program starts.
UNVERSIONED = {"Vulkan-Loader"}


def problems(document):
    def lacks(what, entry, required):
        if absent := sorted(field for field in required if not entry.get(field)):
            yield f"{what} lacks {', '.join(absent)}"

    yield from lacks("the document", document, IN_DOCUMENT)
    if document.get("spdxVersion") != "SPDX-2.3" or document.get("dataLicense") != "CC0-1.0":
        yield "not SPDX 2.3"
    creation = document.get("creationInfo", {})
    yield from lacks("creationInfo", creation, IN_CREATION)
    if not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", creation.get("created", "")):
        yield "the time of creation is not UTC in ISO 8601"
    if not re.fullmatch(r"https?://[^\s#]+", document.get("documentNamespace", "")):
        yield "the namespace is not a URI without a fragment"
    known = ["SPDXRef-DOCUMENT"]
    for package in document.get("packages", ()):
        name = package.get("name", "a package")
        yield from lacks(name, package, IN_PACKAGE)
        if not package.get("versionInfo") and name not in UNVERSIONED:
            yield f"{name} has no version"
        if not re.fullmatch(r"SPDXRef-[A-Za-z0-9.-]+", package.get("SPDXID", "")):
            yield f"{name}: bad SPDXID"
        if package.get("SPDXID") in known:
            yield f"{name}: its SPDXID is another's"
        known.append(package.get("SPDXID"))
    used = set()
    for relationship in document.get("relationships", ()):
        yield from lacks("a relationship", relationship, IN_RELATIONSHIP)
        ends = [relationship.get("spdxElementId"), relationship.get("relatedSpdxElement")]
        if relationship.get("relationshipType") not in RELATIONSHIPS or not set(ends) <= set(known):
            yield f"a relationship {relationship.get('relationshipType')} between {ends[0]} and {ends[1]}"
        used.update(ends)
    for alone in sorted(set(known) - used - {None}):
        yield f"{alone} is related to nothing"


def problems_of_table(document, page):
    rows = {cells[0]: cells[1:] for cells in ([cell.strip() for cell in line.strip().strip("|").split("|")] for line in page.splitlines())}
    for package in document["packages"]:
        if package["name"] in ("libslhconsensus", "slhtool"):
            continue
        row = rows.get(package["name"])
        if row is None or package["licenseDeclared"] not in row:
            yield f"no row of the table has {package['name']} with the licence {package['licenseDeclared']}"


def damages(document):
    """(what is wrong, a document in which that is wrong)"""

    def damaged(what, change):
        other = copy.deepcopy(document)
        change(other)
        return what, other

    for field in sorted(IN_DOCUMENT):
        yield damaged(f"no {field}", lambda d, field=field: d.pop(field))
    for field in sorted(IN_CREATION):
        yield damaged(f"no {field}", lambda d, field=field: d["creationInfo"].pop(field))
    for field in sorted(IN_PACKAGE | {"versionInfo"}):
        yield damaged(f"a package without {field}", lambda d, field=field: d["packages"][0].pop(field))
    for field in sorted(IN_RELATIONSHIP):
        yield damaged(f"a relationship without {field}", lambda d, field=field: d["relationships"][0].pop(field))
    yield damaged("another version of SPDX", lambda d: d.update(spdxVersion="SPDX-2.2"))
    yield damaged("a local time", lambda d: d["creationInfo"].update(created="2026-01-01 00:00"))
    yield damaged("a namespace with a fragment", lambda d: d.update(documentNamespace=d["documentNamespace"] + "#"))
    yield damaged("a bad SPDXID", lambda d: d["packages"][0].update(SPDXID="SPDXRef-lib++"))
    yield damaged("the same SPDXID twice", lambda d: d["packages"][0].update(SPDXID=d["packages"][1]["SPDXID"]))
    yield damaged("an unknown relationship", lambda d: d["relationships"][0].update(relationshipType="LIKES"))
    yield damaged("a relationship to nothing", lambda d: d["relationships"][0].update(relatedSpdxElement="SPDXRef-nothing"))
    yield damaged("a package that nothing uses", lambda d: d["packages"].append({**d["packages"][0], "SPDXID": "SPDXRef-alone"}))


def by_spdx_tools(path):
    try:
        from spdx_tools.spdx.parser.parse_anything import parse_file
        from spdx_tools.spdx.validation.document_validator import validate_full_spdx_document
    except ImportError:
        print("SKIPPED: python3 has no spdx-tools")
        return SKIPPED
    messages = [message.validation_message for message in validate_full_spdx_document(parse_file(str(path)))]
    print("\n".join(messages) or f"{path}: valid for spdx-tools")
    return 1 if messages else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=pathlib.Path)
    parser.add_argument("--table", type=pathlib.Path)
    parser.add_argument("--self-test", action="store_true")
    parser.add_argument("--spdx-tools", action="store_true")
    args = parser.parse_args()
    if args.spdx_tools:
        return by_spdx_tools(args.file)
    document = json.loads(args.file.read_text())
    if args.self_test:
        missed = [what for what, other in damages(document) if not list(problems(other))]
        print("\n".join(f"FAILED: not noticed: {what}" for what in missed) or f"{len(list(damages(document)))} damages, each noticed")
        return 1 if missed else 0
    found = list(problems(document)) + (list(problems_of_table(document, args.table.read_text())) if args.table else [])
    print("\n".join(found) or f"{args.file}: {len(document['packages'])} packages, {len(document['relationships'])} relationships")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
