/* SPDX-License-Identifier: MIT */
#include "compilers/build_details.h"

#include <string.h>

#include "base/buffer.h"
#include "names/demangle.h"
#include "names/function_name.h"
#include "base/memory.h"
#include "base/strtab.h"

/* Most digits of lines and columns. */
#define PLACE_DIGITS 9

enum form {
	FORM_FILE,     /* the detail is a file's name */
	FORM_PLACE,    /* file:line:column */
	FORM_NAME,     /* after the range's own name */
	FORM_SYMBOL,   /* likewise, a linker symbol */
	FORM_INSTANCE, /* likewise, INSTANCE of "TEMPLATE [INSTANCE]" */
};

static const struct kind {
	const char *name;
	enum form form;
	enum build_detail detail;
} kinds[] = {
	{BUILD_DETAIL_SOURCE, FORM_FILE, BUILD_DETAIL_HEADER},
	{"OptModule", FORM_FILE, BUILD_DETAIL_OTHER},
	{"ParseDeclarationOrFunctionDefinition", FORM_PLACE,
		BUILD_DETAIL_OTHER},
	{"EvaluateAsConstantExpr", FORM_PLACE, BUILD_DETAIL_OTHER},
	{"ParseFunctionDefinition", FORM_NAME, BUILD_DETAIL_OTHER},
	{"ParseClass", FORM_NAME, BUILD_DETAIL_OTHER},
	{"ParseTemplate", FORM_NAME, BUILD_DETAIL_OTHER},
	{"DebugType", FORM_NAME, BUILD_DETAIL_OTHER},
	{"RunPass", FORM_NAME, BUILD_DETAIL_OTHER},
	{"RunLoopPass", FORM_NAME, BUILD_DETAIL_OTHER},
	{"InstantiateClass", FORM_NAME, BUILD_DETAIL_CLASS},
	{"InstantiateFunction", FORM_NAME, BUILD_DETAIL_FUNCTION},
	{"OptFunction", FORM_SYMBOL, BUILD_DETAIL_OPTIMIZED},
	{"CodeGen Function", FORM_SYMBOL, BUILD_DETAIL_GENERATED},
	{"Processing Header File", FORM_FILE, BUILD_DETAIL_HEADER},
	{"Instantiating Template Class", FORM_INSTANCE, BUILD_DETAIL_CLASS},
	{"Instantiating Template Function", FORM_INSTANCE,
		BUILD_DETAIL_FUNCTION},
	{"Generating Function IR", FORM_SYMBOL, BUILD_DETAIL_GENERATED},
};

/* Classes of sites: unknown, not clang's, clang's asynchronous headers, and
 * from SITE_KINDS on one of the kinds. */
enum { SITE_NEW, SITE_PLAIN, SITE_HEADERS, SITE_KINDS };

struct details {
	struct event_source source; /* must be first */
	/* Number of the first sites, all of which are SITE_PLAIN; TRACE_NONE
	 * once there is another. */
	uint32_t plain_count;
	uint8_t *sites; /* by site */
	uint32_t site_count;
	uint32_t site_room;
	uint32_t *headers; /* by track: its headers' track; TRACE_NONE: none */
	uint32_t header_count;
	uint32_t header_room;
	uint32_t key; /* strtab number of BUILD_DETAIL_KEY; 0: unknown */
	struct demangler demangler;
	struct buffer name;
	struct buffer detail;
};

static struct details *self_of(struct event_source *source)
{
	return (struct details *)(void *)source;
}

static const struct kind *find_kind(const char *name, size_t size)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strlen(kinds[i].name) == size &&
			memcmp(kinds[i].name, name, size) == 0)
			return &kinds[i];
	return NULL;
}

/* Cuts ":123" off the end of a text and returns the number; false if there is
 * none. */
static bool cut_number(const char *text, size_t *size, uint32_t *number)
{
	size_t at = *size;

	while (at > 0 && (unsigned char)(text[at - 1] - '0') < 10)
		at--;
	if (at == *size || *size - at > PLACE_DIGITS || at < 2 ||
		text[at - 1] != ':')
		return false;
	*number = 0;
	for (size_t i = at; i < *size; i++)
		*number = *number * 10 + (uint32_t)(text[i] - '0');
	*size = at - 1;
	return true;
}

