#!/bin/bash
# SPDX-License-Identifier: MIT
# The command line: exit statuses, messages, outputs, signals, completion.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh" || exit 99
make_log=$build/tests/support/make_log
for program in "$CLI_PROGRAM" "$make_log"; do
	[ -x "$program" ] || fail "$program is not built; 'make check' builds it"
done
export LC_ALL=C TERM=xterm
cd "$work" || exit 99
mkdir bin
ln -s "$CTPROF" bin/ctprof
PATH=$work/bin:$PATH

# expect STATUS COMMAND...: runs it; out and err have its output.
expect() {
	local want=$1 got=0
	shift
	"$@" >out 2>err </dev/null || got=$?
	what="$*"
	[ "$got" = "$want" ] && return
	complain "$what: status $got instead of $want; it said:"
	sed 's/^/    /' err
}

# said TEXT: the last command's stderr has this line, or is empty without TEXT.
said() {
	if [ -z "$1" ]; then
		[ -s err ] && complain "$what: said $(head -1 err)"
	else
		grep -qxF -- "$1" err ||
			complain "$what: did not say '$1' but '$(cat err)'"
	fi
}

printed() {
	grep -qF -- "$1" out || complain "$what: did not print '$1'"
}

holds() {
	[ "$(eval "$2")" = "$3" ] || complain "$1: $2 gives '$(eval "$2")'"
}

## record

expect 0 ctprof record -o run.ctp -- "$CLI_PROGRAM"
grep -qE '^ctprof: run.ctp: 5 ranges, 1 thread, [0-9.]+ k?B, [0-9.]+ [mun]?s$' err ||
	complain "record: did not sum up: $(cat err)"
# A wait for the log is reported where that matters.
for waited in 52 50; do
	"$make_log" /dev/stdin >stalled <<END
[0, {'format': 'ctprof log', 'reader': 1, 'pid': 7}]
[2, 1, 0, 7, '']
[2, 2, 0, 8, '']
[1, 1, [['f', '', 0]]]
[3, 1, 0, 0, [0, 500], [], [1], [2, 0], []]
[3, 2, 0, 0, [0, 500], [], [1], [2, 0], []]
[6, {'log': 500, 'events': 4, 'blocks': 6, 'stall_ns': ${waited}}]
END
	expect 0 ctprof record --force -o wait.ctp -- \
		sh -c 'sleep 0.01; cat stalled >wait.ctp'
	grep -q ': threads waited 52 ns for the log to' err
	[ $? = $((waited < 52)) ] || complain "stalls: $(cat err)"
done
cp run.ctp kept
expect 5 ctprof record -o run.ctp -- "$CLI_PROGRAM"
said "ctprof: run.ctp: exists; --force overwrites it"
cmp -s run.ctp kept || complain "record: an existing log was touched"
expect 0 ctprof record -q --force -o run.ctp "$CLI_PROGRAM"
said ""
expect 5 ctprof record -o no/such.ctp "$CLI_PROGRAM"
said "ctprof: no/such.ctp: cannot create the log: No such file or directory"
# The compiler is known by the flags that it accepts, not by its name.
mkdir compilers
for accepted in after-inlining exclude-file-list none; do
	cat >compilers/$accepted <<-END
		#!/bin/sh
		[ "\$1" != as-cxx ] || case "\$*" in *'-x c '*) exit 1 ;; esac
		case "\$*" in *-$accepted*) exit 0 ;; esac
		exit 1
	END
	chmod +x compilers/$accepted
done
gcc_flags='-g -finstrument-functions -finstrument-functions-exclude-file-list=/usr/include'
clang_flags='-g -finstrument-functions-after-inlining'
expect 0 ctprof cflags --cc=compilers/after-inlining
holds "flags of clang" "cat out" "$clang_flags"
expect 0 env CC=compilers/exclude-file-list ctprof cflags
holds "flags of gcc" "cat out" "$gcc_flags"
expect 0 ctprof cflags --cc="compilers/exclude-file-list as-cxx"
holds "flags of a compiler with options" "cat out" "$gcc_flags"
expect 3 ctprof cflags --cc=compilers/none
said "ctprof: compilers/none: does not accept -finstrument-functions; use gcc or clang"
expect 3 ctprof cflags --cc=compilers/missing
said "ctprof: compilers/missing: cannot run: No such file or directory"
expect 2 ctprof cflags --cc=' '
said "ctprof: ' ' is not the name of a compiler"
expect 2 ctprof cflags file.c
expect 5 sh -c 'ctprof cflags --cc=compilers/after-inlining >/dev/full'
for compiler in gcc g++ clang clang++; do
	command -v $compiler >/dev/null || continue
	case $compiler in g*) flags=$gcc_flags ;; *) flags=$clang_flags ;; esac
	expect 0 ctprof cflags --cc=$compiler
	holds "flags of $compiler" "cat out" "$flags"
done

