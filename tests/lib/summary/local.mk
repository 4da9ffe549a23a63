# SPDX-License-Identifier: MIT
c_tests += \
	%D%/test_summary
