#!/bin/bash
# SPDX-License-Identifier: MIT
# If NVIDIA's CUPTI is installed: its headers agree with lib/cupti/cupti_abi.h
# and tests/lib/cupti/fake. The library itself finds the fake's records, for
# which it needs no GPU. Without a GPU it records nothing and does no harm.
# CUPTI_HOMES names more directories, separated by colons, with include and lib.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh" || exit 99
fake=$build/tests/lib/cupti/fake/.libs
inject=$build/.libs/libctprof-inject.so
unset FAKE_CUPTI
passed=0

case_of() {
	local what=$1
	shift
	if "$@" >"$work/said" 2>&1; then
		echo "ok $what"
		passed=$((passed + 1))
	else
		echo "not ok $what"
		sed 's/^/    /' "$work/said"
		failed=$((failed + 1))
	fi
}

# Packages of Python with CUPTI: each has its own directory, for CUDA 13 a
# common one.
packages=$("$python" -c \
	'import sysconfig; print(sysconfig.get_path("purelib"))')/nvidia
IFS=: read -ra homes <<<"${CUPTI_HOMES-}"
homes+=("$packages"/* /usr/local/cuda /usr/local/cuda/extras/CUPTI)

# Some headers are in another package.
includes=()
for home in "$packages"/* /usr/local/cuda; do
	[ ! -d "$home/include" ] || includes+=(-isystem "$home/include")
done
declares() {
	# shellcheck disable=SC2086
	$CC -std=c17 -Wall -Wextra -Werror -fsyntax-only \
		-I"$srcdir/lib" -isystem "$1" "${includes[@]}" "$srcdir/tests/lib/cupti/cupti_abi_check.c"
}

# The CUPTI package has no headers of CUDA, and the package of CUDA's runtime
# lacks some.
check_headers() {
	if echo '#include <builtin_types.h>' | $CC -fsyntax-only -xc \
		-I"$srcdir/lib" -isystem "$1" "${includes[@]}" - 2>/dev/null; then
		case_of "$1" declares "$1"
	else
		echo "skipped $1: headers of CUDA that it needs are not installed"
	fi
}

# Versions that the fake does not have cannot be compared.
agrees() {
	local got=0
	tests/lib/cupti/cupti_oracle "$1" || got=$?
	[ "$got" = 77 ] && echo "skipped $1: $(cat "$work/said")" >&3 && return
	return "$got"
}

# harmless LIBRARY DIRECTORY: with this libcupti, and the libcuda there, if any,
# the program runs as without, and the log has a reason for the missing GPU.
harmless() {
	local got=0
	rm -f "$work"/run.ctp "$work"/truth
	env CTPROF_OUT="$work/run.ctp" CTPROF_SPOOL="$work" CTPROF_GPU=light \
		CTPROF_CUPTI_LIB="$1" FAKE_TRUTH="$work/truth" \
		CUDA_INJECTION64_PATH="$inject" \
		LD_LIBRARY_PATH="$fake${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" \
		timeout 50 tests/lib/cupti/cupti_program nested >"$work/out" || got=$?
	[ "$got" = 7 ] || { echo "status $got"; return 1; }
	tests/lib/cupti/cupti_check "$work/truth" "$(cat "$work/out")" "$work/run.ctp" \
		>"$work/told" || { cat "$work/told"; return 1; }
	grep "^fact gpu.state off: " "$work/told" && return
	cat "$work/told"
	return 1
}

sanitized=
! sanitized || sanitized=yes
check_library() {
	local got=0
	tests/lib/cupti/cupti_oracle "$1" >"$work/said" || got=$?
	[ "$got" = 78 ] && echo "skipped $1: $(cat "$work/said")" && return
	case_of "$1" agrees "$1"
	if [ -n "$sanitized" ]; then
		echo "skipped $1: without a GPU: it is not for sanitizers"
	else
		case_of "$1 without a GPU" harmless "$1"
	fi
}

exec 3>&1
declare -A seen=() # a directory may have several names
for home in "${homes[@]}"; do
	[ ! -f "$home/include/cupti.h" ] || check_headers "$home/include"
	for directory in "$home/lib" "$home/lib64"; do
		directory=$(realpath "$directory" 2>/dev/null) || continue
		[ -z "${seen[$directory]-}" ] || continue
		seen[$directory]=1
		for library in "$directory"/libcupti.so.[1-9]*; do
			# If a file has several names, the longest.
			[ ! -f "$library" ] || [ -L "$library" ] ||
				check_library "$library"
		done
	done
done
[ $((passed + failed)) != 0 ] || skip "there is no CUPTI here"
echo "100%: Checks: $((passed + failed)), Failures: $failed, Errors: 0"
exit $failed
