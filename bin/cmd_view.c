/* SPDX-License-Identifier: MIT */
/* Makes the page of `ctprof report` and opens it in a browser. */
#include "cli/command.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/environment.h"
#include "base/memory.h"
#include "cli/arguments.h"
#include "cli/diag.h"
#include "report/page_request.h"
#include "view/input_stamp.h"
#include "view/opener.h"
#include "view/page_server.h"

#define SECOND_NS UINT64_C(1000000000)
#define IDLE_NS (600 * SECOND_NS) /* without a browser */
#define REST_FACTOR 4             /* at most a fifth of the time makes pages */

struct request {
	struct page_request page;
	bool follow;
	bool no_open;
};

static error_t check(void *structure, const struct argp_state *state)
{
	const struct request *request = structure;
	const struct inputs *inputs = &request->page.inputs;

	for (size_t i = 0; request->follow && i < inputs->count; i++)
		if (strcmp(inputs->paths[i], "-") == 0)
			argp_error(state, "--follow needs names of files");
	return 0;
}

/* Creates a file for the page that only the user can read; its path is to be
 * freed. NULL: reported. */
static char *make_file(void)
{
	static const char *const places[] = {"XDG_RUNTIME_DIR", "TMPDIR"};
	const char *folder = NULL;
	char *path = NULL;
	int fd;

	for (size_t i = 0; i < 2 && (folder == NULL || *folder == '\0'); i++)
		folder = environment_find(places[i]);
	if (folder == NULL || *folder == '\0')
		folder = "/tmp";
	if (asprintf(&path, "%s/ctprof-XXXXXX.html", folder) < 0) {
		diag_no_memory(NULL);
		return NULL;
	}
	fd = mkstemps(path, (int)strlen(".html"));
	if (fd < 0) {
		diag("%s: cannot create: %s", path, strerror(errno));
		memory_free(path);
		return NULL;
	}
	(void)close(fd);
	return path;
}

static void show(const struct request *request, char *address)
{
	(void)printf("%s\n", address);
	(void)fflush(stdout);
	if (!request->no_open && opener_has_display())
		(void)opener_open(address);
}

/* ---- once ---- */

static int view_once(struct request *request, char *path)
{
	int status = page_request_run(&request->page);

	if (status == EXIT_DONE || status == EXIT_DAMAGED)
		show(request, path);
	else
		(void)unlink(path);
	return status;
}

/* ---- follow ---- */

struct following {
	struct request *request;
	const char *path;
	struct page_server server;
	sigset_t usual;   /* the mask while waiting */
	uint64_t stamp;   /* of the inputs of the last page */
	uint64_t next_ns; /* no earlier look at the inputs */
	uint64_t begun_ns;
	pid_t maker; /* 0: none runs */
	bool shown;
	int status; /* of the first page, if it was not made */
};

static volatile sig_atomic_t ended;

static void on_signal(int number)
{
	(void)number;
	ended = 1;
}

static void on_child(int number)
{
	(void)number;
}

/* These signals come only while it waits. */
static void catch_signals(sigset_t *usual)
{
	struct sigaction action = {.sa_handler = on_signal};
	sigset_t mask;

	(void)sigemptyset(&mask);
	(void)sigaddset(&mask, SIGINT);
	(void)sigaddset(&mask, SIGTERM);
	(void)sigaddset(&mask, SIGHUP);
	(void)sigaddset(&mask, SIGCHLD);
	(void)sigprocmask(SIG_BLOCK, &mask, usual);
	(void)sigaction(SIGINT, &action, NULL);
	(void)sigaction(SIGTERM, &action, NULL);
	(void)sigaction(SIGHUP, &action, NULL);
	action.sa_handler = on_child;
	(void)sigaction(SIGCHLD, &action, NULL);
}

/* Makes a page in a process of its own, since that may take long or fail. */
static void start_maker(struct following *following)
{
	following->stamp = input_stamp(&following->request->page.inputs);
	following->begun_ns = (uint64_t)clock_raw_ns();
	following->maker = fork();
	if (following->maker == 0) {
		(void)prctl(PR_SET_PDEATHSIG, SIGTERM);
		(void)signal(SIGINT, SIG_DFL);
		(void)signal(SIGTERM, SIG_DFL);
		(void)signal(SIGHUP, SIG_DFL);
		(void)signal(SIGCHLD, SIG_DFL);
		(void)sigprocmask(SIG_SETMASK, &following->usual, NULL);
		_exit(page_request_run(&following->request->page));
	}
	if (following->maker > 0)
		return;
	following->maker = 0;
	following->next_ns = following->begun_ns + SECOND_NS;
	diag("cannot start a process for the page: %s", strerror(errno));
}

