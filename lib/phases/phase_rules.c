/* SPDX-License-Identifier: MIT */
#include "phases/phase_rules.h"

#include <stdio.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "names/function_name.h"
#include "base/memory.h"
#include "base/utf8.h"

#define PYTHON_CATEGORY "python_function"

/* A piece of the file's text. */
struct word {
	const char *text;
	size_t size;
};

struct glob {
	struct word all; /* empty: matches any text */
	/* Sizes of the text before the first star or escape, and, if a star
	 * follows, of that after it. Nearly all texts differ from one. */
	size_t before;
	size_t after;
};

struct rule {
	uint32_t phase;
	uint32_t next; /* of its list; RULE_NONE: none */
	bool async;
	bool again;
	struct glob name;
	struct glob file; /* as is */
	struct glob category;
};

#define RULE_NONE UINT32_MAX
#define LIST_ANY 256 /* rules whose glob begins with * or an escape */

/* Bits for the first two bytes of names. */
#define START_WORDS 16
#define START_BITS ((unsigned)START_WORDS * 64)

struct phase_rules {
	char *name;
	char *text; /* contains all words; phase names end with a zero byte */
	struct rule *rules;
	uint32_t rule_count;
	const char *phases[PHASE_RULES_PHASES_MAX];
	uint32_t phase_count;
	/* The first rule for names that begin with a byte, and for any. */
	uint32_t lists[LIST_ANY + 1];
	/* How names of these lists may begin: most names do otherwise. */
	uint64_t starts[START_WORDS];
};

/* Parser of a rules file. */
struct parser {
	struct phase_rules *rules;
	struct ctp_error *err;
	uint32_t line;
	uint32_t room;
	uint32_t phase;
	struct glob file;
	struct glob category;
	/* The line that must be followed by a rule, and its word; 0: none. */
	uint32_t owing_line;
	const char *owing;
};

static enum ctp_status bad_line(const struct parser *parser, const char *what)
{
	return ctp_fail(
		parser->err, CTP_ERR_FORMAT, "line %u: %s", parser->line, what);
}

