#!/bin/sh
# SPDX-License-Identifier: MIT
# A log of level 0 has the events of one of level 1, for every reader, and
# compressing it gives the same blocks. Damage is treated alike.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh"
devices=$build/tests/lib/recorder/record_devices
cd "$work" || exit 99

# blocks LOG: each block of events and activities, packed, in hexadecimal.
blocks() {
	"$python" - "$1" <<'END'
import sys
log = open(sys.argv[1], "rb").read()
at = 0
while at < len(log):
    size = int.from_bytes(log[at + 16:at + 20], "little")
    if log[at + 20] in (3, 8):
        print(log[at:at + size].hex())
    at += size
END
}

# Ranges, and activities of devices.
for level in 0 1; do
	"$CTPROF" record -q --clock=events --level=$level -o ranges$level.ctp \
		-- "$CLI_PROGRAM" || complain "record --level=$level"
	CTPROF_LEVEL=$level CTPROF_CLOCK=events CTPROF_OUT=devices$level.ctp \
		"$devices" 4000 >/dev/null || complain "devices at level $level"
done
for name in ranges devices; do
	cp ${name}0.ctp packed.ctp
	gzip -t <${name}0.ctp || complain "$name: gzip"
	"$CTPROF" repair --compress packed.ctp 2>said ||
		complain "$name: repair --compress: $(cat said)"
	grep -q '^ctprof: packed.ctp: compressed from [0-9]* to [0-9]* bytes$' \
		said || complain "$name: said $(cat said)"
	blocks packed.ctp >a
	blocks ${name}1.ctp >b
	[ -s a ] && cmp -s a b || complain "$name: compressed to other bytes"
	for report in stats kernels gaps info 'convert -t chrome -o -' \
		'convert -t log -o -'; do
		for log in ${name}0.ctp packed.ctp; do
			ln -sf $log log.ctp
			# shellcheck disable=SC2086 # words
			"$CTPROF" $report log.ctp >out.$log 2>&1
			echo "status $?" >>out.$log
		done
		cmp -s out.${name}0.ctp out.packed.ctp ||
			complain "$name: $report differs"
	done
	"$CTPROF" convert -q ${name}0.ctp -o again.ctp --force &&
		[ "$(stat -c %s again.ctp)" -lt "$(stat -c %s ${name}0.ctp)" ] ||
		complain "$name: convert to a log does not compress"
	"$CTPROF" repair --compress packed.ctp 2>said || complain "$name: again"
	[ ! -s said ] || complain "$name: again: $(cat said)"
done
report $failed "a log of level 0 reads and compresses like one of level 1"

"$CTPROF" record -q --compress=after -o after.ctp -- "$CLI_PROGRAM" ||
	complain "record --compress=after"
[ "$(stat -c %s after.ctp)" -lt "$(stat -c %s ranges0.ctp)" ] ||
	complain "--compress=after does not compress"
"$CTPROF" record -q --compress=after -o joined.ctp -- \
	sh -c "$CLI_PROGRAM; $CLI_PROGRAM" || complain "two processes"
[ "$("$CTPROF" info --json joined.ctp |
	"$python" -c 'import json, sys; print(json.load(sys.stdin)["processes"])')" = 2 ] ||
	complain "--compress=after: not both processes"

# A bad byte costs its block, in the log and in the compressed one; the bytes of
# a truncated log stay.
"$python" - devices0.ctp <<'END'
import sys
log = bytearray(open(sys.argv[1], "rb").read())
log[len(log) // 2] ^= 1
open("bad.ctp", "wb").write(log)
open("cut.ctp", "wb").write(log[:len(log) // 3])
END
for name in bad cut; do
	"$CTPROF" info $name.ctp >before 2>&1
	"$CTPROF" repair -q --compress $name.ctp || complain "$name: compress"
	"$CTPROF" info $name.ctp >after 2>&1
	cmp -s before after || complain "$name: $(diff before after)"
done
grep -q 'damaged' before after || complain "the damage does not show"
report $failed "damage stays as it is"
exit $failed