/* The last part of "std::less [std::less<int>]"; all of any other text. */
static const char *find_instance(char *text)
{
	char *begin = strstr(text, " [");
	size_t size = strlen(text);

	if (begin == NULL || text[size - 1] != ']')
		return text;
	text[size - 1] = '\0';
	return begin + 2;
}

/* Appends the detail to the range's name. */
static void add_detail(struct details *details, const struct kind *kind)
{
	enum read_names names = details->source.trace->request.names;
	const char *text;
	const char *plain = NULL;

	buffer_add_byte(&details->detail, '\0');
	if (details->detail.failed)
		return;
	text = (const char *)details->detail.bytes;
	if (kind->form == FORM_INSTANCE)
		text = find_instance((char *)details->detail.bytes);
	if (kind->form == FORM_SYMBOL && names != READ_NAMES_MANGLED)
		plain = demangle(&details->demangler, text);
	if (plain != NULL)
		text = plain;
	buffer_add_byte(&details->name, ' ');
	if (kind->detail != BUILD_DETAIL_OTHER &&
		(names == READ_NAMES_SHORT || names == READ_NAMES_QUALIFIED))
		function_name_add_short(&details->name, text, strlen(text));
	else
		buffer_add_text(&details->name, text);
}

/* The size of the file name in the detail, and the line; 0 without a file. */
static size_t find_place(
	const struct details *details, const struct kind *kind, uint32_t *line)
{
	const char *text = (const char *)details->detail.bytes;
	size_t size = details->detail.used;
	uint32_t column;

	if (kind->form == FORM_FILE)
		return size;
	return kind->form == FORM_PLACE && cut_number(text, &size, &column) &&
			       cut_number(text, &size, line)
		       ? size
		       : 0;
}

/* Start of the last part of a path, which ".." takes back; NULL if there is
 * none. The root is its own parent. */
static char *find_parent(char *path, size_t size)
{
	size_t end = size > 1 && path[size - 1] == '/' ? size - 1 : size;
	char *slash = end == 0 ? NULL : memrchr(path, '/', end);
	char *part = slash == NULL ? path : slash + 1;
	size_t length = end - (size_t)(part - path);

	if (end == 0 || (length == 2 && memcmp(part, "..", 2) == 0))
		return NULL;
	return part;
}

/*
 * Removes "." and "x/.." from a path and returns its new size: compilers name
 * a header as they found it, "/usr/bin/../include/c++/12/map", so that two
 * compilers would have two headers. Links are not followed: the files may be
 * on another machine.
 */
static size_t normalize_path(char *path, size_t size)
{
	size_t used = size > 0 && path[0] == '/';

	for (size_t at = used, next; at < size; at = next + 1) {
		const char *slash = memchr(path + at, '/', size - at);
		size_t length =
			(slash == NULL ? size : (size_t)(slash - path)) - at;
		char *parent = NULL;

		next = at + length;
		if (length == 0 || (length == 1 && path[at] == '.'))
			continue;
		if (length == 2 && memcmp(path + at, "..", 2) == 0)
			parent = find_parent(path, used);
		if (parent != NULL) {
			used = (size_t)(parent - path);
			continue;
		}
		memmove(path + used, path + at, length);
		used += length;
		if (slash != NULL)
			path[used++] = '/';
	}
	return used;
}

/* The site combined with the detail; TRACE_NONE if out of memory. */
static uint32_t add_site(
	struct details *details, const struct kind *kind, uint32_t site)
{
	struct trace *trace = details->source.trace;
	struct trace_site place = trace->sites[site];
	uint32_t line = 0;
	size_t size = find_place(details, kind, &line);

