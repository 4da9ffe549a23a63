# SPDX-License-Identifier: MIT
c_tests += \
	%D%/test_diff \
	%D%/test_flame_diff \
	%D%/test_regression \
	%D%/test_significance \
	%D%/test_source_map
