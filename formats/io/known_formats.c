/* SPDX-License-Identifier: MIT */
/*
 * Source: file(1)'s magic for each of them, and the writers: memray's
 * records.h, GHC's EventLogFormat.h, gperftools' cpuprofile-fileformat.html,
 * the kernel's ftrace.rst, Perfetto's trace_packet.proto, XLA's xplane.proto,
 * Go's internal/trace, Austin's mojo.h, measureme's file_header.rs, uftrace's
 * uftrace.h, NYTProf's and Xdebug's, yappi's pickle, Ruby's marshal.c; for
 * JSON, the members that do not occur in traces, of V8's profiler, the Firefox
 * Profiler, opentelemetry-proto, pyinstrument, scalene, stackprof, memray's and
 * perf's, PyTorch's execution traces, DHAT, 'jfr print' and GHC's -pj.
 */
#include "io/known_formats.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "protobuf/protobuf_read.h"

/* TracePacket.trusted_packet_sequence_id, and the number of packets to
 * check. */
#define PACKET_SEQUENCE_ID 10
#define PACKETS_MIN 3
#define XPLANE_NAME 2

#define SPEEDSCOPE \
	"open it in https://www.speedscope.app and give ctprof what that " \
	"exports"
#define V8 "is a profile of V8 (Node, Chrome); " SPEEDSCOPE
#define PERF_SCRIPT "is the text of 'perf script'; " FOLDED_BY_PERF
#define FTRACE "is the " FTRACE_TEXT
#define FTRACE_TEXT \
	"text of ftrace; give ctprof what Perfetto's 'traceconv json' " \
	"makes of it"
#define PERFETTO \
	"is Perfetto's; give ctprof what Perfetto's 'traceconv json' makes " \
	"of it"
#define FOLDED_BY_PERF \
	"give ctprof the folded stacks that 'perf script report " \
	"stackcollapse' makes"
#define V8_LOG \
	"is of 'node --prof'; open what 'node --prof-process --preprocess " \
	"FILE' makes of its log in https://www.speedscope.app and give " \
	"ctprof what that exports"
#define BY_PPROF "; give ctprof what 'pprof -proto PROGRAM FILE' makes of it"
#define FLIGHT \
	"is of Java's Flight Recorder; give ctprof the folded stacks that " \
	"async-profiler's jfrconv makes of the recording"
#define MEMRAY \
	"is memray's; give ctprof what 'memray transform gprof2dot' makes of " \
	"the recording"
#define STACKPROF \
	"is stackprof's; give ctprof what 'stackprof --stackcollapse' prints"
#define UFTRACE "is uftrace's; give ctprof what 'uftrace dump --chrome' prints"
#define XPLANE \
	"is XLA's; give ctprof the trace.json.gz that is beside it, or that " \
	"xprof makes of it"
