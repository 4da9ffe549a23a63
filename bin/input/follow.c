/* SPDX-License-Identifier: MIT */
/*
 * Reading continues where it stopped, so that an update costs only the new
 * data. Only the tables are copied, to close open calls in the copy.
 */
#include "input/follow.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "cli/command.h"
#include "convert.h"
#include "input/input.h"
#include "cli/diag.h"

#define SECOND UINT64_C(1000000000)

/* The format of shorter files is still unknown. */
#define LEAST_BYTES 16

static volatile sig_atomic_t interrupted;

static void interrupt(int number)
{
	(void)number;
	interrupted = 1;
}

/* A second SIGINT ends the program, since reading may take long. */
static void catch_interrupt(void)
{
	struct sigaction action = {
		.sa_handler = interrupt, .sa_flags = (int)SA_RESETHAND};

	interrupted = 0;
	(void)sigaction(SIGINT, &action, NULL);
}

/* Sleeps until the next update. */
static void sleep_interval(const struct follow *follow)
{
	struct timespec pause = {
		.tv_sec = (time_t)(follow->interval_ns / SECOND),
		.tv_nsec = (long)(follow->interval_ns % SECOND)};

	if (!interrupted)
		(void)nanosleep(&pause, NULL);
}

/* Waits for enough data; false if SIGINT came first. */
static bool wait_for_file(const struct follow *follow)
{
	struct stat found;
	bool reported = follow->inputs->quiet;

	while (!interrupted) {
		if (stat(follow->path, &found) == 0) {
			if (!S_ISREG(found.st_mode) ||
				found.st_size >= LEAST_BYTES)
				return true;
		} else if (errno != ENOENT) {
			return true; /* opening it reports the reason */
		}
		if (!reported)
			diag("%s: does not exist yet; waiting", follow->path);
		reported = true;
		sleep_interval(follow);
	}
	return false;
}

/* Whether the file was replaced, or is shorter than the part already read. */
static bool is_replaced(const struct follow *follow, const struct input *input)
{
	struct stat found;
	struct stat open;

	if (stat(follow->path, &found) != 0 ||
		fstat(fileno(input->file.file), &open) != 0)
		return false;
	return found.st_dev != open.st_dev || found.st_ino != open.st_ino ||
	       (uint64_t)open.st_size <
		       input->file.source->position(input->file.source);
}

/* Shows the profile so far or, if the input is complete, the final one. */
static int show_snapshot(const struct follow *follow, struct replay *replay,
	const struct input *input)
{
	const struct event_source *source = input->file.source;
	struct profile *profile = NULL;
	uint64_t losses[LOSS_KINDS];
	struct ctp_error err = {0};
	enum ctp_status status;
	int result;

	memcpy(losses, source->trace->losses, sizeof(losses));
	status = source->is_whole(source)
			 ? replay_finish(replay, &profile, &err)
			 : replay_snapshot(replay, &profile, &err);
	if (status == CTP_OK)
		status = profile_sort(profile, &err);
	if (status == CTP_OK) {
		losses[LOSS_OPEN_RANGES] = profile->open_calls;
		result = follow->show(follow->user, profile, losses);
	} else {
		result = input_diag_error(input, input->name, &err);
	}
	profile_free(profile);
	return result;
}

/* Reads and shows until the input is complete or replaced, or SIGINT comes. */
static int read_until_whole(const struct follow *follow, struct input *input,
	struct replay *replay, bool *replaced)
{
	static const struct convert_job job;
	struct event_source *source = input->file.source;
	uint64_t shown = 0;
	int result = EXIT_DONE;

	for (;;) {
		struct ctp_error err = {0};
		enum ctp_status status =
			convert_replay(source, &job, replay, &err);
		bool whole = source->is_whole(source);

		if (status == CTP_END && whole) {
			/* The rest will not become a complete member. */
			source->follow(source, false);
			status = convert_replay(source, &job, replay, &err);
		}
		if (status != CTP_END)
			return input_diag_error(input, input->name, &err);
		if (source->position(source) != shown) {
			shown = source->position(source);
			result = show_snapshot(follow, replay, input);
		}
		if (result != EXIT_DONE || whole || interrupted)
			return result;
		sleep_interval(follow);
		*replaced = is_replaced(follow, input);
		if (interrupted || *replaced)
			return EXIT_DONE;
	}
}

static int follow_input(
	const struct follow *follow, struct input *input, bool *replaced)
{
	struct event_source *source = input->file.source;
	struct replay *replay;
	int result;

	if (source->follow == NULL || input->file.size_bytes == 0) {
		diag("%s: cannot be followed: not a log in a regular file",
			input->name);
		return EXIT_USAGE;
	}
	source->follow(source, true);
	replay = replay_new(source->trace, follow->options);
	if (replay == NULL)
		return diag_no_memory(input->name);
	result = read_until_whole(follow, input, replay, replaced);
	replay_free(replay);
	return result;
}

int follow_run(const struct follow *follow)
{
	bool replaced = true;
	int result = EXIT_DONE;

	catch_interrupt();
	while (replaced && wait_for_file(follow)) {
		struct inputs inputs = *follow->inputs;
		struct input input;

		replaced = false;
		result = input_open(&input, follow->path, &inputs);
		if (result != EXIT_DONE)
			return result;
		result = follow_input(follow, &input, &replaced);
		if (replaced && !inputs.quiet)
			diag("%s: was replaced by another file", follow->path);
		/* Stopping early is intended, so do not report an incomplete
		 * input. */
		inputs.quiet |= replaced;
		inputs.strict &= !replaced && !interrupted;
		result = exit_worse(result, input_close(&input, &inputs));
	}
	return result;
}
