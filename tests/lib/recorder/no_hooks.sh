#!/bin/sh
# SPDX-License-Identifier: MIT
# With -finstrument-functions in the user's CFLAGS, the program is compiled with
# it and the recorder is not: it would record itself without end.
set -u
srcdir=${srcdir:-.}

# compilations TARGET...: the commands that make would run if all sources of the
# library had changed.
compilations() {
	changed=
	for file in "$srcdir"/lib/*/*.c; do
		changed="$changed -W $file"
	done
	# shellcheck disable=SC2086 # $changed is many words
	make -n V=1 $changed CFLAGS='-O2 -finstrument-functions' "$@" |
		grep -e '-c -o '
}

recorder=$(compilations libctprof.la libctprof-instrument.la)
all=$(compilations ctprof)
for file in buffer writer_thread thread instrument functions; do
	echo "$recorder" | grep -q "$file\.c" || {
		echo "$file.c is not in the recorder: where is it?"
		exit 1
	}
done
if echo "$recorder" | grep -e -finstrument-functions; then
	echo "the recorder would record itself"
	exit 1
fi
echo "$all" | grep replay.c | grep -q -e '-O2 -finstrument-functions' || {
	echo "the program is not compiled with the user's CFLAGS"
	exit 1
}
