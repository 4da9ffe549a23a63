# SPDX-License-Identifier: MIT
c_tests += \
	%D%/test_json \
	%D%/test_json_scan \
	%D%/test_json_key_cache \
	%D%/test_json_value \
	%D%/test_json_walk
