# SPDX-License-Identifier: MIT
c_tests += \
	%D%/test_deflate \
	%D%/test_huffman \
	%D%/test_log_write \
	%D%/test_repeats \
	%D%/test_unpack
shell_tests += \
	%D%/log_python.sh
