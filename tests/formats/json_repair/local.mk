# SPDX-License-Identifier: MIT
shell_tests += \
	%D%/repair_json.sh
test_programs += \
	%D%/repair_many
EXTRA_DIST += \
	%D%/repair_cases.py \
	%D%/repair_damage.py \
	%D%/repair_json.py
