#!/bin/sh
# SPDX-License-Identifier: MIT
# The scripts for Slurm in examples/scale, with an sbatch that runs jobs at once:
# their sums are those of one program, and no part may be missing.
# `make check-scale-examples` runs them under Slurm.
# shellcheck source=tests/support/prelude.sh
. "${srcdir:-.}/tests/support/prelude.sh"
cd "$work" || exit 99
# shellcheck source=tests/examples/scale_case.sh
. "$srcdir/tests/examples/scale_case.sh"

# Runs the tasks of an array in turn. A job that depends on a failed one does
# not run.
cat >bin/sbatch <<'END'
#!/bin/sh
array=0-0 after= log=/dev/null
while :; do
	case $1 in
	--array=*) array=${1#*=} ;;
	--output=*) log=${1#*=} ;;
	--dependency=afterok:*) after=${1#*:} ;;
	--parsable | --kill-on-invalid-dep=yes | --partition=*) ;;
	-*) exit 1 ;;
	*) break ;;
	esac
	shift
done
echo "$*" >>jobs
job=$(wc -l <jobs)
echo "$job;cluster"
[ -z "$after" ] || [ ! -e "failed.$after" ] || exit 0
export SLURM_ARRAY_TASK_ID SLURM_ARRAY_TASK_COUNT
SLURM_ARRAY_TASK_ID=${array%-*}
SLURM_ARRAY_TASK_COUNT=$((${array#*-} + 1))
while [ "$SLURM_ARRAY_TASK_ID" -le "${array#*-}" ]; do
	task=$SLURM_ARRAY_TASK_ID
	"$@" >"$(echo "$log" | sed "s/%a/$task/")" 2>&1 || : >"failed.$job"
	SLURM_ARRAY_TASK_ID=$((task + 1))
done
END
chmod +x bin/sbatch
submit=$srcdir/examples/scale/slurm_submit.sh

for parts in 1 3 11; do
	"$submit" "$work/traces" sum$parts.ctpart $parts >/dev/null
	equals sum$parts.ctpart "jobs in an array: $parts"
done
grep -q 'rank7.ctp: unknown format' sum3.ctpart.parts/?.log
report $? "the log of a job names a lost input"
"$submit" "$work/traces" default.ctpart >/dev/null
[ "$(find default.ctpart.parts -name '*.ctpart' | wc -l)" = 8 ] ||
	complain "by default there are not 8 parts"
# Once more, as after a failure: parts are replaced.
"$submit" "$work/traces" sum3.ctpart 3 --partition=short >/dev/null
equals sum3.ctpart "parts that exist are replaced"

"$submit" "$work/traces" none.ctpart 3 --no-such-option >/dev/null 2>&1 &&
	complain "an error of sbatch is ignored"
mkdir -p broken.ctpart.parts/1.ctpart
"$submit" "$work/traces" broken.ctpart 3 >/dev/null
[ ! -e broken.ctpart ]
report $? "a failed part prevents the sum"
rm sum3.ctpart.parts/1.ctpart
"$srcdir/examples/scale/slurm_merge.sh" sum3.ctpart 3 2>err
[ $? = 3 ] && grep -q '1.ctpart: cannot open' err
report $? "a missing part is an error"
! "$submit" 2>err && grep -q usage: err
report $? "without arguments, usage is printed"
exit $failed
