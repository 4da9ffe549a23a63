#!/bin/bash
# SPDX-License-Identifier: MIT
# symbols.h agrees with binutils about functions, for any compiler, options and
# place of debug information: see tests/lib/symbols/symbols.py.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh" || exit 99
list=$build/tests/support/list_functions
need nm objcopy strip readelf addr2line c++filt "$python"
cd "$work" || exit 99
source=$srcdir/tests/lib/symbols/symbols_program.cc
# Without libdw there are names, but no files and lines.
elf_list=$build/tests/support/list_elf_functions
lines=$(sed -n 's/^LIBDW_LIBS = *//p' "$build/Makefile")

# compare WHAT FILE [DEBUG_FILE [DEBUG_DIRECTORY]]
compare() {
	[ -n "$lines" ] || [ -z "${3-}" ] || {
		echo "skipped: $1: built without libdw"
		return
	}
	# shellcheck disable=SC2086
	if "$list" "$2" ${4-} >ours 2>said &&
		"$python" "$srcdir/tests/lib/symbols/symbols.py" ours "$2" ${3-} >compared
	then
		echo "ok $1: $(tail -1 compared)"
	else
		echo "not ok $1"
		cat said compared
		failed=1
	fi
}

# names WHAT FILE: the reader of ELF symbols agrees with readelf about these.
names() {
	local list=$elf_list
	compare "$1, ELF symbols only" "$2"
}

# refuses WHAT FILE WORDS
refuses() {
	refuses_by "$list" "$@"
	refuses_by "$elf_list" "$@"
}
refuses_by() {
	local list=$1
	shift
	if "$list" "$2" >ours 2>said || ! grep -qF "$3" said; then
		echo "not ok $1: $(cat said)"
		failed=1
	else
		echo "ok $1"
	fi
}

build() {
	# shellcheck disable=SC2086
	"$@" -std=c++17 "$source" 2>said || {
		echo "not ok $*: does not compile"
		cat said
		failed=1
	}
}

for compiler in g++ clang++; do
	command -v $compiler >/dev/null || continue
	for options in -O0 -O2 '-O2 -no-pie' '-O1 -gdwarf-4 -gsplit-dwarf' \
		'-O3 -ffunction-sections -Wl,--gc-sections'; do
		# shellcheck disable=SC2086
		build $compiler -g $options -o program
		compare "$compiler $options" program program
		names "$compiler $options" program
	done
	build $compiler -g -O2 -fPIC -shared -o library.so
	compare "$compiler, a shared library" library.so library.so
	names "$compiler, a shared library" library.so
	build $compiler -O2 -o program
	compare "$compiler without debug information" program
	strip program
	build $compiler -O2 -fPIC -shared -o library.so
	strip library.so
	compare "$compiler, only exported symbols" library.so
	names "$compiler, only exported symbols" library.so
done
compiler=$(command -v g++ || command -v clang++)
[ -n "$compiler" ] || skip "there is no C++ compiler"

build "$compiler" -g -O2 -Wl,--build-id -o whole
objcopy --only-keep-debug whole whole.debug
id=$(readelf -n whole | sed -n 's/.*Build ID: //p')

cp whole stripped
strip stripped
mkdir -p "places/.build-id/${id:0:2}"
cp whole.debug "places/.build-id/${id:0:2}/${id:2}.debug"
compare "debug information by build id" stripped whole "$work/places"
rm -r places

objcopy --add-gnu-debuglink=whole.debug stripped linked
compare "debug information by name, beside the file" linked whole
mkdir .debug
mv whole.debug .debug
compare "debug information by name, in .debug" linked whole
mkdir elsewhere
mv .debug/whole.debug elsewhere
compare "debug information by name, elsewhere" linked whole "$work/elsewhere"
rm -r .debug elsewhere

# Another file of that name is not used.
build "$compiler" -g -O0 -Wl,--build-id -o other
objcopy --only-keep-debug other whole.debug
"$list" linked >ours
if [ "$(cut -f3 ours | sort -u)" = "" ]; then
	echo "ok debug information of another build is not used"
else
	echo "not ok debug information of another build is used"
	failed=1
fi
rm whole.debug

if objcopy --compress-debug-sections=zlib whole compressed; then
	compare "compressed debug information" compressed whole
fi
if command -v dwz >/dev/null; then
	cp whole one
	cp whole two
	dwz -m common one two && compare "shared debug information" one whole
fi

strip -R .gnu_debuglink -s whole -o bare
{ "$list" bare && "$elf_list" bare; } >ours
if ! grep -q symbols_program ours && ! grep -qw main ours; then
	echo "ok without any symbols nothing is made up"
else
	echo "not ok without any symbols something is made up"
	failed=1
fi

# Files of 32 and 64 bits and both byte orders.
mkdir seeds
"$python" -B "$srcdir/tests/lib/symbols/elf_seeds.py" seeds
printf '%s\t%s\t\t0\t%s\n' 100 local local 180 _Z5twicei 'twice(int)' \
	1c0 resolved resolved >expected
for kind in 64-little 64-big 32-little 32-big; do
	if "$elf_list" seeds/$kind-whole >ours && cmp expected ours; then
		echo "ok $kind"
	else
		echo "not ok $kind"
		failed=1
	fi
done

mkfifo pipe
refuses "a pipe is no program" pipe "is not a program or shared library"
refuses "a directory is no program" . "is not a program or shared library"
refuses "a text is no program" "$source" "is not a program or shared library"
refuses "a file that is not there" none "cannot open"
build "$compiler" -c -o object.o
refuses "an object file is no program" object.o "not a program or shared library"
head -c 40 whole >cut
refuses "a file that is cut off" cut "not a program or shared library"
exit $failed
