#!/bin/sh
# SPDX-License-Identifier: MIT
# examples/scale with Dask, Ray and a Slurm of one node: all sums equal those of
# one program. The libraries are those of tests/requirements-scale.txt, some
# 100 MB, in an environment beside the build; SCALE_VENV is another one that has
# them. A part that cannot run here is skipped with the reason.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh"
# shellcheck source=tests/examples/slurm_node.sh
. "$srcdir/tests/examples/slurm_node.sh"
trap 'slurm_stop; stop_cluster; rm -rf "$work"' EXIT
cluster=
cd "$work" || exit 99
# shellcheck source=tests/examples/scale_case.sh
. "$srcdir/tests/examples/scale_case.sh"
# Ray writes there; and it reports its use by default.
export HOME="$work" RAY_USAGE_STATS_ENABLED=0 RAY_AUTH_MODE=disabled
export PYTHONPATH="$build/python/package" LD_LIBRARY_PATH="$build/.libs"
export TMPDIR="$work" RAY_TMPDIR="$work"

# The reason why the libraries cannot be had; empty if they are there.
missing_libraries() {
	[ -z "${SCALE_VENV-}" ] || return
	SCALE_VENV=$build/scale-venv
	[ ! -e "$SCALE_VENV/installed" ] || return
	builder=$(package_python)
	[ -n "$builder" ] || {
		reason="the package cannot be loaded"
		return
	}
	"$builder" -m venv "$SCALE_VENV" && "$SCALE_VENV/bin/pip" install -q \
		--require-hashes --only-binary :all: \
		-r "$srcdir/tests/requirements-scale.txt" &&
		: >"$SCALE_VENV/installed" ||
		reason="tests/requirements-scale.txt cannot be installed"
}

# sums NAME WARNED SCRIPT OPTION...: runs an example with several numbers of
# parts. The file WARNED has the warning about the lost input.
sums() {
	name=$1
	warned=$2
	script=$srcdir/examples/scale/$3
	shift 3
	for parts in 1 11; do
		timeout 300 "$SCALE_VENV/bin/python" "$script" "$@" -n $parts \
			-o sum.ctpart "$work/traces" >out 2>&1 || cat out
		equals sum.ctpart "$name: parts: $parts"
		rm -f sum.ctpart
	done
	grep -q 'rank7.ctp: unknown format' "$warned" ||
		complain "$name: no warning names the lost input: $(cat "$warned")"
}

# A scheduler of Dask and a worker, whose address is in the file.
start_cluster() {
	"$SCALE_VENV/bin/dask" scheduler --host 127.0.0.1 --port 0 \
		--no-dashboard --scheduler-file scheduler.json >dask.out 2>&1 &
	cluster=$!
	"$SCALE_VENV/bin/dask" worker --scheduler-file scheduler.json \
		--nworkers 1 --nthreads 2 --no-dashboard >worker.out 2>&1 &
	cluster="$! $cluster"
	wait_until test -s scheduler.json
}

stop_cluster() {
	# shellcheck disable=SC2086
	[ -z "$cluster" ] || kill -9 $cluster 2>/dev/null
	# shellcheck disable=SC2086
	[ -z "$cluster" ] || wait $cluster 2>/dev/null
	cluster=
}

reason=
missing_libraries
if [ -n "$reason" ]; then
	echo "skipped: Dask and Ray: $reason"
else
	sums "Dask, threads" out dask_fold.py
	start_cluster
	address=$(sed -n 's/.*"address": "\(tcp[^"]*\)".*/\1/p' scheduler.json |
		head -n 1)
	sums "Dask, a cluster" worker.out dask_fold.py --scheduler "$address"
	stop_cluster
	sums Ray out ray_tree.py
fi

if slurm_start "$work/slurm" >reason; then
	submit=$srcdir/examples/scale/slurm_submit.sh
	for parts in 1 11; do
		"$submit" "$work/traces" "$work/slurm$parts.ctpart" $parts >/dev/null
		wait_until test -e slurm$parts.ctpart ||
			complain "Slurm: $(squeue) $(cat slurm$parts.ctpart.parts/*.log)"
		equals slurm$parts.ctpart "Slurm: jobs in an array: $parts"
	done
	mkdir -p broken.ctpart.parts/1.ctpart
	job=$("$submit" "$work/traces" "$work/broken.ctpart" 3)
	# shellcheck disable=SC2317
	is_over() {
		! squeue --noheader --job "$job" 2>/dev/null | grep -q .
	}
	wait_until is_over && [ ! -e broken.ctpart ]
	report $? "Slurm: a failed part prevents the sum"
else
	echo "skipped: Slurm: $(cat reason)"
fi
exit $failed