static void take_page(struct following *following, int status)
{
	struct ctp_error err = {0};
	uint64_t now_ns = (uint64_t)clock_raw_ns();

	following->maker = 0;
	following->next_ns = now_ns + SECOND_NS +
			     REST_FACTOR * (now_ns - following->begun_ns);
	following->status =
		WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_LIMIT;
	if (following->status != EXIT_DONE && following->status != EXIT_DAMAGED)
		return;
	if (page_server_load(&following->server, following->path, &err) !=
		CTP_OK)
		diag_error(following->path, &err);
}

static void look(struct following *following)
{
	const struct inputs *inputs = &following->request->page.inputs;
	uint64_t now_ns = (uint64_t)clock_raw_ns();
	int status;

	if (following->maker != 0) {
		if (waitpid(following->maker, &status, WNOHANG) ==
			following->maker)
			take_page(following, status);
		return;
	}
	if (now_ns < following->next_ns)
		return;
	if (input_stamp(inputs) != following->stamp)
		start_maker(following);
	else
		following->next_ns =
			(uint64_t)clock_raw_ns() + SECOND_NS +
			REST_FACTOR * ((uint64_t)clock_raw_ns() - now_ns);
}

static bool is_over(const struct following *following)
{
	return ended != 0 ||
	       (following->server.version == 0 && following->maker == 0) ||
	       (uint64_t)clock_raw_ns() - following->server.last_ns > IDLE_NS;
}

static void serve(struct following *following)
{
	char url[PAGE_SERVER_URL];

	page_server_url(&following->server, url);
	start_maker(following);
	do {
		page_server_wait(
			&following->server, SECOND_NS / 2, &following->usual);
		look(following);
		if (!following->shown && following->server.version != 0) {
			show(following->request, url);
			following->shown = true;
		}
	} while (!is_over(following));
	if (following->maker != 0) {
		(void)kill(following->maker, SIGTERM);
		(void)waitpid(following->maker, NULL, 0);
	}
}

static int view_following(struct request *request, const char *path)
{
	struct following following = {.request = request, .path = path};
	struct ctp_error err = {0};
	int status = EXIT_DONE;

	if (page_server_open(&following.server, &err) == CTP_OK) {
		catch_signals(&following.usual);
		serve(&following);
		status = following.shown ? EXIT_DONE : following.status;
	} else {
		diag("%s", err.message);
		status = EXIT_OUTPUT;
	}
	page_server_close(&following.server);
	(void)unlink(path);
	return status;
}

static int run(int argc, char **argv)
{
	struct request request = {0};
	char *path;
	int status = EXIT_OUTPUT;

	arguments_parse(&cmd_view, argc, argv, &request);
	(void)umask(S_IRWXG | S_IRWXO);
	path = make_file();
	if (path != NULL) {
		request.page.output =
			(struct output_options){.path = path, .force = true};
		status = request.follow ? view_following(&request, path)
					: view_once(&request, path);
	}
	memory_free(path);
	page_request_clear(&request.page);
	return status;
}

/* clang-format off */
#define OF(member) ARGUMENT_OF(struct request, member)
static const struct argument options[] = {
	{"follow", 'f', NULL, ARGUMENT_FLAG,
		"serve the page on 127.0.0.1, and make it again when the files "
		"change, until Ctrl-C or 10 minutes without a browser",
		GROUP_MAIN, OF(follow)},
	{"no-open", 0, NULL, ARGUMENT_FLAG,
		"only print the page's address", GROUP_MAIN, OF(no_open)},
	ARGUMENTS_OF(&page_request_arguments, OF(page)),
};
/* clang-format on */

const struct command cmd_view = {
	.name = "view",
	.group = "Look at a recording",
	.summary = "open the HTML page of a recording in a browser",
	.arguments = {ARGUMENTS(options), .check = check},
	.usage = "[FILE...]",
	.help = "Make the page of 'ctprof report' in a temporary file, print "
		"its "
		"address, and open it with $BROWSER or xdg-open, if there is a "
		"display.\vExamples:\n"
		"  ctprof view run.ctp\n"
		"  ctprof view --base before.ctp after.ctp\n"
		"  ctprof view --follow run.ctp",
	.run = run,
};
