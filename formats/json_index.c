/* SPDX-License-Identifier: MIT */
/*
 * A block says what may follow what as sets of bits. Where a set is added to
 * the blanks behind it, the sum carries to the first byte that is none; where
 * it is added to the inside of strings, to the end of each. So the token that
 * comes next is found for all of a kind at once, and everything goes on in the
 * next block by a carry.
 */
#include "json_index.h"

#include <stdbool.h>

#include "json_classes.h"

#define EVEN_BITS UINT64_C(0x5555555555555555)
/* Tokens are written so many at a time: most blocks have no more. */
#define TOKENS_AT_ONCE 8

#define INLINE static inline __attribute__((always_inline))

/* The bits that come one later, and one for the next block. */
INLINE uint64_t later(uint64_t bits, uint64_t *carry)
{
	uint64_t moved = bits << 1 | *carry;

	*carry = bits >> 63;
	return moved;
}

/* Where what begins at `from` ends, going on as far as `along`. */
INLINE uint64_t ends_of(uint64_t from, uint64_t along, uint64_t *carry)
{
	uint64_t sum;

	*carry |= (uint64_t)__builtin_add_overflow(from, along, &sum);
	return sum & ~along;
}

/* The tokens that come next behind bits of `of`. */
INLINE uint64_t next_of(uint64_t of, uint64_t blank, uint64_t *carry)
{
	uint64_t from = later(of, carry);

	return ends_of(from, blank, carry);
}

/* The ends of the strings that begin at `from`. */
INLINE uint64_t closes(uint64_t from, uint64_t string, uint64_t *carry)
{
	uint64_t sum;
	bool over = __builtin_add_overflow(from, string, &sum);

	over |= __builtin_add_overflow(sum, *carry, &sum);
	*carry = over;
	return sum & ~string;
}

/* The bytes that a backslash stands before which is not itself escaped. */
INLINE uint64_t find_escaped(struct json_index *index, uint64_t backslash)
{
	uint64_t follows;
	uint64_t odd_starts;
	uint64_t even_carries;
	uint64_t carry;

	backslash &= ~index->escaped;
	follows = backslash << 1 | index->escaped;
	/* Adding the starts of runs of backslashes carries to their ends: where
	 * a run that starts at an odd place ends tells its length's parity. */
	odd_starts = backslash & ~EVEN_BITS & ~follows;
	carry = __builtin_add_overflow(odd_starts, backslash, &even_carries);
	index->escaped = carry;
	return (EVEN_BITS ^ even_carries << 1) & follows;
}

/* Bytes of scalars that are not as in most numbers: digits, and perhaps more
 * of them behind a point; no zero before others. */
INLINE uint64_t find_odd(struct json_index *index,
	const struct json_classes *classes, uint64_t scalar, uint64_t begins)
{
	uint64_t digit = classes->digit & scalar;
	uint64_t dot = classes->dot & scalar;
	uint64_t behind = later(dot, &index->dot);
	uint64_t odd = scalar & ~(digit | dot);
	uint64_t fraction = behind | index->fraction;

	index->fraction = 0;
	odd |= dot & ~later(digit, &index->digit);
	odd |= behind & ~digit;
	odd |= ends_of(fraction, digit, &index->fraction) & dot;
	odd |= later(begins & classes->zero, &index->zero) & digit;
	return odd;
}

/* What is in the block outside strings. */
struct marks {
	uint64_t colon;
	uint64_t comma;
	uint64_t opens; /* quotes */
	uint64_t closes;
	uint64_t string; /* from the one up to the other */
	uint64_t blank;
	uint64_t begins; /* of scalars */
	uint64_t ends;   /* what comes behind them */
};

/*
 * What comes next behind each kind of token; all that may be wrong with that
 * but what the bracket decides that is open: behind a comma in an object there
 * is a key, and in an array there is none.
 */
INLINE void check_order(struct json_index *index, const struct marks *marks,
	struct json_block *block)
{
	const uint64_t blank = marks->blank;
	const uint64_t values = marks->opens | marks->begins | block->opening;
	const uint64_t ends = marks->comma | block->closing;
	uint64_t brace = block->opening & ~block->square;
	uint64_t by_brace = next_of(brace, blank, &index->after_brace);
	uint64_t by_place = next_of(marks->colon | (block->opening & ~brace),
		blank, &index->after_place);
	uint64_t by_comma = next_of(marks->comma, blank, &index->after_comma);
	/* Keys, and values of arrays: by what comes behind. */
	uint64_t text = closes((by_brace | by_comma) & marks->opens,
		marks->string, &index->is_text);
	uint64_t value = (marks->closes & ~text) | block->closing;
	uint64_t by_text = next_of(text, blank, &index->after_text);
	uint64_t by_value = later(value, &index->after_value) | marks->ends;
	uint64_t wrong;

	by_value = ends_of(by_value, blank, &index->after_value);
	wrong = by_brace & ~(marks->opens | (block->closing & ~block->square));
	wrong |= by_place & ~(values | (block->closing & block->square));
	wrong |= by_comma & ~values;
	wrong |= by_text & ~(marks->colon | ends);
	wrong |= by_value & ~ends;
	block->in_object = by_text & marks->colon;
	block->in_array =
		(by_comma & ~marks->opens) | (by_text & ~marks->colon);
	if (__builtin_expect(wrong != 0, 0))
		block->in_object = block->in_array = UINT64_MAX;
}

