/* SPDX-License-Identifier: MIT */
#include "chrome_read/chrome_read_rows.h"

#include <string.h>

#include "json/json_value.h"
#include "chrome/chrome_rows.h"
#include "base/memory.h"

#define LABELS "process_labels"
#define STREAM "stream "
#define STREAM_DIGITS 18

void chrome_read_rows_clear(struct chrome_read_rows *rows)
{
	strtab_free(rows->pids);
	strtab_free(rows->keys);
	memory_free(rows->processes);
	memory_free(rows->rows);
}

bool chrome_read_rows_init(struct chrome_read_rows *rows, struct trace *trace,
	struct chrome_read_args *args,
	const struct chrome_read_producer *producer)
{
	bool done;

	*rows = (struct chrome_read_rows){
		.trace = trace, .args = args, .producer = producer};
	rows->pids = strtab_new();
	rows->keys = strtab_new();
	/* Number 0 means no process. */
	done = array_ensure_index(&rows->processes, 0, &rows->process_room,
		sizeof(*rows->processes));
	return done && rows->pids != NULL && rows->keys != NULL;
}

/* The value of a pid or tid, or the number assigned to its text; `*name` is the
 * text if it is not a number. */
static bool read_id(struct chrome_read_rows *rows, const struct json_scan *scan,
	const struct json_token *token, int64_t *id, uint32_t *name)
{
	const char *text;
	size_t size;
	uint64_t digits;

	*id = 0;
	*name = 0;
	if (token->kind != JSON_NUMBER && token->kind != JSON_STRING)
		return true;
	text = json_scan_text(scan, token);
	if (token->size > 0 && token->size <= 16 &&
		json_value_sixteen_digits(text, token->size, &digits)) {
		*id = (int64_t)digits;
		return true;
	}
	if (json_value_scaled(text, token->size, 0, id))
		return true;
	if (!chrome_read_args_plain(rows->args, scan, token, &text, &size))
		return false;
	/* PyTorch's event for the end of the recording has no process and
	 * thread. */
	if (size == 0) {
		text = "(none)";
		size = strlen(text);
	}
	*name = strtab_add(rows->trace->text, text, size);
	*id = TRACE_TEXT_IDS - *name;
	return *name != STRTAB_NONE;
}

static uint32_t find_process(
	struct chrome_read_rows *rows, int64_t pid, uint32_t name)
{
	uint32_t known = strtab_count(rows->pids);
	uint32_t number =
		strtab_add(rows->pids, (const char *)&pid, sizeof(pid));

	if (number == STRTAB_NONE ||
		!array_ensure_index(&rows->processes, number,
			&rows->process_room, sizeof(*rows->processes)))
		return STRTAB_NONE;
	if (number == known)
		rows->processes[number] =
			(struct chrome_read_process){.pid = pid, .name = name};
	return number;
}

/* The row of this pid and tid; `names` are used if it is new. */
static struct chrome_read_row *row_of(struct chrome_read_rows *rows,
	const int64_t key[2], const uint32_t names[2])
{
	uint32_t known = strtab_count(rows->keys);
	uint32_t number =
		strtab_add(rows->keys, (const char *)key, 2 * sizeof(key[0]));
	uint32_t process = find_process(rows, key[0], names[0]);

	if (number == STRTAB_NONE || process == STRTAB_NONE ||
		!array_ensure_index(&rows->rows, number, &rows->row_room,
			sizeof(*rows->rows)))
		return NULL;
	if (number == known)
		rows->rows[number] =
			(struct chrome_read_row){.process = process,
				.track = TRACE_NONE,
				.tid = key[1],
				.name = names[1]};
	return &rows->rows[number];
}

/* Likewise, for a row that is not in the cache. */
static struct chrome_read_row *find_row(struct chrome_read_rows *rows,
	const struct json_scan *scan, const struct json_token *pid,
	const struct json_token *tid)
{
	int64_t key[2];
	uint32_t names[2];

	if (!read_id(rows, scan, pid, &key[0], &names[0]) ||
		!read_id(rows, scan, tid, &key[1], &names[1]))
		return NULL;
	return row_of(rows, key, names);
}

