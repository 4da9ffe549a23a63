/* SPDX-License-Identifier: MIT */
/*
 * Numbers that an int64_t or certainly a double represents exactly are kept as
 * such; all others stay text.
 */
#include "chrome_read/chrome_read_args.h"

#include <string.h>

#include "json/json_value.h"
#include "base/memory.h"
#include "base/strtab.h"
#include "compilers/build_details.h"

/* Doubles hold integers of this many digits, and powers of ten up to 22,
 * exactly: one division of them is rounded correctly. Source: W. Clinger, "How
 * to Read Floating Point Numbers Accurately" (1990). */
#define EXACT_DIGITS 15

struct chrome_read_key {
	bool kept;
	uint8_t known; /* enum chrome_read_known, or CHROME_READ_KNOWN_COUNT */
	uint32_t number;
};

static const struct {
	const char *key;
	enum chrome_read_known known;
} known_keys[] = {
	{"correlation", CHROME_READ_CORRELATION},
	{"External id", CHROME_READ_EXTERNAL_ID},
	{"external id", CHROME_READ_EXTERNAL_ID},
	{"device", CHROME_READ_DEVICE},
	{"context", CHROME_READ_CONTEXT},
	{"stream", CHROME_READ_STREAM_ID},
	{"bytes", CHROME_READ_BYTES},
	{"avg ms", CHROME_READ_AVERAGE},
	{"file", CHROME_READ_FILE},
	{"line", CHROME_READ_LINE},
};

bool chrome_read_args_init(
	struct chrome_read_args *args, struct trace *trace, size_t before)
{
	*args = (struct chrome_read_args){.trace = trace, .before = before};
	args->keys = memory_new_zeroed(JSON_STEPS_MAX, sizeof(*args->keys));
	return args->keys != NULL && chrome_read_args_reset(args);
}

void chrome_read_args_clear(struct chrome_read_args *args)
{
	memory_free(args->keys);
	buffer_clear(&args->bytes);
	buffer_clear(&args->text);
	args->keys = NULL;
}

bool chrome_read_args_reset(struct chrome_read_args *args)
{
	args->bytes.used = 0;
	args->count = 0;
	args->seen = 0;
	args->are_places = false;
	args->items = 0;
	args->has_file = false;
	if (!buffer_reserve(&args->bytes, args->before))
		return false;
	args->bytes.used = args->before;
	return true;
}

bool chrome_read_args_plain(struct chrome_read_args *args,
	const struct json_scan *scan, const struct json_token *token,
	const char **text, size_t *size)
{
	*text = json_scan_text(scan, token);
	*size = token->size;
	if (!token->has_escapes)
		return true;
	args->text.used = 0;
	if (!json_value_unescape(*text, *size, &args->text))
		return false;
	*text = (const char *)args->text.bytes;
	*size = args->text.used;
	return true;
}

static bool is_key(const char *key, const char *text, size_t size)
{
	return strlen(key) == size && memcmp(key, text, size) == 0;
}

static uint8_t find_known(const char *text, size_t size)
{
	for (size_t i = 0; i < sizeof(known_keys) / sizeof(known_keys[0]); i++)
		if (is_key(known_keys[i].key, text, size))
			return (uint8_t)known_keys[i].known;
	return CHROME_READ_KNOWN_COUNT;
}

static bool is_kept(const struct trace *trace, const char *text, size_t size)
{
	const char *const *kept = trace->request.kept_args;

	for (; kept != NULL && *kept != NULL; kept++)
		if (is_key(*kept, text, size))
			return true;
	return trace->request.detailed_names &&
	       is_key(BUILD_DETAIL_KEY, text, size);
}

/* Adds a key that is not in the cache. */
static bool add_key(struct chrome_read_args *args, const struct json_scan *scan,
	const struct json_token *token, struct chrome_read_key *key)
{
	const char *text;
	size_t size;

	if (!chrome_read_args_plain(args, scan, token, &text, &size))
		return false;
	key->number = strtab_add(args->trace->text, text, size);
	key->known = find_known(text, size);
	key->kept = is_kept(args->trace, text, size);
	return key->number != STRTAB_NONE;
}

