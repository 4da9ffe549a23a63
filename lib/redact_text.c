/* SPDX-License-Identifier: MIT */
#include "redact_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

#define WORD_MIN 3

void redact_rules_init(struct redact_rules *rules, const char *salt)
{
	static const struct siphash_key first = {0, 1};
	static const struct siphash_key second = {0, 2};

	*rules = (struct redact_rules){
		.key = {siphash(&first, salt, strlen(salt)),
			siphash(&second, salt, strlen(salt))}};
}

void redact_rules_clear(struct redact_rules *rules)
{
	for (size_t i = 0; i < rules->word_count; i++)
		memory_free(rules->words[i]);
	rules->word_count = 0;
}

bool redact_rules_add_word(struct redact_rules *rules, const char *text)
{
	size_t size = strlen(text) + 1;
	char *word;

	if (size <= WORD_MIN || rules->word_count == REDACT_WORDS_MAX)
		return true;
	for (size_t i = 0; i < rules->word_count; i++)
		if (strcmp(rules->words[i], text) == 0)
			return true;
	word = memory_new(size);
	if (word == NULL)
		return false;
	memcpy(word, text, size);
	rules->words[rules->word_count++] = word;
	return true;
}

void redact_whole(const struct redact_rules *rules, const char *kind,
	const char *text, size_t size, struct buffer *out)
{
	char hash[32];

	(void)snprintf(hash, sizeof(hash), "-%016" PRIx64,
		siphash(&rules->key, text, size));
	buffer_add_text(out, kind);
	buffer_add_text(out, hash);
}

/* How much of the end is a suffix that tells a language, and no more. */
static size_t suffix_size(const char *text, size_t size)
{
	static const char *const known[] = {".py", ".pyc", ".pyi", ".pyx", ".c",
		".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".cu", ".cuh",
		".so", ".rs", ".go", ".js", ".ts", ".java"};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		size_t length = strlen(known[i]);

		if (length < size &&
			memcmp(text + size - length, known[i], length) == 0)
			return length;
	}
	return 0;
}

static void add_path(const struct redact_rules *rules, const char *kind,
	const char *text, size_t size, struct buffer *out)
{
	size_t suffix = suffix_size(text, size);

	redact_whole(rules, kind, text, size, out);
	buffer_add(out, text + size - suffix, suffix);
}

/* How many bytes at `text` are a word that must not be there. */
static size_t word_at(
	const struct redact_rules *rules, const char *text, size_t size)
{
	size_t longest = 0;

	for (size_t i = 0; i < rules->word_count; i++) {
		size_t length = strlen(rules->words[i]);

		if (length > longest && length <= size &&
			memcmp(text, rules->words[i], length) == 0)
			longest = length;
	}
	return longest;
}

/* Text that is no path. */
static void add_plain(const struct redact_rules *rules, const char *text,
	size_t size, struct buffer *out)
{
	size_t from = 0;

	for (size_t i = 0; i < size;) {
		size_t length = word_at(rules, text + i, size - i);

		if (length == 0) {
			i++;
			continue;
		}
		buffer_add(out, text + from, i - from);
		redact_whole(rules, "word", text + i, length, out);
		i += length;
		from = i;
	}
	buffer_add(out, text + from, size - from);
}

static bool is_path(const char *word, size_t size)
{
	static const char operator[] = "operator/";
	size_t length = sizeof(operator) - 1;
	bool is = false;

	for (size_t i = 0; i < size; i++)
		is = is || word[i] == '/' || word[i] == '\\';
	if (size >= length &&
		memcmp(word + size - length, operator, length) == 0)
		is = memchr(word, '/', size - 1) != NULL;
	return is && size > 1;
}

/* ":12" at its end is a line. */
static size_t line_size(const char *word, size_t size)
{
	size_t at = size;

	while (at > 0 && (unsigned char)(word[at - 1] - '0') < 10)
		at--;
	return at > 1 && at < size && word[at - 1] == ':' ? size - at + 1 : 0;
}

static void add_word(const struct redact_rules *rules, const char *word,
	size_t size, struct buffer *out)
{
	size_t line = line_size(word, size);

	if (!is_path(word, size)) {
		add_plain(rules, word, size, out);
		return;
	}
	add_path(rules, "path", word, size - line, out);
	buffer_add(out, word + size - line, line);
}

void redact_name(const struct redact_rules *rules, const char *text,
	size_t size, struct buffer *out)
{
	static const char between[] = " \t\r\n\"'`()<>[]{},;=|";
	size_t from = 0;

	for (size_t i = 0; i <= size; i++) {
		if (i < size &&
			(text[i] == '\0' || strchr(between, text[i]) == NULL))
			continue;
		if (i > from)
			add_word(rules, text + from, i - from, out);
		if (i < size)
			buffer_add(out, text + i, 1);
		from = i + 1;
	}
}

/* What Python calls sources that are no files. */
static bool is_no_file(const char *text, size_t size)
{
	if (size == 0 || (size == 1 && text[0] == '~'))
		return true;
	if (text[0] != '<' || text[size - 1] != '>')
		return false;
	return memchr(text, '/', size) == NULL &&
	       memchr(text, '\\', size) == NULL;
}

void redact_file(const struct redact_rules *rules, const char *text,
	size_t size, struct buffer *out)
{
	if (is_no_file(text, size))
		add_plain(rules, text, size, out);
	else
		add_path(rules, "file", text, size, out);
}

void redact_process(const struct redact_rules *rules, const char *text,
	size_t size, struct buffer *out)
{
	const char *space;
	size_t kept = 0;

	/* As merging labels them. */
	if (size > 5 && memcmp(text, "rank ", 5) == 0) {
		space = memmem(text, size, ": ", 2);
		kept = space == NULL ? 0 : (size_t)(space - text) + 2;
	}
	redact_name(rules, text, kept, out);
	text += kept;
	size -= kept;
	space = memchr(text, ' ', size);
	kept = space == NULL ? size : (size_t)(space - text);
	redact_name(rules, text, kept, out);
	if (kept == size)
		return;
	buffer_add_text(out, " ");
	redact_whole(rules, "text", text + kept + 1, size - kept - 1, out);
}

/* Behind the string, whose first quote is at `at`. */
static size_t string_end(const char *text, size_t size, size_t at)
{
	for (at++; at < size && text[at] != '"'; at++)
		if (text[at] == '\\')
			at++;
	return at < size ? at + 1 : size;
}

static bool is_key(const char *text, size_t size, size_t at)
{
	while (at < size && (text[at] == ' ' || text[at] == '\t' ||
				    text[at] == '\n' || text[at] == '\r'))
		at++;
	return at < size && text[at] == ':';
}

void redact_json(const struct redact_rules *rules, const char *text,
	size_t size, struct buffer *out)
{
	size_t at = 0;

	while (at < size) {
		size_t end;

		if (text[at] != '"') {
			buffer_add(out, text + at++, 1);
			continue;
		}
		end = string_end(text, size, at);
		buffer_add_text(out, "\"");
		/* A name is not looked for among escapes. */
		if (is_key(text, size, end) &&
			memchr(text + at, '\\', end - at) == NULL)
			redact_name(rules, text + at + 1, end - at - 2, out);
		else if (end - at > 2)
			redact_whole(rules, "text", text + at + 1, end - at - 2,
				out);
		buffer_add_text(out, "\"");
		at = end;
	}
}
