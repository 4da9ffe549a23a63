# SPDX-License-Identifier: MIT
libprogram_la_SOURCES += \
	%D%/http_request.c %D%/http_request.h \
	%D%/input_stamp.c %D%/input_stamp.h \
	%D%/opener.c %D%/opener.h \
	%D%/page_server.c %D%/page_server.h

nodist_libprogram_la_SOURCES += %D%/view_files.c
%D%/view_files.c: formats/embed.sh %D%/view_frame.html
	$(call embed,view/page_server.h)
CLEANFILES += %D%/view_files.c
EXTRA_DIST += %D%/view_frame.html
