#!/bin/sh
# SPDX-License-Identifier: MIT
# Each include goes from a room to one that tests/layers.txt lets it include,
# and each C file is in a room of that table. Libraries do not print or exit,
# and numbers in output do not depend on the locale.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh"
cd "$srcdir" || exit 99

files=$(find lib formats bin python examples -name '*.[ch]' | sort)
# shellcheck disable=SC2086
awk -v files="$files" '
	function folder(path) {
		sub(/\/[^\/]*$/, "", path)
		return path
	}
	function add(room, words,    count, word, i) {
		count = split(words, word)
		for (i = 1; i <= count; i++) {
			if (word[i] in line && word[i] ~ /^@/)
				add(room, line[word[i]])
			else
				may[room, word[i]] = 1
		}
	}
	# The file that an include refers to, found as the compiler does.
	function target(header,    at, i) {
		at = folder(FILENAME) "/" header
		if (FILENAME ~ /^(python|examples)/ && at in known)
			return at
		for (i = 1; i <= 3; i++)
			if (place[i] "/" header in known)
				return place[i] "/" header
		return ""
	}
	BEGIN {
		count = split(files, file)
		for (i = 1; i <= count; i++)
			known[file[i]] = 1
		split("lib formats bin", place)
	}
	FILENAME ~ /layers\.txt$/ {
		name = $1
		if (sub(/^[^#:]*: */, "") || sub(/^[^#:]*:$/, ""))
			line[substr(name, 1, length(name) - 1)] = $0
		next
	}
	FNR == 1 {
		if (!ready++)
			for (name in line)
				add(name, line[name])
		room = folder(FILENAME)
		others = folder(room) "/*"
		if (!(room in line) && others in line) {
			line[room] = line[others]
			add(room, line[room])
		}
		if (!(room in line) && !complained[room]++) {
			print room ": tests/layers.txt does not list this room"
			bad = 1
		}
	}
	/^[ \t]*#[ \t]*include[ \t]*"/ {
		split($0, part, "\"")
		to = target(part[2])
		if (to == "" || folder(to) == room ||
			(room, folder(to)) in may || (room, to) in may ||
			(room, folder(folder(to)) "/*") in may ||
			(FILENAME, to) in may)
			next
		print FILENAME ":" FNR ": " room " may not include " to
		bad = 1
	}
	END { exit bad }
' tests/layers.txt $files || failed=1

lib_files=$(find lib -name '*.[ch]')
python_files=$(find python -name '*.[ch]')
format_files=$(find formats -name '*.[ch]')
# shellcheck disable=SC2086
found=$(grep -nE '\b(abort|exit|_exit|printf|perror|puts)\(|fprintf\(stderr' \
	$lib_files $python_files |
	grep -vE 'snprintf|^lib/recorder/exit_watch\.[ch]:')
[ -z "$found" ] || complain "$found"
# shellcheck disable=SC2086
found=$(grep -nE '\b(exit|perror|puts)\(|fprintf\(stderr' $format_files)
[ -z "$found" ] || complain "$found"
# One function reads the environment, and refuses to in a process with rights
# that its caller lacks. Python's extension is separate and has its own, and
# attach_target.c reads that of another process.
# shellcheck disable=SC2086
found=$(grep -nE '\bgetenv\(|\bsecure_getenv\(|\benviron\b' \
	$lib_files $format_files $python_files $(find bin -name '*.[ch]') |
	grep -vE '^(lib/base/environment\.h|python/children\.c):' |
	grep -vE '^bin/record/attach_target\.c:.*, "environ"\)' |
	grep -vE 'extern char \*\*environ;|, environ\)'
	grep -nE '\benviron\b|getenv' python/ctprof/*.py python/ctprof/*/*.py |
		grep -vE '/(_autostart|_program|sitecustomize)\.py:')
[ -z "$found" ] || complain "$found"
# shellcheck disable=SC2086
found=$(grep -nE 'sprintf|strcpy|strcat|\bgets\b|\batoi\b|\bsetlocale' \
	$lib_files $format_files | grep "^[^:]*\.c:" | grep -vE 'v?snprintf|v?asprintf')
[ -z "$found" ] || complain "$found"
exit $failed
