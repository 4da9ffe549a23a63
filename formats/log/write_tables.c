/* SPDX-License-Identifier: MIT */
/* The trace's tables as blocks: sites and tracks before their first use, the
 * rest at the end, when it is known. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "log/write_private.h"

#define SITES_A_BLOCK 4096
#define BYTES_A_BLOCK ((size_t)1024 * 1024)

/* The place of a fact. */
enum place { IN_HEADER, IN_FACTS, NOWHERE };

static bool is_one_of(const char *key, const char *const *keys)
{
	for (; *keys != NULL; keys++)
		if (strcmp(key, *keys) == 0)
			return true;
	return false;
}

/* A log's header facts go back into the header; a fact of the same name from
 * another format or document may mean something else. The fact that a log was
 * merged must precede its events. */
static enum place place_of(const struct log_out *out, uint32_t number)
{
	static const char *const own[] = {
		"format", "version", "reader", "realtime", "spool", NULL};
	static const char *const header[] = {"tool", "host", "pid", "command",
		"clock", "clock_hz", "policy", "min_ns", "parent", NULL};
	const struct trace *trace = out->trace;
	const struct trace_fact *fact = &trace->facts[number];
	const char *key = strtab_text(trace->text, fact->key, NULL);
	bool is_merged = strcmp(key, TRACE_MERGED) == 0;

	if (number >= out->header_facts || fact->kind != FACT_OWN)
		return IN_FACTS;
	/* Other facts may be many: do not search them. */
	if (!is_merged &&
		(!out->is_log_again ||
			(!is_one_of(key, own) && !is_one_of(key, header))))
		return IN_FACTS;
	for (uint32_t i = 0; i < number; i++)
		if (trace->facts[i].key == fact->key &&
			trace->facts[i].kind == FACT_OWN)
			return IN_FACTS;
	return is_merged || is_one_of(key, header) ? IN_HEADER : NOWHERE;
}

/* Writes a number as a number if it reads back as the same text. */
static void add_fact(struct log_out *out, msgpack_packer *packer,
	const struct trace_fact *fact)
{
	const char *text = strtab_text(out->trace->text, fact->value, NULL);
	char again[24];
	long long value;

	errno = 0;
	value = strtoll(text, NULL, 10);
	(void)snprintf(again, sizeof(again), "%lld", value);
	log_out_string(out, packer, fact->key);
	if (errno == 0 && strcmp(again, text) == 0)
		(void)msgpack_pack_int64(packer, value);
	else
		log_out_string(out, packer, fact->value);
}

/* Do the facts come from a log, perhaps by way of another format? */
static bool is_log_again(const struct trace *trace)
{
	for (uint32_t i = 0; i < trace->fact_count; i++) {
		const struct trace_fact *fact = &trace->facts[i];

		if (fact->kind == FACT_OWN &&
			strcmp(strtab_text(trace->text, fact->key, NULL),
				"format") == 0)
			return strcmp(strtab_text(
					      trace->text, fact->value, NULL),
				       LOG_FORMAT_NAME) == 0;
	}
	return false;
}

enum ctp_status log_out_write_header(struct log_out *out, struct ctp_error *err)
{
	msgpack_packer packer = msgpack_out(&out->bytes);
	const struct trace *trace = out->trace;
	uint32_t count = 0;
	bool has_tool = false;

	out->begun = true;
	out->is_log_again = is_log_again(trace);
	out->header_facts = trace->fact_count;
	for (uint32_t i = 0; i < trace->fact_count; i++) {
		if (place_of(out, i) != IN_HEADER)
			continue;
		count++;
		has_tool |= strcmp(strtab_text(trace->text, trace->facts[i].key,
					   NULL),
				    "tool") == 0;
	}
	out->bytes.used = 0;
	(void)msgpack_pack_array(&packer, 2);
	(void)msgpack_pack_int(&packer, LOG_HEADER);
	(void)msgpack_pack_map(&packer, 4 + count + !has_tool);
	msgpack_out_key(&packer, "format");
	msgpack_out_key(&packer, LOG_FORMAT_NAME);
	msgpack_out_key(&packer, "version");
	(void)msgpack_pack_int(&packer, LOG_VERSION);
	msgpack_out_key(&packer, "reader");
	(void)msgpack_pack_int(&packer, LOG_READER);
	if (!has_tool) {
		msgpack_out_key(&packer, "tool");
		msgpack_out_key(&packer, PACKAGE_STRING);
	}
	for (uint32_t i = 0; i < trace->fact_count; i++)
		if (place_of(out, i) == IN_HEADER)
			add_fact(out, &packer, &trace->facts[i]);
	msgpack_out_key(&packer, "realtime");
	(void)msgpack_pack_int64(&packer, trace->base_realtime_ns);
	return log_out_write(out, LOG_HEADER, err);
}

