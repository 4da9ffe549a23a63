#!/bin/bash
# SPDX-License-Identifier: MIT
# A program compiled with -finstrument-functions is recorded, with chosen
# functions only, and its functions get names: at once, or later from files
# elsewhere.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh" || exit 99
cd "$work" || exit 99
export TMPDIR=$work
# Without libdw, names come from ELF symbols, and have no lines.
lines=$(sed -n 's/^LIBDW_LIBS = *//p' "$build/Makefile")
${CXX:-g++} -g -O1 -finstrument-functions -Wl,--build-id \
	-o program "$srcdir/tests/lib/symbols/symbols_program.cc" 2>said ||
	skip "${CXX:-g++} cannot compile: $(head -1 said)"
"$CTPROF" record -o run.ctp ./program >/dev/null 2>said
[ -f run.ctp ] || skip "nothing can be preloaded here: $(cat said)"

complain() {
	echo "not ok $1"
	cat said err 2>/dev/null
	failed=1
}

# check WHAT COMMAND...: does it succeed?
check() {
	local what=$1
	shift
	if "$@" >out 2>err; then
		echo "ok $what"
	else
		complain "$what"
	fi
	# The program's output stays until it is run again.
	[ "$1" != "$CTPROF" ] || mv err said
}

# expect WHAT STATUS COMMAND...
expect() {
	local what=$1 wanted=$2 status
	shift 2
	"$@" >out 2>said
	status=$?
	[ $status = "$wanted" ] && echo "ok $what" ||
		complain "$what: status $status, not $wanted"
}

# names LOG [OPTION...]: the functions in a log, one per line.
names() {
	"$CTPROF" stats --csv --top 0 "$@" | cut -d, -f1 | tr -d '"' |
		LC_ALL=C sort
}

has() {
	names "$1" "${@:3}" | grep -qxF -- "$2"
}

lacks() {
	! names "$1" | grep -q -- "$2"
}

record() {
	rm -f "$1"
	"$CTPROF" record -q -o "$@" >/dev/null
}

# said WORDS: has the last command printed these?
said() {
	grep -qF -- "$1" said
}

# At once.
check "functions have full names" has run.ctp 'main'
check "C++ names are demangled" "$CTPROF" stats --csv run.ctp
position='.*symbols_program.cc,[1-9][0-9]*,'
[ -n "$lines" ] || position=',0,'
grep -q "^ns::Class::method(int),$position" out &&
	echo "ok with file and line" || complain "with file and line: $(cat out)"
check "short names" has run.ctp 'ns::Class::method' --names=short
check "mangled names" has run.ctp _ZN2ns5Class6methodEi --names=mangled
check "names of C are all the same" has run.ctp plain --names=mangled
check "converters know --names" "$CTPROF" convert --names=short -t folded \
	-o run.folded run.ctp
grep -q 'ns::operator<' run.folded && ! grep -q 'ns::Class const' run.folded &&
	echo "ok names in another format" || complain "names in another format"
expect "other names make no sense" 2 "$CTPROF" stats --names=long run.ctp
check "constructors before main are recorded" has run.ctp 'ns::Early::Early()'
check "nothing is left beside the log" test -z "$(ls -A | grep '^\.ctprof')"

# Later.
record raw.ctp --no-symbolize -- ./program
check "without names it is the module and the offset" test "$(names raw.ctp | grep -c '^program+0x')" -gt 15
cp raw.ctp repaired.ctp
expect "repair names the functions of a complete log" 0 "$CTPROF" repair repaired.ctp
said 'is complete; ' && has repaired.ctp main || complain "repair names no functions"
expect "once" 0 "$CTPROF" repair repaired.ctp
said 'is complete: nothing to do' || complain "repair names functions twice"
check "a log without names is read" "$CTPROF" stats raw.ctp
check "and the command that finds them is reported" said "raw.ctp: functions have addresses only"
check "also before its addresses are lost" \
	"$CTPROF" merge -o merged.ctp run.ctp raw.ctp
