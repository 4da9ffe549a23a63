/* SPDX-License-Identifier: MIT */
/* Text in XML and HTML, including SVG and JUnit reports. */
#ifndef XML_H
#define XML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Writes text without control characters, as utf8_add_printable() makes it, into
 * an element, or into an attribute in double quotes. */
void xml_put(FILE *out, const void *text, size_t size);

/* Writes arbitrary bytes as one printable line. False if out of memory. */
bool xml_put_line(FILE *out, const char *text, size_t size);

/*
 * Writes JSON into a script element; in SVG, within a CDATA section. Text that
 * would end these occurs only in JSON strings, where it is escaped. Source:
 * HTML, "Restrictions for contents of script elements"; XML 1.0, 2.7.
 */
void xml_put_json(FILE *out, const char *json, size_t size);

/* The number of extra bytes that xml_put_json() writes for the byte at `at`;
 * `left` bytes remain. */
size_t xml_json_extra(const char *at, size_t left);

#endif
