/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: requests to `ctprof view --follow`. Nothing is served without
 * the token and the name of the host.
 */
#include <string.h>

#include "../../bin/view/http_request.c"
#include "fuzz_case.h"

static const struct http_site site = {
	.port = 8080, .token = "0123456789abcdef0123456789abcdef"};

static bool has(const uint8_t *bytes, size_t size, const char *text)
{
	return memmem(bytes, size, text, strlen(text)) != NULL;
}

static void check_answer(
	enum http_answer answer, const uint8_t *bytes, size_t size)
{
	switch (answer) {
	case HTTP_MORE:
		fuzz_require(size < HTTP_REQUEST_MAX);
		break;
	case HTTP_FRAME:
	case HTTP_PAGE:
	case HTTP_VERSION:
		fuzz_require(has(bytes, size, site.token));
		fuzz_require(has(bytes, size, "127.0.0.1:8080\r\n") ||
			     has(bytes, size, "localhost:8080\r\n") ||
			     has(bytes, size, ":8080 ") ||
			     has(bytes, size, ":8080\t"));
		fuzz_require(memcmp(bytes, "GET /", 5) == 0);
		break;
	default:
		fuzz_require(answer >= HTTP_BAD);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	const char *text = (const char *)bytes;
	enum http_answer answer;

	size = size < HTTP_REQUEST_MAX ? size : HTTP_REQUEST_MAX;
	answer = http_request_read(&site, text, size);
	check_answer(answer, bytes, size);
	/* Bytes arrive in parts. */
	for (size_t part = 1; part < size; part += 1 + size / 16) {
		enum http_answer early = http_request_read(&site, text, part);

		check_answer(early, bytes, part);
	}
	return 0;
}
