/* SPDX-License-Identifier: MIT */
/*
 * The lines of functions in their source files, and the costs of lines.
 *
 * A recording may come from somebody else and name any file, and the page may be
 * given to anybody. So only regular files are read whose suffix is that of a
 * programming language.
 */
#include "report/page_source.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "input/report.h"
#include "report/page_part.h"

#define FILE_BYTES ((off_t)8 << 20)
#define FUNCTIONS_MOST 200
#define LINES_MOST 80
#define LINE_BYTES 240

/* Languages whose functions end where the indentation does; and the others, where
 * braces are balanced. */
static const char *const indented[] = {
	"py", "pyx", "pxd", "pyi", "rb", "jl", "lua", "hs", "ml", "nim"};
static const char *const braced[] = {"c", "h", "cc", "hh", "cpp", "hpp", "cxx",
	"hxx", "C", "H", "inc", "inl", "ipp", "tcc", "cu", "cuh", "hip", "cl",
	"rs", "go", "js", "mjs", "ts", "jsx", "tsx", "java", "kt", "scala",
	"cs", "swift", "m", "mm", "d", "zig", "php", "pl", "pm", "f", "f90",
	"F90", "S", "s", "asm", "y", "l", "metal", "sycl"};
#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* The file read last. */
struct text {
	const char *file; /* of the functions; NULL: none yet */
	char *bytes;      /* NULL: not found */
	size_t size;
	bool is_indented;
};

struct span {
	const char *at; /* beginning of the first line */
	uint32_t first; /* its number */
	uint32_t count;
};

/* ---- files ---- */

static bool has_suffix(
	const char *path, const char *const *suffixes, size_t count)
{
	const char *name = strrchr(path, '/');
	const char *dot = strrchr(name == NULL ? path : name, '.');

	for (size_t i = 0; dot != NULL && i < count; i++)
		if (strcmp(dot + 1, suffixes[i]) == 0)
			return true;
	return false;
}

static bool read_whole(int fd, char *bytes, size_t size)
{
	size_t done = 0;

	while (done < size) {
		ssize_t count = read(fd, bytes + done, size - done);

		if (count <= 0)
			return false;
		done += (size_t)count;
	}
	return memchr(bytes, '\0', size) == NULL;
}

