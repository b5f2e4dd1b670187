#!/usr/bin/env python3
# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""Put SLH-DSA and P2MR into Bitcoin Core's sources: a git repository of Core's tree (its tag `core`) and a series of commits.

The series is in patches/: the lines of Core that go and those that come, without lines around them, and the names of files that are
new. These are kept whole, in src/, cmake/, doc/ and functional/ (for test/functional/)."""
from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
#: New files of a tree, by the beginning of their names, and where they are kept
OURS = {"src/": HERE / "src", "cmake/": HERE / "cmake", "doc/": HERE / "doc", "test/functional/": HERE / "functional"}
BORROWED = {"test/functional/slhdsa.py": HERE.parents[1] / "doc/bip/reference/slhdsa.py"}
MADE = "refs/slhdsa/made"  #: the commit that was checked out, or recorded, last
IDENTITY = ("The slhconsensus developers", "developers@slhconsensus.invalid", "2026-01-01T00:00:00Z")


class IntegrationError(Exception):
    """A problem, in one line."""


def where_kept(file: str) -> Path:
    """Where a new file of the tree is kept in this repository."""
    for start, folder in OURS.items():
        if file.startswith(start):
            return BORROWED.get(file, folder / file.removeprefix(start))
    raise IntegrationError(f"{file}: new files belong into one of {', '.join(OURS)}")


def created(patch: str) -> list[tuple[str, str]]:
    """Mode and name of each new file of a commit."""
    return re.findall(r"^ create mode (\d+) (.*)$", patch, re.MULTILINE)


class Repository:
    """An integrated tree. What it is made of goes through an index beside its own, so that files which stay the same stay untouched."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()
        if (self.folder / ".slhdsa-copy").is_file():  # a copy that an earlier version of this script made, and overwrote
            shutil.rmtree(self.folder)
        if not (self.folder / ".git").is_dir():
            if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
                raise IntegrationError(f"{folder}: neither empty nor made here")
            folder.mkdir(parents=True, exist_ok=True)
            self.git("init", "--quiet", "--initial-branch=slhdsa")
        elif self.commit("HEAD") and not self.commit(MADE):
            raise IntegrationError(f"{folder}: a repository that was not made here; for one, there are --patch and `git am`")

    def git(self, *arguments: str | Path, data: str | None = None, beside: bool = True, may_fail: bool = False, identity: tuple[str, ...] = IDENTITY) -> str:
        """Run git, whatever the user's settings are. `beside`: with the index beside the repository's own."""
        environment = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
        environment |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
        environment |= {f"GIT_{role}_{key}": value for role, values in (("AUTHOR", identity), ("COMMITTER", IDENTITY))
                        for key, value in zip(("NAME", "EMAIL", "DATE"), values)}
        if beside:
            environment["GIT_INDEX_FILE"] = str(self.folder / ".git/slhdsa-index")
        command = ["git", "-c", "core.autocrlf=false", "-c", f"core.excludesFile={os.devnull}", *arguments]
        result = subprocess.run(command, cwd=self.folder, env=environment, input=data, capture_output=True, text=True, check=False)
        if result.returncode != 0 and not may_fail:
            raise IntegrationError(f"{self.folder}: git {arguments[0]}: {' '.join(result.stderr.split())}")
        return result.stdout

    def commit(self, name: str) -> str:
        return self.git("rev-parse", "--quiet", "--verify", f"{name}^{{commit}}", may_fail=True).strip()

    def core(self, sources: Path) -> str:
        """The commit of pristine sources, whose name depends on nothing else."""
        if not (sources / "src/script/interpreter.cpp").is_file():
            raise IntegrationError(f"{sources} has no src/script/interpreter.cpp")
        self.git(f"--git-dir={self.folder}/.git", f"--work-tree={sources.resolve()}", "add", "--all")
        return self.git("commit-tree", self.git("write-tree").strip(), data="Bitcoin Core\n").strip()

    def series(self, core: str) -> str:
        """Make the series of commits upon that of pristine sources. The last of them.

        Raises:
            IntegrationError: if these are others than the series was made upon: without lines around it, a change would go astray.
        """
        self.git("read-tree", core)
        commit = core
        for path in sorted(HERE.glob("patches/*.patch")):
            head, _, patch = path.read_text(encoding="utf-8").partition("\n---\n")
            fields, _, message = head.partition("\n\n")
            field = dict(line.split(": ", 1) for line in fields.splitlines() if ": " in line)
            files = {name: entry.split()[1] for entry, name in (line.split("\t") for line in self.git("ls-files", "--stage").splitlines())}
            for blob, name in re.findall(r"^index (\w+)\.\..*\n--- a/(.*)", patch, re.MULTILINE):
                if not files.get(name, "none").startswith(blob):
                    raise IntegrationError(f"these are not the sources that the series was made upon: {path.name} wants another {name}")
            for mode, name in created(patch):
                if name in files:
                    raise IntegrationError(f"{name}: is in these sources already")
                blob = self.git("hash-object", "-w", "--no-filters", where_kept(name)).strip()
                self.git("update-index", "--add", "--cacheinfo", f"{mode},{blob},{name}")
            if "\n@@ " in patch:
                self.git("apply", "--cached", "--unidiff-zero", "--whitespace=nowarn", path)
            author = *field["From"].removesuffix(">").split(" <"), field["Date"]
            commit = self.git("commit-tree", self.git("write-tree").strip(), "-p", commit, data=f"{field['Subject']}\n\n{message}\n", identity=author).strip()
        return commit

    def update(self, sources: Path, force: bool) -> str:
        """Check out the series upon these sources, touching only what differs. What was done."""
        head = self.commit("HEAD")
        if head and not force and (head != self.commit(MADE) or self.git("status", "--porcelain", "--untracked-files=no", beside=False)):
            return f"{self.folder}: left as it is, since it was changed (--record keeps a change, --force undoes it)"
        core = self.core(sources)
        commit = self.series(core)
        self.git("tag", "--force", "core", core)
        self.git("update-ref", MADE, commit)
        self.git("checkout", "--quiet", *(["--force"] if force or not head else []), "-B", "slhdsa", commit, beside=False)
        return f"{self.folder}: {self.git('rev-list', '--count', 'core..').strip()} commits upon Bitcoin Core"

    def format_patch(self, to: Path) -> str:
        """Write the commits for `git am`, new files included."""
        if to.exists() and (not to.is_dir() or any(to.iterdir())):
            raise IntegrationError(f"--patch {to}: not an empty folder")
        written = self.git("format-patch", "core", f"--output-directory={to.resolve()}", "--zero-commit", "--no-signature", "--full-index",
                           "--stat=120", "--diff-algorithm=histogram")
        return f"{to}: {len(written.splitlines())} patches"

    def record(self) -> str:
        """Write patches/ and our own files, such that `core` and they make what is committed here."""
        if changed := self.git("status", "--porcelain", beside=False):
            raise IntegrationError(f"{changed.splitlines()[0][3:]}: commit or remove it first")
        if self.git("branch", "--show-current").strip() != "slhdsa":
            raise IntegrationError(f"{self.folder}: its branch slhdsa is not checked out, or a rebase has not ended")
        if unsquashed := re.search("^(fixup|squash|amend)! .*", self.git("log", "--format=%s", "core..HEAD"), re.MULTILINE):
            raise IntegrationError(f"'{unsquashed[0]}' is still a commit of its own: git rebase --interactive --autosquash core")
        ours = self.git("diff", "--name-only", "--no-renames", "--diff-filter=A", "core", "HEAD").splitlines()
        before = {name for path in HERE.glob("patches/*.patch") for _, name in created(path.read_text(encoding="utf-8"))}
        kept = {name: where_kept(name) for name in ours}
        patches = {}
        for number, commit in enumerate(self.git("rev-list", "--reverse", "core..HEAD").split(), 1):
            diff = ("diff-tree", "--no-commit-id", "--no-renames", "-r", commit)
            # Of our own files, what they become at last is kept.
            patch = self.git(*diff, "--summary", "--diff-filter=A", "--", *ours)
            patch += self.git(*diff, "--patch", "--unified=0", "--abbrev=12", "--diff-algorithm=histogram", "--", ".", *(f":(exclude){name}" for name in ours))
            patch = re.sub("^(@@ -.* @@) .*", r"\1", patch, flags=re.MULTILINE)  # nor the name of the function around them
            head = self.git("show", "--no-patch", "--format=From: %an <%ae>%nDate: %aI%nSubject: %s%n%n%b", commit)
            name = re.sub(r"\W+", "-", self.git("show", "--no-patch", "--format=%s", commit))[:56].strip("-")
            patches[HERE / f"patches/{number:04}-{name}.patch"] = f"{head.rstrip()}\n---\n{patch}"
        trees = [dict(line.split(None, 3)[:1:-1] for line in self.git("ls-tree", "-r", commit).splitlines()) for commit in (MADE, "HEAD")]
        for name, path in kept.items():
            blob = self.git("hash-object", "--no-filters", path).strip() if path.exists() else None
            if name in BORROWED and blob != trees[1][name]:
                raise IntegrationError(f"{name}: comes from {path}; change it there")
            if blob not in (None, *(tree.get(name) for tree in trees)):
                raise IntegrationError(f"{path}: was changed after {self.folder} was made; make that change there, too")
        for path in {*HERE.glob("patches/*.patch"), *map(where_kept, before - {*ours, *BORROWED})}:
            path.unlink(missing_ok=True)
        for name, path in kept.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            if name not in BORROWED:
                shutil.copy(self.folder / name, path)
        for path, patch in patches.items():
            path.write_text(patch, encoding="utf-8")
        if self.git("rev-parse", f"{self.series(self.commit('core'))}^{{tree}}") != self.git("rev-parse", "HEAD^{tree}"):
            raise IntegrationError("what was recorded does not make this tree; git has what was there before")
        self.git("update-ref", MADE, "HEAD")
        return f"{len(patches)} patches, {len(ours)} files of ours"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("core", type=Path, nargs="?", metavar="SOURCES", help="those that contrib/core-differential/fetch_core.sh fetches; they are not changed")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--to", type=Path, metavar="DIR", help="make DIR that repository, or bring it up to date; one that somebody has changed is left as it is")
    what.add_argument("--patch", type=Path, metavar="DIR", help="write the commits as patches for `git am`, with lines around the changes and new files included")
    what.add_argument("--record", type=Path, metavar="DIR", help="write the commits of DIR upon its tag `core` into patches/, and our own files")
    parser.add_argument("--force", action="store_true", help="with --to: undo what was changed in DIR")
    args = parser.parse_args()
    if (args.core is None) != (args.record is not None):
        parser.error("SOURCES go with --to and --patch")
    try:
        if args.record:
            print(Repository(args.record).record())
        elif args.to:
            print(Repository(args.to).update(args.core, args.force))
        else:
            with tempfile.TemporaryDirectory() as folder:
                repository = Repository(Path(folder))
                repository.update(args.core, force=False)
                print(repository.format_patch(args.patch))
    except (IntegrationError, OSError) as error:
        print(f"integrate.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