# Root may write into every directory, but not into every file system.
expect 5 ctprof record -o /proc/none.ctp "$CLI_PROGRAM"
grep -q '^ctprof: /proc/none.ctp: cannot create the log: ' err ||
	complain "record into /proc: $(cat err)"
expect 2 ctprof record
expect 2 ctprof record --level=10 "$CLI_PROGRAM"
expect 2 ctprof record --compress=later "$CLI_PROGRAM"
expect 2 ctprof repair --compress
expect 2 ctprof record --buffer=much "$CLI_PROGRAM"
expect 2 ctprof record --policy=hope "$CLI_PROGRAM"
expect 2 ctprof record -o - "$CLI_PROGRAM"
[ -e - ] && complain "record -o - made a file of that name"
expect 7 ctprof record -q -o seven.ctp -- "$CLI_PROGRAM" exit 7
expect 127 ctprof record -o none.ctp ./no-such-program
said "ctprof: ./no-such-program: cannot run: No such file or directory"
: > not-executable
expect 126 ctprof record -o none.ctp ./not-executable
expect 0 ctprof record -o none.ctp true
said "ctprof: none.ctp: no log was made: true was not built with \
-finstrument-functions, and uses neither libctprof nor NVTX or ITT; build it \
with the flags of 'ctprof cflags'"
# Programs that were built for other tracers.
echo 'int main(int argc, char **argv) { return argc > 1 ? **++argv : 0; }' >other.c
for tool in 'gcc -pg' 'gcc -pg -mfentry' \
	'gcc -pg -mrecord-mcount -mfentry -mnop-mcount -no-pie -fno-pie' \
	'gcc -fpatchable-function-entry=5' \
	'clang -fxray-instrument -fxray-instruction-threshold=1'; do
	# shellcheck disable=SC2086 # a command
	$tool -s other.c -o other 2>/dev/null || continue
	flags=${tool#* }
	flags=${flags%%=*}
	flags=${flags% -fxray*}
	flags=${flags% -mfentry -mnop*}
	expect 3 ctprof record -o none.ctp ./other
	said "ctprof: none.ctp: no log was made: ./other was built with $flags, \
which ctprof does not record; build it with the flags of 'ctprof cflags'"
	expect 65 ctprof record -o none.ctp ./other A
	rm -f gmon.out other
done
for signal in 9 15; do
	# The shell must see the signal itself, not only the status 128 and
	# more.
	"$python" - "$signal" "$CLI_PROGRAM" 2>err <<-'END' || complain "signal $signal is not passed up: $(cat err)"
		import subprocess, sys
		done = subprocess.run(["ctprof", "record", "-q", "--force",
			"--spool=.", "-o", "dead.ctp", sys.argv[2], "kill", sys.argv[1]])
		sys.exit(done.returncode != -int(sys.argv[1]))
	END
done

# The program keeps its own standard streams.
echo "in and out" | ctprof record -q --force -o run.ctp "$CLI_PROGRAM" cat >out 2>err
holds "record's stdout" "cat out" "in and out"
holds "record's stderr" "cat err" "words"

# The options reach the recorder.
expect 0 ctprof record -q --force --policy=drop --clock=system --min-ns=2us \
	--buffer=1M -o "100%%p.ctp" "$CLI_PROGRAM"
expect 0 ctprof info "100%p.ctp"
for fact in 'policy     drop' 'clock      monotonic_raw' 'min_ns     2000'; do
	printed "$fact"
done

# A terminal must not obey the name of a file.
escape=$(printf 'e\033[1m\377.ctp')
cp "100%p.ctp" "$escape"
expect 0 ctprof info "$escape"
printf 'e\\u001b[1m\\xff.ctp\n' >wanted
head -n 1 out | cmp -s - wanted || complain "info: a file's name is printed as is"
rm "$escape"

# Children have their own logs.
expect 0 ctprof record --separate -o family.ctp -- "$CLI_PROGRAM" again
holds "logs of two processes" "ls family.ctp family.[0-9]*.ctp | wc -l" 2
holds "words on two logs" "grep -c 'family.*5 ranges' err" 2
# They are one table; -v shows each in full.
head -c -60 family.ctp >family.cut.ctp
expect 0 ctprof info family*.ctp
head -n 1 out | grep -qE '^format +start +span +processes +threads +ranges +activities +lost +file$' ||
	complain "info of several files: $(head -n 1 out)"
holds "rows of several files" "grep -cE '^log .* (nothing +|see below +)family' out" 3
grep -q '^family.cut.ctp: ' out || complain "the table hides a loss"
expect 0 ctprof info -v family*.ctp
holds "several files in full" "grep -c '^  format  *log$' out" 3
rm family.cut.ctp

# A signal to ctprof alone is for the program.
for signal in USR1 TERM INT; do
	rm -f ready
	mkfifo ready
	# A shell lets its background jobs ignore SIGINT; Python does not.
	"$python" -c '
import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execvp(sys.argv[1], sys.argv[1:])' \
		ctprof record -q --force -o wait.ctp "$CLI_PROGRAM" wait >ready &
	exec 9<ready
	read -r _ <&9
	kill -s "$signal" $!
	read -r caught <&9
	exec 9<&-
	wait $! || complain "record: the program caught $signal, but $?"
	[ "$caught" = "caught $(kill -l "$signal")" ] ||
		complain "record: the program got '$caught', not $signal"
done

# Stopped and continued together with the program.
state() {
	sed 's/.*) \(.\).*/\1/' "/proc/$1/stat"
}
is_in_state() {
	[ "$(state "$1")" = "$2" ]
}
becomes() {
	wait_until is_in_state "$1" "$2" ||
		complain "record: process $3 is $(state "$1"), not $2"
}
rm -f ready
mkfifo ready
ctprof record -q --force -o wait.ctp "$CLI_PROGRAM" wait >ready &
exec 9<ready
read -r child <&9
kill -STOP "$child"
becomes "$child" T "of the program"
becomes $! T "of ctprof"
kill -CONT $!
becomes "$child" S "of the program"
becomes $! S "of ctprof"
# A process that stops and continues the program need not know of ctprof.
for _ in 1 2; do
	kill -STOP "$child"
	becomes $! T "of ctprof"
	kill -CONT "$child"
	becomes $! S "of ctprof"
	becomes "$child" S "of the program"
done
kill -USR1 "$child"
exec 9<&-
wait $! || complain "record: status $? after being stopped"

## convert

ctprof record -q --force -o run.ctp -- "$CLI_PROGRAM" || exit 1
expect 0 ctprof convert run.ctp -o run.pstats
said ""
cp run.pstats kept
expect 5 ctprof convert run.ctp -o run.pstats
said "ctprof: run.pstats: exists; --force overwrites it"
ln -s run.pstats link.pstats
chmod 600 run.pstats
expect 0 ctprof convert run.ctp --force -o link.pstats
cmp -s run.pstats kept || complain "convert: --force changed the content"
[ -L link.pstats ] || complain "convert: --force replaced a link"
mkdir tree
cp run.ctp tree/kept.ctp
ln -s tree/kept.ctp link.ctp
ln tree/kept.ctp hard.ctp
echo "5% *" >perf.limits
echo "[" >cut.json
while read -r command; do
	# shellcheck disable=SC2086
	expect 5 ctprof $command
	said "ctprof: ${command##* }: is also an input; write to another file"
done <<'EOF'
convert link.ctp --force -o link.ctp
convert link.ctp -o tree/kept.ctp
cut link.ctp --force -o ./hard.ctp
stats tree --force -o link.ctp
info link.ctp --force -o link.ctp
gaps run.ctp link.ctp --force -o tree/kept.ctp
merge run.ctp link.ctp --force -o link.ctp
symbolize link.ctp --force -o tree/kept.ctp
repair cut.json --force -o cut.json
diff run.ctp link.ctp --force --svg link.ctp
check --limits perf.limits run.ctp link.ctp --force --junit perf.limits
EOF
cmp -s run.ctp link.ctp || complain "an input was replaced by another file"
# An earlier report in the directory is not an input.
for _ in 1 2; do
	expect 0 ctprof stats --json tree --force -o tree/stats.json
done
rm tree/stats.json
holds "mode of an overwritten file" "stat -c %a run.pstats" 600
expect 0 ctprof convert -t pstats run.ctp
cmp -s out kept || complain "convert: stdout differs from a file"
expect 0 ctprof convert -t pstats -o - run.ctp
cmp -s out kept || complain "convert: -o - differs from a file"
expect 0 sh -c 'ctprof convert -t pstats - <run.ctp'
cmp -s out kept || complain "convert: stdin differs from a file"
expect 0 sh -c 'cat run.ctp | ctprof convert -t pstats'
cmp -s out kept || complain "convert: a pipe differs from a file"
for format in $(ctprof formats --json | "$python" -c '
import json, sys
print(*(f["name"] for f in json.load(sys.stdin)["rows"]
	if f["writes"] and f["name"] != "svg"))'); do
	if [ "$format" = sqlite ] && "$CTPROF" convert -t sqlite run.ctp 2>&1 |
		grep -aq 'built without libsqlite3'; then
		expect 3 ctprof convert -t sqlite run.ctp
		continue
	fi
	expect 0 ctprof convert -t "$format" run.ctp
	[ -s out ] || complain "convert -t $format: wrote nothing"
	mv out direct
	ln -sf "$CTPROF" "bin/ctp2$format"
	expect 0 "ctp2$format" run.ctp
	cmp -s out direct || complain "ctp2$format differs from convert"
done
ln -s "$CTPROF" bin/ctp2gprof2dot
expect 0 ctp2gprof2dot run.ctp
cmp -s out kept || complain "ctp2gprof2dot is not pstats"
expect 0 ctprof convert -t dot kept
mv out direct
expect 0 ctp2dot kept
cmp -s out direct || complain "ctp2dot does not read pstats"
expect 0 ctprof convert -t folded --top 1 run.ctp
printed "(other)"
expect 0 ctprof convert -t folded --min 50% run.ctp
printed "(other)"
expect 2 ctprof convert -t folded --min much run.ctp
expect 2 ctprof convert -t chrome --min 1us run.ctp
said "ctprof: --min needs a profile: format chrome is a timeline; use --min-dur"
expect 2 ctprof convert -t pftrace --top 3 run.ctp
said "ctprof: --top needs a profile: format pftrace is a timeline"
expect 2 ctprof convert -t pstats --min-dur 1us run.ctp
said "ctprof: --min-dur needs a timeline: format pstats is a profile; use --min"
expect 2 ctprof convert -t chrome --min-dur soon run.ctp
expect 0 ctprof cut --min-dur 2us -o long.json --force run.ctp
expect 0 ctprof convert --min-dur 2us -t chrome run.ctp
cmp -s out long.json || complain "convert --min-dur differs from cut --min-dur"
expect 0 ctprof convert -t chrome run.ctp
cmp -s out long.json && complain "--min-dur leaves out nothing"
# The size of JSON is estimated before the disk is full: the output has a limit
# of 32 MB.
"$python" - <<'END' >many.json
print("[" + ",\n".join('{"ph":"X","pid":1,"tid":1,"ts":%d,"dur":1,"name":"f"}'
                       % at for at in range(200000)) + "]")
END
expect 0 ctprof convert many.json -o many.ctp
for _ in $(seq 64); do cat many.ctp; done >large.ctp
(ulimit -f 32768; trap '' XFSZ; exec "$CTPROF" convert large.ctp -o large.json 2>err)
[ $? = 5 ] || complain "convert: a large output is not limited"
holds "the size of JSON" \
	"grep -c '^ctprof: large.json: about [0-9.]* GB of JSON; .pftrace' err" 1
(ulimit -f 32768; trap '' XFSZ; exec "$CTPROF" convert large.ctp -q -o large.json 2>err)
grep -q 'of JSON' err && complain "convert -q reports the size"
expect 0 ctprof convert many.ctp --force -o many.json
[ -s err ] && complain "convert: $(cat err)"
rm -f many.* large.*
expect 0 ctprof convert -t pstats --edge-times=primitive run.ctp
cmp -s out kept || complain "--edge-times=primitive is not the default"
expect 0 ctprof convert -t pstats --edge-times=all run.ctp
cmp -s out kept && complain "--edge-times=all changes nothing"
cp out all_edges
expect 0 ctprof convert -t pstats --document-edges run.ctp
cmp -s out all_edges || complain "--document-edges is not --edge-times=all"
expect 2 ctprof convert -t pstats --edge-times=some run.ctp
expect 2 ctprof stats --edge-times=some run.ctp
for command in convert stats; do
	expect 0 ctprof $command --help
	grep -q -e '--edge-times=all|primitive' out ||
		complain "$command --help: no --edge-times"
	grep -q document-edges out &&
		complain "$command --help: --document-edges"
done
expect 2 ctprof convert run.ctp
said "ctprof: no output format; use -t FORMAT, see 'ctprof formats'"
expect 2 ctprof convert run.ctp -o run.unknown
expect 2 ctprof convert -t nonsense run.ctp
expect 2 ctprof convert -t nsys run.ctp
expect 2 ctprof convert -f pstats -t chrome run.pstats
said "ctprof: format pstats is a profile (no timestamps) and cannot become a timeline (chrome)"
expect 5 ctprof convert run.ctp -t pstats -o /dev/full
said "ctprof: /dev/full: cannot write: No space left on device"
for arguments in "convert -t chrome run.ctp" "stats run.ctp" "info run.ctp" \
	"stats --json run.ctp" "formats" "--help" "stats --help" \
	"completion bash"; do
	expect 5 sh -c "ctprof $arguments >/dev/full"
	said "ctprof: standard output: cannot write: No space left on device"
done
expect 5 ctprof convert run.ctp -o no/such.pstats
expect 0 sh -c 'ctprof convert -t chrome -o /dev/stdout run.ctp | cat'
[ -s out ] || complain "convert: -o /dev/stdout wrote nothing"
echo first > appended
expect 0 sh -c 'ctprof convert -t folded -o /dev/stdout run.ctp >>appended'
holds "convert -o /dev/stdout >>FILE" "head -1 appended" first
holds "temporary files" "ls -A | grep -c '^\.ctprof'" 0

# Many inputs.
cp run.ctp two.ctp
echo nonsense > bad.ctp
expect 3 ctprof convert -t pstats -o all/ -j 2 run.ctp bad.ctp none.ctp two.ctp
holds "outputs of a batch" "echo all/*" "all/run.pstats all/two.pstats"
said "ctprof: none.ctp: cannot open: No such file or directory"
said "ctprof: bad.ctp: unknown format; see 'ctprof formats'"

# Files of known kinds that are not inputs.
tar -cf foreign.tar bad.ctp
expect 3 ctprof info foreign.tar
said "ctprof: foreign.tar: is a tar archive; unpack it (tar -xf) and name the files"
gzip foreign.tar
expect 3 ctprof info foreign.tar.gz
said "ctprof: foreign.tar.gz: is a tar archive; unpack it (tar -xf) and name the files"
expect 3 ctprof repair foreign.tar.gz -o mended.json
said "ctprof: foreign.tar.gz: is a tar archive; unpack it (tar -xf) and name the files"
expect 3 ctprof info /bin/sh
said "ctprof: /bin/sh: is a program, not a profile; 'ctprof record' runs programs"
for events in '' '"traceEvents":[],'; do
	printf '{%s"systemTraceEvents":"# tracer: nop"}' "$events" >system.json
	expect 3 ctprof info system.json
	said "ctprof: system.json: contains only the text of ftrace; convert it with Perfetto's 'traceconv json' first"
done
for name in info gaps kernels cut; do
	expect 3 ctprof $name .
	said "ctprof: .: is a directory; name its files, or use stats, phases, ranks, summarize, diff, check, convert or report"
done
printf 'perl 1 [0] 2.5:  9 cycles: \n\t  7f12 main+0x1 (perl)\n' >foreign.txt
expect 3 ctprof info foreign.txt
said "ctprof: foreign.txt: is output of 'perf script'; use the folded stacks of 'perf script report stackcollapse'"
printf '{"nodes":[],"samples":[2],"timeDeltas":[1]}' >foreign.cpuprofile
expect 3 ctprof info foreign.cpuprofile
said "ctprof: foreign.cpuprofile: is a V8 profile (Node, Chrome); open it in https://www.speedscope.app and convert its export"
echo '{"rocprofiler-sdk-tool":[{"metadata":{},"buffer_records":{}}]}' >rocprof.json
expect 3 ctprof stats rocprof.json
said "ctprof: rocprof.json: is JSON of rocprofv3; use 'rocprofv3 --output-format pftrace' and convert the trace with Perfetto's 'traceconv json'"
expect 0 ctprof convert -t pftrace run.ctp -o foreign.pftrace
expect 3 ctprof info foreign.pftrace
said "ctprof: foreign.pftrace: is a Perfetto trace; convert it with Perfetto's 'traceconv json' first"
printf '{"linux-perf-json-version":1,"samples":[{"timestamp":1,"tid":2}]}' \
	>foreign.json
expect 3 ctprof info foreign.json
said "ctprof: foreign.json: is perf data as JSON; use the folded stacks of 'perf script report stackcollapse'"
printf '\012\352\101\022\016/host:metadata' >foreign.pb
expect 3 ctprof info foreign.pb
said "ctprof: foreign.pb: is an XLA profile; use the trace.json.gz beside it, or convert it with xprof first"
printf '\200\004\225%8s}\224(\214\010segments\224]' '' >foreign.pickle
expect 3 ctprof info foreign.pickle
said "ctprof: foreign.pickle: is a PyTorch memory snapshot; open it in https://pytorch.org/memory_viz"
printf '<?xml version="1.0"?>\n<!DOCTYPE svg>\n' >foreign.svg
expect 3 ctprof info foreign.svg
said "ctprof: foreign.svg: is a picture (SVG); use the data that it was made from"
printf '\n<!DOCTYPE html>\n' >foreign.html
expect 3 ctprof info foreign.html
said "ctprof: foreign.html: is a web page; use the data that it was made from"
printf '{"threads":[],"data":[]}' >foreign.json
expect 3 ctprof info foreign.json
said 'ctprof: foreign.json: has no "traceEvents"'

# Austin's folded stacks have microseconds, or bytes, and remarks.
for mode in wall:2000 memory:2 full:2000; do
	printf '# austin: 3.4.1\n# mode: %s\n\nP1;T2;a.py:f:1 2%s\n# end: 2\n' \
		"${mode%:*}" "$(expr "$mode" : 'full' >/dev/null && echo ,0,-5)" \
		>austin.txt
	expect 0 ctprof convert -t folded austin.txt -o -
	holds "Austin's ${mode%:*}" "cat out" "P1;T2;a.py:f:1 ${mode#*:}"
done
expect 5 ctprof convert -t pstats -o all run.ctp two.ctp
expect 0 ctprof convert -t pstats -o all --force run.ctp two.ctp
mkdir other
cp run.ctp other
expect 2 ctprof convert -t pstats -o new/ run.ctp other/run.ctp
said "ctprof: new/run.pstats: is the output of more than one input; give each input its own"
[ -e new ] && complain "convert: colliding names still made the directory"
expect 2 ctprof convert -t pstats run.ctp two.ctp
said "ctprof: 2 inputs need more than one output; use -o DIRECTORY/"
printf 'run.ctp\0two.ctp\0' > names
expect 0 ctprof convert -t dot -o all/ --files0-from=names
holds "outputs by --files0-from" "ls all/*.dot | wc -l" 2
expect 2 ctprof convert -t dot -o all/ --files0-from=names run.ctp
expect 3 ctprof convert -t dot -o all/ --files0-from=missing

# A signal removes an unfinished output.
rm -f slow
mkfifo slow
ctprof convert slow -t chrome -o ended.json 2>/dev/null &
{
	# Enough for the output to be opened.
	for _ in $(seq 20); do
		cat run.ctp
	done
	wait_until compgen -G '.ctprof*' >has ||
		complain "convert: there is no temporary file" >&2
	kill -TERM $!
} > slow
wait $!
[ $? = 143 ] || complain "convert: SIGTERM does not end it"
holds "files left by SIGTERM" "ls -A | grep -c -e '^\.ctprof' -e '^ended'" 0

## stats and info

expect 0 ctprof stats run.ctp
cat > want <<'END'
ncalls  pcalls  tottime ms  self %  cumtime ms  function
     1       1       7.000   70.00      10.000  main (one.c:1)
     3       2       3.000   30.00       3.000  parse (two.c:20)
     1       1       0.000    0.00       0.000  a, "b"

Total timings: 5, unique functions: 3
Sum tottime: 10.000 ms, sum cumtime: 13.000 ms
END
cmp -s out want || complain "stats: $(diff want out)"
expect 0 ctprof stats --csv run.ctp
cat > want <<'END'
name,file,line,ncalls,pcalls,tottime_ns,cumtime_ns
main,dir/one.c,1,1,1,6999750,10000000
parse,dir/two.c,20,3,2,3000000,3000000
"a, ""b""",,0,1,1,250,250
END
cmp -s out want || complain "stats --csv: $(diff want out)"
# Invalid text is escaped, in names and fields, or is U+FFFD.
printf '[{"ph":"X","pid":1,"tid":1,"name":"a\\u0000b\377,\303\204","ts":0,
	"dur":1}]' >bytes.json
