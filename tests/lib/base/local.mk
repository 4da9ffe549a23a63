# SPDX-License-Identifier: MIT
c_tests += \
	%D%/test_buffer \
	%D%/test_clock \
	%D%/test_cursor \
	%D%/test_hash \
	%D%/test_index \
	%D%/test_machine \
	%D%/test_memory \
	%D%/test_pipe \
	%D%/test_strtab \
	%D%/test_utf8
