#!/bin/sh
# SPDX-License-Identifier: MIT
# The tarball of `make dist` has the same bytes twice; where autoconf, automake
# and libtool are not installed it builds, passes tests, installs, and uninstalls
# without a rest.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh"
tarball=ctprof-$(sed -n 's/^PACKAGE_VERSION = //p' Makefile).tar.xz

for copy in one two; do
	SOURCE_DATE_EPOCH=1700000000 XZ_OPT=-1 make -s dist > "$work/out" 2>&1 || {
		tail -n 20 "$work/out"
		fail "make dist"
	}
	cp "$tarball" "$work/$copy"
	sleep 1
done
cmp "$work/one" "$work/two"
report $? "the same bytes twice"
strings=$(tar -tvf "$work/one" | awk '{ print $2 }' | sort -u)
[ "$strings" = 0/0 ]
report $? "files without an owner"

# All programs except those.
mkdir "$work/bin"
for program in /usr/local/bin/* /usr/bin/* /bin/*; do
	case ${program##*/} in
	auto* | aclocal* | libtool* | m4 | ifnames) ;;
	*) ln -sf "$program" "$work/bin" ;;
	esac
done
PATH=$work/bin
export PATH
tar -xf "$work/one" -C "$work"
cd "$work"/ctprof-* || exit 99
tests='tests/lib/log/test_log_write tests/lib/log_read/test_log_read'
# shellcheck disable=SC2086
{
	mkdir build && cd build &&
		../configure -q --without-mpi --prefix=/opt/ctprof &&
		make -s -j"$(nproc)" &&
		make -s check check_PROGRAMS="$tests" \
			TESTS="$tests tests/project/installed.sh tests/project/listed.sh" &&
		make -s install DESTDIR="$work/installed" &&
		test -x "$work/installed/opt/ctprof/bin/ctprof" &&
		make -s uninstall DESTDIR="$work/installed"
} > "$work/out" 2>&1
status=$?
[ $status = 0 ] || tail -n 40 "$work/out"
report $status "configure, make, check, install without autoconf"
find "$work/installed" ! -type d > "$work/rest"
[ ! -s "$work/rest" ]
report $? "uninstall leaves no file"
cat "$work/rest"
exit $failed
