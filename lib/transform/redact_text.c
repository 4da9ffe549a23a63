/* SPDX-License-Identifier: MIT */
#include "transform/redact_text.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

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
	for (uint32_t i = 0; i < rules->word_count; i++)
		memory_free(rules->words[i]);
	memory_free(rules->words);
	rules->words = NULL;
	rules->word_count = 0;
	rules->word_room = 0;
}

bool redact_rules_add_word(
	struct redact_rules *rules, const char *text, size_t size)
{
	char *word;

	if (size < WORD_MIN)
		return true;
	for (uint32_t i = 0; i < rules->word_count; i++)
		if (strlen(rules->words[i]) == size &&
			memcmp(rules->words[i], text, size) == 0)
			return true;
	if (rules->word_count == REDACT_WORDS_MAX) {
		rules->overflow = true;
		return true;
	}
	word = memory_new(size + 1);
	if (word == NULL || !memory_reach(&rules->words, rules->word_count,
				    &rules->word_room, sizeof(*rules->words))) {
		memory_free(word);
		return false;
	}
	memcpy(word, text, size);
	word[size] = '\0';
	rules->words[rules->word_count++] = word;
	return true;
}

bool redact_rules_add_users(
	struct redact_rules *rules, const char *text, size_t size)
{
	static const char *const homes[] = {
		"/home/", "/Users/", "\\Users\\", "/users/"};
	bool done = true;

	for (size_t i = 0; i < sizeof(homes) / sizeof(homes[0]); i++) {
		size_t length = strlen(homes[i]);
		const char *end = text + size;
		const char *at = text;

		while (done && (at = memmem(at, (size_t)(end - at), homes[i],
					length)) != NULL) {
			size_t user = 0;

			at += length;
			while (at + user < end && at[user] != '\0' &&
				strchr("/\\ \"':;,", at[user]) == NULL)
				user++;
			done = redact_rules_add_word(rules, at, user);
		}
	}
	return done;
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

	for (uint32_t i = 0; i < rules->word_count; i++) {
		size_t length;

		if (rules->words[i][0] != text[0])
			continue;
		length = strlen(rules->words[i]);
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

	if (rules->overflow && size > 0) {
		redact_whole(rules, "word", text, size, out);
		return;
	}
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

/* How much stands before "+0x1f", as in a function that is known by its address
 * alone; 0 if that is not how it ends. */
static size_t module_size(const char *word, size_t size)
{
	size_t at = size;

	while (at > 0 && isxdigit((unsigned char)word[at - 1]))
		at--;
	return at < size && at > 3 && memcmp(word + at - 3, "+0x", 3) == 0
		       ? at - 3
		       : 0;
}

static bool is_separator(char byte)
{
	return byte != '\0' && strchr(" \t\r\n\"'`()<>[]{},;=|", byte) != NULL;
}

static size_t word_end(const char *text, size_t size, size_t at)
{
	while (at < size && !is_separator(text[at]))
		at++;
	return at;
}

/* The end of the path whose first word ends at `end`: a directory's name may
 * have blanks, so a word behind them that goes on with slashes is part of it. */
static size_t path_end(const char *text, size_t size, size_t end)
{
	size_t last = end;

	while (end < size && text[end] == ' ') {
		size_t from = end + 1;

		end = word_end(text, size, from);
		if (end > from && (text[from] == '/' || text[from] == '\\'))
			break;
		if (is_path(text + from, end - from))
			last = end;
	}
	return last;
}

/* Adds the word at `from`, and what belongs to it; returns where that ends. */
static size_t add_word(const struct redact_rules *rules, const char *text,
	size_t size, size_t from, struct buffer *out)
{
	const char *word = text + from;
	size_t end = word_end(text, size, from);
	size_t module = module_size(word, end - from);
	size_t line;

	if (is_path(word, end - from))
		end = path_end(text, size, end);
	else if (module > 0) {
		redact_whole(rules, "module", word, module, out);
		buffer_add(out, word + module, end - from - module);
		return end;
	} else if (suffix_size(word,
			   end - from - line_size(word, end - from)) == 0) {
		add_plain(rules, word, end - from, out);
		return end;
	}
	line = line_size(word, end - from);
	add_path(rules, "path", word, end - from - line, out);
	buffer_add(out, text + end - line, line);
	return end;
}

void redact_name(const struct redact_rules *rules, const char *text,
	size_t size, struct buffer *out)
{
	for (size_t at = 0; at < size;) {
		if (!is_separator(text[at])) {
			at = add_word(rules, text, size, at, out);
			continue;
		}
		buffer_add(out, text + at, 1);
		at++;
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

void redact_label(const struct redact_rules *rules, const char *text,
	size_t size, struct buffer *out)
{
	static const char rank[] = "rank ";
	size_t kept = sizeof(rank) - 1;

	/* As merging labels them. */
	if (size > kept && memcmp(text, rank, kept) == 0) {
		while (kept < size && text[kept] >= '0' && text[kept] <= '9')
			kept++;
		if (size - kept >= 2 && memcmp(text + kept, ": ", 2) == 0)
			kept += 2;
		else if (kept < size)
			kept = 0;
	} else {
		kept = 0;
	}
	buffer_add(out, text, kept);
	if (size > kept)
		redact_whole(rules, "label", text + kept, size - kept, out);
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
