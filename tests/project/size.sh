#!/bin/sh
# SPDX-License-Identifier: MIT
# No function is over 80 lines and no source file over 1,000: see STYLE in
# CONTRIBUTING.md. There is no list of exceptions.
set -u
cd "${srcdir:-.}" || exit 99

files=$(find lib formats bin python examples tests -name '*.[ch]')
# shellcheck disable=SC2086
awk '
	FNR == 1 { name = ""; open = 0 }
	/^[A-Za-z_].*\(/ && !/;[ \t]*$/ { name = $0; start = FNR }
	/^START_TEST\(/ { name = $0; start = FNR }
	/^\{/ { if (name != "") open = FNR }
	/^\}/ {
		if (open && FNR - open > 80) {
			printf "%s:%d: %d lines: %s\n", FILENAME, open,
				FNR - open, name
			bad = 1
		}
		open = 0
		name = ""
	}
	END { exit bad }
' $files || failed=1

for file in $files $(find python examples tests -name '*.py') \
	$(find bin formats -name '*.js' -o -name '*.css'); do
	lines=$(wc -l < "$file")
	if [ "$lines" -gt 1000 ]; then
		echo "$file: $lines lines: make it two nouns"
		failed=1
	fi
done
exit "${failed:-0}"
