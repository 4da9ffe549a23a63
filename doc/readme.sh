#!/bin/sh
# SPDX-License-Identifier: MIT
# Prints the README with its table of formats as the program has it, but for the
# last column, which is kept. `make readme` puts that in the README's place.
#
# Usage: readme.sh CTPROF README.md
set -eu

"$1" formats | tail -n +2 | LC_ALL=C awk -v readme="$2" '
	BEGIN {
		while ((getline line < readme) > 0)
			if (line ~ /^\| `/ && split(line, cell, / \| /) == 5)
				viewer[cell[1]] = cell[5]
		close(readme)
	}
	# Each format as a row; a suffix need not be there.
	{
		name = "| `" $1 "`"
		does = $2 == "both" ? "read, write" : $2
		suffix = $4 ~ /^\./ ? "`" $4 "`" : ""
		sub(/^[^ ]+ +[^ ]+ +[^ ]+ +(\.[^ ]+ +)?/, "")
		rows = rows name " | " suffix " | " does " | " $0 " | " \
			(name in viewer ? viewer[name] : "|") "\n"
	}
	END {
		while ((getline line < readme) > 0) {
			if (!inside || line !~ /^\| `/)
				print line
			if (line == "<!-- formats: make readme -->")
				inside = 1
			else if (inside && line ~ /^\| ---/)
				printf "%s", rows
			else if (line == "")
				inside = 0
		}
	}
'
