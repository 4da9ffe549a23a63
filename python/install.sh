#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs or removes the package for one interpreter, in its package directory.
#
#	install.sh install|uninstall PYTHON PREFIX FILE...
#
# FILE... are names below python/package in the current directory; the
# extensions are added. Environment: DESTDIR, INSTALL_DATA, INSTALL_PROGRAM.
set -eu

command=$1
python=$2
prefix=$3
shift 3
facts=$(dirname "$0")/build_facts.py
directory=$("$python" "$facts" directory "$prefix")
suffix=$("$python" "$facts" suffix)
set -- "$@" "ctprof/_ctprof$suffix" "ctprof/_convert$suffix"
root=${DESTDIR:-}$directory

case $command in
install)
	for file in "$@"; do
		mkdir -p "$root/${file%/*}"
		case $file in
		*.so) install=${INSTALL_PROGRAM:-install} ;;
		*) install=${INSTALL_DATA:-install -m 644} ;;
		esac
		$install "python/package/$file" "$root/$file"
	done
	# Users who may not write there would compile it at each start. The
	# names in it are without DESTDIR.
	"$python" -m compileall -q ${DESTDIR:+-s "$DESTDIR" -p /} \
		"$root/ctprof"
	"$python" "$facts" looks "$directory" ||
		echo "$python does not look there by itself:" \
			"PYTHONPATH=$directory"
	;;
uninstall)
	for file in "$@"; do
		rm -f "$root/$file"
		name=${file##*/}
		rm -f "$root/${file%/*}/__pycache__/${name%.py}".*.pyc
	done
	for file in "$@"; do
		printf '%s\n' "$root/${file%/*}/__pycache__" "$root/${file%/*}"
	done | sort -ru | while read -r empty; do
		rmdir "$empty" 2>/dev/null || :
	done
	;;
esac
