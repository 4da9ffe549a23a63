/* SPDX-License-Identifier: MIT */
/*
 * The tables are copied as they grow, and again at the end, when they are
 * complete. Track numbers stay; numbers of sites and text change.
 */
#include "transform/redact.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json/json.h"
#include "base/memory.h"

/* How a text is replaced. */
typedef void (*redact_rule)(const struct redact_rules *rules, const char *text,
	size_t size, struct buffer *out);

struct redact {
	struct event_source source; /* first member: callers hold a pointer to
				     * it */
	struct redact_rules rules;
	uint32_t *sites; /* our number + 1 by the inner trace's; 0: not seen */
	uint32_t site_room;
	uint32_t *keys; /* the same for texts that are names */
	uint32_t key_room;
	uint64_t losses[LOSS_KINDS]; /* inner losses counted so far */
	struct buffer text;
	struct event_arg *args;
	uint32_t arg_room;
	bool begun;
};

/* Returns the number of the redacted text in our table; STRTAB_NONE if out of
 * memory. */
static uint32_t add_text(
	struct redact *redact, uint32_t number, redact_rule rule)
{
	size_t size;
	const char *text =
		strtab_text(redact->source.inner->trace->text, number, &size);

	redact->text.used = 0;
	rule(&redact->rules, text, size, &redact->text);
	if (redact->text.failed)
		return STRTAB_NONE;
	return strtab_add(redact->source.trace->text,
		(const char *)redact->text.bytes, redact->text.used);
}

/* The entry of `number` in a map; NULL if out of memory. */
static uint32_t *map_entry(uint32_t **map, uint32_t *room, uint32_t number)
{
	return array_ensure_index(map, number, room, sizeof(**map))
		       ? &(*map)[number]
		       : NULL;
}

/* Collects the users whose home directories this text contains. */
static bool learn_users(struct redact *redact, uint32_t number)
{
	size_t size;
	const char *text =
		strtab_text(redact->source.inner->trace->text, number, &size);

	return redact_rules_add_users(&redact->rules, text, size);
}

static uint32_t find_key(struct redact *redact, uint32_t number)
{
	uint32_t *entry = map_entry(&redact->keys, &redact->key_room, number);

	if (entry == NULL)
		return STRTAB_NONE;
	if (*entry == 0)
		*entry = add_text(redact, number, redact_name) + 1;
	return *entry - 1;
}

static uint32_t find_site(struct redact *redact, uint32_t number)
{
	const struct trace *inner = redact->source.inner->trace;
	struct trace_site site;
	uint32_t *entry = map_entry(&redact->sites, &redact->site_room, number);

	if (entry == NULL)
		return TRACE_NONE;
	if (*entry != 0)
		return *entry - 1;
	site = inner->sites[number];
	if (!learn_users(redact, site.file))
		return TRACE_NONE;
	site.name = find_key(redact, site.name);
	site.category = find_key(redact, site.category);
	site.file = add_text(redact, site.file, redact_file);
	*entry = trace_add_place(redact->source.trace, site) + 1;
	return *entry - 1;
}

static bool copy_track(struct redact *redact, uint32_t number)
{
	struct trace *trace = redact->source.trace;
	struct trace_track track = redact->source.inner->trace->tracks[number];

	/* A stream's name is from the device: "stream 7". */
	track.name = track.kind == TRACE_STREAM
			     ? find_key(redact, track.name)
			     : add_text(redact, track.name, redact_label);
	track.process_name = add_text(redact, track.process_name, redact_label);
	if (track.name == STRTAB_NONE || track.process_name == STRTAB_NONE)
		return false;
	if (number == trace->track_count)
		return trace_add_track(trace, track) != TRACE_NONE;
	trace->tracks[number] = track;
	return true;
}

static bool copy_module(struct redact *redact, uint32_t number)
{
	struct trace *trace = redact->source.trace;
	struct trace_module module =
		redact->source.inner->trace->modules[number];

	module.path = add_text(redact, module.path, redact_file);
	module.build_id = add_text(redact, module.build_id, redact_file);
	if (module.path == STRTAB_NONE || module.build_id == STRTAB_NONE)
		return false;
	if (number == trace->module_count)
		return trace_add_module(trace, module) != TRACE_NONE;
	trace->modules[number] = module;
	return true;
}

/* Adds the text of an argument to `redact->text`. Sets only the size: the
 * pointer follows when the buffer no longer moves. */
static void add_value(struct redact *redact, struct event_arg *arg)
{
	size_t before = redact->text.used;

	if (arg->kind == ARG_TEXT && arg->value.text.size > 0)
		redact_whole(&redact->rules, "text", arg->value.text.bytes,
			arg->value.text.size, &redact->text);
	else if (arg->kind == ARG_JSON)
		redact_json(&redact->rules, arg->value.text.bytes,
			arg->value.text.size, &redact->text);
	if (arg->kind == ARG_TEXT || arg->kind == ARG_JSON)
		arg->value.text.size = redact->text.used - before;
}

