# SPDX-License-Identifier: MIT
# shellcheck shell=sh
# What tests share that have Python look at what ctprof writes: the programs, a
# directory that goes when they do, and how to complain.
# shellcheck disable=SC2034
srcdir=${srcdir:-.}
ctprof=${CTPROF:-$PWD/ctprof}
python=${PYTHON3:-python3}
"$python" -c 'import json' 2>/dev/null || {
	echo "skipped: there is no Python"
	exit 77
}
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
failed=0

complain() {
	echo "$1"
	failed=1
}
