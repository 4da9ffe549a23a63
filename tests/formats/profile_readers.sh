#!/bin/sh
# SPDX-License-Identifier: MIT
# Other tools' profiles are read with the same results as in Python.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh"
for format in callgrind folded gprof gprof2dot pprof speedscope; do
	echo "# $format"
	"$python" "$srcdir/tests/formats/profile_readers_$format.py" "$srcdir/tests/formats/profile_readers" ||
		failed=1
done
exit $failed