/* Fills `redact->args` from these; false if out of memory. */
static bool redact_args(
	struct redact *redact, const struct event_arg *args, uint32_t count)
{
	const char *text;

	if (!array_ensure_index(&redact->args, count, &redact->arg_room,
		    sizeof(*redact->args)))
		return false;
	for (uint32_t i = 0; i < count; i++) {
		redact->args[i] = args[i];
		redact->args[i].key = find_key(redact, args[i].key);
		if (redact->args[i].key == STRTAB_NONE)
			return false;
	}
	redact->text.used = 0;
	for (uint32_t i = 0; i < count; i++)
		add_value(redact, &redact->args[i]);
	text = (const char *)redact->text.bytes;
	for (uint32_t i = 0; i < count; i++) {
		struct event_arg *arg = &redact->args[i];

		if (arg->kind != ARG_TEXT && arg->kind != ARG_JSON)
			continue;
		arg->value.text.bytes = text;
		text += arg->value.text.size;
	}
	return !redact->text.failed;
}

/* Keeps the device's model name, but redacts what identifies the device. */
static bool copy_device(struct redact *redact, uint32_t number)
{
	const struct trace *inner = redact->source.inner->trace;
	struct trace_device device = inner->devices[number];
	uint32_t count = device.arg_count;

	if (!redact_args(redact, device.args, count))
		return false;
	for (uint32_t i = 0; i < count; i++)
		if (strcmp(strtab_text(inner->text, device.args[i].key, NULL),
			    "name") == 0)
			redact->args[i].value = device.args[i].value;
	device.args = redact->args;
	return trace_add_device(redact->source.trace, &device) != TRACE_NONE;
}

/* Compares the last word of the key: merging prepends the rank, "rank 3
 * host". */
static bool is_one_of(const char *key, const char *const *names, size_t count)
{
	const char *space = strrchr(key, ' ');
	const char *last = space == NULL ? key : space + 1;

	for (size_t i = 0; i < count; i++)
		if (strcmp(last, names[i]) == 0)
			return true;
	return false;
}

static bool is_name_of_somebody(const char *key)
{
	static const char *const names[] = {"host", "hostname", "user"};

	return is_one_of(key, names, sizeof(names) / sizeof(names[0]));
}

/* A network address is not a number: it has more than one dot. */
static bool is_number(const char *value)
{
	value += *value == '-' || *value == '+';
	value += strspn(value, "0123456789");
	value += *value == '.';
	value += strspn(value, "0123456789");
	return *value == '\0';
}

/* Facts about the recording, not about its author. */
static bool is_plain_fact(const char *key, const char *value)
{
	static const char *const plain[] = {"tool", "version", "clock",
		"clock_hz", "policy", "min_ns", "range_ps", "format",
		"displayTimeUnit", "schemaVersion", "granularity", "mode",
		"spans", "with_stack", "recovered"};

	for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++)
		if (strcmp(key, plain[i]) == 0)
			return true;
	return is_number(value) && !is_name_of_somebody(key) &&
	       !is_one_of(key, &(const char *){"command"}, 1);
}

/* A fact of our own may also be a JSON object or array. */
static bool is_json(const struct trace_fact *fact, const char *value)
{
	return fact->kind == FACT_JSON || fact->kind == FACT_OTHER_JSON ||
	       (fact->kind == FACT_OWN &&
		       (value[0] == '{' || value[0] == '[') &&
		       json_check(value, strlen(value)));
}

/* Adds the host name with and without its domain. */
static bool learn_name(struct redact *redact, const char *name)
{
	return redact_rules_add_word(&redact->rules, name, strlen(name)) &&
	       redact_rules_add_word(&redact->rules, name, strcspn(name, "."));
}

static bool learn_words(struct redact *redact)
{
	const struct trace *inner = redact->source.inner->trace;
	bool done = true;

	for (uint32_t i = 0; i < inner->fact_count && done; i++) {
		const struct trace_fact *fact = &inner->facts[i];

		if (is_name_of_somebody(
			    strtab_text(inner->text, fact->key, NULL)))
			done = learn_name(redact,
				strtab_text(inner->text, fact->value, NULL));
		done = done && learn_users(redact, fact->value);
	}
	for (uint32_t i = 0; i < inner->module_count && done; i++)
		done = learn_users(redact, inner->modules[i].path);
	return done;
}

static bool copy_fact(struct redact *redact, const struct trace_fact *fact)
{
	const struct trace *inner = redact->source.inner->trace;
	struct trace *trace = redact->source.trace;
	const char *key = strtab_text(inner->text, fact->key, NULL);
	size_t size;
	const char *value = strtab_text(inner->text, fact->value, &size);
	struct buffer *text = &redact->text;
	uint32_t name = find_key(redact, fact->key);

	text->used = 0;
	if (is_json(fact, value))
		redact_json(&redact->rules, value, size, text);
	else if (is_plain_fact(key, value))
		redact_name(&redact->rules, value, size, text);
	else
		redact_whole(&redact->rules, "text", value, size, text);
	buffer_add_byte(text, '\0');
	return name != STRTAB_NONE && !text->failed &&
	       trace_add_member(trace, fact->kind,
		       strtab_text(trace->text, name, NULL),
		       (const char *)text->bytes);
}

