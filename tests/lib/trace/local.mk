# SPDX-License-Identifier: MIT
c_tests += \
	%D%/test_correlation \
	%D%/test_trace
