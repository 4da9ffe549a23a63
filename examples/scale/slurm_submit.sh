#!/bin/sh
# SPDX-License-Identifier: MIT
# Sums the traces below a directory by an array of Slurm jobs:
#
#	slurm_submit.sh TRACES OUT.ctpart [PARTS [SBATCH_OPTION...]]
#
# PARTS jobs (default: 8) write OUT.ctpart.parts/I.ctpart, and a last job, which
# Slurm starts when all have succeeded, merges these. Prints its number.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
traces=${1:?"usage: $0 TRACES OUT.ctpart [PARTS [SBATCH_OPTION...]]"}
out=${2:?"usage: $0 TRACES OUT.ctpart [PARTS [SBATCH_OPTION...]]"}
parts=${3:-8}
shift $(($# < 3 ? $# : 3))

mkdir -p "$out.parts"
array=$(sbatch --parsable "$@" --array="0-$((parts - 1))" \
	--output="$out.parts/%a.log" \
	"$here/slurm_part.sh" "$traces" "$out.parts")
# With several clusters, sbatch prints "JOB;CLUSTER".
sbatch --parsable "$@" --dependency="afterok:${array%%;*}" \
	--kill-on-invalid-dep=yes --output="$out.parts/merge.log" \
	"$here/slurm_merge.sh" "$out" "$parts"
