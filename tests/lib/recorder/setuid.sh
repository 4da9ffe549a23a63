#!/bin/bash
# SPDX-License-Identifier: MIT
# A program with rights that its caller lacks obeys nothing in the caller's
# environment: no log, no file overwritten, no library loaded. It may record
# itself, to its own path. As root, the programs here are set-user-ID and called
# by another user; otherwise they are set-group-ID.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh" || exit 99
cc=${CC:-cc}
need_loadable_library
cd "$work" || exit 99
caller=$work/caller # the caller may write here, and only here

if [ "$(id -u)" = 0 ]; then
	need setpriv
	group=65534
	bits=u+s
	as_caller="setpriv --reuid=65534 --regid=65534 --clear-groups"
else
	group=$(id -G | tr ' ' '\n' | grep -vx "$(id -g)" | head -n 1)
	bits=g+s
	as_caller=
	[ -n "$group" ] || skip "neither root nor in a second group"
fi

# empower FILE: gives it rights that the caller lacks.
empower() {
	[ $bits = u+s ] || chgrp "$group" "$1"
	chmod $bits "$1"
}

# call VARIABLE=VALUE... PROGRAM...: as the caller; its messages are in `out`.
call() {
	# shellcheck disable=SC2086 # $as_caller is many words
	(cd "$caller" && timeout 60 $as_caller env -u TMPDIR "$@") \
		>out 2>&1 || complain "$*: fails: $(cat out)"
}

