# SPDX-License-Identifier: MIT
shell_tests += \
	%D%/no_command.sh \
	%D%/repair.sh \
	%D%/symbolize.sh