static bool copy_facts(struct redact *redact)
{
	const struct trace *inner = redact->source.inner->trace;
	bool done = learn_words(redact);

	redact->source.trace->fact_count = 0;
	for (uint32_t i = 0; i < inner->fact_count && done; i++)
		done = copy_fact(redact, &inner->facts[i]);
	return done;
}

static void copy_losses(struct redact *redact)
{
	const struct trace *inner = redact->source.inner->trace;

	for (int i = 0; i < LOSS_KINDS; i++) {
		trace_lose(redact->source.trace, (enum trace_loss)i,
			inner->losses[i] - redact->losses[i]);
		redact->losses[i] = inner->losses[i];
	}
}

/* Copies all tables again, except sites. */
static bool copy_all(struct redact *redact)
{
	const struct trace *inner = redact->source.inner->trace;
	struct trace *trace = redact->source.trace;
	bool done = copy_facts(redact);

	for (uint32_t i = 0; i < inner->track_count && done; i++)
		done = copy_track(redact, i);
	for (uint32_t i = 0; i < inner->module_count && done; i++)
		done = copy_module(redact, i);
	for (uint32_t i = 0; i < inner->device_count && done; i++)
		done = copy_device(redact, i);
	copy_losses(redact);
	trace->base_realtime_ns = inner->base_realtime_ns;
	trace->start_ns = inner->start_ns;
	trace->end_ns = inner->end_ns;
	trace->timeline_end_ns = inner->timeline_end_ns;
	return done;
}

/* Redacts what the event refers to. */
static bool redact_event(struct redact *redact, struct event *event)
{
	const struct trace *inner = redact->source.inner->trace;
	bool done = true;

	if (!redact->begun ||
		inner->device_count != redact->source.trace->device_count)
		done = copy_all(redact);
	redact->begun = true;
	while (redact->source.trace->track_count < inner->track_count && done)
		done = copy_track(redact, redact->source.trace->track_count);
	if (event->site != TRACE_NONE && done) {
		event->site = find_site(redact, event->site);
		done = event->site != TRACE_NONE;
	}
	done = done && redact_args(redact, event->args, event->arg_count);
	event->args = redact->args;
	return done;
}

static enum ctp_status next(
	struct event_source *source, struct event *event, struct ctp_error *err)
{
	struct redact *redact = (struct redact *)source;
	enum ctp_status status;

	status = redact->source.inner->next(redact->source.inner, event, err);
	if (status == CTP_OK)
		return redact_event(redact, event) ? CTP_OK
						   : ctp_no_memory(err);
	if (status == CTP_END && !copy_all(redact))
		return ctp_no_memory(err);
	return status;
}

static void close_redact(struct event_source *source)
{
	struct redact *redact = (struct redact *)source;

	redact->source.inner->close(redact->source.inner);
	redact_rules_clear(&redact->rules);
	memory_free(redact->sites);
	memory_free(redact->keys);
	memory_free(redact->args);
	buffer_clear(&redact->text);
	trace_free(redact->source.trace);
	memory_free(redact);
}

enum ctp_status redact_open(struct event_source *inner, const char *salt,
	struct event_source **out, struct ctp_error *err)
{
	struct redact *redact = memory_new_zeroed(1, sizeof(*redact));
	struct trace *trace = trace_new(&inner->trace->request);

	if (redact == NULL || trace == NULL) {
		trace_free(trace);
		memory_free(redact);
		return ctp_no_memory(err);
	}
	event_source_wrap(&redact->source, inner, next, close_redact);
	redact->source.trace = trace;
	redact_rules_init(&redact->rules, salt);
	*out = &redact->source;
	return CTP_OK;
}

/* ---- texts ---- */

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
	word = memory_copy_text(text, size);
	if (word == NULL ||
		!array_ensure_index(&rules->words, rules->word_count,
			&rules->word_room, sizeof(*rules->words))) {
		memory_free(word);
		return false;
	}
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

/* Length of a suffix that identifies a language, 0 if none. */
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

/* Length of the word at `text` that must be redacted; 0 if none. */
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

/* Adds text that is not a path. */
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

/* Length of a line number at the end, ":12". */
static size_t line_size(const char *word, size_t size)
{
	size_t at = size;

	while (at > 0 && (unsigned char)(word[at - 1] - '0') < 10)
		at--;
	return at > 1 && at < size && word[at - 1] == ':' ? size - at + 1 : 0;
}

/* Length of the module name before "+0x1f", as in a function known only by its
 * address; 0 if there is none. */
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

/* The end of the path whose first word ends at `end`. A directory name may
 * contain blanks, so a following word with slashes is part of the path. */
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

/* Adds the word at `from`, with the rest of its path; returns the end. */
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

/* Python's names of sources that are not files. */
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

	/* The label that merging adds. */
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

/* End of the string whose first quote is at `at`. */
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
		/* A key with escapes is redacted as a whole. */
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
