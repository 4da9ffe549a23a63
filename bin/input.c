/* SPDX-License-Identifier: MIT */
#include "input.h"

#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd.h"
#include "say.h"

const char *input_name(const char *path)
{
	return strcmp(path, "-") == 0 ? "standard input" : path;
}

static enum ctp_status open_file(
	struct input *input, const char *path, struct ctp_error *err)
{
	struct stat found;

	input->file = strcmp(path, "-") == 0 ? stdin : fopen(path, "re");
	if (input->file == NULL)
		return ctp_fail(
			err, CTP_ERR_IO, ERROR_NO_OFFSET, "cannot open");
	if (fstat(fileno(input->file), &found) == 0 && S_ISREG(found.st_mode))
		input->size_bytes = (uint64_t)found.st_size;
	input->head_size =
		fread(input->head, 1, sizeof(input->head), input->file);
	if (ferror(input->file))
		return ctp_fail(
			err, CTP_ERR_IO, ERROR_NO_OFFSET, "cannot read");
	if (input->head_size == 0)
		return ctp_fail(
			err, CTP_ERR_FORMAT, ERROR_NO_OFFSET, "is empty");
	return CTP_OK;
}

/* Something we write but do not read deserves a better message. */
static enum ctp_status refuse_unknown(
	const struct input *input, struct ctp_error *err)
{
	for (const struct format *const *at = formats; *at != NULL; at++)
		if ((*at)->probe != NULL && (*at)->open_events == NULL &&
			(*at)->probe(input->head, input->head_size) != 0)
			return ctp_fail(err, CTP_ERR_FORMAT, ERROR_NO_OFFSET,
				"is %s, which ctprof writes but does not read",
				(*at)->name);
	return ctp_fail(err, CTP_ERR_FORMAT, ERROR_NO_OFFSET,
		"is in no format that ctprof reads; see 'ctprof formats'");
}

static enum ctp_status open_source(
	struct input *input, const struct format *from, struct ctp_error *err)
{
	input->format = from;
	if (from == NULL)
		input->format = format_probe(input->head, input->head_size);
	if (input->format == NULL)
		return refuse_unknown(input, err);
	if (input->format->open_events == NULL)
		return ctp_fail(err, CTP_ERR_UNSUPPORTED, ERROR_NO_OFFSET,
			"ctprof writes %s but does not read it",
			input->format->name);
	return input->format->open_events(input->file, input->head,
		input->head_size, &input->source, err);
}

static void close_file(struct input *input)
{
	if (input->file != NULL && input->file != stdin)
		(void)fclose(input->file);
	input->file = NULL;
}

int input_open(
	struct input *input, const char *path, const struct inputs *inputs)
{
	struct ctp_error err = {0};
	enum ctp_status status;

	input->name = input_name(path);
	input->file = NULL;
	input->source = NULL;
	input->size_bytes = 0;
	status = open_file(input, path, &err);
	if (status == CTP_OK)
		status = open_source(input, inputs->from, &err);
	if (status == CTP_OK) {
		input->source->trace->names = inputs->names;
		input->source->trace->trim_prefix = inputs->trim_prefix;
		return EXIT_DONE;
	}
	say_error(input->name, &err);
	close_file(input);
	return status == CTP_ERR_NOMEM || status == CTP_ERR_LIMIT ? EXIT_LIMIT
								  : EXIT_INPUT;
}

int input_failed(const struct input *input, const char *output,
	const struct ctp_error *err)
{
	switch (err->status) {
	case CTP_ERR_NOMEM:
	case CTP_ERR_LIMIT:
		say_error(input->name, err);
		return EXIT_LIMIT;
	case CTP_ERR_IO:
		if (!ferror(input->file)) {
			say_error(output, err);
			return EXIT_OUTPUT;
		}
		break;
	default:
		break;
	}
	say_error(input->name, err);
	return EXIT_INPUT;
}

int input_close(struct input *input, const struct inputs *inputs)
{
	const struct trace *trace = input->source->trace;
	bool lost = false;

	for (enum trace_loss loss = 0; loss < LOSS_KINDS; loss++) {
		bool note = trace_loss_is_note(loss);

		if (trace->losses[loss] == 0)
			continue;
		lost = lost || !note;
		if (note ? inputs->verbose && !inputs->quiet
			 : inputs->strict || !inputs->quiet)
			say("%s: %" PRIu64 " %s", input->name,
				trace->losses[loss], trace_loss_words(loss));
	}
	input->source->close(input->source);
	close_file(input);
	return lost && inputs->strict ? EXIT_DAMAGED : EXIT_DONE;
}
