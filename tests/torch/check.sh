#!/bin/sh
# SPDX-License-Identifier: MIT
# ctprof with real PyTorch, `make check-torch` and `make bench-torch`: check.py,
# or the program named, in each environment of TORCH_VENV, or in new ones beside
# the build, one for each version in TORCH_VERSIONS, by TORCH_PYTHON.
set -eu
build=$PWD
export CTPROF="$build/ctprof" PYTHONPATH="$build/python/package"
export LD_LIBRARY_PATH="$build/.libs" PYTHONDONTWRITEBYTECODE=1

if [ -z "${TORCH_VENV-}" ]; then
	for version in ${TORCH_VERSIONS:-2.4.1 2.7.1 2.15.0}; do
		venv=$build/torch-$version
		TORCH_VENV="${TORCH_VENV-} $venv"
		[ ! -e "$venv/installed" ] || continue
		"${TORCH_PYTHON:-python3.11}" -m venv "$venv"
		"$venv/bin/pip" install -q "torch==$version" 'numpy<2' \
			setuptools tlparse
		: >"$venv/installed"
	done
fi
failed=0
for venv in $TORCH_VENV; do
	"$venv/bin/python" "${srcdir:-.}/tests/torch/${1:-check.py}" || failed=1
done
exit $failed
