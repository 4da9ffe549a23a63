# SPDX-License-Identifier: MIT
c_tests += \
	%D%/test_function_name \
	%D%/test_name_parts \
	%D%/test_symbol_normalize