expect 0 ctprof stats --csv bytes.json
printed "$(printf '"a\357\277\275b\\xff,\303\204",,0,1,1,1000,1000')"
expect 0 ctprof stats --csv-raw bytes.json
printed "$(printf '"a\357\277\275b\357\277\275,\303\204",,0,1,1,1000,1000')"
expect 0 ctprof stats bytes.json
printed "$(printf 'a\357\277\275b\\xff,\303\204')"
expect 0 ctprof convert -t csv -o - bytes.json
printed "$(printf '"a\\u0000b\\xff,\303\204",')"
expect 0 ctprof convert -t csv --csv-raw -o - bytes.json
printed "$(printf '"a\357\277\275b\357\277\275,\303\204",')"
expect 2 ctprof convert -t folded --csv-raw -o - bytes.json
said "ctprof: --csv-raw works with csv only, not with folded"
# A number that stands for a text must not be shown.
printf '[{"ph":"X","pid":"a","tid":"b","name":"x","ts":0,"dur":1},
	{"ph":"X","pid":7,"tid":"c","name":"y","ts":0,"dur":1}]' >texts.json
expect 0 ctprof convert -t csv -o - texts.json
printed "range,1,,,0,0,1000,1000,,,a,b,"
printed "range,2,,,0,0,1000,1000,7,,,c,"
"$python" -c 'import marshal
marshal.dump({("f\0g", 1, "a\0b"): (1, 1, 1.0, 1.0, {}),
              ("f\0h", 1, "a\0c"): (1, 1, 1.0, 1.0, {})},
             open("bytes.pstats", "wb"))'
