#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds the guide as a web site, from the Markdown files of the tree in place,
# so that their links work in the site, in the tree and on a forge.
#
# Usage: guide.sh SRCDIR CTPROF DIRECTORY
set -eu
srcdir=$1
ctprof=$(realpath "$2")
out=$3

rm -rf "$out"
mkdir -p "$out/pages"
(cd "$srcdir" && tar cf - README.md NEWS.md SECURITY.md CODE_OF_CONDUCT.md CONTRIBUTING.md COPYING \
	lib/log/FORMAT.md lib/summary/FORMAT.md doc/*.md examples/ci examples/hanoi.py examples/scale examples/words.cc doc/benchmarks doc/guide doc/pictures) |
	tar xf - -C "$out/pages"

# The options of every command, as the program prints them.
for page in "$srcdir"/bin/cmd_*.c; do
	command=$(basename "$page" .c)
	command=${command#cmd_}
	printf '\n## ctprof %s\n\n```\n' "$command"
	"$ctprof" "$command" --help
	printf '```\n'
done >> "$out/pages/doc/guide/commands.md"

sed "1i docs_dir: pages\nsite_dir: site" "$srcdir/doc/mkdocs.yml" > "$out/mkdocs.yml"
mkdocs build -q --strict -f "$out/mkdocs.yml"
echo "guide: open $out/site/index.html"
