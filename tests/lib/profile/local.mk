# SPDX-License-Identifier: MIT
c_tests += \
	%D%/test_call_workers \
	%D%/test_estimated_tree \
	%D%/test_flame_tree \
	%D%/test_profile \
	%D%/test_device_calls \
	%D%/test_replay \
	%D%/test_replay_device \
	%D%/test_replay_random
shell_tests += \
	%D%/oracle_device.sh
test_programs += \
	%D%/oracle_device
EXTRA_DIST += \
	%D%/oracle_device.py