expect 0 ctprof stats --csv bytes.pstats
printed "$(printf 'a\357\277\275c,f\357\277\275h,1,1,1,')"
expect 0 ctprof stats --callers --callees --csv run.ctp
printed "caller,main,dir/one.c,1,2,2,2500000,3000000"
printed "callee,parse,dir/two.c,20,1,1,500000,500000"
expect 0 ctprof stats --sort name --unit ns run.ctp
holds "stats --sort name" "sed -n 2p out" \
	'     1       1         250    0.00         250  a, "b"'
expect 0 ctprof stats --top 1 run.ctp
printed "(2 more functions not shown; see --top and --min)"
expect 0 ctprof stats --min 1us run.ctp
printed "(1 more function not shown; see --top and --min)"
expect 0 ctprof stats run.ctp two.ctp
printed "Total timings: 10, unique functions: 3"
expect 0 ctprof stats --color=always run.ctp
grep -q "$(printf '\033')" out || complain "stats: --color=always has no colour"
expect 0 env CLICOLOR_FORCE=1 NO_COLOR=1 ctprof stats run.ctp
grep -q "$(printf '\033')" out && complain "stats: NO_COLOR is not honoured"
expect 3 ctprof stats run.ctp none.ctp
printed "main (one.c:1)"
expect 3 ctprof stats none.ctp
holds "stats of nothing" "cat out" ""
expect 2 ctprof stats --sort size run.ctp
expect 0 ctprof stats --json --callers --top 2 run.ctp
"$python" - 2>err <<'END' || complain "stats --json: $(tail -1 err)"
import json
report = json.load(open("out"))
assert report["schema"] == "ctprof/stats/1", report["schema"]
assert report["inputs"] == ["run.ctp"] and report["lost"] == {}
assert report["truncated"] is True
assert report["rows"] == [
    {"name": "main", "file": "dir/one.c", "line": 1, "ncalls": 1, "pcalls": 1,
     "tottime_ns": 6999750, "cumtime_ns": 10000000, "callers": []},
    {"name": "parse", "file": "dir/two.c", "line": 20, "ncalls": 3,
     "pcalls": 2, "tottime_ns": 3000000, "cumtime_ns": 3000000, "callers": [
         {"name": "main", "file": "dir/one.c", "line": 1, "ncalls": 2,
          "pcalls": 2, "tottime_ns": 2500000, "cumtime_ns": 3000000},
         {"name": "parse", "file": "dir/two.c", "line": 20, "ncalls": 1,
          "pcalls": 1, "tottime_ns": 500000, "cumtime_ns": 500000}]}], \
    report["rows"]
