#!/bin/sh
# SPDX-License-Identifier: MIT
# Keeps small logs that this version writes, for released.sh of all later ones:
#
#	released/make.sh BUILD		as root, who may choose the host's name
#
# makes the folder VERSION beside this file. Never change one that exists.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../../../.." && pwd)
build=$(realpath "$1")
[ -n "${2:-}" ] || exec unshare -u "$0" "$build" named
hostname example

version=$("$build/ctprof" --version | sed -n '1s/ctprof //p')
work=/tmp/example
mkdir "$work"
trap 'rm -rf "$work"' EXIT
cp "$here/all.c" "$top/examples/words.cc" "$work"
sed 's/16/5/' "$top/examples/hanoi.py" > "$work/hanoi.py"
mkdir "$work/python"
cp -R "$build/python/package" "$work/python"
cp -R "$build/.libs" "$build/ctprof" "$work"
cd "$work"
export LD_LIBRARY_PATH="$work/.libs"
gcc -O1 -g -I"$top/lib" all.c -o all -L.libs -lctprof
# shellcheck disable=SC2046
g++ -O1 $(./ctprof cflags --cc=g++) words.cc -o words

record() {
	./ctprof record -q --no-command -o "$@" || :
}
record events.ctp -- ./all
record stored.ctp --level=0 -- ./all
record killed.ctp -- ./all x
record last.ctp --last=20 -- ./all
record functions.ctp -- ./words all.c > words.out
record python.ctp --python -- /usr/bin/python3 hanoi.py
"$build/tests/support/make_log" "$top/tests/support/device.recipe" > device.ctp
cat events.ctp functions.ctp > joined.ctp
head -c 1000 events.ctp > truncated.ctp
./ctprof summarize -q -o sums.ctpart events.ctp functions.ctp python.ctp
mkdir "$here/$version"
cp ./*.ctp sums.ctpart "$here/$version"
CTPROF=$build/ctprof "$here/../released.sh" "$here/$version" \
	> "$here/$version/expected"
