#!/bin/sh
# SPDX-License-Identifier: MIT
# Debian's packages, as `make deb` left them in deb/. Lintian finds nothing. They
# install in a fresh Debian, where debian/tests pass, and removing them leaves
# nothing. Needs root and a mirror of Debian; DEBIAN_MIRROR names another,
# DEBIAN_SUITE another release, and DEBIAN_ROOT a fresh Debian to copy.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh"
need lintian debootstrap
[ "$(id -u)" = 0 ] || skip "only root can make a fresh Debian"
ls deb/*.changes >/dev/null 2>&1 || skip "make deb has made no packages"

LANG=C.UTF-8 lintian --allow-root --info --display-info --pedantic \
	--fail-on pedantic,info,warning,error deb/*.changes > "$work/lintian" 2>&1
report $? "lintian"
grep -v '^running with root' "$work/lintian"

suite=${DEBIAN_SUITE:-$(. /etc/os-release && echo "$VERSION_CODENAME")}
root=$work/root
if [ -n "${DEBIAN_ROOT:-}" ]; then
	cp -a "$DEBIAN_ROOT" "$root"
else
	debootstrap --variant=minbase "$suite" "$root" ${DEBIAN_MIRROR:+"$DEBIAN_MIRROR"}
fi > "$work/out" 2>&1 || {
	tail -n 20 "$work/out"
	fail "debootstrap"
}
mkdir "$root/packages" "$root/source"
cp deb/*.deb "$root/packages"
rm -f "$root"/packages/*-dbgsym_*
tar -xf deb/ctprof_*.orig.tar.xz -C "$root/source" --strip-components=1

# inside COMMAND: a shell in it, with its own processes and devices.
inside() {
	unshare --mount --pid --fork --mount-proc="$root/proc" sh -c '
		mount --rbind /dev "$0/dev" && exec chroot "$0" /usr/bin/env -i \
			PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
			DEBIAN_FRONTEND=noninteractive \
			http_proxy="$http_proxy" https_proxy="$https_proxy" \
			sh -ec "$1"' "$root" "$1" > "$work/out" 2>&1
}
http_proxy=${http_proxy:-}
https_proxy=${https_proxy:-}
export http_proxy https_proxy

# Everything except records of apt and dpkg, and others' caches.
files() {
	(cd "$root" && find . -xdev \( -path ./proc -o -path ./dev -o -path ./sys \
		-o -path ./tmp -o -path ./packages -o -path ./source \
		-o -path ./var/lib/dpkg -o -path ./var/lib/apt \
		-o -path ./var/cache -o -path ./var/log -o -path ./root \) \
		-prune -o -print | LC_ALL=C sort)
}
# step NAME COMMAND
step() {
	if inside "$2"; then
		echo "ok $1"
	else
		tail -n 40 "$work/out"
		complain "$1"
	fi
}

others=$(sed -n 's/^Depends: *//p' "$srcdir/debian/tests/control" |
	tr -d , | tr ' ' '\n' | grep -v -e ctprof -e '^$' | sort -u | tr '\n' ' ')
step "packages that the tests need" "apt-get update -q
	apt-get install -q -y --no-install-recommends $others
	apt-get install -q -y --no-install-recommends \
		\$(for deb in /packages/*.deb; do dpkg-deb -f \$deb Depends; done |
		tr ',|' '\n\n' | sed 's/(.*//; s/:any//; s/ //g' | grep -v ctprof | sort -u)"
files > "$work/before"
step "install" 'apt-get install -q -y --no-install-recommends /packages/*.deb'
for test in $(sed -n 's/^Tests: *//p' "$srcdir/debian/tests/control"); do
	step "debian/tests/$test" "cd /source && AUTOPKGTEST_TMP=\$(mktemp -d) \
		debian/tests/$test"
done
step "pages of the manual" 'zcat /usr/share/man/man1/ctprof.1.gz | grep -q CTPROF'
step "remove" 'apt-get purge -q -y $(dpkg-query -W -f "\${Package}\n" |
	grep ctprof)'
files > "$work/after"
diff "$work/before" "$work/after"
report $? "nothing is left"
exit $failed
