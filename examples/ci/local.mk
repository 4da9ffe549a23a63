# SPDX-License-Identifier: MIT
# A gate for pull requests.
EXTRA_DIST += \
	%D%/README.md \
	%D%/github.yml \
	%D%/gitlab.yml \
	%D%/perf-gate/action.yml \
	%D%/perf-gate/perf_gate.sh