static void add(struct chrome_read_args *args, uint32_t key,
	enum event_arg_kind kind, uint64_t value)
{
	uint64_t words[] = {
		(uint64_t)key << CHROME_READ_ARGS_KEY | (uint64_t)kind, value};

	if ((words[0] | value) <= UINT32_MAX) {
		words[0] |= value << CHROME_READ_ARGS_VALUE;
		buffer_add(&args->bytes, words, sizeof(words[0]));
	} else {
		words[0] |= CHROME_READ_ARGS_LONG;
		buffer_add(&args->bytes, words, sizeof(words));
	}
	args->count++;
}

static void add_bytes(struct chrome_read_args *args, uint32_t key,
	enum event_arg_kind kind, const char *text, size_t size)
{
	add(args, key, kind, size);
	buffer_add(&args->bytes, text, size);
}

bool chrome_read_args_add_text(struct chrome_read_args *args, const char *key,
	const char *text, size_t size)
{
	uint32_t number = strtab_add(args->trace->text, key, strlen(key));

	if (number == STRTAB_NONE)
		return false;
	add_bytes(args, number, ARG_TEXT, text, size);
	return !args->bytes.failed;
}

/* A number with a fraction that a double represents; false: keep the text. */
static bool read_double(const char *text, size_t size, double *value)
{
	static const double powers[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7,
		1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
	bool negative = size > 0 && text[0] == '-';
	uint64_t digits = 0;
	unsigned count = 0;
	unsigned behind = 0;
	bool point = false;

	for (size_t i = negative; i < size; i++) {
		if (text[i] == '.') {
			point = true;
			continue;
		}
		if ((unsigned char)(text[i] - '0') > 9 ||
			++count > EXACT_DIGITS)
			return false;
		digits = digits * 10 + (uint64_t)(text[i] - '0');
		behind += point;
	}
	*value = (double)digits / powers[behind];
	if (negative)
		*value = -*value;
	return point;
}

/* Reads text of the scanner: bytes after it may be read. */
static bool read_int(const char *text, size_t size, int64_t *value)
{
	bool negative = size > 0 && text[0] == '-';
	size_t digits = size - negative;
	uint64_t high = 0;
	uint64_t sum;

	text += negative;
	/* "-0" is not an integer. */
	if (digits == 0 || digits > 19 || (negative && text[0] == '0'))
		return false;
	if (digits > 16) {
		if (!json_value_eight_digits(text, digits - 16, &high))
			return false;
		text += digits - 16;
		digits = 16;
	}
	if (!json_value_sixteen_digits(text, digits, &sum))
		return false;
	sum += high * UINT64_C(10000000000000000);
	if (sum > (uint64_t)INT64_MAX)
		return false;
	*value = negative ? -(int64_t)sum : (int64_t)sum;
	return true;
}

static inline __attribute__((always_inline)) void add_number(
	struct chrome_read_args *args, uint32_t key, const char *text,
	size_t size)
{
	int64_t integer;
	double real;
	uint64_t bits;

	if (read_int(text, size, &integer)) {
		add(args, key, ARG_INT, (uint64_t)integer);
	} else if (read_double(text, size, &real)) {
		memcpy(&bits, &real, sizeof(bits));
		add(args, key, ARG_FLOAT, bits);
	} else {
		add_bytes(args, key, ARG_JSON, text, size);
	}
}

static void record_known(struct chrome_read_args *args,
	const struct chrome_read_key *key, const struct json_scan *scan,
	const struct json_token *token)
{
	/* The first of equal keys always counts, so nothing need be read after
	 * the wanted ones. */
	if ((args->seen & CHROME_READ_WANT(key->known)) != 0)
		return;
	if (key->known == CHROME_READ_AVERAGE) {
		args->seen |= CHROME_READ_WANT(CHROME_READ_AVERAGE);
	} else if ((token->kind == JSON_NUMBER || token->kind == JSON_STRING) &&
		   read_int(json_scan_text(scan, token), token->size,
			   &args->known[key->known])) {
		args->seen |= CHROME_READ_WANT(key->known);
	}
}

/* Is it a valid JSON number? */
static bool is_number(const struct event_arg *arg)
{
	enum json_kind kind;

	return arg->kind == ARG_TEXT &&
	       json_value_kind(
		       arg->value.text.bytes, arg->value.text.size, &kind) &&
	       kind == JSON_NUMBER;
}

static bool has_number_text(const struct chrome_read_args *args)
{
	const uint8_t *at = args->bytes.bytes + args->before;
	struct event_arg arg;

	for (uint32_t i = 0; i < args->count; i++) {
		arg = chrome_read_args_next(&at);
		if (is_number(&arg))
			return true;
	}
	return false;
}

static void add_again(
	struct chrome_read_args *args, const struct event_arg *arg)
{
	uint64_t bits = (uint64_t)arg->value.integer;

	if (arg->kind == ARG_FLOAT)
		memcpy(&bits, &arg->value.real, sizeof(bits));
	if (arg->kind == ARG_INT || arg->kind == ARG_FLOAT)
		add(args, arg->key, arg->kind, bits);
	else
		add_bytes(args, arg->key, arg->kind, arg->value.text.bytes,
			arg->value.text.size);
}

bool chrome_read_args_make_numbers(struct chrome_read_args *args)
{
	const uint8_t *at;
	uint32_t count = args->count;

	if (!has_number_text(args))
		return true;
	args->text.used = 0;
	/* Their reader may read a word more. */
	buffer_add(&args->text, args->bytes.bytes + args->before,
		args->bytes.used - args->before);
	if (!buffer_reserve(&args->text, 2 * sizeof(uint64_t)))
		return false;
	args->bytes.used = args->before;
	args->count = 0;
	at = args->text.bytes;
	for (uint32_t i = 0; i < count; i++) {
		struct event_arg arg = chrome_read_args_next(&at);

		if (is_number(&arg))
			add_number(args, arg.key, arg.value.text.bytes,
				arg.value.text.size);
		else
			add_again(args, &arg);
	}
	return !args->bytes.failed;
}

bool chrome_read_args_copy(struct chrome_read_args *args, const uint8_t *bytes,
	size_t size, uint32_t count, const uint32_t *numbers)
{
	const uint8_t *at = bytes;

	if (!buffer_reserve(&args->bytes, size))
		return false;
	for (uint32_t i = 0; i < count; i++) {
		struct event_arg arg = chrome_read_args_next(&at);

		arg.key = numbers[arg.key];
		add_again(args, &arg);
	}
	return !args->bytes.failed;
}

bool chrome_read_args_add_json(struct chrome_read_args *args, uint32_t key,
	const char *text, size_t size)
{
	add_bytes(args, key, ARG_JSON, text, size);
	return !args->bytes.failed;
}

bool chrome_read_args_add_nested(struct chrome_read_args *args, uint32_t key,
	const struct json_scan *scan, const struct json_token *all)
{
	const char *text = json_scan_text(scan, all);

	if (!json_scan_has_words(scan, all->at) &&
		!json_value_needs_sanitizing(text, all->size))
		return chrome_read_args_add_json(args, key, text, all->size);
	args->text.used = 0;
	return json_value_sanitize(text, all->size, &args->text) &&
	       chrome_read_args_add_json(args, key,
		       (const char *)args->text.bytes, args->text.used);
}

bool chrome_read_args_add_token(struct chrome_read_args *args, uint32_t key,
	const struct json_scan *scan, const struct json_token *token)
{
	const char *text = json_scan_text(scan, token);
	size_t size;

	if (token->kind == JSON_NUMBER) {
		add_number(args, key, text, token->size);
	} else if (token->kind == JSON_STRING) {
		if (!chrome_read_args_plain(args, scan, token, &text, &size))
			return false;
		add_bytes(args, key, ARG_TEXT, text, size);
	} else {
		add_bytes(args, key, ARG_JSON, text, token->size);
	}
	return !args->bytes.failed;
}

/* Reads the object or array that the last token began. */
static enum ctp_status read_nested(struct chrome_read_args *args,
	const struct chrome_read_key *key, struct json_scan *scan, bool keep,
	struct ctp_error *err)
{
	struct json_token all = {.at = json_scan_position(scan) - 1};
	enum ctp_status status = json_scan_skip(scan, err);

	if (status != CTP_OK || !keep)
		return status;
	all.size = (uint32_t)(json_scan_position(scan) - all.at);
	return chrome_read_args_add_nested(args, key->number, scan, &all)
		       ? CTP_OK
		       : ctp_no_memory(err);
}

/* Is it the line of a location whose file came before it? That was stored as an
 * argument, the only one so far. */
static bool read_place(struct chrome_read_args *args,
	const struct chrome_read_key *key, const struct json_scan *scan,
	const struct json_token *value)
{
	int64_t line;

	if (args->items == 0 && key->known == CHROME_READ_FILE &&
		value->kind == JSON_STRING) {
		args->file = *value;
		args->has_file = true;
	}
	if (args->items != 1 || !args->has_file ||
		key->known != CHROME_READ_LINE || value->kind != JSON_NUMBER ||
		!read_int(json_scan_text(scan, value), value->size, &line) ||
		line < 0 || line > UINT32_MAX)
		return false;
	args->known[CHROME_READ_LINE] = line;
	args->seen |= CHROME_READ_WANT_PLACE;
	args->bytes.used = args->before;
	args->count = 0;
	return true;
}

/* Handles an item; its value may only have begun. */
static enum ctp_status read_item(struct chrome_read_args *args,
	struct json_scan *scan, const struct json_member *item, uint32_t want,
	struct ctp_error *err)
{
	const struct chrome_read_key *key = &args->keys[item->step];
	const struct json_token *value = &item->value;
	bool keep = want == CHROME_READ_WANT_ALL ||
		    (key->kept && (want & CHROME_READ_WANT_KEPT) != 0);
	bool is_place = args->are_places && read_place(args, key, scan, value);

	args->items++;
	if (is_place)
		return CTP_OK;
	if (value->kind == JSON_OBJECT || value->kind == JSON_ARRAY)
		return read_nested(args, key, scan, keep, err);
	if (key->known != CHROME_READ_KNOWN_COUNT &&
		key->known != CHROME_READ_FILE &&
		key->known != CHROME_READ_LINE)
		record_known(args, key, scan, value);
	if (keep && !chrome_read_args_add_token(args, key->number, scan, value))
		return ctp_no_memory(err);
	return CTP_OK;
}

/* Handles the items read together; `*ended`: the object has ended. */
static enum ctp_status read_items(struct chrome_read_args *args,
	struct json_scan *scan, uint32_t want, bool *ended,
	struct ctp_error *err)
{
	const struct json_members_read *read = &args->read;
	enum ctp_status status = CTP_OK;

	for (unsigned i = 0; status == CTP_OK && i < read->count; i++) {
		const struct json_member *item = &read->items[i];

		*ended = item->value.kind == JSON_END;
		if (*ended)
			break;
		if (read->is_new && !add_key(args, scan, &read->new_key,
					    &args->keys[item->step]))
			return ctp_no_memory(err);
		status = read_item(args, scan, item, want, err);
	}
	return status;
}

enum ctp_status chrome_read_args_read(struct chrome_read_args *args,
	struct json_scan *scan, uint32_t want, struct ctp_error *err)
{
	enum ctp_status status = CTP_OK;
	bool ended = false;

	while (status == CTP_OK && !ended) {
		if (args->items > 1 && want != CHROME_READ_WANT_ALL)
			want &= ~CHROME_READ_WANT_PLACE;
		if (want != CHROME_READ_WANT_ALL && (want & ~args->seen) == 0)
			return json_scan_skip(scan, err);
		status = json_key_cache_read(
			&args->key_cache, scan, &args->read, err);
		if (status == CTP_OK)
			status = read_items(args, scan, want, &ended, err);
	}
	return status;
}