END
expect 0 ctprof info --json run.ctp
"$python" - "$CLI_PROGRAM" 2>err <<'END' || complain "info --json: $(tail -1 err)"
import json, sys, time
report = json.load(open("out"))
assert report["schema"] == "ctprof/info/1" and report["truncated"] is False
assert report["format"] == "log" and report["threads"] == 1
assert report["processes"] == 1 and report["devices"] == 0
assert report["counts"] == {"ranges": 5, "device": 0, "device_other": 0,
    "calls": 0, "instants": 0, "counters": 0, "async": 0, "memory": 0, "steps": 0,
    "open": 0}
assert abs(report["start_ns"] / 1e9 - time.time()) < 3600
assert "cli_program" in report["facts"]["command"]
assert report["clocks"][0]["hz"] > 0
assert report["clock_skew_ns"] is None and report["device_properties"] == []
END

# Damage is reported, and is an error only under --strict.
size=$(stat -c %s run.ctp)
head -c $((size - 10)) run.ctp > cut.ctp
expect 0 ctprof stats cut.ctp
grep -q '^ctprof: cut.ctp: 1 recording cut off' err ||
	complain "stats: did not say that its input is cut off: $(cat err)"
expect 0 ctprof stats -q cut.ctp
said ""
expect 4 ctprof stats --strict -q cut.ctp
expect 4 ctprof info --strict cut.ctp
expect 4 ctprof convert --strict -t folded cut.ctp
expect 0 ctprof info run.pstats
printed "  span    unknown"
holds "info of a profile: no threads" "grep -c threads out" 0
expect 0 ctprof info --json cut.ctp
printed '"truncated":true'

