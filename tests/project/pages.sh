#!/bin/bash
# SPDX-License-Identifier: MIT
# The commands of the README and the guide work as printed. The blocks that
# follow <!-- test --> are run against the installed program and library, with
# the files that follow <!-- file: NAME -->; those that follow
# <!-- test: python --> only if configure was given a Python. The README has a
# directory of its own. The guide's pages share one and use the recordings of
# the page about annotating.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh" || exit 99
need_loadable_library
need dot g++ jq sqlite3 pkg-config

prefix=$(sed -n 's/^prefix = //p' Makefile)
root=$work/root
copy_installation "$root"
pc=$(find "$root$prefix" -name ctprof.pc | head -n 1)
library=$(find "$root$prefix" -name libctprof.so | head -n 1)
[ -n "$pc" ] && [ -n "$library" ] || {
	echo "the library or its ctprof.pc was not installed"
	exit 1
}

# The compilers of this build.
mkdir "$work/bin" "$work/dir"
printf '#!/bin/sh\nexec %s "$@"\n' "${CC:-cc}" > "$work/bin/cc"
printf '#!/bin/sh\nexec %s "$@"\n' "${CXX:-c++}" > "$work/bin/c++"
# The first Python with the package.
python=$(package_python)
if [ -n "$python" ]; then
	package=$("$python" "$srcdir/python/build_facts.py" directory "$prefix")
	printf '#!/bin/sh\nexec %s "$@"\n' "$python" > "$work/bin/python3"
	PYTHONPATH=$root$package
	export PYTHONPATH
	# The program does not know DESTDIR: it finds the package below its own
	# prefix only.
	case $package in
	"$prefix"/*) ;;
	*)
		mkdir -p "$root$prefix/lib/python3"
		ln -s "$root$package" "$root$prefix/lib/python3/site-packages"
		;;
	esac
fi
chmod +x "$work"/bin/*

pages=$(cd "$srcdir" && ls doc/guide/*.md | grep -v /annotate.md)
pages="README.md doc/guide/annotate.md $pages"
failed=0
for page in $pages; do
	mkdir -p "$work/dir/$(dirname "$page")"
	cd "$work/dir/$(dirname "$page")" || exit 99
	[ -e tests ] || ln -s "$srcdir/tests" "$srcdir/examples" .
	awk -v python="$python" -f "$srcdir/tests/support/page_commands.awk" \
		"$srcdir/$page" > "$work/commands"
	[ -s "$work/commands" ] || continue
	PATH=$work/bin:$root$prefix/bin:$PATH \
		PKG_CONFIG_PATH=$(dirname "$pc") PKG_CONFIG_SYSROOT_DIR=$root \
		LD_LIBRARY_PATH=$(dirname "$library") \
		bash -exo pipefail "$work/commands" > out 2> err < /dev/null || {
		echo "$page: a command fails:"
		tail -n 5 err
		failed=1
	}
	cat out >> "$work/out"
done
[ $failed = 0 ] || exit 1
cd "$work/dir" || exit 99
for file in words.svg page.html fib.ctp doc/guide/fib.flame.svg \
	doc/guide/traces/hello.json doc/guide/both.pftrace \
	doc/guide/mended.json doc/guide/share.json; do
	[ -s "$file" ] || {
		echo "no page made $file"
		exit 1
	}
done
grep -qE '^ *21891 +1 .* fib \(fib.c:5\)$' "$work/out" || {
	echo "README.md: fib is not called 21,891 times:"
	cat "$work/out"
	exit 1
}
[ -z "$python" ] || grep -qE '^ *131071 +1 .* move \(hanoi.py:5\)$' "$work/out" || {
	echo "README.md: move is not called 131,071 times:"
	cat "$work/out"
	exit 1
}

# All links and pictures have a target.
for page in $pages; do
	for target in $(grep -oE '\]\([.a-zA-Z][^)#]*\)' "$srcdir/$page" |
		tr -d '])('); do
		case $target in
		http*) ;;
		*) [ -e "$(dirname "$srcdir/$page")/$target" ] || {
			echo "$page: there is no $target"
			failed=1
		} ;;
		esac
	done
done
exit $failed