static bool equals(struct word word, const char *text)
{
	return word.size == strlen(text) &&
	       memcmp(word.text, text, word.size) == 0;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static struct word trim(struct word word)
{
	while (word.size > 0 && is_blank(word.text[0])) {
		word.text++;
		word.size--;
	}
	while (word.size > 0 && is_blank(word.text[word.size - 1]))
		word.size--;
	return word;
}

/* Removes the first word of a line without blanks at its ends. */
static struct word parse_key(struct word *line)
{
	struct word key = {line->text, 0};

	while (key.size < line->size && !is_blank(key.text[key.size]))
		key.size++;
	line->text += key.size;
	line->size -= key.size;
	*line = trim(*line);
	return key;
}

/* Fails if a line that needs a rule was not followed by one. */
static enum ctp_status check_owing(struct parser *parser)
{
	if (parser->owing_line == 0)
		return CTP_OK;
	parser->line = parser->owing_line;
	return ctp_fail(parser->err, CTP_ERR_FORMAT,
		"line %u: no \"name\", \"again\" or \"async\" after \"%s\"",
		parser->line, parser->owing);
}

static enum ctp_status add_phase(struct parser *parser, struct word name)
{
	struct phase_rules *rules = parser->rules;
	enum ctp_status status = check_owing(parser);

	if (status != CTP_OK)
		return status;
	if (name.text[0] == '(')
		return bad_line(
			parser, "a phase's name cannot begin with \"(\"");
	parser->owing_line = parser->line;
	parser->owing = "phase";
	parser->file = (struct glob){.before = 0};
	parser->category = (struct glob){.before = 0};
	for (parser->phase = 0; parser->phase < rules->phase_count;
		parser->phase++)
		if (equals(name, rules->phases[parser->phase]))
			return CTP_OK;
	if (rules->phase_count == PHASE_RULES_PHASES_MAX)
		return bad_line(parser, "there are too many phases");
	/* The byte after the name is a blank or the line's end. */
	rules->text[name.text + name.size - rules->text] = '\0';
	rules->phases[rules->phase_count++] = name.text;
	return CTP_OK;
}

/* The number of bytes up to a star or an escape. */
static size_t literal_size(struct word glob)
{
	size_t size = 0;

	while (size < glob.size && glob.text[size] != '*' &&
		glob.text[size] != '\\')
		size++;
	return size;
}

static struct glob make_glob(struct word all)
{
	struct glob glob = {.all = all, .before = literal_size(all)};
	struct word rest = {
		all.text + glob.before + 1, all.size - glob.before - 1};

	if (glob.before < all.size && all.text[glob.before] == '*')
		glob.after = literal_size(rest);
	return glob;
}

/* `key` is "name", "again" or "async". */
static enum ctp_status add_rule(
	struct parser *parser, struct word key, struct word name)
{
	struct phase_rules *rules = parser->rules;

	if (rules->rule_count == PHASE_RULES_MAX)
		return bad_line(parser, "there are too many rules");
	if (!array_reserve32(&rules->rules, rules->rule_count, &parser->room,
		    sizeof(*rules->rules)))
		return ctp_no_memory(parser->err);
	rules->rules[rules->rule_count++] = (struct rule){
		.phase = parser->phase,
		.async = equals(key, "async"),
		.again = equals(key, "again"),
		.name = make_glob(name),
		.file = parser->file,
		.category = parser->category,
	};
	parser->owing_line = 0;
	return CTP_OK;
}

/* Sets a limit for the rules that follow. */
static enum ctp_status set_limit(
	struct parser *parser, struct glob *limit, struct word glob)
{
	bool is_file = limit == &parser->file;

	/* Other limits, or the phase, may need the same rule. */
	if (parser->owing_line == 0) {
		parser->owing_line = parser->line;
		parser->owing = is_file ? "file" : "category";
	}
	*limit = make_glob(glob);
	return CTP_OK;
}

static enum ctp_status parse_line(struct parser *parser, struct word line)
{
	struct word key;

	line = trim(line);
	if (line.size == 0 || line.text[0] == '#')
		return CTP_OK;
	for (size_t i = 0; i < line.size; i++)
		if ((unsigned char)line.text[i] < ' ' && line.text[i] != '\t')
			return bad_line(parser, "a control character");
	if (utf8_valid_prefix(line.text, line.size) != line.size)
		return bad_line(parser, "not UTF-8");
	key = parse_key(&line);
	if (!equals(key, "phase") && !equals(key, "name") &&
		!equals(key, "again") && !equals(key, "async") &&
		!equals(key, "file") && !equals(key, "category"))
		return bad_line(parser,
			"must begin with \"phase\", \"name\", \"again\", "
			"\"async\", \"file\" or \"category\"");
	if (line.size == 0)
		return bad_line(parser, "no text after the first word");
	if (equals(key, "phase"))
		return add_phase(parser, line);
	if (parser->rules->phase_count == 0)
		return bad_line(parser, "no \"phase\" before this line");
	if (equals(key, "file"))
		return set_limit(parser, &parser->file, line);
	if (equals(key, "category"))
		return set_limit(parser, &parser->category, line);
	return add_rule(parser, key, line);
}

static enum ctp_status parse_lines(struct parser *parser, size_t size)
{
	const char *at = parser->rules->text;
	const char *end = at + size;
	enum ctp_status status = CTP_OK;

	while (at < end && status == CTP_OK) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		const char *stop = newline == NULL ? end : newline;

		parser->line++;
		status = parse_line(
			parser, (struct word){at, (size_t)(stop - at)});
		at = stop + 1;
	}
	if (status == CTP_OK)
		status = check_owing(parser);
	if (status == CTP_OK && parser->rules->phase_count == 0)
		return ctp_fail(
			parser->err, CTP_ERR_FORMAT, "contains no \"phase\"");
	return status;
}

static unsigned start_bit(char first, char second)
{
	return ((unsigned char)first * 37U + (unsigned char)second) %
	       START_BITS;
}

static void add_start(struct phase_rules *rules, char first, char second)
{
	unsigned bit = start_bit(first, second);

	rules->starts[bit / 64] |= UINT64_C(1) << bit % 64;
}

/* Adds the first two bytes of names that may match. */
static void add_starts(struct phase_rules *rules, const struct glob *glob)
{
	const char *text = glob->all.text;

	if (glob->before > 1)
		add_start(rules, text[0], text[1]);
	else
		for (unsigned second = 0; second <= UINT8_MAX; second++)
			add_start(rules, text[0], (char)second);
}

/* Lists the rules by the first byte of their globs, in their order. */
static void list_rules(struct phase_rules *rules)
{
	for (size_t i = 0; i <= LIST_ANY; i++)
		rules->lists[i] = RULE_NONE;
	for (uint32_t i = rules->rule_count; i-- > 0;) {
		struct rule *rule = &rules->rules[i];
		unsigned char first = (unsigned char)rule->name.all.text[0];
		bool is_any = first == '*' || first == '\\';
		uint32_t *list = &rules->lists[is_any ? LIST_ANY : first];

		rule->next = *list;
		*list = i;
		if (!is_any)
			add_starts(rules, &rule->name);
	}
}