static void add_site(struct log_out *out, msgpack_packer *packer,
	const struct trace_site *site)
{
	bool is_long = site->category != 0 || site->call_line != 0;

	(void)msgpack_pack_array(packer, is_long ? 8 : 3);
	log_out_string(out, packer, site->name);
	log_out_string(out, packer, site->file);
	(void)msgpack_pack_uint32(packer, site->line);
	if (!is_long)
		return;
	(void)msgpack_pack_int(packer, 0);
	(void)msgpack_pack_int(packer, 0);
	msgpack_out_key(packer, "");
	log_out_string(out, packer, site->category);
	(void)msgpack_pack_uint32(packer, site->call_line);
}

/* The number of sites, from this one on, that fit in one block. */
static uint32_t count_sites(const struct log_out *out, uint32_t first)
{
	const struct trace *trace = out->trace;
	uint32_t end = first;
	size_t bytes = 0;

	while (end < trace->site_count && end - first < SITES_A_BLOCK &&
		bytes < BYTES_A_BLOCK) {
		const struct trace_site *site = &trace->sites[end++];
		const uint32_t texts[] = {
			site->name, site->file, site->category};

		for (size_t i = 0; i < 3; i++) {
			size_t size;

			(void)strtab_text(trace->text, texts[i], &size);
			bytes += size;
		}
	}
	return end - first;
}

static enum ctp_status write_sites(struct log_out *out, struct ctp_error *err)
{
	uint32_t count = count_sites(out, out->site_count);
	msgpack_packer packer = msgpack_out(&out->bytes);

	if (out->site_count + count >= LOG_SITES_MAX)
		return ctp_fail(err, CTP_ERR_LIMIT, "more than %u names",
			LOG_SITES_MAX - 1);
	out->bytes.used = 0;
	(void)msgpack_pack_array(&packer, 3);
	(void)msgpack_pack_int(&packer, LOG_SITES);
	(void)msgpack_pack_uint32(&packer, out->site_count + 1);
	(void)msgpack_pack_array(&packer, count);
	for (; count > 0; count--)
		add_site(out, &packer, &out->trace->sites[out->site_count++]);
	return log_out_write(out, LOG_SITES, err);
}

static void add_sort(msgpack_packer *packer, bool is_there, int64_t sort)
{
	if (is_there)
		(void)msgpack_pack_int64(packer, sort);
	else
		(void)msgpack_pack_nil(packer);
}

/* Did the track's recording end, with open ranges, before the others, as with
 * several processes? Otherwise these ranges end at the log's end. */
static bool ends_early(const struct log_out *out, uint32_t number)
{
	const struct trace_track *track = &out->trace->tracks[number];
	const struct log_out_track *written = out->tracks[number];
	int64_t end_ns = track->kind == TRACE_TIMELINE
				 ? out->trace->timeline_end_ns
				 : out->trace->end_ns;

	return written->depth > 0 && track->has_end && track->end_ns < end_ns;
}

/* [2, track, kind, tid, name, device, context, pid, process], and perhaps the
 * sort orders of the track and its process, and its end */
static enum ctp_status write_track(struct log_out *out, uint32_t number,
	uint32_t log_number, enum log_track_kind kind, struct ctp_error *err)
{
	const struct trace_track *track = &out->trace->tracks[number];
	msgpack_packer packer = msgpack_out(&out->bytes);
	bool ended = (kind == LOG_THREAD || kind == LOG_TIMELINE) &&
		     ends_early(out, number);
	bool sorted = track->has_sort || track->has_process_sort || ended;

	out->bytes.used = 0;
	(void)msgpack_pack_array(&packer, ended ? 12 : sorted ? 11 : 9);
	(void)msgpack_pack_int(&packer, LOG_TRACK);
	(void)msgpack_pack_uint32(&packer, log_number);
	(void)msgpack_pack_int(&packer, (int)kind);
	(void)msgpack_pack_int64(&packer, track->tid);
	log_out_string(out, &packer, track->name);
	(void)msgpack_pack_uint32(&packer, track->device);
	(void)msgpack_pack_uint32(&packer, track->context);
	(void)msgpack_pack_int64(&packer, track->pid);
	log_out_string(out, &packer, track->process_name);
	if (sorted) {
		add_sort(&packer, track->has_sort, track->sort);
		add_sort(&packer, track->has_process_sort, track->process_sort);
	}
	if (ended)
		(void)msgpack_pack_int64(&packer, track->end_ns);
	return log_out_write(out, LOG_TRACK, err);
}