	details->name.used = 0;
	buffer_add_text(&details->name, kind->name);
	if (size == 0)
		add_detail(details, kind);
	if (details->name.failed || details->detail.failed)
		return TRACE_NONE;
	place.name = strtab_add(
		trace->text, (char *)details->name.bytes, details->name.used);
	place.category = 0;
	if (size != 0) {
		size = normalize_path((char *)details->detail.bytes, size);
		place.file = strtab_add(
			trace->text, (char *)details->detail.bytes, size);
		place.line = line;
	}
	return trace_add_place(trace, place);
}

/* Names the event's site after its argument; false if out of memory. If there
 * are several, the last one counts, as elsewhere in JSON. */
static bool name_event(
	struct details *details, const struct kind *kind, struct event *event)
{
	for (uint32_t i = event->arg_count; i > 0; i--) {
		const struct event_arg *arg = &event->args[i - 1];

		if (arg->key != details->key)
			continue;
		if (arg->kind != ARG_TEXT || arg->value.text.size == 0)
			break;
		details->detail.used = 0;
		buffer_add(&details->detail, arg->value.text.bytes,
			arg->value.text.size);
		event->site = add_site(details, kind, event->site);
		return event->site != TRACE_NONE;
	}
	return true;
}

/* The track for the headers read on this track; TRACE_NONE if out of memory. */
static uint32_t find_headers(struct details *details, uint32_t track)
{
	struct trace *trace = details->source.trace;

	if (!array_ensure_index(&details->headers, track, &details->header_room,
		    sizeof(*details->headers)))
		return TRACE_NONE;
	while (details->header_count <= track)
		details->headers[details->header_count++] = TRACE_NONE;
	if (details->headers[track] == TRACE_NONE)
		details->headers[track] = trace_add_track(
			trace, (struct trace_track){.kind = TRACE_TIMELINE,
				       .pid = trace->tracks[track].pid,
				       .tid = trace->tracks[track].tid,
				       .async_of = track + 1});
	return details->headers[track];
}

/* A header begins or ends: they nest in each other. For phases, which need not
 * know this, they remain asynchronous: see trace_track.async_of. */
static bool move_header(struct details *details, struct event *event)
{
	bool is_begin = event->kind == EVENT_ASYNC_BEGIN;

	event->kind = is_begin ? EVENT_BEGIN : EVENT_END;
	event->track = find_headers(details, event->track);
	if (event->track == TRACE_NONE)
		return false;
	return !is_begin ||
	       name_event(details, find_kind(BUILD_DETAIL_SOURCE, 6), event);
}

/* The class of the site; SITE_NEW if out of memory. */
static uint8_t classify_site(struct details *details, uint32_t number)
{
	struct trace *trace = details->source.trace;
	const struct trace_site *site = &trace->sites[number];
	const struct kind *kind;
	const char *name;
	size_t size;

	if (!array_ensure_index(&details->sites, number, &details->site_room,
		    sizeof(*details->sites)))
		return SITE_NEW;
	while (details->site_count <= number)
		details->sites[details->site_count++] = SITE_NEW;
	name = strtab_text(trace->text, site->name, &size);
	kind = find_kind(name, size);
	if (kind != NULL && site->category == 0)
		details->sites[number] = (uint8_t)(SITE_KINDS + (kind - kinds));
	else if (kind != NULL && site->category == site->name &&
		 kind->detail == BUILD_DETAIL_HEADER)
		details->sites[number] = SITE_HEADERS;
	else
		details->sites[number] = SITE_PLAIN;
	return details->sites[number];
}

/* False if out of memory. */
static bool convert_event(
	struct details *details, struct event *event, uint8_t site)
{
	bool is_range =
		event->kind == EVENT_BEGIN || event->kind == EVENT_COMPLETE;
	bool is_async = event->kind == EVENT_ASYNC_BEGIN ||
			event->kind == EVENT_ASYNC_END;

	if (details->key == 0)
		details->key = strtab_add(details->source.trace->text,
			BUILD_DETAIL_KEY, strlen(BUILD_DETAIL_KEY));
	if (details->key == STRTAB_NONE)
		return false;
	if (site >= SITE_KINDS && is_range)
		return name_event(details, &kinds[site - SITE_KINDS], event);
	if (site == SITE_HEADERS && is_async)
		return move_header(details, event);
	return true;
}