## The rest

ctprof --help >commands
for name in '' $(sed -n 's/^  \([a-z]*\)  .*/\1/p' commands); do
	# shellcheck disable=SC2086
	expect 0 ctprof $name --help
	printed "Usage: ctprof"
	grep -E '^.{80}|^ {7,}--[a-z]+| $' out && complain "$what: untidy lines"
	holds "$what: examples" "grep -c '^Examples:$' out" 1
	# A continued line begins at the text's column, or is one of argp's
	# paragraphs.
	holds "$what: text out of its column" "sed '/^Examples:/q' out |
		grep -cE '^ {3,5}[^ ]|^ {7,28}[^ ]|^ {30,}'" 0
	expect 0 ctprof ${name:---version} -V
	printed "ctprof $(ctprof --version | cut -d' ' -f2)"
done
for name in ctp2nothing nothing2dot ctp2pstat ctp2nsys dot2ctp gprof2dot2no ctprof2; do
	ln -s "$CTPROF" $name
done
expect 2 ./ctp2nothing run.ctp
said "ctprof: unknown command 'ctp2nothing': unknown format 'nothing'; see 'ctprof formats'"
expect 2 ./nothing2dot run.ctp
said "ctprof: unknown command 'nothing2dot': unknown format 'nothing'; see 'ctprof formats'"
expect 2 ./ctp2pstat run.ctp
said "ctprof: unknown command 'ctp2pstat': unknown format 'pstat'; did you mean 'pstats'?"
expect 2 ctprof convert --to pstat run.ctp
said "ctprof convert: --to: unknown format 'pstat'; did you mean 'pstats'?"
expect 2 ctprof merge --to speedscop run.ctp
said "ctprof merge: --to: unknown format 'speedscop'; did you mean 'speedscope'?"
expect 2 ctprof stats --from crome run.ctp
said "ctprof stats: --from: unknown format 'crome'; did you mean 'chrome'?"
expect 2 ctprof stats --from nope run.ctp
said "ctprof stats: --from: unknown format 'nope'; see 'ctprof formats'"
expect 2 ctprof stats --from nothing run.ctp
said "ctprof stats: --from: unknown format 'nothing'; see 'ctprof formats'"
expect 2 ./ctp2nsys run.ctp
said "ctprof: unknown command 'ctp2nsys': format nsys is read-only; see 'ctprof formats'"
expect 2 ./dot2ctp run.ctp
said "ctprof: unknown command 'dot2ctp': format dot is write-only; see 'ctprof formats'"
expect 2 ./gprof2dot2no run.ctp
expect 0 ./ctprof2 stats run.ctp
expect 2 ctprof
expect 2 ctprof sats
said "ctprof: unknown command 'sats'; did you mean 'stats'?"
expect 2 ctprof stats --nonsense
for name in stats gaps kernels phases diff check; do
	expect 2 ctprof $name --json --csv run.ctp run.ctp
	said "ctprof $name: --json and --csv exclude each other"
