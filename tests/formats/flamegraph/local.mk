# SPDX-License-Identifier: MIT
c_tests += \
	%D%/test_flame_frame
shell_tests += \
	%D%/flame.sh \
	%D%/flame_browser.sh
EXTRA_DIST += \
	%D%/flame_browser.py \
	%D%/flame_check.py
