#!/bin/sh
# SPDX-License-Identifier: MIT
# Every source is in the makefile, every format in the table, every C test is
# run, and the manual knows every command.
set -u
cd "${srcdir:-.}" || exit 99
failed=0

complain() {
	echo "$1"
	failed=1
}

for file in lib/*.[ch] lib/*/*.* lib/*/rules/* formats/*.[ch] bin/*.[ch] examples/*.py \
	examples/*/*.[ch] \
	python/* python/ctprof/*.* python/ctprof/*/*.* \
	tests/*.[ch] tests/*.sh tests/*.py tests/gpu/* tests/python/* tests/python/*/* \
	tests/support/* bin/*/* formats/*/*; do
	[ -f "$file" ] || continue
	case $file in
	*.pyc) continue ;;
	esac
	# A test's name alone stands for its source.
	grep -qE "(^|[[:space:]])(${file}|${file%.c})([[:space:]]|\$)" \
		Makefile.am || complain "$file: not in Makefile.am"
done

# Nothing is installed that may have changed since.
grep -n 'pip install' bootstrap | grep -v -- --require-hashes &&
	complain "bootstrap: installs without hashes"
for file in tests/requirements-*.txt; do
	grep -qF "$file" Makefile.am || complain "$file: not in Makefile.am"
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
	[ -f "$file" ] || continue
	name=$(basename "$file" .c)
	name=${name#cmd_}
	[ -f "doc/ctprof-$name.1.in" ] ||
		complain "doc/ctprof-$name.1.in: there is no such manual page"
done
exit $failed
