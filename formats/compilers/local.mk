# SPDX-License-Identifier: MIT
libformats_la_SOURCES += \
	%D%/build_profile.c %D%/build_profile.h \
	%D%/build_details.c %D%/build_details.h
