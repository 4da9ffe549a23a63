# SPDX-License-Identifier: MIT
shell_tests += \
	%D%/cost.sh \
	%D%/join.sh \
	%D%/level.sh \
	%D%/no_command.sh \
	%D%/output.sh \
	%D%/repair.sh \
	%D%/symbolize.sh
