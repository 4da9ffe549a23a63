#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds the extension module of the Python package for one interpreter.
#
#	build-extension.sh PYTHON DIRECTORY COMMAND...
#
# COMMAND compiles and links; the flags that this interpreter needs, and the
# output's name in DIRECTORY, are added to it. An extension is not linked with
# libpython: the interpreter that loads it has these symbols.
set -eu

python=$1
directory=$2
shift 2

ask() {
	"$python" -c "import sysconfig; print(sysconfig.$1)"
}

include=$(ask "get_path('include')")
platform=$(ask "get_path('platinclude')")
suffix=$(ask "get_config_var('EXT_SUFFIX')")
"$@" -isystem "$include" -isystem "$platform" -shared -fPIC \
	-o "$directory/_ctprof$suffix"