#define PICTURE \
	"is a picture (SVG); ctprof reads the data that it was made from"
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
		"script report stackcollapse -i FILE' makes of it"},
	{0,
		"\x7f"
		"ELF",
		4,
		"is a program, not a profile; 'ctprof record' runs programs"},
	{0, "memray", 7, MEMRAY},
	/* Its first text in an lz4 frame. */
	{13, "memray", 7, MEMRAY},
	{0, "\4\x22\x4d\x18", 4,
		"is packed by lz4; give ctprof what 'lz4 -dc' makes of it"},
	/* Pickles: of a class, and of a table with that key. */
	{13, "line_profiler", 13,
		"is line_profiler's, by lines; ctprof reads profiles of "
		"functions"},
	{16, "segments\x94", 9,
		"is of PyTorch's memory; open it in "
		"https://pytorch.org/memory_viz"},
	{0, "MMPD", 4,
		"is rustc's; give ctprof what 'crox' of measureme makes of "
		"it"},
	{0, "source file name , phase name", 29,
		"is of nvcc's --time; give ctprof what its "
		"--fdevice-time-trace writes"},
	{0, "NYTProf ", 8,
		"is NYTProf's; give ctprof what 'nytprofcg' makes of it"},
	{0, "TRACE START [", 13,
		"is Xdebug's trace; give ctprof what Xdebug writes with "
		"xdebug.mode=profile"},
	{0, "# DURATION ", 11, UFTRACE},
	{0, "uftrace file header", 19, UFTRACE},
	{0, "Ftrace!", 7, UFTRACE},
	{0, "MOJ", 3,
		"is Austin's; give ctprof what 'mojo2austin' makes of it"},
	{0, "FLR\0", 4, FLIGHT},
	{0, "hdrb", 4,
		"is GHC's eventlog; give ctprof what hs-speedscope makes of "
		"it"},
	{0,
		"\0\0\0\0\0\0\0\0"
		"\3\0\0\0\0\0\0\0"
		"\0\0\0\0\0\0\0",
		24, "is of gperftools" BY_PPROF},
	{0, "--- symbol\n", 11, "is of gperftools" BY_PPROF},
	{0, "heap profile:", 13, "is a heap profile as text" BY_PPROF},
	{0, "go 1.", 5,
		"is a trace of Go's runtime; give ctprof the page /jsontrace "
		"that 'go tool trace' serves, or what 'go tool trace "
		"-pprof=sync' makes of it"},
	{0, "gmon\1", 5,
		"is gprof's data; give ctprof what 'gprof PROGRAM FILE' "
		"prints"},
	{0, "desc: ", 6,
		"is massif's, of memory; ctprof reads what Valgrind's "
		"callgrind and cachegrind write"},
	{0, "v8-version,", 11, V8_LOG},
	{0, "Statistical profiling result", 28, V8_LOG},
	{0, "# To display the perf.data", 26,
		"is the text of 'perf report'; " FOLDED_BY_PERF},
	{0, "# ninja log", 11,
		"is ninja's log; give ctprof what ninjatracing makes of it"},
	{0, "\x80\2cyappi", 8,
		"is yappi's; give ctprof what its save() writes with "
		"type='pstat' or 'callgrind'"},
	/* A Ruby table whose first key is "version". */
	{0, "\4\b{", 3, STACKPROF},
	{0, "digraph ", 8,
		"is a graph for graphviz; ctprof reads the data that it was "
		"made from"},
	{0, "<svg", 4, PICTURE},
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
	{"frame_records", "is a session of pyinstrument; give ctprof what "
			  "'pyinstrument --load FILE -r speedscope' writes"},
	{"elapsed_time_sec",
		"is scalene's, by lines; ctprof reads profiles of functions"},
	{"linux-perf-json-version", "is perf's data as JSON; " FOLDED_BY_PERF},
	{"missed_samples", STACKPROF},
	{"ticks", V8_LOG},
	{"recording", FLIGHT},
	{"total_num_allocations", MEMRAY},
	{"dhatFileVersion",
		"is DHAT's, of memory; ctprof reads what Valgrind's callgrind "
		"and cachegrind write"},
	{"finish_ts",
		"is PyTorch's execution trace, which has no times; give ctprof "
		"what export_chrome_trace() writes"},
	{"cost_centres", "is GHC's; give ctprof what hs-speedscope makes of an "
			 "eventlog"},
};

/* A sample of perf script: a line ending in a colon, then a frame that begins
 * with a tab and an address. */
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

/* A Perfetto file consists of packets, most of which name their sequence. */
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

static bool begins(const struct protobuf_field *field, const char *text)
{
	return field->size >= strlen(text) &&
	       memcmp(field->bytes, text, strlen(text)) == 0;
}

/* An XLA file consists of planes, each with a name; the first plane's name is
 * available even if the plane is incomplete. */
static bool is_xplane(const void *bytes, size_t size)
{
	struct protobuf_field field;
	struct cursor cursor;
	enum protobuf_next next;

	cursor_init(&cursor, bytes, size);
	next = protobuf_take_field(&cursor, &field);
	if ((next != PROTOBUF_FIELD && next != PROTOBUF_SHORT) ||
		field.number != 1 || field.kind != PROTOBUF_BYTES)
		return false;
	cursor_init(&cursor, field.bytes, field.size);
	while (protobuf_take_field(&cursor, &field) == PROTOBUF_FIELD)
		if (field.number == XPLANE_NAME)
			return field.kind == PROTOBUF_BYTES &&
			       (begins(&field, "/host:") ||
				       begins(&field, "/device:"));
	return false;
}

static bool is_svg(const void *bytes, size_t size)
{
	return size > 5 && memcmp(bytes, "<?xml", 5) == 0 &&
	       (memmem(bytes, size, "<!DOCTYPE svg", 13) != NULL ||
		       memmem(bytes, size, "<svg", 4) != NULL);
}

static const char *find_known(const char *bytes, size_t size)
{
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (size >= known[i].at + known[i].size &&
			memcmp(bytes + known[i].at, known[i].bytes,
				known[i].size) == 0)
			return known[i].advice;
	return NULL;
}

const char *known_formats_advice(const void *bytes, size_t size)
{
	const char *advice = find_known(bytes, size);
	const char *text = bytes;
	size_t blank = 0;

	if (advice != NULL)
		return advice;
	while (blank < size && (text[blank] == ' ' || text[blank] == '\n'))
		blank++;
	advice = find_known(text + blank, size - blank);
	if (advice != NULL)
		return advice;
	if (is_svg(bytes, size))
		return PICTURE;
	if (is_perf_script(bytes, size))
		return PERF_SCRIPT;
	if (is_xplane(bytes, size))
		return XPLANE;
	return is_perfetto(bytes, size) ? PERFETTO : NULL;
}

const char *known_formats_member(const void *key, size_t size)
{
	for (size_t i = 0; i < sizeof(members) / sizeof(*members); i++)
		if (strlen(members[i].key) == size &&
			memcmp(members[i].key, key, size) == 0)
			return members[i].advice;
	return NULL;
}