check "of the log that has no names" \
	test "$(grep -o '^ctprof: [a-z]*.ctp: functions' said)" = \
	"ctprof: raw.ctp: functions"
cp raw.ctp copy.ctp
chmod 640 copy.ctp
check "symbolize gives the names later" "$CTPROF" symbolize copy.ctp
check "and reports how many" said "functions named"
check "they are the same as at once" \
	cmp <(names run.ctp) <(names copy.ctp)
check "the file's mode stays" test "$(stat -c %a copy.ctp)" = 640
cp copy.ctp before.ctp
check "again, there is nothing to do" "$CTPROF" symbolize copy.ctp
check "and nothing is done" cmp copy.ctp before.ctp
check "-o leaves the log alone" "$CTPROF" symbolize -o new.ctp raw.ctp
check "and writes another" has new.ctp main
check "the old one has no names" lacks raw.ctp main
expect "which is not overwritten" 5 "$CTPROF" symbolize -o new.ctp raw.ctp
check "but by force" "$CTPROF" symbolize --force -o new.ctp raw.ctp
check "logs behind one another" sh -c "cat raw.ctp raw.ctp > two.ctp"
check "get names" "$CTPROF" symbolize --strict two.ctp
check "both" lacks two.ctp '+0x'
head -c $(($(stat -c %s raw.ctp) - 20)) raw.ctp >cut.ctp
check "a log that is cut off" "$CTPROF" symbolize cut.ctp
check "gets names too" has cut.ctp main
ln -s cut.ctp link.ctp
cp raw.ctp cut.ctp
check "through a link" "$CTPROF" symbolize link.ctp
check "the file is replaced, and not the link" test -L link.ctp -a ! -L cut.ctp

# At another place, or another file.
mv program hidden
cp raw.ctp lost.ctp
expect "without the program" 0 "$CTPROF" symbolize lost.ctp
check "the missing file is reported" said "program: "
check "and the reason" said "without a name: cannot open"
check "the log stays as it was" cmp raw.ctp lost.ctp
expect "--strict makes it an error" 4 "$CTPROF" symbolize --strict lost.ctp
${CXX:-g++} -O0 -finstrument-functions -Wl,--build-id -o program \
	"$srcdir/tests/lib/symbols/symbols_program.cc"
"$CTPROF" symbolize lost.ctp 2>said
check "another build is not used" cmp raw.ctp lost.ctp
check "and it is reported" said "has changed since it was recorded"
expect "a missing log" 3 "$CTPROF" symbolize none.ctp
expect "a file that is not a log" 3 "$CTPROF" symbolize program
expect "no log at all" 2 "$CTPROF" symbolize
expect "two logs into one" 2 "$CTPROF" symbolize -o x.ctp raw.ctp lost.ctp

# From a file with debug information that was missing before.
if [ -z "$lines" ]; then
	echo "skipped: debug information elsewhere: built without libdw"
	mv hidden program
elif command -v objcopy >/dev/null && command -v strip >/dev/null; then
	mv hidden program
	id=$(readelf -n program | sed -n 's/.*Build ID: //p')
	mkdir -p "debug/.build-id/${id:0:2}"
	objcopy --only-keep-debug program \
		"debug/.build-id/${id:0:2}/${id:2}.debug"
	strip program
	"$CTPROF" symbolize -q lost.ctp
	check "a stripped program has no names" lacks lost.ctp main
	check "but its debug information elsewhere has" \
		"$CTPROF" symbolize --debug-dir=debug lost.ctp
	check "all of them" cmp <(names run.ctp) <(names lost.ctp)
	expect "a directory that is not there" 2 \
		"$CTPROF" symbolize --debug-dir=none lost.ctp
	cp "debug/.build-id/${id:0:2}/${id:2}.debug" program.debug
else
	mv hidden program
fi

# The same header counts as one, by whatever path it was included.
mkdir -p tree/lib tree/build
echo 'static inline int twice(int x) { return 2 * x; }' \
	>tree/twice.h
