/* SPDX-License-Identifier: MIT */
#include "chrome/chrome_event.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "trace/trace.h"

/* Offset of the name in a site's text: ,"name": */
#define NAME_AT 8

bool chrome_events_init(struct chrome_events *events)
{
	events->memory.devices = strtab_new();
	return events->memory.devices != NULL;
}

void chrome_events_clear(struct chrome_events *events)
{
	strtab_free(events->memory.devices);
	memory_free(events->memory.totals);
	json_args_clear(&events->args);
}

bool chrome_events_set_args(
	struct chrome_events *events, const struct event *event)
{
	json_args_reset(&events->args);
	return json_args_add(&events->args, events->names, event);
}

static bool begin_row(struct json *json, const struct chrome_row *row,
	const struct event *event, char phase)
{
	char *at = json_room(json, CHROME_PREFIX_ROOM + JSON_NUMBER_MAX);

	if (at == NULL)
		return false;
	json_advance(json, chrome_row_put(row, at, phase, event->time_ns));
	return true;
}

/* Writes an event up to its category.
 * NULL if out of memory. */
static const struct json_site *begin_event(struct chrome_events *events,
	const struct chrome_row *row, const struct event *event, char phase)
{
	const struct json_site *site =
		json_names_site(events->names, event->site);

	if (site == NULL || !chrome_events_set_args(events, event) ||
		!begin_row(events->json, row, event, phase))
		return NULL;
	json_raw(events->json, site->bytes, site->name_size);
	return site;
}

static void write_category(struct chrome_events *events,
	const struct json_site *site, uint32_t number, const char *none)
{
	struct json *json = events->json;

	if (events->trace->sites[number].category != 0) {
		json_raw(json, site->bytes + site->name_size,
			site->cat_size - site->name_size);
		return;
	}
	json_raw_text(json, ",\"cat\":\"");
	json_raw_text(json, none);
	json_raw_text(json, "\"");
}

static void end_event(
	struct chrome_events *events, const struct json_site *site)
{
	json_args_write(events->json, site, &events->args);
	json_raw_text(events->json, "}");
}

static void write_name(struct json *json, const struct json_site *site)
{
	json_raw(json, site->bytes + NAME_AT, site->name_size - NAME_AT);
}

/* Readers disagree on numbers beyond 2^53, but not on text. */
static void write_id(struct json *json, uint64_t id)
{
	char digits[16];
	char *at = digits;
	int shift = 60;

	while (shift > 0 && id >> shift == 0)
		shift -= 4;
	for (; shift >= 0; shift -= 4)
		*at++ = "0123456789abcdef"[id >> shift & 15];
	json_raw_text(json, ",\"id\":\"0x");
	json_raw(json, digits, (size_t)(at - digits));
	json_raw_text(json, "\"");
}

/* Writes the id, unless the input trace had it in another form. Viewers match
 * by id within the scope, or within the category if there is none; without a
 * category, we write the name as scope. */
static void write_number(struct chrome_events *events,
	const struct json_site *site, const struct event *event)
{
	const struct json_args *args = &events->args;

	if (!json_args_has(args, JSON_ARGS_KEY_MEMBER_ID) &&
		!json_args_has(args, JSON_ARGS_KEY_MEMBER_ID2))
		write_id(events->json, event->id);
	if (event->kind == EVENT_FLOW ||
		events->trace->sites[event->site].category != 0 ||
		json_args_has(args, JSON_ARGS_KEY_MEMBER_SCOPE))
		return;
	json_raw_text(events->json, ",\"scope\":");
	write_name(events->json, site);
}

bool chrome_events_async(struct chrome_events *events,
	const struct chrome_row *row, const struct event *event)
{
	char phase = event->kind == EVENT_ASYNC_BEGIN ? 'b' : 'e';
	const struct json_site *site = begin_event(events, row, event, phase);

	if (site == NULL)
		return false;
	write_category(events, site, event->site, "async");
	write_number(events, site, event);
	end_event(events, site);
	return true;
}

bool chrome_events_instant(struct chrome_events *events,
	const struct chrome_row *row, const struct event *event)
{
	const struct json_site *site =
		json_names_site(events->names, event->site);
	char phase;

	if (site == NULL || !chrome_events_set_args(events, event))
		return false;
	phase = json_args_remove_phase(&events->args);
	if (!begin_row(events->json, row, event, phase == 0 ? 'i' : phase))
		return false;
	json_raw(events->json, site->bytes, site->name_size);
	write_category(events, site, event->site, "instant");
	if (phase == 0 &&
		!json_args_has(&events->args, JSON_ARGS_KEY_MEMBER_REACH))
		json_raw_text(events->json, ",\"s\":\"t\"");
	end_event(events, site);
	return true;
}

/* Kineto's arrows from calls to activities: ours replace them. */
static bool is_ours(const struct trace *trace, uint32_t site)
{
	const char *category =
		strtab_text(trace->text, trace->sites[site].category, NULL);

	return strcmp(category, "ac2g") == 0;
}

/* It ends in the enclosing slice, as it begins: without "bp", viewers would use
 * the next slice. */
bool chrome_events_flow(struct chrome_events *events,
	const struct chrome_row *row, const struct event *event)
{
	static const char phases[] = {
		[FLOW_START] = 's', [FLOW_STEP] = 't', [FLOW_END] = 'f'};
	const struct json_site *site;

	if (is_ours(events->trace, event->site))
		return true;
	site = begin_event(events, row, event, phases[event->flow]);
	if (site == NULL)
		return false;
	write_category(events, site, event->site, "flow");
	write_number(events, site, event);
	if (event->flow == FLOW_END &&
		!json_args_has(&events->args, JSON_ARGS_KEY_MEMBER_BIND))
		json_raw_text(events->json, ",\"bp\":\"e\"");
	end_event(events, site);
	return true;
}