struct chrome_read_row *chrome_read_rows_find(struct chrome_read_rows *rows,
	const struct json_scan *scan, const struct json_token *pid,
	const struct json_token *tid)
{
	struct chrome_read_row_lookup this = {
		json_smallstr(scan, pid), json_smallstr(scan, tid), 0};
	struct chrome_read_row_lookup *entry =
		&rows->recent[json_smallstr_place(
			this.pid.begin + 3 * this.tid.begin + this.tid.end,
			CHROME_READ_ROWS_RECENT)];
	struct chrome_read_row *row;

	if (entry->row != 0 && json_smallstr_is(&entry->pid, &this.pid) &&
		json_smallstr_is(&entry->tid, &this.tid))
		return &rows->rows[entry->row - 1];
	row = find_row(rows, scan, pid, tid);
	if (row != NULL) {
		this.row = (uint32_t)(row - rows->rows) + 1;
		*entry = this;
	}
	return row;
}

struct chrome_read_process *chrome_read_rows_process(
	struct chrome_read_rows *rows, const struct chrome_read_row *row)
{
	return &rows->processes[row->process];
}

bool chrome_read_rows_own(struct chrome_read_rows *rows,
	const struct chrome_read_row *row, int64_t pid, int64_t device)
{
	uint32_t owner = find_process(rows, pid, 0);

	if (owner == STRTAB_NONE)
		return false;
	rows->processes[row->process].owner = owner;
	rows->processes[row->process].device = device;
	return true;
}

bool chrome_read_rows_join(struct chrome_read_rows *rows,
	const struct chrome_read_row *row, int64_t tid, bool apart)
{
	const int64_t key[2] = {rows->processes[row->process].pid, tid};
	const uint32_t names[2] = {0, 0};
	size_t number = (size_t)(row - rows->rows);
	struct chrome_read_row *first;
	uint32_t track;

	if (row->track != TRACE_NONE || row->tid == tid)
		return true;
	first = row_of(rows, key, names);
	if (first == NULL)
		return false;
	track = chrome_read_rows_track(rows, first);
	rows->rows[number].track = track;
	rows->rows[number].is_part = true;
	rows->rows[number].is_apart = apart;
	return track != TRACE_NONE;
}

uint32_t chrome_read_rows_track(
	struct chrome_read_rows *rows, struct chrome_read_row *row)
{
	if (row->track == TRACE_NONE)
		row->track = trace_add_track(rows->trace,
			(struct trace_track){.kind = TRACE_THREAD,
				.pid = rows->processes[row->process].pid,
				.tid = row->tid});
	return row->track;
}

void chrome_read_rows_finish(struct chrome_read_rows *rows)
{
	struct trace *trace = rows->trace;

	for (uint32_t i = 1; i < strtab_count(rows->keys); i++) {
		const struct chrome_read_row *row = &rows->rows[i];
		const struct chrome_read_process *process =
			&rows->processes[row->process];
		struct trace_track *track;

		if (row->track == TRACE_NONE || row->is_part)
			continue;
		track = &trace->tracks[row->track];
		track->pid = process->pid;
		track->process_name = process->name;
		track->name = row->name;
		track->has_sort = row->has_sort;
		track->sort = row->sort;
		track->has_process_sort = process->has_sort;
		track->process_sort = process->sort;
	}
}

/* The value of this numeric argument of the event. */
static bool find_int(
	const struct chrome_read_rows *rows, const char *key, int64_t *value)
{
	const uint8_t *at = rows->args->bytes.bytes + rows->args->before;

	for (uint32_t i = 0; i < rows->args->count; i++) {
		struct event_arg arg = chrome_read_args_next(&at);

		if (arg.kind == ARG_INT &&
			strcmp(strtab_text(rows->trace->text, arg.key, NULL),
				key) == 0) {
			*value = arg.value.integer;
			return true;
		}
	}
	return false;
}

/* Process labels are for people, but in our own files a device's label names
 * its owner. */