static enum ctp_status take_number(
	struct log_out *out, uint32_t *number, struct ctp_error *err)
{
	if (out->last_number + 1 >= LOG_TRACKS_MAX)
		return ctp_fail(err, CTP_ERR_LIMIT, "more than %u tracks",
			LOG_TRACKS_MAX - 1);
	*number = ++out->last_number;
	return CTP_OK;
}

/* The log's kind of a trace's track, for its events or its activities. */
static enum log_track_kind kind_of(
	const struct trace_track *track, bool activities)
{
	switch (track->kind) {
	case TRACE_STREAM:
		return activities ? LOG_STREAM : LOG_THREAD;
	case TRACE_CALLS:
		return activities ? LOG_CALLS : LOG_THREAD;
	case TRACE_TIMELINE:
		return activities ? LOG_CALLS : LOG_TIMELINE;
	case TRACE_THREAD:
		break;
	}
	return activities ? LOG_CALLS : LOG_THREAD;
}

static bool is_device(const struct trace_track *track)
{
	return track->kind == TRACE_STREAM || track->kind == TRACE_CALLS;
}

/* Assigns a number to the events or activities of a trace's track, and writes
 * its block. */
static enum ctp_status add_track(struct log_out *out, uint32_t number,
	bool activities, struct ctp_error *err)
{
	struct log_out_track *track = log_out_track(out, number);
	uint32_t log_number = 0;
	enum ctp_status status;

	if (track == NULL)
		return ctp_no_memory(err);
	status = take_number(out, &log_number, err);
	if (status != CTP_OK)
		return status;
	if (activities)
		track->device_number = log_number;
	else
		track->number = log_number;
	track->name = out->trace->tracks[number].name;
	track->process_name = out->trace->tracks[number].process_name;
	return write_track(out, number, log_number,
		kind_of(&out->trace->tracks[number], activities), err);
}

/* The tracks' blocks are in the trace's order, so that they are read in it. */
static enum ctp_status write_tracks(struct log_out *out, struct ctp_error *err)
{
	enum ctp_status status = CTP_OK;

	while (out->track_count < out->trace->track_count && status == CTP_OK) {
		uint32_t number = out->track_count++;

		status = add_track(out, number,
			is_device(&out->trace->tracks[number]), err);
	}
	return status;
}

enum ctp_status log_out_number(struct log_out *out, uint32_t number,
	bool activities, struct ctp_error *err)
{
	struct log_out_track *track = log_out_track(out, number);
	enum ctp_status status;

	if (track == NULL)
		return ctp_no_memory(err);
	if ((activities ? track->device_number : track->number) != 0)
		return CTP_OK;
	status = write_tracks(out, err);
	if (status != CTP_OK ||
		(activities ? track->device_number : track->number) != 0)
		return status;
	return add_track(out, number, activities, err);
}

/* Writes a track again if more is known than when its events came. */
static enum ctp_status finish_track(
	struct log_out *out, uint32_t number, struct ctp_error *err)
{
	const struct trace_track *from = &out->trace->tracks[number];
	struct log_out_track *track = out->tracks[number];
	enum ctp_status status = CTP_OK;

	if (track->name == from->name &&
		track->process_name == from->process_name &&
		!ends_early(out, number))
		return CTP_OK;
	if (track->number != 0)
		status = write_track(
			out, number, track->number, kind_of(from, false), err);
	if (track->device_number != 0 && status == CTP_OK)
		status = write_track(out, number, track->device_number,
			kind_of(from, true), err);
	return status;
}

/* [10, device, {…}, pid] */
static enum ctp_status write_device(struct log_out *out,
	const struct trace_device *device, struct ctp_error *err)
{
	msgpack_packer packer = msgpack_out(&out->bytes);
	uint32_t count = device->arg_count < LOG_DEVICE_KEYS_MAX
				 ? device->arg_count
				 : LOG_DEVICE_KEYS_MAX;

	out->bytes.used = 0;
	(void)msgpack_pack_array(&packer, 4);
	(void)msgpack_pack_int(&packer, LOG_DEVICE);
	(void)msgpack_pack_uint32(&packer, device->number);
	log_out_args(out, &out->bytes, device->args, count);
	(void)msgpack_pack_int64(&packer, device->pid);
	return log_out_write(out, LOG_DEVICE, err);
}

/* Activities' times are log times: see LOG-FORMAT.md, "Devices". */
static enum ctp_status write_device_sync(
	struct log_out *out, struct ctp_error *err)
{
	msgpack_packer packer = msgpack_out(&out->bytes);

	out->bytes.used = 0;
	(void)msgpack_pack_array(&packer, 2);
	(void)msgpack_pack_int(&packer, LOG_DEVICE_SYNC);
	(void)msgpack_pack_array(&packer, 1);
	(void)msgpack_pack_array(&packer, 2);
	(void)msgpack_pack_int(&packer, 0);
	(void)msgpack_pack_int(&packer, 0);
	return log_out_write(out, LOG_DEVICE_SYNC, err);
}