# untouched CASE: nothing was loaded, and nothing written.
untouched() {
	local found
	found=$(find "$caller" marks -type f)
	if [ "$(cat precious)" != precious ]; then
		complain "$1: overwrote a file: $(cat out)"
		echo precious >precious
	elif [ -n "$found" ] || [ -e made ]; then
		complain "$1: left $found: $(cat out)"
		rm -rf "${caller:?}"/* "$work"/marks/* made
	else
		echo "ok $1"
	fi
}

# says CASE LINE: the line is among the messages.
says() {
	if grep -qE "$2" out; then
		echo "ok $1"
	else
		complain "$1: not '$2' but: $(cat out)"
	fi
}

mkdir lib marks caller
chmod 711 .
chmod 777 marks caller
echo precious >precious
chmod 600 precious
cp -P "$build"/.libs/libctprof*.so* lib/
# shellcheck disable=SC2086 # $cc may hold options
{
	$cc -fPIC -shared -DDIRECTORY="\"$work/marks\"" -o evil.so \
		"$srcdir/tests/lib/recorder/setuid_tool.c" &&
	$cc -Wall -O1 -D_GNU_SOURCE -I"$srcdir/lib" -o program \
		"$srcdir/tests/lib/recorder/setuid_program.c" -L"$work/lib" \
		-Wl,-rpath,"$work/lib" -lctprof -ldl &&
	$cc -Wall -O1 -D_GNU_SOURCE -I"$srcdir/lib" -finstrument-functions \
		-o hooked "$srcdir/tests/lib/recorder/setuid_program.c" -L"$work/lib" \
		-Wl,-rpath,"$work/lib" -Wl,--no-as-needed -lctprof-instrument \
		-lctprof -ldl
} || exit 1
empower program
empower hooked
call "$work/program" mark
grep -qx 'secure 1' out ||
	skip "the system does not heed $bits here (nosuid, or no_new_privs)"
untouched "a program that nobody asks for anything"

tools="NVTX_INJECTION64_PATH=$work/evil.so INTEL_LIBITTNOTIFY64=$work/evil.so
	CTPROF_CUPTI_LIB=$work/evil.so CTPROF_INJECT=$work/evil.so
	CTPROF_INSTRUMENT=$work/evil.so CTPROF_GPU=light
	CUDA_INJECTION64_PATH=$work/evil.so"
for program in program hooked; do
	call CTPROF_OUT="$work/precious" "$work/$program" mark
	untouched "$program: CTPROF_OUT names a file that is there"
	call CTPROF_OUT="$work/made" CTPROF_OUT_EXCL=1 "$work/$program" mark
	untouched "$program: CTPROF_OUT names a new file"
	says "$program: does not record" '^status off$'
	for emit in nvtx itt; do
		# shellcheck disable=SC2086 # $tools is many words
		call $tools CTPROF_EMIT=$emit CTPROF_OUT="$caller/run.ctp" \
			"$work/$program" mark
		untouched "$program: CTPROF_EMIT=$emit"
	done
done

# shellcheck disable=SC2086 # $tools is many words
call $tools CTPROF_OUT="$work/precious" "$work/program" default
untouched "ctp_start() without a path"
says "ctp_start() without a path is refused" '^start -4$'
says "and says why" '^status stopped: .*set-user-ID.* path'

# Its own path is obeyed, and nothing of the caller's.
# shellcheck disable=SC2086 # $tools is many words
call $tools CTPROF_EMIT=nvtx CTPROF_SPOOL="$caller" CTPROF_FUNCTIONS=/ \
	CTPROF_MIN_NS=1G RANK=evil "$work/program" start "$caller/own.%r.ctp"
says "ctp_start() with a path records" "^status recording to $caller/own.0.ctp"
says "without GPUs" 'without GPUs: .*set-user-ID'
[ "$("$build/tests/support/dump_events" "$caller/own.0.ctp" |
	grep -c ' begin .*:work:')" = 1 ] ||
	complain "ctp_start() with a path: the range is not in the log"
rm -f "$caller"/own.*
untouched "ctp_start() with a path leaves its log alone"

# Other loaders may load our library: it stays inactive.
# shellcheck disable=SC2086 # $tools is many words
call $tools "$work/program" inject "$work/lib/libctprof-inject.so.0" \
	"$caller/own.ctp"
says "NVTX's entry refuses" '^nvtx 0$'
says "ITT's entry refuses" '^itt 0$'
rm -f "$caller"/own.*
untouched "libctprof-inject loads nothing"

# The program ctprof itself, in case somebody installs it so.
cp "$CTPROF" ctprof 2>/dev/null
mkdir evil
for name in man dot gprof2dot; do
	printf '#!/bin/sh\n: >%s/marks/%s\n' "$work" "$name" >"evil/$name"
	chmod +x "evil/$name"
done
empower ctprof
# shellcheck disable=SC2086 # $tools is many words
PATH=$work/evil:$PATH call $tools LD_PRELOAD= \
	"$work/ctprof" record -q -o "$caller/run.ctp" -- /usr/bin/env
grep -q evil out && complain "ctprof: hands on the environment: $(cat out)"
untouched "ctprof record"
(PATH=$work/evil:$PATH call "$work/ctprof" help convert) || :
untouched "ctprof help: PATH"

# Python's package, in an interpreter that has such rights and is isolated;
# otherwise it would obey its caller.
cp -r "$build/python/package" package
first=${CTP_PYTHONS:-}
first=${first%% *}
cp "$("${first:-false}" -c 'import os, sys
print(os.path.realpath(sys.executable))' 2>/dev/null)" python 2>/dev/null
[ -f python ] && empower python
cat >package.py <<END
import ctypes
import sys
ctypes.CDLL("$work/lib/libctprof.so.0", ctypes.RTLD_GLOBAL)
sys.path.insert(0, "$work/package")
import ctprof
from ctprof import _program
try:
    print("program", _program.find())
except RuntimeError as error:
    print(error)
try:
    ctprof.start()
except RuntimeError as error:
    print(error)
ctprof.start("$caller/own.ctp")
ctprof.stop()
END
if [ ! -f python ] || ! "$work/python" -I -c 'import ctypes' 2>err; then
	echo "no Python that runs from another place: not tried $(cat err)"
else
	cp evil/man evil/ctprof
	call CTPROF="$work/evil/ctprof" PATH="$work/evil:$PATH" \
		CTPROF_OUT="$work/precious" "$work/python" -I "$work/package.py"
	grep -q evil out && complain "Python: finds $(cat out)"
	says "Python's start() needs a path" 'set-user-ID.* path'
	[ -s "$caller/own.ctp" ] || complain "Python's start() with a path"
	rm -f "$caller"/own.*
	untouched "Python's package"
fi
exit $failed
