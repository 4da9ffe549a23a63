# SPDX-License-Identifier: MIT
c_tests += \
	%D%/test_log_out