enum ctp_status phase_rules_parse(const char *name, const char *text,
	size_t size, struct phase_rules **out, struct ctp_error *err)
{
	struct phase_rules *rules = memory_new_zeroed(1, sizeof(*rules));
	struct parser parser = {.rules = rules, .err = err};
	enum ctp_status status;

	if (rules == NULL)
		return ctp_no_memory(err);
	rules->name = memory_copy_text(name, strlen(name));
	rules->text = memory_copy_text(text, size);
	if (rules->name == NULL || rules->text == NULL)
		status = ctp_no_memory(err);
	else
		status = parse_lines(&parser, size);
	list_rules(rules);
	if (status == CTP_OK)
		*out = rules;
	else
		phase_rules_free(rules);
	return status;
}

enum ctp_status phase_rules_read(
	const char *path, struct phase_rules **out, struct ctp_error *err)
{
	FILE *file = fopen(path, "re");
	size_t size;
	char *text;
	enum ctp_status status;

	if (file == NULL)
		return ctp_fail(err, CTP_ERR_IO, "cannot open");
	text = memory_new(PHASE_RULES_BYTES_MAX + 1);
	if (text == NULL) {
		(void)fclose(file);
		return ctp_no_memory(err);
	}
	size = fread(text, 1, PHASE_RULES_BYTES_MAX + 1, file);
	if (ferror(file))
		status = ctp_fail(err, CTP_ERR_IO, "cannot read");
	else if (size > PHASE_RULES_BYTES_MAX)
		status = ctp_fail(err, CTP_ERR_FORMAT,
			"larger than 1 MiB: not a file of rules");
	else
		status = phase_rules_parse(path, text, size, out, err);
	memory_free(text);
	(void)fclose(file);
	return status;
}

void phase_rules_free(struct phase_rules *rules)
{
	if (rules == NULL)
		return;
	memory_free(rules->name);
	memory_free(rules->text);
	memory_free(rules->rules);
	memory_free(rules);
}

const char *phase_rules_name(const struct phase_rules *rules)
{
	return rules->name;
}

uint32_t phase_rules_count(const struct phase_rules *rules)
{
	return rules->phase_count;
}

const char *phase_rules_phase(const struct phase_rules *rules, uint32_t phase)
{
	return rules->phases[phase];
}

/* Whether the glob's byte, which may be escaped, is this one. Sets the number
 * of glob bytes used. */
static bool matches_byte(struct word glob, size_t at, char c, size_t *used)
{
	*used = at + 1 < glob.size && glob.text[at] == '\\' ? 2 : 1;
	return glob.text[at + *used - 1] == c;
}

/* Where the text may match the glob after a star, from `at` on. */
static size_t find_start(struct word glob, struct word text, size_t at)
{
	size_t size = literal_size(glob);
	const char *found;

	if (size == 0)
		return at;
	found = memmem(text.text + at, text.size - at, glob.text, size);
	return found == NULL ? text.size : (size_t)(found - text.text);
}

/* Only the last * needs backtracking, so the time is at most the product of
 * both lengths. */
static bool matches_all(struct word glob, struct word text)
{
	struct word rest = {NULL, 0}; /* after the last star */
	size_t tried = 0;             /* length of the text before it */
	size_t at = 0;
	size_t i = 0;
	size_t used;

	while (i < text.size) {
		if (at < glob.size && glob.text[at] == '*') {
			at++;
			if (at == glob.size)
				return true;
			rest = (struct word){glob.text + at, glob.size - at};
			tried = find_start(rest, text, i);
			i = tried;
		} else if (at < glob.size &&
			   matches_byte(glob, at, text.text[i], &used)) {
			at += used;
			i++;
		} else if (rest.text != NULL) {
			at = glob.size - rest.size;
			tried = find_start(rest, text, tried + 1);
			i = tried;
		} else {
			return false;
		}
	}
	while (at < glob.size && glob.text[at] == '*')
		at++;
	return at == glob.size;
}

/* Whether bytes at the ends of the text are the glob's, as in few texts. */
static inline bool may_match(const struct glob *glob, struct word text)
{
	const struct word all = glob->all;
	size_t before = glob->before;

	if (all.size == 0)
		return true;
	if (text.size == 0)
		return all.text[0] == '*';
	if (before > 0 && (text.size < before || all.text[before - 1] !=
							 text.text[before - 1]))
		return false;
	return all.text[all.size - 1] == '*' ||
	       all.text[all.size - 1] == text.text[text.size - 1];
}

