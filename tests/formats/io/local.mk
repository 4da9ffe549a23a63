# SPDX-License-Identifier: MIT
c_tests += \
	%D%/test_inflate
shell_tests += \
	%D%/gzip.sh \
	%D%/utf16.sh
