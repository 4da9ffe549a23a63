/* SPDX-License-Identifier: MIT */
/* What a Chrome trace tells of processes and threads, and of no moment. */
#include <string.h>

#include "chrome/chrome_rows.h"
#include "base/strtab.h"
#include "chrome_read/chrome_reader.h"

#define LABELS "process_labels"
#define STREAM "stream "
#define STREAM_DIGITS 18

/* The number that is this argument of the event's. */
static bool find_int(
	const struct chrome_reader *reader, const char *key, int64_t *value)
{
	const uint8_t *at = reader->args.bytes.bytes + reader->args.before;

	for (uint32_t i = 0; i < reader->args.count; i++) {
		struct event_arg arg = chrome_read_args_next(&at);

		if (arg.kind == ARG_INT &&
			strcmp(strtab_text(reader->trace->text, arg.key, NULL),
				key) == 0) {
			*value = arg.value.integer;
			return true;
		}
	}
	return false;
}

/* Labels of processes are for people, but in those of a device our own files
 * say whose it is. */
static bool add_owner(struct chrome_reader *reader,
	const struct chrome_read_row *row, bool *is_told)
{
	int64_t owner;
	int64_t device;

	*is_told = find_int(reader, CHROME_ROWS_OWNER, &owner) &&
		   find_int(reader, CHROME_ROWS_DEVICE, &device);
	return !*is_told ||
	       chrome_read_rows_own(&reader->rows, row, owner, device);
}

/* Kineto's and our own rows of streams are called "stream 7 ", the lanes of
 * ours "stream 7 (lane 1)": of these the tid is another number. */
static void note_stream(
	struct chrome_read_row *row, const char *name, size_t size)
{
	const size_t at = strlen(STREAM);
	size_t digits = 0;
	int64_t stream = 0;

	if (size <= at || memcmp(name, STREAM, at) != 0)
		return;
	for (; at + digits < size && name[at + digits] != ' '; digits++) {
		unsigned digit = (unsigned char)name[at + digits] - '0';

		if (digit > 9 || digits == STREAM_DIGITS)
			return;
		stream = stream * 10 + (int64_t)digit;
	}
	row->has_stream = digits > 0;
	row->stream = stream;
}

/* What is told of a process or a thread. */
static bool set_label(struct chrome_reader *reader, struct chrome_read_row *row,
	bool of_process, const struct event_arg *arg)
{
	struct chrome_read_process *process =
		chrome_read_rows_process(&reader->rows, row);
	uint32_t *name = of_process ? &process->name : &row->name;
	uint32_t text;
	int64_t tid;

	if (!of_process && reader->producer.is_own &&
		find_int(reader, CHROME_ROWS_PART_OF, &tid))
		return chrome_read_rows_join(&reader->rows, row, tid, false);
	if (!of_process && reader->producer.is_own &&
		find_int(reader, CHROME_ROWS_APART_FROM, &tid))
		return chrome_read_rows_join(&reader->rows, row, tid, true);
	if (arg->kind == ARG_INT && of_process) {
		process->has_sort = true;
		process->sort = arg->value.integer;
	} else if (arg->kind == ARG_INT) {
		row->has_sort = true;
		row->sort = arg->value.integer;
	} else {
		text = strtab_add(reader->trace->text, arg->value.text.bytes,
			arg->value.text.size);
		if (text == STRTAB_NONE)
			return false;
		*name = text;
		if (!of_process)
			note_stream(row, arg->value.text.bytes,
				arg->value.text.size);
	}
	return true;
}

/* Kineto's labels, "CPU" and "GPU 0", tell no more than what a process does. */
static bool is_kineto_label(const struct event_arg *arg)
{
	return arg->kind == ARG_TEXT &&
	       ((arg->value.text.size == 3 &&
			memcmp(arg->value.text.bytes, "CPU", 3) == 0) ||
		       (arg->value.text.size > 4 &&
			       memcmp(arg->value.text.bytes, "GPU ", 4) == 0));
}

/* Labels are shown nowhere, and counted. */
static bool add_labels(
	struct chrome_reader *reader, const struct chrome_read_row *row)
{
	const uint8_t *at = reader->args.bytes.bytes + reader->args.before;
	enum trace_loss loss = LOSS_NOT_SHOWN;
	bool is_told;
	struct event_arg arg;

	if (!add_owner(reader, row, &is_told))
		return false;
	if (reader->args.count == 1) {
		arg = chrome_read_args_next(&at);
		if (is_kineto_label(&arg))
			loss = LOSS_LEFT_OUT;
	}
	if (!is_told)
		trace_lose(reader->trace, loss, 1);
	return true;
}

bool chrome_read_metadata_add(struct chrome_reader *reader,
	struct chrome_read_row *row, const struct chrome_read_json *event)
{
	static const struct {
		const char *name;
		const char *key;
		enum event_arg_kind kind;
		bool of_process;
	} known[] = {
		{"process_name", "name", ARG_TEXT, true},
		{"thread_name", "name", ARG_TEXT, false},
		{"process_sort_index", "sort_index", ARG_INT, true},
		{"thread_sort_index", "sort_index", ARG_INT, false},
	};
	const struct strtab *table = reader->trace->text;
	const char *name = json_scan_text(reader->scan, &event->name);
	size_t which = 0;

	if (event->name.size == strlen(LABELS) &&
		memcmp(name, LABELS, event->name.size) == 0)
		return add_labels(reader, row);
	while (which < sizeof(known) / sizeof(known[0]) &&
		(event->name.size != strlen(known[which].name) ||
			memcmp(name, known[which].name, event->name.size) != 0))
		which++;
	if (which < sizeof(known) / sizeof(known[0])) {
		const uint8_t *at =
			reader->args.bytes.bytes + reader->args.before;

		for (uint32_t i = 0; i < reader->args.count; i++) {
			struct event_arg arg = chrome_read_args_next(&at);

			if (arg.kind == known[which].kind &&
				strcmp(strtab_text(table, arg.key, NULL),
					known[which].key) == 0)
				return set_label(reader, row,
					known[which].of_process, &arg);
		}
	}
	trace_lose(reader->trace, LOSS_NOT_SHOWN, 1);
	return true;
}
