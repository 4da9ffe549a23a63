/* SPDX-License-Identifier: MIT */
/*
 * The requests that the server of `ctprof view --follow` answers: GET of three
 * paths below a secret token. Anything else is refused, as any program on the
 * machine and any page in the browser can connect.
 */
#ifndef HTTP_REQUEST_H
#define HTTP_REQUEST_H

#include <stddef.h>
#include <stdint.h>

#define HTTP_REQUEST_MAX ((size_t)8192)
#define HTTP_TOKEN_BYTES 32

struct http_site {
	uint16_t port;
	char token[HTTP_TOKEN_BYTES + 1];
};

enum http_answer {
	HTTP_MORE,    /* the request is not complete */
	HTTP_FRAME,   /* "/TOKEN/": the frame around the page */
	HTTP_PAGE,    /* "/TOKEN/page.html" */
	HTTP_VERSION, /* "/TOKEN/version": the page's number */
	HTTP_BAD = 400,
	HTTP_FORBIDDEN = 403, /* sent to another host's name */
	HTTP_NOT_FOUND = 404,
	HTTP_METHOD = 405,
	HTTP_TOO_LARGE = 431,
};

/* Reads the bytes received so far, which need not be complete or text. */
enum http_answer http_request_read(
	const struct http_site *site, const char *bytes, size_t size);

#endif