/* Open headers end with the track that they were read on. */
static void end_headers(struct details *details)
{
	struct trace *trace = details->source.trace;

	for (uint32_t i = 0; i < details->header_count; i++) {
		struct trace_track *track;

		if (details->headers[i] == TRACE_NONE)
			continue;
		track = &trace->tracks[details->headers[i]];
		track->has_end = true;
		track->end_ns = trace_track_end(trace, i);
	}
}

/* Is there a site of clang's? Also if out of memory. */
static bool find_clang(struct details *details)
{
	const struct trace *trace = details->source.trace;

	while (details->plain_count < trace->site_count) {
		if (classify_site(details, details->plain_count) == SITE_PLAIN)
			details->plain_count++;
		else
			details->plain_count = TRACE_NONE;
	}
	return details->plain_count == TRACE_NONE;
}

/* Handles an event that may need a change, or the end. Not inlined, because in
 * most traces nearly all events bypass it. */
static __attribute__((noinline)) enum ctp_status convert(
	struct details *details, struct event *event, enum ctp_status status,
	struct ctp_error *err)
{
	uint8_t site;

	if (status == CTP_END)
		end_headers(details);
	if (status != CTP_OK)
		return status;
	if (!find_clang(details))
		return CTP_OK;
	site = event->site < details->site_count ? details->sites[event->site]
						 : SITE_NEW;
	if (site == SITE_NEW)
		site = classify_site(details, event->site);
	if (site == SITE_PLAIN ||
		(site != SITE_NEW && convert_event(details, event, site)))
		return CTP_OK;
	return ctp_no_memory(err);
}

static enum ctp_status next(
	struct event_source *source, struct event *event, struct ctp_error *err)
{
	struct details *details = self_of(source);
	enum ctp_status status;

	status = source->inner->next(source->inner, event, err);
	if (status == CTP_OK &&
		(details->plain_count == source->trace->site_count ||
			event->site == TRACE_NONE ||
			(event->site < details->site_count &&
				details->sites[event->site] == SITE_PLAIN)))
		return CTP_OK;
	return convert(details, event, status, err);
}

/* Runs are passed on as long as there is no site of clang's. */
static void peek_run(struct event_source *source, struct event_run *run)
{
	struct details *details = self_of(source);

	source->inner->peek_run(source->inner, run);
	if (run->count > 0 &&
		details->plain_count != source->trace->site_count &&
		find_clang(details))
		run->count = 0;
}

static void take_run(struct event_source *source)
{
	source->inner->take_run(source->inner);
}

static void follow(struct event_source *source, bool on)
{
	source->inner->follow(source->inner, on);
}

static bool is_whole(const struct event_source *source)
{
	return source->inner->is_whole(source->inner);
}

static void close_source(struct event_source *source)
{
	struct details *details = self_of(source);

	source->inner->close(source->inner);
	demangler_clear(&details->demangler);
	buffer_clear(&details->name);
	buffer_clear(&details->detail);
	memory_free(details->sites);
	memory_free(details->headers);
	memory_free(details);
}

enum ctp_status build_details_open(
	struct event_source **source, struct ctp_error *err)
{
	struct event_source *inner = *source;
	struct details *details = memory_new_zeroed(1, sizeof(*details));

	if (details == NULL)
		return ctp_no_memory(err);
	event_source_wrap(&details->source, inner, next, close_source);
	if (inner->peek_run != NULL) {
		details->source.peek_run = peek_run;
		details->source.take_run = take_run;
	}
	details->source.follow = inner->follow == NULL ? NULL : follow;
	details->source.is_whole = inner->is_whole == NULL ? NULL : is_whole;
	*source = &details->source;
	return CTP_OK;
}

enum build_detail build_details_kind(const char *name, size_t *size)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		*size = strlen(kinds[i].name);
		if (strncmp(kinds[i].name, name, *size) == 0 &&
			(name[*size] == ' ' || name[*size] == '\0'))
			return kinds[i].detail;
	}
	*size = strlen(name);
	return BUILD_DETAIL_OTHER;
}
