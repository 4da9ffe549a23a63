#!/bin/sh
# SPDX-License-Identifier: MIT
# Each file is in the makefile's fragment of its folder, each format in the
# table, and each command has a manual page.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh"
cd "$srcdir" || exit 99

# The paths in all fragments. A command stands for its manual page, too.
words() {
	for fragment in Makefile.am $(find . -name local.mk); do
		sed "/^#/d; s,%D%,$(dirname "$fragment"),g; s,\./,,g" "$fragment"
	done | tr -s ' \t()' '\n' | grep / |
		sed '/^bin\/cmd_/{p;s,bin/cmd_\(.*\),doc/ctprof-\1.1,;}'
}

# A test's name stands for its source, a manual page's for its source, and a
# folder for all its files.
find lib formats bin python examples doc tests -type f -name '*.*' \
	! -path '*/.*' ! -path '*/__pycache__/*' ! -path 'python/build/*' \
	! -path 'python/package/*' ! -path '*.egg-info/*' \
	! -name local.mk ! -name '*.o' ! -name '*.lo' ! -name '*.la' \
	! -name '*.log' ! -name '*.trs' ! -name '*.in~' |
	awk -v words="$(words)" '
		function listed(path) {
			if (path in known)
				return 1
			sub(/\.[^.\/]*$/, "", path)
			if (path in known)
				return 1
			while (sub(/\/[^\/]*$/, "", path))
				if (path in known)
					return 1
			return 0
		}
		BEGIN {
			count = split(words, word, "\n")
			for (i = 1; i <= count; i++)
				known[word[i]] = 1
		}
		!listed($0) {
			print $0 ": not in the fragment local.mk of its folder"
			bad = 1
		}
		END { exit bad }
	' || failed=1

# Files that may have changed since are not installed.
grep -n 'pip install' bootstrap | grep -v -- --require-hashes &&
	complain "bootstrap: installs without hashes"
for file in tests/requirements-*.txt; do
	awk -v file="$file" '
		/^#/ || /^ +--hash=sha256:[0-9a-f]+( \\)?$/ { next }
		/^[a-z0-9.-]+==[^ ]+( ; .*)? \\$/ { next }
		{ print file ": neither a version nor a hash: " $0; bad = 1 }
		END { exit bad }' "$file" || failed=1
done

for file in formats/*.c formats/*/*.c; do
	name=$(sed -n 's/^const struct format \([a-z0-9]*\)_format = .*/\1/p' \
		"$file")
	[ -z "$name" ] || grep -q "X($name)" formats/format.h ||
		complain "$file: format $name is not in FORMATS"
done

for file in bin/cmd_*.c; do
	name=$(basename "$file" .c)
	name=${name#cmd_}
	[ -f "doc/ctprof-$name.1.in" ] ||
		complain "doc/ctprof-$name.1.in: there is no such manual page"
done
exit $failed
