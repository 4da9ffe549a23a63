/* SPDX-License-Identifier: MIT */
/* Source: RFC 9112, HTTP/1.1. */
#include "view/http_request.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* A part of the request. */
struct piece {
	const char *at;
	size_t size;
};

static bool is_equal(struct piece piece, const char *text)
{
	return piece.size == strlen(text) &&
	       memcmp(piece.at, text, piece.size) == 0;
}

/* Takes the part before `end`, and moves `rest` behind it. False without such
 * an end. */
static bool take(struct piece *rest, const char *end, struct piece *taken)
{
	const char *at = memmem(rest->at, rest->size, end, strlen(end));
	size_t used;

	if (at == NULL)
		return false;
	*taken = (struct piece){rest->at, (size_t)(at - rest->at)};
	used = taken->size + strlen(end);
	rest->at += used;
	rest->size -= used;
	return true;
}

static struct piece trimmed(struct piece piece)
{
	while (piece.size > 0 && (*piece.at == ' ' || *piece.at == '\t')) {
		piece.at++;
		piece.size--;
	}
	while (piece.size > 0 && (piece.at[piece.size - 1] == ' ' ||
					 piece.at[piece.size - 1] == '\t'))
		piece.size--;
	return piece;
}

/* A page of another site can have its name resolved to this machine; then the
 * browser sends that name. */
static bool is_this_host(const struct http_site *site, struct piece host)
{
	static const char *const names[] = {"127.0.0.1", "localhost"};
	char text[32];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		(void)snprintf(
			text, sizeof(text), "%s:%u", names[i], site->port);
		if (is_equal(host, text))
			return true;
	}
	return false;
}

/* Reads the header lines, of which one must be the name of this host. */
static enum http_answer read_headers(
	const struct http_site *site, struct piece lines)
{
	struct piece line;
	struct piece name;
	unsigned hosts = 0;
	bool is_here = true;

	while (take(&lines, "\r\n", &line) && line.size != 0) {
		if (!take(&line, ":", &name) || name.size == 0)
			return HTTP_BAD;
		if (name.size != strlen("host") ||
			strncasecmp(name.at, "host", name.size) != 0)
			continue;
		hosts++;
		is_here = is_here && is_this_host(site, trimmed(line));
	}
	if (hosts != 1)
		return HTTP_BAD;
	return is_here ? HTTP_MORE : HTTP_FORBIDDEN;
}

/* Takes as long for any token. */
static bool is_token(const struct http_site *site, const char *at)
{
	unsigned char differs = 0;

	for (size_t i = 0; i < HTTP_TOKEN_BYTES; i++)
		differs |= (unsigned char)(at[i] ^ site->token[i]);
	return differs == 0;
}

static enum http_answer find_path(
	const struct http_site *site, struct piece path)
{
	static const struct {
		const char *name;
		enum http_answer answer;
	} files[] = {{"/", HTTP_FRAME}, {"/page.html", HTTP_PAGE},
		{"/version", HTTP_VERSION}};
	struct piece name;

	if (path.size <= HTTP_TOKEN_BYTES + 1 || *path.at != '/' ||
		!is_token(site, path.at + 1))
		return HTTP_NOT_FOUND;
	name = (struct piece){path.at + 1 + HTTP_TOKEN_BYTES,
		path.size - 1 - HTTP_TOKEN_BYTES};
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (is_equal(name, files[i].name))
			return files[i].answer;
	return HTTP_NOT_FOUND;
}

enum http_answer http_request_read(
	const struct http_site *site, const char *bytes, size_t size)
{
	struct piece rest = {bytes, size};
	struct piece line;
	struct piece method;
	struct piece path;
	enum http_answer answer;

	if (memchr(bytes, '\0', size) != NULL)
		return HTTP_BAD;
	if (memmem(bytes, size, "\r\n\r\n", 4) == NULL)
		return size < HTTP_REQUEST_MAX ? HTTP_MORE : HTTP_TOO_LARGE;
	if (!take(&rest, "\r\n", &line) || !take(&line, " ", &method) ||
		!take(&line, " ", &path))
		return HTTP_BAD;
	if (!is_equal(line, "HTTP/1.1") && !is_equal(line, "HTTP/1.0"))
		return HTTP_BAD;
	answer = read_headers(site, rest);
	if (answer != HTTP_MORE)
		return answer;
	return is_equal(method, "GET") ? find_path(site, path) : HTTP_METHOD;
}