/* True if the scalar that goes on from the block before is odd. */
INLINE bool fill_block(struct json_index *index,
	const struct json_classes *classes, uint64_t quote, uint64_t string,
	struct json_block *block)
{
	const uint64_t outside = ~string;
	const uint64_t before = index->scalar;
	struct marks marks = {.string = string};
	uint64_t scalar;
	uint64_t follows;
	uint64_t odd;

	block->opening = classes->opening & outside;
	block->closing = classes->closing & outside;
	block->square = classes->square & (block->opening | block->closing);
	marks.opens = quote & string;
	marks.closes = quote & outside;
	marks.colon = classes->colon & outside;
	marks.comma = classes->comma & outside;
	marks.blank = classes->blank & outside;
	block->tokens = block->opening | block->closing | marks.colon |
			marks.comma | quote;
	scalar = outside & ~(block->tokens | marks.blank);
	follows = later(scalar, &index->scalar);
	marks.begins = scalar & ~follows;
	marks.ends = follows & ~scalar;
	block->tokens |= marks.begins;
	odd = find_odd(index, classes, scalar, marks.begins);
	block->odd = odd == 0 ? 0 : marks.begins;
	check_order(index, &marks, block);
	return odd != 0 && before != 0;
}

/* The scalar that began at `token`, before the block that begins at `from`. */
static void mark_odd(struct json_block *block, uint32_t from, uint32_t token)
{
	block -= (from - token + JSON_INDEX_STEP - 1) / JSON_INDEX_STEP;
	block->odd |= UINT64_C(1) << token % JSON_INDEX_STEP;
}

/* Writes some more than there are. */
INLINE uint32_t *put_tokens(uint32_t *to, uint64_t tokens, uint32_t from,
	uint32_t (*lowest)(uint64_t bits))
{
	uint32_t *end = to + __builtin_popcountll(tokens);

	do {
#pragma GCC unroll 8
		for (unsigned i = 0; i < TOKENS_AT_ONCE; i++) {
			to[i] = from + lowest(tokens);
			tokens &= tokens - 1;
		}
		to += TOKENS_AT_ONCE;
	} while (__builtin_expect(tokens != 0, 0));
	return end;
}

INLINE size_t add(struct json_index *index, const struct json_index_part *part,
	const struct json_classes_way *way)
{
	struct json_index state = *index;
	struct json_block *block = part->blocks;
	uint32_t *next = part->tokens;

	for (uint32_t from = part->from; from < part->to;
		from += JSON_INDEX_STEP, block++) {
		struct json_classes classes;
		uint64_t quote;
		uint64_t string;

		way->classify(part->bytes + from, &classes);
		quote = classes.quote;
		if (__builtin_expect(
			    (classes.backslash | state.escaped) != 0, 0)) {
			quote &= ~find_escaped(&state, classes.backslash);
			state.slashed = from + JSON_INDEX_STEP;
		}
		/* From an opening quote up to the byte before the closing one.
		 */
		string = way->parity(quote) ^ state.string;
		state.string = (uint64_t)((int64_t)string >> 63);
		if (__builtin_expect(
			    fill_block(&state, &classes, quote, string, block),
			    0))
			mark_odd(block, from, next[-1]);
		block->first = state.count + (uint64_t)(next - part->tokens);
		next = put_tokens(next, block->tokens, from, way->lowest);
	}
	state.count += (uint64_t)(next - part->tokens);
	*index = state;
	return (size_t)(next - part->tokens);
}

static size_t add_any(
	struct json_index *index, const struct json_index_part *part)
{
	static const struct json_classes_way way = {
		json_classes_any, json_classes_parity, json_classes_lowest};

	return add(index, part, &way);
}

#ifdef __x86_64__
static size_t add_sse2(
	struct json_index *index, const struct json_index_part *part)
{
	static const struct json_classes_way way = {
		json_classes_sse2, json_classes_parity, json_classes_lowest};

	return add(index, part, &way);
}

__attribute__((target("avx2,pclmul,bmi,lzcnt,popcnt"))) static size_t add_avx2(
	struct json_index *index, const struct json_index_part *part)
{
	static const struct json_classes_way way = {json_classes_avx2,
		json_classes_parity_avx2, json_classes_lowest_avx2};

	return add(index, part, &way);
}

static size_t (*const adds[])(struct json_index *index,
	const struct json_index_part *part) = {add_any, add_sse2, add_avx2};

unsigned json_index_ways(void)
{
	bool avx2 = __builtin_cpu_supports("avx2") &&
		    __builtin_cpu_supports("pclmul") &&
		    __builtin_cpu_supports("bmi") &&
		    __builtin_cpu_supports("popcnt");

	return avx2 ? 3 : 2;
}
#else
static size_t (*const adds[])(struct json_index *index,
	const struct json_index_part *part) = {add_any};

unsigned json_index_ways(void)
{
	return 1;
}
#endif

void json_index_init(struct json_index *index, unsigned way)
{
	/* The value that the text is may be any, as behind a colon. */
	*index = (struct json_index){.add = adds[way], .after_place = 1};
}
