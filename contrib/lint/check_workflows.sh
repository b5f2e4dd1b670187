#!/usr/bin/env bash
# Checks .github/workflows with actionlint, which go fetches. Exit status: 0, 1 if it finds something, 77 if it cannot be had.
#
#   contrib/lint/check_workflows.sh FOLDER      where the program is kept
set -euo pipefail
unset CDPATH

version=v1.7.7
folder=$1/actionlint-$version
cd "$(dirname "$0")/../.."
[ -x "$folder/actionlint" ] || {
  command -v go >/dev/null || { echo "SKIPPED: no go, which fetches actionlint"; exit 77; }
  GOBIN=$folder go install "github.com/rhysd/actionlint/cmd/actionlint@$version" || { echo "SKIPPED: could not fetch actionlint"; exit 77; }
}
# Its own rules alone: the others' findings would depend on what else is installed here.
"$folder/actionlint" -shellcheck= -pyflakes= .github/workflows/*.yml
for file in .github/workflows/*.yml; do
  grep -q "^# Never run by GitHub's machines" "$file" || { echo "$file: the first line does not say whether its owner's machines have run it"; exit 1; }
done
