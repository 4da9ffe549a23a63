#!/bin/bash
# SPDX-License-Identifier: MIT
# The manual is well formed and complete in its options, and the commands in its
# examples work. Examples are between .EX and .EE in the section EXAMPLES:
# commands, or in section 3 C programs.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh" || exit 99
need mandoc
# Files that this user's other programs left must not affect the examples.
export CTPROF_SPOOL="$work"

# Names of the test's own directories.
bin=$work/bin
mkdir "$bin" "$work/pages"
ln -s "$CTPROF" "$bin/ctprof"
for name in $("$CTPROF" completion zsh | sed -n '1s/^#compdef ctprof //p'); do
	ln -sf "$CTPROF" "$bin/$name"
done
# Not a link: a virtual environment's python finds it by its path.
printf '#!/bin/sh\nexec "%s" "$@"\n' "$(command -v "$python")" > "$bin/python3"
chmod +x "$bin/python3"
# Examples of the Python package, if it is built, need an interpreter that can
# load it.
package_python=$(package_python)
mkdir "$work/package"
printf '#!/bin/sh\nPYTHONPATH=%s LD_LIBRARY_PATH=%s exec "%s" "$@"\n' \
	"'$PWD/python/package'" "'$PWD/.libs'" "$package_python" \
	> "$work/package/python3"
chmod +x "$work/package/python3"
# Commands that would open a window or wait for a browser, or are rarely
# installed: the stand-in checks that there is something to show.
for name in snakeviz flamegraph.pl; do
	cat > "$bin/$name" <<'END'
#!/bin/sh
for last; do :; done
case $last in
-*) [ -n "$(head -c 1)" ] && cat > /dev/null ;;
*) [ -s "$last" ] ;;
esac
END
	chmod +x "$bin/$name"
done

for page in "$srcdir"/doc/*.1.in; do
	name=$(basename "$page" .in)
	sh "$srcdir/doc/man.sh" "$CTPROF" "$page" > "$work/pages/$name" ||
		complain "$name: cannot be made"
	if [ -f "doc/$name" ]; then
		cmp -s "doc/$name" "$work/pages/$name" ||
			complain "doc/$name is not up to date"
	fi
	! grep -q '^@\|@[A-Z]*@' "$work/pages/$name" ||
		complain "$name: has a line with @"
done
cp "$srcdir"/doc/*.[35] "$work/pages" || exit 99

for page in "$work"/pages/*; do
	mandoc -Tlint -Wwarning "$page" ||
		complain "$(basename "$page"): mandoc complains"
	[ -z "$(grep '^\.SH ' "$page" | sort | uniq -d)" ] ||
		complain "$(basename "$page"): has a section twice"
done

# Every command has a page with all its options and formats. The page of ctprof
# refers to it in its list and at its end.
for command in $("$CTPROF" --help | sed -n 's/^  \([a-z]*\)  .*/\1/p'); do
	page=$work/pages/ctprof-$command.1
	if [ ! -f "$page" ]; then
		complain "ctprof-$command.1: there is no such page"
		continue
	fi
	leads=$(grep -c "^\.BR ctprof.-$command (1)" "$work/pages/ctprof.1")
	[ "$leads" -ge 2 ] ||
		complain "ctprof.1: does not lead to ctprof-$command(1)"
	mandoc -Tascii "$page" | sed 's/.\x08//g' > "$work/text" || exit 99
	options=$("$CTPROF" "$command" --help |
		grep -oE '^ {2,6}(-[a-zA-Z], )?--[a-z0-9-]+' | tr -d ,)
	[ -n "$options" ] || complain "$command: --help has no options"
	for option in $options; do
		grep -qE -- "^ +(.*, )?$option([=, ]|\$)" "$work/text" ||
			complain "ctprof-$command.1: has no $option"
	done
done

mandoc -Tascii "$work/pages/ctprof-x2y.1" | sed 's/.\x08//g' > "$work/text"
"$CTPROF" formats | tail -n +2 > "$work/formats"
[ -s "$work/formats" ] || complain "ctprof formats: lists none"
while read -r name does _ suffix _; do
	[ "$does" = read ] ||
		grep -qFx ".RI ( $suffix )" "$work/pages/ctprof-convert.1" ||
		complain "ctprof-convert.1: does not describe $name"
	[ "$does" = read ] || [ "$name" = log ] ||
		grep -qE "^ +ctp2$name \[OPTION\.\.\.\] +\[FILE" "$work/text" ||
		complain "ctprof-x2y.1: has no ctp2$name"
