#!/bin/sh
# SPDX-License-Identifier: MIT
# Profiles that others wrote are read as what Python makes of them.
set -u
srcdir=${srcdir:-.}
PYTHONPATH=$(realpath "$srcdir/tests/support")
export PYTHONPATH
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE
failed=0
for format in callgrind folded gprof gprof2dot pprof speedscope; do
	echo "# $format"
	"$PYTHON3" "$srcdir/tests/formats/texts_$format.py" "$srcdir/tests/formats/texts" ||
		failed=1
done
exit $failed