done
for name in stats gaps kernels; do
	expect 2 ctprof $name --top few run.ctp
	said "ctprof $name: --top: 'few' is not a number of rows, or 0 for all"
	expect 0 ctprof $name --top 0 run.ctp
	# The second time, nothing would be left of it.
	expect 2 ctprof $name - -
	said "ctprof $name: standard input (-) can be read only once"
	printf -- '-\0-\0' >names0
	expect 2 ctprof $name --files0-from=names0
	said "ctprof $name: standard input (-) can be read only once"
done
for name in '' ' ' '\u200b'; do
	printf '[{"ph":"X","pid":1,"tid":1,"ts":0,"dur":5,"name":"%s"},
		{"ph":"X","cat":"kernel","pid":0,"tid":7,"ts":0,"dur":5,
		"name":"%s","args":{"device":0,"stream":7}}]' \
		"$name" "$name" >nameless.json
	expect 0 ctprof stats nameless.json
	printed "5.000  (no name)"
	for command in "stats --gpu" "stats --group name" kernels \
		"check --all nameless.json" "convert -t folded"; do
		# shellcheck disable=SC2086
		expect 0 ctprof $command nameless.json
		printed "(no name)"
	done
done
# The input that the message is about; missing inputs do not count.
for name in gaps kernels; do
	expect 3 ctprof $name missing run.ctp two.ctp
	holds "$name: names" "grep -nE '^(run|two).ctp$' out" "1:run.ctp