enum ctp_status log_out_write_tables(struct log_out *out, struct ctp_error *err)
{
	const struct trace *trace = out->trace;
	enum ctp_status status = CTP_OK;

	while (out->site_count < trace->site_count && status == CTP_OK)
		status = write_sites(out, err);
	while (out->device_count < trace->device_count && status == CTP_OK)
		status = write_device(
			out, &trace->devices[out->device_count++], err);
	if (out->activities.count > 0 && !out->has_sync && status == CTP_OK) {
		out->has_sync = true;
		status = write_device_sync(out, err);
	}
	return status;
}

/* [18, [[key, value, kind], …]]: the facts, from this one on, that fit in one
 * block. */
static enum ctp_status write_facts(
	struct log_out *out, uint32_t *at, struct ctp_error *err)
{
	const struct trace *trace = out->trace;
	struct buffer rows = BUFFER_INIT;
	msgpack_packer packer = msgpack_out(&rows);
	uint32_t count = 0;

	for (; *at < trace->fact_count && rows.used < BYTES_A_BLOCK; ++*at) {
		const struct trace_fact *fact = &trace->facts[*at];

		if (place_of(out, *at) != IN_FACTS)
			continue;
		count++;
		(void)msgpack_pack_array(
			&packer, fact->kind == FACT_OWN ? 2 : 3);
		log_out_string(out, &packer, fact->key);
		log_out_string(out, &packer, fact->value);
		if (fact->kind != FACT_OWN)
			(void)msgpack_pack_int(&packer, (int)fact->kind);
	}
	out->bytes.used = 0;
	packer = msgpack_out(&out->bytes);
	(void)msgpack_pack_array(&packer, 2);
	(void)msgpack_pack_int(&packer, LOG_FACTS);
	(void)msgpack_pack_array(&packer, count);
	buffer_add(&out->bytes, rows.bytes, rows.used);
	out->bytes.failed |= rows.failed;
	buffer_clear(&rows);
	return count == 0 ? CTP_OK : log_out_write(out, LOG_FACTS, err);
}

/* [19, {name: count}] */
static enum ctp_status write_losses(struct log_out *out, struct ctp_error *err)
{
	const uint64_t *losses = out->trace->losses;
	msgpack_packer packer = msgpack_out(&out->bytes);
	uint32_t count = 0;

	for (int i = 0; i < LOSS_KINDS; i++)
		count += losses[i] != 0;
	if (count == 0)
		return CTP_OK;
	out->bytes.used = 0;
	(void)msgpack_pack_array(&packer, 2);
	(void)msgpack_pack_int(&packer, LOG_TRACE_LOSSES);
	(void)msgpack_pack_map(&packer, count);
	for (int i = 0; i < LOSS_KINDS; i++) {
		if (losses[i] == 0)
			continue;
		msgpack_out_key(&packer, trace_loss_name((enum trace_loss)i));
		(void)msgpack_pack_uint64(&packer, losses[i]);
	}
	return log_out_write(out, LOG_TRACE_LOSSES, err);
}

static enum ctp_status write_totals(struct log_out *out, struct ctp_error *err)
{
	msgpack_packer packer = msgpack_out(&out->bytes);

	out->bytes.used = 0;
	(void)msgpack_pack_array(&packer, 2);
	(void)msgpack_pack_int(&packer, LOG_END);
	(void)msgpack_pack_map(&packer, 3);
	msgpack_out_key(&packer, "log");
	(void)msgpack_pack_int64(&packer, out->trace->end_ns);
	msgpack_out_key(&packer, "events");
	(void)msgpack_pack_uint64(&packer, out->event_count);
	msgpack_out_key(&packer, "blocks");
	(void)msgpack_pack_uint64(&packer, log_writer_blocks(out->writer));
	return log_out_write(out, LOG_END, err);
}

enum ctp_status log_out_write_end(struct log_out *out, struct ctp_error *err)
{
	const struct trace *trace = out->trace;
	enum ctp_status status = write_tracks(out, err);
	uint32_t at = 0;

	for (uint32_t i = 0; i < trace->track_count && status == CTP_OK; i++)
		status = finish_track(out, i, err);
	/* Again, because more may be known by now. */
	out->device_count = 0;
	if (status == CTP_OK)
		status = log_out_write_tables(out, err);
	while (at < trace->fact_count && status == CTP_OK)
		status = write_facts(out, &at, err);
	if (status == CTP_OK)
		status = write_losses(out, err);
	return status == CTP_OK ? write_totals(out, err) : status;
}