#ifdef __SSE2__
#define BLOCK 16

/* Bits of the 16 places where the part's first and last byte are. */
static unsigned find_places(const char *text, struct word part)
{
	__m128i first = _mm_loadu_si128((const __m128i *)(const void *)text);
	__m128i last = _mm_loadu_si128(
		(const __m128i *)(const void *)(text + part.size - 1));

	return (unsigned)_mm_movemask_epi8(_mm_and_si128(
		_mm_cmpeq_epi8(first, _mm_set1_epi8(part.text[0])),
		_mm_cmpeq_epi8(last, _mm_set1_epi8(part.text[part.size - 1]))));
}

/* Whether the text contains the part, which has at least one byte. */
static bool contains(struct word text, struct word part)
{
	size_t at = 0;
	size_t last;

	if (text.size < part.size + BLOCK - 1)
		return memmem(text.text, text.size, part.text, part.size) !=
		       NULL;
	/* The last block may overlap the one before. */
	last = text.size - (part.size + BLOCK - 1);
	for (;;) {
		unsigned places = find_places(text.text + at, part);

		for (; places != 0; places &= places - 1)
			if (memcmp(text.text + at + __builtin_ctz(places),
				    part.text, part.size) == 0)
				return true;
		if (at == last)
			return false;
		at = at + BLOCK < last ? at + BLOCK : last;
	}
}
#else
static bool contains(struct word text, struct word part)
{
	return memmem(text.text, text.size, part.text, part.size) != NULL;
}
#endif

static bool matches(const struct glob *glob, struct word text)
{
	const struct word all = glob->all;
	size_t before = glob->before;

	if (all.size == 0)
		return true;
	if (text.size < before + glob->after ||
		memcmp(all.text, text.text, before) != 0)
		return false;
	if (before == all.size)
		return before == text.size;
	if (before + 1 == all.size && all.text[before] == '*')
		return true;
	if (glob->after > 0 &&
		!contains((struct word){text.text + before, text.size - before},
			(struct word){all.text + before + 1, glob->after}))
		return false;
	return matches_all(all, text);
}

/* The first rule of the list for names that begin with the same byte. */
static uint32_t find_list(const struct phase_rules *rules, struct word name)
{
	unsigned bit;

	if (name.size == 0)
		return RULE_NONE;
	if (name.size > 1) {
		bit = start_bit(name.text[0], name.text[1]);
		if ((rules->starts[bit / 64] >> bit % 64 & 1) == 0)
			return RULE_NONE;
	}
	return rules->lists[(unsigned char)name.text[0]];
}

struct phase_begin phase_rules_find(
	const struct phase_rules *rules, const struct phase_subject *subject)
{
	const struct word name = {subject->name, subject->name_size};
	const struct word file = {subject->file, subject->file_size};
	const struct word category = {
		subject->category, subject->category_size};
	uint32_t own = find_list(rules, name);
	uint32_t any = rules->lists[LIST_ANY];

	/* Both lists together, in the order of the rules. */
	while (own != any) {
		uint32_t *first = own < any ? &own : &any;
		const struct rule *rule = &rules->rules[*first];

		if (rule->async == subject->async &&
			may_match(&rule->name, name) &&
			may_match(&rule->category, category) &&
			may_match(&rule->file, file) &&
			matches(&rule->category, category) &&
			matches(&rule->name, name) &&
			matches(&rule->file, file))
			return (struct phase_begin){rule->phase, rule->again};
		*first = rule->next;
	}
	return (struct phase_begin){PHASE_NONE, false};
}

struct phase_subject phase_rules_subject(
	const struct trace *trace, uint32_t site, bool async)
{
	const struct trace_site *from = &trace->sites[site];
	struct phase_subject subject = {.async = async};
	struct function_place place;

	subject.name = strtab_text(trace->text, from->name, &subject.name_size);
	subject.file = strtab_text(trace->text, from->file, &subject.file_size);
	subject.category = strtab_text(
		trace->text, from->category, &subject.category_size);
	/* PyTorch's profiler puts Python's file and line into the name. */
	if (from->file == 0 && strcmp(subject.category, PYTHON_CATEGORY) == 0 &&
		function_name_find_place(subject.name, &place)) {
		subject.file = subject.name;
		subject.file_size = place.file_size;
		subject.name = place.name;
		subject.name_size = strlen(place.name);
	}
	return subject;
}
