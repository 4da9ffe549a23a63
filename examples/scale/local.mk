# SPDX-License-Identifier: MIT
# Sums of many ranks on several machines.
EXTRA_DIST += \
	%D%/README.md \
	%D%/dask_fold.py \
	%D%/ray_tree.py \
	%D%/slurm_merge.sh \
	%D%/slurm_part.sh \
	%D%/slurm_submit.sh