/* Reads a regular file that is not binary. False if out of memory. */
static bool read_file(struct text *text, const char *path)
{
	/* A pipe or a terminal does not wait. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat found;
	bool done = true;

	if (fd < 0)
		return true;
	if (fstat(fd, &found) == 0 && S_ISREG(found.st_mode) &&
		found.st_size > 0 && found.st_size <= FILE_BYTES) {
		text->size = (size_t)found.st_size;
		text->bytes = memory_new(text->size);
		done = text->bytes != NULL;
		if (done && !read_whole(fd, text->bytes, text->size)) {
			memory_free(text->bytes);
			text->bytes = NULL;
		}
	}
	(void)close(fd);
	return done;
}

/* Looks for the path, then for its ends, below a directory. False if out of
 * memory. */
static bool find_below(
	struct text *text, const char *directory, size_t size, const char *path)
{
	bool done = true;

	while (done && text->bytes == NULL && path != NULL) {
		struct buffer full = BUFFER_INIT;

		path += strspn(path, "/");
		buffer_add(&full, directory, size);
		buffer_add_text(&full, "/");
		buffer_add_text(&full, path);
		buffer_add(&full, "", 1);
		done = !full.failed &&
		       read_file(text, (const char *)full.bytes);
		buffer_clear(&full);
		path = strchr(path, '/');
	}
	return done;
}

/* Reads a function's file, if it is not the last one. False if out of memory. */
static bool find_file(
	struct text *text, const struct page_source *source, const char *file)
{
	bool done = true;

	if (text->file == file)
		return true;
	memory_free(text->bytes);
	*text = (struct text){.file = file,
		.is_indented = has_suffix(file, indented, COUNT_OF(indented))};
	if (!text->is_indented && !has_suffix(file, braced, COUNT_OF(braced)))
		return true;
	done = read_file(text, file);
	for (const char *at = source->directories;
		done && text->bytes == NULL && at != NULL && *at != '\0';) {
		size_t size = strcspn(at, ":");

		if (size != 0)
			done = find_below(text, at, size, file);
		at += size;
		at += *at == ':';
	}
	return done;
}

/* ---- lines ---- */

static size_t line_size(const struct text *text, const char *at)
{
	size_t left = text->size - (size_t)(at - text->bytes);
	const char *end = memchr(at, '\n', left);

	return end == NULL ? left : (size_t)(end - at);
}

/* The beginning of the next line; NULL at the end. */
static const char *next_line(const struct text *text, const char *at)
{
	const char *next = at + line_size(text, at) + 1;

	return next < text->bytes + text->size ? next : NULL;
}

static size_t indentation(const char *line, size_t size)
{
	size_t count = 0;

	while (count < size && (line[count] == ' ' || line[count] == '\t'))
		count++;
	return count;
}

/* Whether a line after the first ends a function of this indentation; a
 * decorator does not. */
static bool ends_indented(const char *line, size_t size, size_t least)
{
	size_t count = indentation(line, size);

	return count < size && count <= least && line[count] != '\r' &&
	       strchr("#)]}@", line[count]) == NULL;
}

/* The number of lines from `at` on of a function that begins there. Braces in
 * texts and comments count too, which may end it early. */
static uint32_t function_lines(const struct text *text, const char *at)
{
	size_t least = indentation(at, line_size(text, at));
	bool is_head = true;
	int64_t depth = 0;
	bool opened = false;
	uint32_t count = 0;

	for (; at != NULL && count < LINES_MOST; at = next_line(text, at)) {
		size_t size = line_size(text, at);

		if (text->is_indented) {
			if (!is_head && ends_indented(at, size, least))
				break;
			is_head &= at[indentation(at, size)] == '@';
		}
		count++;
		for (size_t i = 0; i < size; i++) {
			depth += (at[i] == '{') - (at[i] == '}');
			opened |= at[i] == '{';
		}
		if (!text->is_indented && opened && depth <= 0)
			break;
	}
	return count;
}

/* The lines of a function; none if the file is too short. Where a brace begins
 * it, the line before is its head. */
static struct span find_span(const struct text *text, uint32_t line)
{
	const char *at = text->bytes;
	const char *before = NULL;
	struct span span = {.first = line};

	for (uint32_t i = 1; at != NULL && i < line; i++) {
		before = at;
		at = next_line(text, at);
	}
	if (at == NULL)
		return span;
	span.count = function_lines(text, at);
	span.at = at;
	if (!text->is_indented && before != NULL &&
		at[indentation(at, line_size(text, at))] == '{') {
		span.at = before;
		span.first--;
		span.count++;
	}
	return span;
}

/* ---- writing ---- */

static void put_cost(struct json *json, uint32_t line, uint64_t calls,
	uint64_t self_ns, uint64_t total_ns)
{
	json_uint(json, line);
	json_uint(json, calls);
	json_uint(json, self_ns);
	json_uint(json, total_ns);
}

/* Without costs of lines, the first lines of functions have those of the
 * function. */
static void put_costs(
	struct page_part *part, const char *file, const struct span *span)
{
	const struct profile *profile = part->data->profile;
	const struct profile_lines *lines = profile->lines;
	struct json *json = &part->sheet.json;

	json_begin(json, '[');
	for (uint32_t i = lines == NULL ? UINT32_MAX
					: profile_lines_find(
						  lines, file, span->first);
		lines != NULL && i < lines->count &&
		strcmp(lines->rows[i].file, file) == 0 &&
		lines->rows[i].line - span->first < span->count;
		i++)
		put_cost(json, lines->rows[i].line, lines->rows[i].calls,
			lines->rows[i].self_ns,
			lines->rows[i].self_ns + lines->rows[i].callee_ns);
	for (uint32_t i = 0; lines == NULL && i < profile->function_count;
		i++) {
		const struct profile_function *function =
			&profile->functions[i];

		if (function->line - span->first < span->count &&
			function->device.kind == PROFILE_HOST &&
			strcmp(function->file, file) == 0)
			put_cost(json, function->line, function->cost.ncalls,
				function->cost.tottime_ns,
				function->cost.cumtime_ns);
	}
	json_end(json, ']');
}

static void put_lines(
	struct json *json, const struct text *text, const struct span *span)
{
	const char *at = span->at;

	json_begin(json, '[');
	for (uint32_t i = 0; i < span->count && at != NULL; i++) {
		size_t size = line_size(text, at);

		while (size > 0 && at[size - 1] == '\r')
			size--;
		json_text_sized(
			json, at, size < LINE_BYTES ? size : LINE_BYTES);
		at = next_line(text, at);
	}
	json_end(json, ']');
}

/* Returns whether it fits. */
static bool put_function(struct page_part *part, const struct text *text,
	uint32_t number, size_t limit)
{
	const struct profile *profile = part->data->profile;
	struct page_mark mark = page_part_mark(part);
	struct span span = find_span(text, profile->functions[number].line);
	struct json *json = &part->sheet.json;

	if (span.count == 0)
		return true;
	json_begin(json, '[');
	json_uint(json, part->function_numbers[number] - 1);
	json_uint(json, span.first);
	put_lines(json, text, &span);
	put_costs(part, profile->functions[number].file, &span);
	json_end(json, ']');
	if (page_part_bytes(part) <= limit)
		return true;
	page_part_rewind(part, &mark);
	return false;
}

/* ---- the functions with most own time ---- */

struct candidate {
	uint64_t self_ns;
	uint32_t number;
};

static int compare(const void *a, const void *b)
{
	const struct candidate *left = a;
	const struct candidate *right = b;

	if (left->self_ns != right->self_ns)
		return left->self_ns < right->self_ns ? 1 : -1;
	return (left->number > right->number) - (left->number < right->number);
}

static uint32_t find_candidates(
	const struct page_part *part, struct candidate *candidates)
{
	const struct profile *profile = part->data->profile;
	uint32_t count = 0;

	for (uint32_t i = 0; i < profile->function_count; i++) {
		const struct profile_function *function =
			&profile->functions[i];

		if (part->function_numbers[i] != 0 && function->line != 0 &&
			function->file[0] != '\0' &&
			function->device.kind == PROFILE_HOST)
			candidates[count++] = (struct candidate){
				function->cost.tottime_ns, i};
	}
	qsort(candidates, count, sizeof(*candidates), compare);
	return count < FUNCTIONS_MOST ? count : FUNCTIONS_MOST;
}

enum ctp_status page_source_write(struct page_part *part, struct ctp_error *err)
{
	const struct profile *profile = part->data->profile;
	struct json *json = &part->sheet.json;
	size_t limit = page_part_bytes(part) + part->source_bytes;
	struct candidate *candidates = memory_resize_array(
		NULL, (size_t)profile->function_count + 1, sizeof(*candidates));
	struct text text = {0};
	uint32_t count = 0;
	uint32_t missing = 0;
	bool done = candidates != NULL;
	bool fits = true;

	if (!part->source->wanted) {
		memory_free(candidates);
		return CTP_OK;
	}
	if (done)
		count = find_candidates(part, candidates);
	json_key(json, "sources");
	json_begin(json, '{');
	report_bool(json, "by_line", profile->lines != NULL);
	json_key(json, "rows");
	json_begin(json, '[');
	for (uint32_t i = 0; done && fits && i < count; i++) {
		uint32_t number = candidates[i].number;

		done = find_file(
			&text, part->source, profile->functions[number].file);
		if (done && text.bytes != NULL)
			fits = put_function(part, &text, number, limit);
		else
			missing++;
	}
	json_end(json, ']');
	report_uint(json, "missing", missing);
	json_end(json, '}');
	memory_free(text.bytes);
	memory_free(candidates);
	return done ? CTP_OK : ctp_no_memory(err);
}