done < "$work/formats"
sh "$srcdir/doc/readme.sh" "$CTPROF" "$srcdir/README.md" |
	cmp -s - "$srcdir/README.md" ||
	complain "README.md: its table of formats is out of date; run 'make readme'"
messages=doc/guide/troubleshooting.md
python3 "$srcdir/doc/messages.py" "$srcdir" > "$work/messages.md"
cmp -s "$work/messages.md" "$srcdir/$messages" ||
	complain "$messages: its tables of messages are out of date; run 'make readme'"
for cure in 'exists | --force' "'perf script' | use" 'not found | set CTPROF'; do
	grep -qF -- "$cure" "$work/messages.md" ||
		complain "$messages: a message with the cure '$cure' is missing"
done

# can_run FILE: are the programs of the example installed?
can_run() {
	for program in dot gprof2dot jq sqlite3; do
		! grep -qw "^[[:space:]]*$program\|| $program\|> $program" "$1" ||
			command -v "$program" >/dev/null ||
			missing=$program
	done
	# Both of them draw the format svg.
	! grep -q '\.svg$' "$1" || {
		command -v gprof2dot >/dev/null || missing='gprof2dot'
		command -v dot >/dev/null || missing='dot'
	}
	! grep -q 'import .*msgpack' "$1" ||
		"$python" -c 'import msgpack' 2>/dev/null ||
		missing="Python's msgpack"
	# make check-scale runs these.
	! grep -q '^mpirun' "$1" || missing='MPI'
	path=$bin:$PATH
	! grep -q 'sqlite' "$1" || ! "$CTPROF" convert -t sqlite \
		"$work/dir/run.ctp" 2>&1 >/dev/null |
		grep -q 'built without' || missing='libsqlite3'
	if grep -q -e '-m ctprof\|import ctprof\|--python' "$1"; then
		[ -n "$package_python" ] || missing='the package for Python'
		path=$work/package:$path
	fi
	[ -z "$missing" ]
}

ran=0
for page in "$work"/pages/*; do
	name=$(basename "$page")
	rm -rf "$work/dir"
	mkdir "$work/dir"
	cd "$work/dir" || exit 99
	ln -s "$CLI_PROGRAM" program
	case $name in
	ctprof.1 | ctprof-record.1) ;;
	*)
		"$CTPROF" record -q ./program || exit 99
		cp run.ctp run.1234.ctp # as in a child process
		mkdir build
		cp "$srcdir/tests/traces/self-win-clang-19.1_main.json.gz" build
		mkdir trace
		cp "$srcdir/tests/traces/torch_trace_graph_breaks.log.gz" \
			trace/dedicated_log_torch_trace_rank_0_x.log.gz
		cp "$srcdir/tests/traces/compile/functions.json.gz" \
			compile.ctp
		gzip -dc build/*.gz | head -c 5000 | gzip >killed.json.gz
		for trace in t train big rank0 rank1; do
			cp "$srcdir/tests/traces/v100_resnet50_2020_piece.json.gz" \
				$trace.json.gz
		done
		;;
	esac
	mkdir "$work/dir.examples"
	awk '
		/^\.SH / { inside = $2 == "EXAMPLES"; next }
		!inside { next }
		/^\.EX/ { file = sprintf("%s/%02d", out, ++number); next }
		/^\.EE/ { close(file); file = "" }
		file != "" { print > file }
	' out="$work/dir.examples" "$page"
	for example in "$work"/dir.examples/*; do
		[ -f "$example" ] || {
			complain "$name: has no examples"
			break
		}
		sed -i "s/\\\\(aq/'/g" "$example"
		sed -i 's/\\-/-/g; s/\\e/\\/g; s/\\&//g' "$example"
		missing=
		if [ "${name##*.}" = 3 ]; then
			cp "$example" example.c
			# shellcheck disable=SC2086
			${CC:-cc} -std=c17 -Wall -Wextra -Werror \
				-fsyntax-only -I"$srcdir/lib" example.c ||
				complain "$name: an example does not compile"
		elif can_run "$example"; then
			PATH=$path bash -eo pipefail "$example" > out 2> err < /dev/null
			status=$?
			[ $status = 0 ] ||
				complain "$name: $(cat "$example"): status $status: $(cat err)"
		else
			echo "$name: an example was not run for want of $missing"
			continue
		fi
		ran=$((ran + 1))
	done
	rm -rf "$work/dir.examples"
done
echo "$ran examples were run"
exit $failed
