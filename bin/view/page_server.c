/* SPDX-License-Identifier: MIT */
#include "view/page_server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/memory.h"

#define CLIENT_NS UINT64_C(10000000000) /* for a request and its answer */
#define PAGE_MAX ((off_t)1 << 30)

/* ---- opening ---- */

static bool make_token(char token[HTTP_TOKEN_BYTES + 1])
{
	static const char digits[] = "0123456789abcdef";
	unsigned char bytes[HTTP_TOKEN_BYTES / 2];

	if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
		return false;
	for (size_t i = 0; i < sizeof(bytes); i++) {
		token[2 * i] = digits[bytes[i] >> 4];
		token[2 * i + 1] = digits[bytes[i] & 15];
	}
	token[HTTP_TOKEN_BYTES] = '\0';
	return true;
}

static bool start_listening(struct page_server *server)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof(address);

	server->fd =
		socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (server->fd < 0 ||
		bind(server->fd, (struct sockaddr *)&address, size) != 0 ||
		listen(server->fd, PAGE_SERVER_CLIENTS) != 0 ||
		getsockname(server->fd, (struct sockaddr *)&address, &size) !=
			0)
		return false;
	server->site.port = ntohs(address.sin_port);
	return true;
}

enum ctp_status page_server_open(
	struct page_server *server, struct ctp_error *err)
{
	*server = (struct page_server){.fd = -1};
	if (!make_token(server->site.token) || !start_listening(server))
		return ctp_fail(err, CTP_ERR_IO,
			"cannot listen on 127.0.0.1: %s", strerror(errno));
	server->last_ns = (uint64_t)clock_raw_ns();
	return CTP_OK;
}

void page_server_url(
	const struct page_server *server, char url[PAGE_SERVER_URL])
{
	(void)snprintf(url, PAGE_SERVER_URL, "http://127.0.0.1:%u/%s/",
		server->site.port, server->site.token);
}

static void end_client(struct page_server *server, size_t number)
{
	struct page_client *client = server->clients[number];

	(void)close(client->fd);
	memory_free(client->answer);
	memory_free(client);
	server->clients[number] = NULL;
}

void page_server_close(struct page_server *server)
{
	for (size_t i = 0; i < PAGE_SERVER_CLIENTS; i++)
		if (server->clients[i] != NULL)
			end_client(server, i);
	if (server->fd >= 0)
		(void)close(server->fd);
	memory_free(server->page);
	*server = (struct page_server){.fd = -1};
}

static bool read_whole(int fd, char *bytes, size_t size)
{
	while (size > 0) {
		ssize_t got = read(fd, bytes, size);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		bytes += got;
		size -= (size_t)got;
	}
	return true;
}

enum ctp_status page_server_load(
	struct page_server *server, const char *path, struct ctp_error *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat status;
	char *page = NULL;
	bool done =
		fd >= 0 && fstat(fd, &status) == 0 && status.st_size < PAGE_MAX;

	if (done)
		page = memory_resize(NULL, (size_t)status.st_size + 1);
	done = page != NULL && read_whole(fd, page, (size_t)status.st_size);
	if (fd >= 0)
		(void)close(fd);
	if (!done) {
		memory_free(page);
		return ctp_fail(err, CTP_ERR_IO, "cannot read the page");
	}
	memory_free(server->page);
	server->page = page;
	server->size = (size_t)status.st_size;
	server->version++;
	return CTP_OK;
}

/* ---- answers ---- */

#define COMMON_HEADERS \
	"Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n" \
	"Referrer-Policy: no-referrer\r\nConnection: close\r\n"

static void add_head(struct buffer *out, const char *status, const char *type,
	const char *policy, size_t size)
{
	char text[512];

	(void)snprintf(text, sizeof(text),
		"HTTP/1.1 %s\r\nContent-Type: %s; charset=utf-8\r\n"
		"Content-Security-Policy: %s\r\n" COMMON_HEADERS
		"Content-Length: %zu\r\n\r\n",
		status, type, policy, size);
	buffer_add_text(out, text);
}

static void add_frame(struct buffer *out)
{
	size_t size = 0;

	for (size_t i = 0; view_frame_html[i] != NULL; i++)
		size += strlen(view_frame_html[i]);
	add_head(out, "200 OK", "text/html",
		"default-src 'none'; frame-src 'self'; connect-src 'self'; "
		"style-src 'unsafe-inline'; script-src 'unsafe-inline'; "
		"frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
		size);
	for (size_t i = 0; view_frame_html[i] != NULL; i++)
		buffer_add_text(out, view_frame_html[i]);
}

/* The page has a policy of its own. */
static void add_page(struct buffer *out, const struct page_server *server)
{
	add_head(out, "200 OK", "text/html", "frame-ancestors 'self'",
		server->size);
	buffer_add(out, server->page, server->size);
}

