# SPDX-License-Identifier: MIT
c_tests += \
	%D%/test_gzip_file \
	%D%/test_inflate
shell_tests += \
	%D%/gzip.sh \
	%D%/utf16.sh
