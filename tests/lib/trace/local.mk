# SPDX-License-Identifier: MIT
c_tests += \
	%D%/test_device_join \
	%D%/test_trace
