#!/bin/sh
# SPDX-License-Identifier: MIT
#SBATCH --job-name=ctprof-part
# A job of the array: slurm_part.sh TRACES DIRECTORY
traces=$1
directory=$2
status=0
ctprof summarize --force -j "${SLURM_CPUS_PER_TASK:-1}" \
	--shard "$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT" \
	-o "$directory/$SLURM_ARRAY_TASK_ID.ctpart" "$traces" || status=$?
# With status 3, inputs are missing: the log names them, and so does the
# summary, which the last job needs all the same.
[ $status = 3 ] && [ -e "$directory/$SLURM_ARRAY_TASK_ID.ctpart" ] && exit 0
exit $status