static bool is_number(const struct event_arg *arg)
{
	return arg->kind == ARG_INT ||
	       (arg->kind == ARG_FLOAT && isfinite(arg->value.real));
}

/* Viewers draw one graph per name and process, with a line for each argument.
 * An argument without a key takes the name. */
bool chrome_events_counter(struct chrome_events *events,
	const struct chrome_row *row, const struct event *event)
{
	struct json *json = events->json;
	const struct json_site *site;

	for (uint32_t i = 0; i < event->arg_count; i++)
		if (!is_number(&event->args[i])) {
			trace_lose(events->trace, LOSS_NOT_SHOWN, 1);
			return true;
		}
	if (event->arg_count == 0) {
		trace_lose(events->trace, LOSS_NOT_SHOWN, 1);
		return true;
	}
	site = begin_event(events, row, event, 'C');
	if (site == NULL)
		return false;
	write_category(events, site, event->site, "counter");
	if (event->args[0].key != 0) {
		end_event(events, NULL);
		return true;
	}
	json_raw_text(json, ",\"args\":{");
	write_name(json, site);
	json_raw_text(json, ":");
	json->comma = false;
	if (event->args[0].kind == ARG_INT)
		json_int(json, event->args[0].value.integer);
	else
		json_double(json, event->args[0].value.real);
	json_raw_text(json, "}}");
	return true;
}

/* PyTorch's tools look for steps by this name. */
bool chrome_events_step(struct chrome_events *events,
	const struct chrome_row *row, const struct event *event)
{
	struct json *json = events->json;
	const struct json_site *site =
		json_names_site(events->names, event->site);
	char step[JSON_NUMBER_MAX];
	size_t size = (size_t)(json_put_uint(step, event->id) - step);

	if (site == NULL || !begin_row(json, row, event, 'i'))
		return false;
	json_raw_text(json, ",\"name\":\"ProfilerStep#");
	json_raw(json, step, size);
	json_raw_text(json, "\",\"cat\":\"step\",\"s\":\"p\",\"args\":{"
			    "\"step\":");
	json_raw(json, step, size);
	json_raw_text(json, ",\"requester\":");
	write_name(json, site);
	json_raw_text(json, "}}");
	return true;
}

/* The bytes that the process holds on the device; NULL if out of memory. */
static uint64_t *find_total(
	struct chrome_memory *memory, uint32_t pid, int32_t device)
{
	uint32_t key[2] = {pid, (uint32_t)device};
	uint32_t number =
		strtab_add(memory->devices, (const char *)key, sizeof(key));

	if (number == STRTAB_NONE)
		return NULL;
	if (!array_ensure_index(&memory->totals, number, &memory->room,
		    sizeof(*memory->totals)))
		return NULL;
	return &memory->totals[number];
}

static void begin_memory(struct json *json, const struct chrome_row *row,
	const struct event *event, char phase)
{
	(void)begin_row(json, row, event, phase);
	json->comma = true;
	json_key(json, "name");
}

static void end_memory(struct json *json)
{
	json_end(json, '}');
	json_end(json, '}');
}

static void write_memory(struct json *json, const struct chrome_row *row,
	const struct event *event, uint64_t total)
{
	begin_memory(json, row, event, 'i');
	json_text(json, "[memory]");
	json_key(json, "cat");
	json_text(json, "cpu_instant_event");
	json_key(json, "s");
	json_text(json, "t");
	json_key(json, "args");
	json_begin(json, '{');
	json_key(json, "Total Allocated");
	json_int(json, (int64_t)total);
	json_key(json, "Bytes");
	if (event->kind == EVENT_FREE)
		json_int(json, (int64_t)-event->bytes);
	else
		json_uint(json, event->bytes);
	json_key(json, "Addr");
	json_uint(json, event->id);
	json_key(json, "Device Type");
	json_int(
		json, event->device < 0 ? TRACE_DEVICE_CPU : TRACE_DEVICE_CUDA);
	json_key(json, "Device Id");
	json_int(json, event->device);
	end_memory(json);
}

static void write_total(struct json *json, const struct chrome_row *row,
	const struct event *event, uint64_t total)
{
	char name[sizeof("Total Allocated (device )") + JSON_NUMBER_MAX] =
		"Total Allocated (host";
	char *at = name + strlen(name);

	if (event->device >= 0) {
		memcpy(name + 17, "device ", 7);
		at = json_put_int(name + 24, event->device);
	}
	*at++ = ')';
	begin_memory(json, row, event, 'C');
	json_text_sized(json, name, (size_t)(at - name));
	json_key(json, "cat");
	json_text(json, "memory");
	json_key(json, "args");
	json_begin(json, '{');
	json_key(json, "bytes");
	json_int(json, (int64_t)total);
	end_memory(json);
}

/* Writes the event as in PyTorch's profiler, and the counter of the device's
 * bytes. */
bool chrome_events_memory(struct chrome_events *events,
	const struct chrome_row *row, const struct event *event)
{
	uint64_t *total = find_total(&events->memory, row->pid, event->device);

	if (total == NULL)
		return false;
	*total += event->kind == EVENT_FREE ? -event->bytes : event->bytes;
	write_memory(events->json, row, event, *total);
	write_total(events->json, row, event, *total);
	return true;
}
