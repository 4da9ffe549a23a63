/* SPDX-License-Identifier: MIT */
/*
 * Serves a page to browsers on this machine, and its number, which changes with
 * the page. One thread; a slow client delays nobody.
 */
#ifndef PAGE_SERVER_H
#define PAGE_SERVER_H

#include <signal.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "view/http_request.h"

#define PAGE_SERVER_CLIENTS 32

struct page_client {
	int fd;
	uint64_t deadline_ns; /* of the whole request and answer */
	char request[HTTP_REQUEST_MAX];
	size_t received;
	char *answer; /* NULL: the request is not complete */
	size_t size;
	size_t sent;
};

struct page_server {
	int fd;
	struct http_site site;
	char *page; /* owned; NULL: none yet */
	size_t size;
	uint64_t version;
	uint64_t last_ns; /* when the last valid request came */
	struct page_client *clients[PAGE_SERVER_CLIENTS]; /* NULL: free */
};

/* Listens on 127.0.0.1, with a fresh token. Errors: CTP_ERR_IO,
 * CTP_ERR_NOMEM. page_server_close() is due in any case. */
enum ctp_status page_server_open(
	struct page_server *server, struct ctp_error *err);
void page_server_close(struct page_server *server);

#define PAGE_SERVER_URL 80
void page_server_url(
	const struct page_server *server, char url[PAGE_SERVER_URL]);

/* Replaces the page by a file. Errors: CTP_ERR_IO, CTP_ERR_NOMEM; the old page
 * stays. */
enum ctp_status page_server_load(
	struct page_server *server, const char *path, struct ctp_error *err);

/* Serves until a request or a part of one was served, or the time is over; a
 * signal not in `mask` ends the wait. */
void page_server_wait(
	struct page_server *server, uint64_t wait_ns, const sigset_t *mask);

/* Lines of view_frame.html, made by formats/embed.sh. */
extern const char *const view_frame_html[];

#endif
