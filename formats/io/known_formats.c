/* SPDX-License-Identifier: MIT */
/*
 * Source: file(1)'s magic for each of them, and the writers: memray's
 * records.h, gperftools' cpuprofile-fileformat.html, the kernel's ftrace.rst,
 * Perfetto's trace_packet.proto, XLA's xplane.proto, uftrace's uftrace.h,
 * yappi's pickle; for JSON, the members that do not occur in traces, of V8's
 * profiler, the Firefox Profiler, pyinstrument, scalene, memray's and perf's,
 * rocprofv3's, and PyTorch's execution traces.
 */
#include "io/known_formats.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "protobuf/protobuf.h"

/* TracePacket.trusted_packet_sequence_id, and the number of packets to
 * check. */
#define PACKET_SEQUENCE_ID 10
#define PACKETS_MIN 3
#define XPLANE_NAME 2

#define SPEEDSCOPE \
	"open it in https://www.speedscope.app and convert its export"
#define V8 "is a V8 profile (Node, Chrome); " SPEEDSCOPE
#define PERF_SCRIPT "is output of 'perf script'; " FOLDED_BY_PERF
#define FTRACE "is the " FTRACE_TEXT
#define FTRACE_TEXT \
	"text of ftrace; convert it with Perfetto's 'traceconv json' first"
#define PERFETTO \
	"is a Perfetto trace; convert it with Perfetto's 'traceconv json' " \
	"first"
#define FOLDED_BY_PERF \
	"use the folded stacks of 'perf script report stackcollapse'"
#define BY_PPROF "; convert it with 'pprof -proto PROGRAM FILE' first"
#define MEMRAY \
	"is a memray file; use the output of 'memray transform gprof2dot' on " \
	"the recording"
#define UFTRACE "is uftrace data; use the output of 'uftrace dump --chrome'"
#define XPLANE \
	"is an XLA profile; use the trace.json.gz beside it, or convert it " \
	"with xprof first"
#define PICTURE "is a picture (SVG); use the data that it was made from"
#define WEB_PAGE "is a web page; use the data that it was made from"

/* clang-format off */
static const struct {
	size_t at;
	const char *bytes;
	size_t size;
	const char *advice;
} known[] = {
#define BYTES(text) text, sizeof(text) - 1
	{257, BYTES("ustar"),
		"is a tar archive; unpack it (tar -xf) and name the files"},
	{0, BYTES("PK\3\4"),
		"is a zip archive; unpack it (unzip) and name the files"},
	{0, BYTES("\x28\xb5\x2f\xfd"),
		"is compressed with zstd; decompress it with 'zstd -d' first"},
	{0, BYTES("\xfd" "7zXZ\0"),
		"is compressed with xz; decompress it with 'xz -d' first"},
	{0, BYTES("BZh"),
		"is compressed with bzip2; decompress it with 'bzip2 -d' "
		"first"},
	{0, BYTES("PERFILE2"),
		"is perf data; use the folded stacks of 'perf script report "
		"stackcollapse -i FILE'"},
	{0, BYTES("\x7f" "ELF"),
		"is a program, not a profile; 'ctprof record' runs programs"},
	{0, BYTES("memray\0"), MEMRAY},
	/* Its first text in an lz4 frame. */
	{13, BYTES("memray\0"), MEMRAY},
	{0, BYTES("\4\x22\x4d\x18"),
		"is compressed with lz4; decompress it with 'lz4 -d' first"},
	/* Pickles: of a class, and of a table with that key. */
	{13, BYTES("line_profiler"),
		"is a line_profiler profile by line; ctprof reads profiles "
		"by function"},
	{16, BYTES("segments\x94"),
		"is a PyTorch memory snapshot; open it in "
		"https://pytorch.org/memory_viz"},
	{0, BYTES("source file name , phase name"),
		"is output of nvcc --time; use nvcc --fdevice-time-trace "
		"instead"},
	{0, BYTES("# DURATION "), UFTRACE},
	{0, BYTES("uftrace file header"), UFTRACE},
	{0, BYTES("Ftrace!"), UFTRACE},
	{0, BYTES("\0\0\0\0\0\0\0\0" "\3\0\0\0\0\0\0\0" "\0\0\0\0\0\0\0\0"),
		"is a gperftools profile" BY_PPROF},
	{0, BYTES("--- symbol\n"), "is a gperftools profile" BY_PPROF},
	{0, BYTES("gmon\1"),
		"is gprof data; use the output of 'gprof PROGRAM FILE'"},
	{0, BYTES("# To display the perf.data"),
		"is output of 'perf report'; " FOLDED_BY_PERF},
	{0, BYTES("\x80\2cyappi"),
		"is a yappi dump; save it with type='pstat' or 'callgrind' "
		"instead"},
	{0, BYTES("digraph "),
		"is a graphviz graph; use the data that it was made from"},
	{0, BYTES("<svg"), PICTURE},
	{0, BYTES("# tracer:"), FTRACE},
	{0, BYTES("TRACE:\n# tracer:"), FTRACE},
	{0, BYTES("# ========\n# captured on"), PERF_SCRIPT},
	{0, BYTES("<!DOCTYPE html"), WEB_PAGE},
	{0, BYTES("<!doctype html"), WEB_PAGE},
	{0, BYTES("<html"), WEB_PAGE},
#undef BYTES
};
/* clang-format on */

static const struct {
	const char *key;
	const char *advice;
} members[] = {
	{"systemTraceEvents", "contains only the " FTRACE_TEXT},
	{"timeDeltas", V8},
	{"head", V8},
	{"libs", "is a Firefox Profiler profile; " SPEEDSCOPE},
	{"root_frame", "is a pyinstrument report; use the output of "
		       "'pyinstrument -r speedscope'"},
	{"frame_records", "is a pyinstrument session; use the output of "
			  "'pyinstrument --load FILE -r speedscope'"},
	{"elapsed_time_sec", "is a scalene profile by line; ctprof reads "
			     "profiles by function"},
	{"linux-perf-json-version", "is perf data as JSON; " FOLDED_BY_PERF},
	{"total_num_allocations", MEMRAY},
	{"finish_ts", "is a PyTorch execution trace, which has no times; use "
		      "the output of export_chrome_trace()"},
	{"rocprofiler-sdk-tool",
		"is JSON of rocprofv3; use 'rocprofv3 --output-format "
		"pftrace' and convert the trace with Perfetto's 'traceconv "
		"json'"},
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
	unsigned sequences = 0;

	cursor_init(&file, bytes, size);
	for (unsigned i = 0; i < PACKETS_MIN; i++) {
		if (protobuf_read_field(&file, &packet) != PROTOBUF_FIELD ||
			packet.number != 1 || packet.kind != PROTOBUF_BYTES)
			return false;
		cursor_init(&inside, packet.bytes, packet.size);
		while (protobuf_read_field(&inside, &field) == PROTOBUF_FIELD)
			sequences += field.number == PACKET_SEQUENCE_ID &&
				     field.kind == PROTOBUF_VARINT;
	}
	return sequences > 0;
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
	next = protobuf_read_field(&cursor, &field);
	if ((next != PROTOBUF_FIELD && next != PROTOBUF_SHORT) ||
		field.number != 1 || field.kind != PROTOBUF_BYTES)
		return false;
	cursor_init(&cursor, field.bytes, field.size);
	while (protobuf_read_field(&cursor, &field) == PROTOBUF_FIELD)
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