static bool add_owner(struct chrome_read_rows *rows,
	const struct chrome_read_row *row, bool *is_found)
{
	int64_t owner;
	int64_t device;

	*is_found = find_int(rows, CHROME_ROWS_OWNER, &owner) &&
		    find_int(rows, CHROME_ROWS_DEVICE, &device);
	return !*is_found || chrome_read_rows_own(rows, row, owner, device);
}

/* Kineto's and our own stream rows are called "stream 7 ", and our lanes
 * "stream 7 (lane 1)", whose tid is not the stream's number. */
static void set_stream(
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

/* Sets the name or the sort index of a process or a thread. */
static bool set_label(struct chrome_read_rows *rows,
	struct chrome_read_row *row, bool of_process,
	const struct event_arg *arg)
{
	struct chrome_read_process *process =
		chrome_read_rows_process(rows, row);
	uint32_t *name = of_process ? &process->name : &row->name;
	uint32_t text;
	int64_t tid;

	if (!of_process && rows->producer->is_own &&
		find_int(rows, CHROME_ROWS_PART_OF, &tid))
		return chrome_read_rows_join(rows, row, tid, false);
	if (!of_process && rows->producer->is_own &&
		find_int(rows, CHROME_ROWS_APART_FROM, &tid))
		return chrome_read_rows_join(rows, row, tid, true);
	if (arg->kind == ARG_INT && of_process) {
		process->has_sort = true;
		process->sort = arg->value.integer;
	} else if (arg->kind == ARG_INT) {
		row->has_sort = true;
		row->sort = arg->value.integer;
	} else {
		text = strtab_add(rows->trace->text, arg->value.text.bytes,
			arg->value.text.size);
		if (text == STRTAB_NONE)
			return false;
		*name = text;
		if (!of_process)
			set_stream(row, arg->value.text.bytes,
				arg->value.text.size);
	}
	return true;
}

/* Kineto's labels, "CPU" and "GPU 0", repeat known facts about a process. */
static bool is_kineto_label(const struct event_arg *arg)
{
	return arg->kind == ARG_TEXT &&
	       ((arg->value.text.size == 3 &&
			memcmp(arg->value.text.bytes, "CPU", 3) == 0) ||
		       (arg->value.text.size > 4 &&
			       memcmp(arg->value.text.bytes, "GPU ", 4) == 0));
}

/* Labels are not shown, but counted. */
static bool add_labels(
	struct chrome_read_rows *rows, const struct chrome_read_row *row)
{
	const uint8_t *at = rows->args->bytes.bytes + rows->args->before;
	enum trace_loss loss = LOSS_NOT_KEPT;
	bool is_found;
	struct event_arg arg;

	if (!add_owner(rows, row, &is_found))
		return false;
	if (rows->args->count == 1) {
		arg = chrome_read_args_next(&at);
		if (is_kineto_label(&arg))
			loss = LOSS_LEFT_OUT;
	}
	if (!is_found)
		trace_lose(rows->trace, loss, 1);
	return true;
}

bool chrome_read_rows_describe(struct chrome_read_rows *rows,
	struct chrome_read_row *row, const char *name, size_t size)
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
	const struct strtab *table = rows->trace->text;
	size_t which = 0;

	if (size == strlen(LABELS) && memcmp(name, LABELS, size) == 0)
		return add_labels(rows, row);
	while (which < sizeof(known) / sizeof(known[0]) &&
		(size != strlen(known[which].name) ||
			memcmp(name, known[which].name, size) != 0))
		which++;
	if (which < sizeof(known) / sizeof(known[0])) {
		const uint8_t *at =
			rows->args->bytes.bytes + rows->args->before;

		for (uint32_t i = 0; i < rows->args->count; i++) {
			struct event_arg arg = chrome_read_args_next(&at);

			if (arg.kind == known[which].kind &&
				strcmp(strtab_text(table, arg.key, NULL),
					known[which].key) == 0)
				return set_label(rows, row,
					known[which].of_process, &arg);
		}
	}
	trace_lose(rows->trace, LOSS_NOT_KEPT, 1);
	return true;
}
