#!/bin/sh
# SPDX-License-Identifier: MIT
# Profiles that others wrote are read as what Python makes of them.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh"
for format in callgrind folded gprof gprof2dot pprof speedscope; do
	echo "# $format"
	"$python" "$srcdir/tests/formats/texts_$format.py" "$srcdir/tests/formats/texts" ||
		failed=1
done
exit $failed
