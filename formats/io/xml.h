/* SPDX-License-Identifier: MIT */
/* Text in XML and in HTML, of which SVG and JUnit's reports are kinds. */
#ifndef XML_H
#define XML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Writes text without control characters, as utf8_add_printable() makes it, into
 * an element, or into an attribute in double quotes. */
void xml_put(FILE *out, const void *text, size_t size);

/* Writes a text of any bytes as one printable line. False if out of memory. */
bool xml_put_line(FILE *out, const char *text, size_t size);

/*
 * Writes JSON into a script element, of SVG within a CDATA section. JSON has
 * what would end these in strings only, and can write it in another way.
 * Source: HTML, "Restrictions for contents of script elements"; XML 1.0, 2.7.
 */
void xml_put_json(FILE *out, const char *json, size_t size);

/* How many bytes xml_put_json() writes for this one beyond itself; `left` bytes
 * are there. */
size_t xml_json_extra(const char *at, size_t left);

#endif
