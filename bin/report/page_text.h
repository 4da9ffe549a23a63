/* SPDX-License-Identifier: MIT */
/* The files of bin/page/ as lines, made by formats/embed.sh. */
#ifndef PAGE_TEXT_H
#define PAGE_TEXT_H

extern const char *const page_css[];
extern const char *const page_html[];
extern const char *const page_format_js[];
extern const char *const page_table_js[];
extern const char *const page_device_js[];
extern const char *const page_flame_js[];
extern const char *const page_timeline_js[];
extern const char *const page_js[];

#endif