echo '#include "../twice.h"
int four(int x) { return twice(twice(x)); }' >tree/lib/four.cc
echo '#include "./twice.h"
int four(int x);
int main() { return four(1) - twice(2); }' >tree/main.cc
versions='4 5'
[ -n "$lines" ] || versions=
for version in $versions; do
	(cd tree/build && ${CXX:-g++} -gdwarf-$version -O0 -I./.. \
		-finstrument-functions -o program ../lib/four.cc ../main.cc)
	record tree.ctp -- ./tree/build/program
	check "a header has one path, DWARF $version" test \
		"$("$CTPROF" stats --csv tree.ctp | grep '^twice' | cut -d, -f3-5)" \
		= 1,3,3
	check "and the directory of the build is as it was called" \
		grep -q '^main,.*/build/\.\./main.cc,' <("$CTPROF" stats --csv \
			tree.ctp)
done

# A daemon continues when the program has ended, and is killed.
completes() {
	"$CTPROF" repair "$1" 2>said
}

# end LOG: kills the process of this log, and completes that.
end() {
	local pid=${1%.ctp}
	kill -KILL "${pid##*.}"
	wait_until completes "$1"
}
# The program ends when the daemon has stopped itself: what it recorded stays in
# its buffers, however long a busy machine takes.
cat >daemon.cc <<'END'
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
static void serve() { raise(SIGSTOP); for (;;) pause(); }
int main() {
	int status;
	pid_t daemon = fork();
	if (daemon == 0) { setsid(); serve(); }
	return waitpid(daemon, &status, WUNTRACED) != daemon || !WIFSTOPPED(status);
}
END
${CXX:-g++} -g -finstrument-functions -o daemon daemon.cc
record daemon.ctp -- ./daemon 2>/dev/null
rm daemon.ctp
for log in daemon.*.ctp; do
	expect "a daemon's log is empty at first" 3 "$CTPROF" stats "$log"
	check "which is not an error" said "recording may still be running"
	end "$log"
	check "it is completed after a kill" "$CTPROF" stats "$log"
	check "its functions have names then" has "$log" 'serve()'
done
"$CTPROF" record -o daemon.ctp --force -- ./daemon 2>said
for log in daemon.*.ctp; do
	[ -s "$log" ] && continue
	check "record reports that it continues" said "$log: is empty: its process is still running"
	end "$log"
done

# Chosen functions.
${CXX:-g++} -g -O1 -finstrument-functions -o program \
	"$srcdir/tests/lib/symbols/symbols_program.cc"
record some.ctp --filter='ns::Class::*' --filter=_Z5plain --filter=plain \
	--exclude='*operator*' -- ./program 2>said
check "a pattern without a match is reported" said \
	"--filter=_Z5plain: ./program has no such function"
check "filters choose functions" cmp <(names some.ctp --names=short) - <<'END'
name
ns::Class::Class
ns::Class::count
ns::Class::method
ns::Class::~Class
plain
END
record some.ctp --exclude='*ns::*' --exclude='_ZL4worki' -- ./program
check "functions excluded by the full name are missing" lacks some.ctp 'ns::'
check "by the mangled name too" lacks some.ctp '^work(int)$'
check "all else is" has some.ctp main
record some.ctp --exclude='module:program' -- ./program 2>said
check "a module can be excluded" lacks some.ctp main
record some.ctp --filter='module:prog*' --exclude=main -- ./program
check "or chosen" has some.ctp plain
check "without some of its functions" lacks some.ctp '^main$'
record some.ctp --exclude='module:nothing*' -- ./program 2>said
check "a missing module is reported" said "has no such module"
expect "an empty pattern is refused" 2 "$CTPROF" record --filter= ./program
expect "a missing program" 127 \
	"$CTPROF" record --force --filter=x -o some.ctp ./none
check "the list of functions is gone" test -z "$(ls | grep ctprof-functions)"
exit $failed
