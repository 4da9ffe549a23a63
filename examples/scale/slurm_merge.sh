#!/bin/sh
# SPDX-License-Identifier: MIT
#SBATCH --job-name=ctprof-merge
# The last job: slurm_merge.sh OUT PARTS
out=$1
parts=$2
set --
part=0
# Named one by one, a part that is missing is an error.
while [ $part -lt "$parts" ]; do
	set -- "$@" "$out.parts/$part.ctpart"
	part=$((part + 1))
done
exec ctprof merge --force -t ctpart -o "$out" "$@"
