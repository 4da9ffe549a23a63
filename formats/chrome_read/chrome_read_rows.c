/* SPDX-License-Identifier: MIT */
#include "chrome_read/chrome_read_rows.h"

#include <string.h>

#include "json/json_bytes.h"
#include "json/json_value.h"
#include "base/memory.h"

void chrome_read_rows_clear(struct chrome_read_rows *rows)
{
	strtab_free(rows->pids);
	strtab_free(rows->keys);
	memory_free(rows->processes);
	memory_free(rows->rows);
}

bool chrome_read_rows_init(struct chrome_read_rows *rows, struct trace *trace,
	struct chrome_read_args *args)
{
	bool done;

	*rows = (struct chrome_read_rows){.trace = trace, .args = args};
	rows->pids = strtab_new();
	rows->keys = strtab_new();
	/* Number 0 is no process. */
	done = memory_reach(&rows->processes, 0, &rows->process_room,
		sizeof(*rows->processes));
	return done && rows->pids != NULL && rows->keys != NULL;
}

/* The number that a pid or tid is or stands for; `*name` is its text if it is
 * no number. */
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
		json_bytes_sixteen(text, token->size, &digits)) {
		*id = (int64_t)digits;
		return true;
	}
	if (json_value_scaled(text, token->size, 0, id))
		return true;
	if (!chrome_read_args_plain(rows->args, scan, token, &text, &size))
		return false;
	/* PyTorch's end of the recording is in no process and no thread. */
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
		!memory_reach(&rows->processes, number, &rows->process_room,
			sizeof(*rows->processes)))
		return STRTAB_NONE;
	if (number == known)
		rows->processes[number] =
			(struct chrome_read_process){.pid = pid, .name = name};
	return number;
}

/* The row of this pid and tid, and what they are called if they are new. */
static struct chrome_read_row *row_of(struct chrome_read_rows *rows,
	const int64_t key[2], const uint32_t names[2])
{
	uint32_t known = strtab_count(rows->keys);
	uint32_t number =
		strtab_add(rows->keys, (const char *)key, 2 * sizeof(key[0]));
	uint32_t process = find_process(rows, key[0], names[0]);

	if (number == STRTAB_NONE || process == STRTAB_NONE ||
		!memory_reach(&rows->rows, number, &rows->row_room,
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

/* Likewise, of what was not met of late. */
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
	struct chrome_read_row_lookup *met = &rows->met[json_smallstr_place(
		this.pid.begin + 3 * this.tid.begin + this.tid.end,
		CHROME_READ_ROWS_MET)];
	struct chrome_read_row *row;

	if (met->row != 0 && json_smallstr_is(&met->pid, &this.pid) &&
		json_smallstr_is(&met->tid, &this.tid))
		return &rows->rows[met->row - 1];
	row = find_row(rows, scan, pid, tid);
	if (row != NULL) {
		this.row = (uint32_t)(row - rows->rows) + 1;
		*met = this;
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
