# SPDX-License-Identifier: MIT
c_tests += \
	%D%/test_ranks \
	%D%/test_spread