4:two.ctp"
	expect 0 ctprof $name run.ctp
	holds "$name: no name" "grep -c ctp out" 0
done
expect 2 ctprof kernels --sort size run.ctp
said "ctprof kernels: --sort: 'size' is not one of name|count|total|mean|min|max|flops|bytes"
expect 2 ctprof stats --interval 1s run.ctp
said "ctprof stats: --interval needs --follow"
for name in cut convert; do
	expect 2 ctprof $name --split 0 -o parts/ run.ctp
	said "ctprof $name: --split: size must be greater than 0"
done
# A log is compressed already.
for name in convert cut merge; do
	expect 2 ctprof $name run.ctp -o packed.ctp.gz
	said "ctprof: packed.ctp.gz: format log is already compressed; use -o packed.ctp"
done
expect 6 ctprof stats --max-mem 1 run.ctp
said "ctprof: needs more than the limit of 1 B of memory; --max-mem=SIZE sets another"
for name in record convert cut stats symbolize repair; do
	expect 2 ctprof $name -o "" run.ctp
	grep -q -e '--output: the name is empty$' err ||
		complain "$what: said $(cat err)"
done
expect 2 ctprof diff --svg "" run.ctp run.ctp
expect 2 ctprof check --junit "" run.ctp run.ctp
expect 2 ctprof formats extra
expect 0 ctprof formats
printed ".pstats"
expect 0 ctprof help --roff convert
printed '\fB\-t\fR, \fB\-\-to\fR=\fIFORMAT\fR'
expect 2 ctprof help nonsense
expect 0 env MANPATH=/nonexistent ctprof help stats
printed "Usage: ctprof stats"
expect 2 env MANPATH=/nonexistent ctprof help log
said "ctprof: log: not a command, and man has no page ctprof-log(5)"
expect 2 ctprof completion tcsh
for shell in bash zsh fish; do
	expect 0 ctprof completion $shell
	mv out "completion.$shell"
	command -v $shell >/dev/null || continue
	expect 0 $shell -n "completion.$shell"
	said ""
done
# completes WORDS WANT: bash's completions of the last word.
completes() {
	(
		. ./completion.bash
		compopt() { :; }
		read -ra COMP_WORDS <<<"${1//=/ = }"
		[ "${1% }" = "$1" ] || COMP_WORDS+=("")
		COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
		_ctprof
		echo "${COMPREPLY[*]}"
	) > out
	[ "$(cat out)" = "$2" ] || complain "completion of '$1': $(cat out)"
}
completes "ctprof con" "convert"
completes "ctprof convert --to=ps" "pstats"
completes "ctp2dot --forc" "--force"
completes "ctprof record --policy " "block grow drop"
completes "ctprof help sta" "stats"
completes "ctprof completion z" "zsh"
completes "ctprof convert -o " ""

[ $failed = 0 ] && echo "the command line does what it should"
exit $failed
