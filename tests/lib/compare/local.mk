# SPDX-License-Identifier: MIT
c_tests += \
	%D%/test_check_noise \
	%D%/test_diff \
	%D%/test_flame_diff \
	%D%/test_significance \
	%D%/test_source_map
