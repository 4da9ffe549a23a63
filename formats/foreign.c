/* SPDX-License-Identifier: MIT */
/*
 * Source: file(1)'s magic for each of them, and what these write: memray's
 * records.h, GHC's EventLogFormat.h, gperftools' cpuprofile-fileformat.html, the
 * kernel's ftrace.rst, Perfetto's trace_packet.proto; of JSON, the members that
 * V8's profiler, the Firefox Profiler, opentelemetry-proto, pyinstrument,
 * scalene and GHC's -pj have and traces have not.
 */
#include "foreign.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "protobuf_read.h"

/* TracePacket.trusted_packet_sequence_id, and how many packets are looked at. */
#define PACKET_SEQUENCE_ID 10
#define PACKETS_MIN 3

#define SPEEDSCOPE \
	"open it in https://www.speedscope.app and give ctprof what that " \
	"exports"
#define V8 "is a profile of V8 (Node, Chrome); " SPEEDSCOPE
#define PERF_SCRIPT \
	"is the text of 'perf script'; give ctprof the folded stacks that " \
	"'perf script report stackcollapse' makes"
#define FTRACE "is the " FTRACE_TEXT
#define FTRACE_TEXT \
	"text of ftrace; give ctprof what Perfetto's 'traceconv json' " \
	"makes of it"
#define PERFETTO \
	"is Perfetto's; give ctprof what Perfetto's 'traceconv json' makes " \
	"of it"
#define WEB_PAGE "is a web page; ctprof reads the data that it was made from"

static const struct {
	size_t at;
	const char *bytes;
	size_t size;
	const char *advice;
} known[] = {
	{257, "ustar", 5,
		"is a tar archive; unpack it (tar -xf) and name the files"},
	{0, "PK\3\4", 4,
		"is a zip archive; unpack it (unzip) and name the files"},
	{0, "\x28\xb5\x2f\xfd", 4,
		"is packed by zstd; give ctprof what 'zstd -dc' makes of it"},
	{0,
		"\xfd"
		"7zXZ\0",
		6, "is packed by xz; give ctprof what 'xz -dc' makes of it"},
	{0, "BZh", 3,
		"is packed by bzip2; give ctprof what 'bzip2 -dc' makes of it"},
	{0, "PERFILE2", 8,
		"is perf's data; give ctprof the folded stacks that 'perf "
		"script report stackcollapse' makes of it"},
	{0,
		"\x7f"
		"ELF",
		4,
		"is a program, not a profile; 'ctprof record' runs programs"},
	{0, "memray", 7,
		"is memray's; give ctprof what 'memray transform gprof2dot' "
		"makes of it"},
	{0, "FLR\0", 4,
		"is of Java's Flight Recorder; give ctprof the folded stacks "
		"that async-profiler's jfrconv makes of it"},
	{0, "hdrb", 4,
		"is GHC's eventlog; give ctprof what hs-speedscope makes of "
		"it"},
	{0,
		"\0\0\0\0\0\0\0\0"
		"\3\0\0\0\0\0\0\0"
		"\0\0\0\0\0\0\0",
		24,
		"is of gperftools; give ctprof what 'pprof -proto PROGRAM "
		"FILE' "
		"makes of it"},
	{0, "# tracer:", 9, FTRACE},
	{0, "TRACE:\n# tracer:", 16, FTRACE},
	{0, "# ========\n# captured on", 23, PERF_SCRIPT},
	{0, "<!DOCTYPE html", 14, WEB_PAGE},
	{0, "<!doctype html", 14, WEB_PAGE},
	{0, "<html", 5, WEB_PAGE},
};

static const struct {
	const char *key;
	const char *advice;
} members[] = {
	{"systemTraceEvents", "has no events but the " FTRACE_TEXT},
	{"timeDeltas", V8},
	{"head", V8},
	{"libs", "is the Firefox Profiler's; " SPEEDSCOPE},
	{"resourceSpans",
		"is OpenTelemetry's, of requests, which are no profile; ctprof "
		"reads Chrome traces"},
	{"root_frame", "is pyinstrument's; give ctprof what 'pyinstrument -r "
		       "speedscope' writes"},
	{"elapsed_time_sec",
		"is scalene's, by lines; ctprof reads profiles of functions"},
	{"cost_centres", "is GHC's; give ctprof what hs-speedscope makes of an "
			 "eventlog"},
};

/* A sample of perf script: a line that ends in a colon, and a frame, which
 * begins with a tab and an address. */
static bool is_perf_script(const char *text, size_t size)
{
	const char *line = memchr(text, '\n', size);
	const char *at = line;
	const char *end = text + size;

	while (at != NULL && at > text && at[-1] == ' ')
		at--;
	if (at == NULL || at == text || at[-1] != ':' || end - line < 3 ||
		line[1] != '\t')
		return false;
	for (at = line + 2; at < end && *at == ' ';)
		at++;
	return at < end && isxdigit((unsigned char)*at);
}

/* Perfetto's file is packets, most of which tell what sequence they are of. */
static bool is_perfetto(const void *bytes, size_t size)
{
	struct protobuf_field packet;
	struct protobuf_field field;
	struct cursor file;
	struct cursor inside;
	unsigned told = 0;

	cursor_init(&file, bytes, size);
	for (unsigned i = 0; i < PACKETS_MIN; i++) {
		if (protobuf_take_field(&file, &packet) != PROTOBUF_FIELD ||
			packet.number != 1 || packet.kind != PROTOBUF_BYTES)
			return false;
		cursor_init(&inside, packet.bytes, packet.size);
		while (protobuf_take_field(&inside, &field) == PROTOBUF_FIELD)
			told += field.number == PACKET_SEQUENCE_ID &&
				field.kind == PROTOBUF_VARINT;
	}
	return told > 0;
}

const char *foreign_advice(const void *bytes, size_t size)
{
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (size >= known[i].at + known[i].size &&
			memcmp((const char *)bytes + known[i].at,
				known[i].bytes, known[i].size) == 0)
			return known[i].advice;
	if (is_perf_script(bytes, size))
		return PERF_SCRIPT;
	return is_perfetto(bytes, size) ? PERFETTO : NULL;
}

const char *foreign_member(const void *key, size_t size)
{
	for (size_t i = 0; i < sizeof(members) / sizeof(*members); i++)
		if (strlen(members[i].key) == size &&
			memcmp(members[i].key, key, size) == 0)
			return members[i].advice;
	return NULL;
}
