#!/bin/bash
# SPDX-License-Identifier: MIT
# What the README says to do works: its blocks of commands that follow
# <!-- test --> are run, in order, against the installed program and library,
# with the files that follow <!-- file: NAME -->; those that follow
# <!-- test: python --> if configure was given a Python.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh"
readme=$srcdir/README.md
need_loadable_library
need gprof2dot dot pkg-config
echo '#include <stb/stb_image_resize.h>' | ${CC:-cc} -E - > /dev/null 2>&1 ||
	skip "libstb-dev is not installed"

prefix=$(sed -n 's/^prefix = //p' Makefile)
root=$work/root
make -s install DESTDIR="$root" > "$work/install.out" 2>&1 || {
	cat "$work/install.out"
	exit 1
}
pc=$(find "$root$prefix" -name ctprof.pc | head -n 1)
library=$(find "$root$prefix" -name libctprof.so | head -n 1)
[ -n "$pc" ] && [ -n "$library" ] || {
	echo "the library or its ctprof.pc was not installed"
	exit 1
}

# The compilers that we were built with; and snakeviz, which would wait for a
# browser: the stand-in looks whether there is something to show.
mkdir "$work/bin" "$work/dir"
printf '#!/bin/sh\nexec %s "$@"\n' "${CC:-cc}" > "$work/bin/cc"
printf '#!/bin/sh\nexec %s "$@"\n' "${CXX:-c++}" > "$work/bin/c++"
printf '#!/bin/sh\nfor last; do :; done\n[ -s "$last" ]\n' \
	> "$work/bin/snakeviz"
# The first Python that the package was installed for.
python=$(package_python)
if [ -n "$python" ]; then
	package=$("$python" "$srcdir/python/facts.py" directory "$prefix")
	printf '#!/bin/sh\nexec %s "$@"\n' "$python" > "$work/bin/python3"
	PYTHONPATH=$root$package
	export PYTHONPATH
fi
chmod +x "$work"/bin/*

# Files and commands, in the order of the page. Each command line is shown
# when it fails.
awk -v python="$python" '
	/^<!-- test -->$/ { wanted = "test"; next }
	/^<!-- test: python -->$/ { if (python) wanted = "test"; next }
	/^<!-- file: .* -->$/ { wanted = $3; next }
	/^```/ {
		if (inside) {
			if (wanted != "test")
				print "END_OF_FILE"
			inside = 0
			wanted = ""
		} else if (wanted != "") {
			inside = 1
			if (wanted != "test")
				print "cat > " wanted " <<\"END_OF_FILE\""
			else
				blocks++
		}
		next
	}
	inside { print }
	END { exit blocks < 3 }
' "$readme" > "$work/commands" || {
	echo "README.md: where are its examples?"
	exit 1
}

cd "$work/dir" || exit 99
PATH=$work/bin:$root$prefix/bin:$PATH \
	PKG_CONFIG_PATH=$(dirname "$pc") PKG_CONFIG_SYSROOT_DIR=$root \
	LD_LIBRARY_PATH=$(dirname "$library") \
	bash -exo pipefail "$work/commands" > out 2> err < /dev/null || {
	echo "README.md: a command fails:"
	tail -n 5 err
	exit 1
}
for file in fib.ctp fib.pstats fib.json fib.svg fib-dot.svg fib.folded \
	fib.flame.svg traces/fib.json traces/hello.json hello.ctp; do
	[ -s "$file" ] || {
		echo "README.md: no $file came of it"
		exit 1
	}
done
grep -qE '^ *21891 +1 .* fib \(fib.c:5\)$' out || {
	echo "README.md: fib is not called 21,891 times:"
	cat out
	exit 1
}
[ -z "$python" ] || grep -qE '^ *131071 +1 .* move \(hanoi.py:5\)$' out || {
	echo "README.md: move is not called 131,071 times:"
	cat out
	exit 1
}

# Links and pictures lead to something.
for target in $(grep -oE '\]\([a-zA-Z][^)#]*\)' "$readme" | tr -d '])('); do
	case $target in
	http*) ;;
	*) [ -f "$srcdir/$target" ] || {
		echo "README.md: there is no $target"
		exit 1
	} ;;
	esac
done
