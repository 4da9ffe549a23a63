# SPDX-License-Identifier: MIT
shell_tests += \
	%D%/sqlite.sh
EXTRA_DIST += \
	%D%/sqlite_hostile.py \
	%D%/sqlite_read.py \
	%D%/sqlite_schemas.py \
	%D%/sqlite_seeds.py \
	%D%/sqlite_write.py \
	%D%/sqlite