static void add_version(struct buffer *out, uint64_t version)
{
	char text[32];
	int size = snprintf(text, sizeof(text), "%" PRIu64 "\n", version);

	add_head(out, "200 OK", "text/plain", "default-src 'none'",
		(size_t)size);
	buffer_add_text(out, text);
}

static void add_refusal(struct buffer *out, enum http_answer answer)
{
	const char *status = answer == HTTP_FORBIDDEN   ? "403 Forbidden"
			     : answer == HTTP_NOT_FOUND ? "404 Not Found"
			     : answer == HTTP_METHOD ? "405 Method Not Allowed"
			     : answer == HTTP_TOO_LARGE
				     ? "431 Request Header Fields Too Large"
				     : "400 Bad Request";

	add_head(out, status, "text/plain", "default-src 'none'", 0);
}

/* False if out of memory. */
static bool make_answer(struct page_server *server, struct page_client *client,
	enum http_answer answer)
{
	struct buffer out = BUFFER_INIT;

	if (answer <= HTTP_VERSION)
		server->last_ns = (uint64_t)clock_raw_ns();
	if (answer == HTTP_FRAME)
		add_frame(&out);
	else if (answer == HTTP_PAGE && server->page != NULL)
		add_page(&out, server);
	else if (answer == HTTP_VERSION)
		add_version(&out, server->version);
	else
		add_refusal(
			&out, answer == HTTP_PAGE ? HTTP_NOT_FOUND : answer);
	if (out.failed) {
		buffer_clear(&out);
		return false;
	}
	client->answer = (char *)out.bytes;
	client->size = out.used;
	return true;
}

/* ---- clients ---- */

static void accept_clients(struct page_server *server)
{
	for (size_t i = 0; i < PAGE_SERVER_CLIENTS; i++) {
		struct page_client *client;
		int fd;

		if (server->clients[i] != NULL)
			continue;
		fd = accept4(
			server->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
		if (fd < 0)
			return;
		client = memory_new_zeroed(1, sizeof(*client));
		if (client == NULL) {
			(void)close(fd);
			return;
		}
		client->fd = fd;
		client->deadline_ns = (uint64_t)clock_raw_ns() + CLIENT_NS;
		server->clients[i] = client;
	}
}

/* Reads what has come; false if the client is done with. */
static bool receive(struct page_server *server, struct page_client *client)
{
	ssize_t got = recv(client->fd, client->request + client->received,
		sizeof(client->request) - client->received, 0);
	enum http_answer answer;

	if (got < 0)
		return errno == EAGAIN || errno == EINTR;
	if (got == 0)
		return false;
	client->received += (size_t)got;
	answer = http_request_read(
		&server->site, client->request, client->received);
	return answer == HTTP_MORE || make_answer(server, client, answer);
}

/* Sends what there is room for; false if all was sent, or nothing can be. */
static bool send_more(struct page_client *client)
{
	ssize_t sent = send(client->fd, client->answer + client->sent,
		client->size - client->sent, MSG_NOSIGNAL);

	if (sent < 0)
		return errno == EAGAIN || errno == EINTR;
	client->sent += (size_t)sent;
	return client->sent < client->size;
}

static bool serve_client(struct page_server *server, struct page_client *client)
{
	if (client->answer == NULL && !receive(server, client))
		return false;
	return client->answer == NULL || send_more(client);
}

static void end_late(struct page_server *server)
{
	uint64_t now_ns = (uint64_t)clock_raw_ns();

	for (size_t i = 0; i < PAGE_SERVER_CLIENTS; i++)
		if (server->clients[i] != NULL &&
			now_ns > server->clients[i]->deadline_ns)
			end_client(server, i);
}

void page_server_wait(
	struct page_server *server, uint64_t wait_ns, const sigset_t *mask)
{
	struct pollfd polled[PAGE_SERVER_CLIENTS + 1] = {
		{.fd = server->fd, .events = POLLIN}};
	struct timespec wait = {
		(time_t)(wait_ns / 1000000000), (long)(wait_ns % 1000000000)};
	size_t clients = 0;

	for (size_t i = 0; i < PAGE_SERVER_CLIENTS; i++) {
		const struct page_client *client = server->clients[i];

		clients += client != NULL;
		polled[i + 1] = (struct pollfd){
			.fd = client == NULL ? -1 : client->fd,
			.events = client != NULL && client->answer != NULL
					  ? POLLOUT
					  : POLLIN};
	}
	/* Without room, others wait until a client has ended. */
	if (clients == PAGE_SERVER_CLIENTS)
		polled[0].fd = -1;
	if (ppoll(polled, PAGE_SERVER_CLIENTS + 1, &wait, mask) > 0) {
		for (size_t i = 0; i < PAGE_SERVER_CLIENTS; i++)
			if (polled[i + 1].revents != 0 &&
				!serve_client(server, server->clients[i]))
				end_client(server, i);
		if (polled[0].revents != 0)
			accept_clients(server);
	}
	end_late(server);
}
