/* SPDX-License-Identifier: MIT */
/*
 * Where the tokens of a JSON text begin: brackets, colons, commas, both quotes
 * of each string, and the first byte of each number or word. 64 bytes are
 * looked at at a time, without a branch for any of them, and nothing is
 * refused. But what may follow what is looked at as well, so that what lies
 * between two brackets can be passed over without a look at its tokens.
 * Source: G. Langdale, D. Lemire, "Parsing Gigabytes of JSON per Second",
 * section 3.1 (2019).
 */
#ifndef JSON_INDEX_H
#define JSON_INDEX_H

#include <stddef.h>
#include <stdint.h>

#define JSON_INDEX_STEP 64

/*
 * What is known of 64 bytes; a bit for each.
 *
 * Where the brackets before all match, all of it is JSON if no bit of in_object
 * lies in an array, and none of in_array in an object (a bracket lies in what
 * is around it), and the numbers and words are right that begin at an odd bit.
 * Where something cannot be right, all bits of both are set.
 */
struct json_block {
	uint64_t tokens;
	uint64_t opening; /* brackets */
	uint64_t closing;
	uint64_t square; /* of these, those of arrays */
	uint64_t in_object;
	uint64_t in_array;
	uint64_t odd;   /* what may be no number; the others are */
	uint64_t first; /* tokens before, since the beginning */
};

/* What is to be looked at: bytes[from] up to bytes[to], both multiples of
 * JSON_INDEX_STEP; and where what is found goes. */
struct json_index_part {
	const uint8_t *bytes;
	uint32_t from;
	uint32_t to;
	uint32_t *tokens;          /* with room for one per byte */
	struct json_block *blocks; /* one for each step */
};

/* What goes on from one step to the next: begin with json_index_init(). Each
 * word is 0 or 1, where nothing else is said. */
struct json_index {
	size_t (*add)(
		struct json_index *index, const struct json_index_part *part);
	uint64_t count;   /* of tokens, as far as it goes */
	uint32_t slashed; /* offset behind the last block with a backslash */
	uint64_t escaped; /* the next byte is, by a backslash */
	uint64_t string;  /* all ones: the next byte lies in a string */
	uint64_t scalar;  /* the byte before belongs to a number or word */
	uint64_t digit;   /* ... and is one, of these words at most */
	uint64_t dot;
	uint64_t zero;     /* the first digit */
	uint64_t fraction; /* a digit behind a point */
	/* What comes next follows: */
	uint64_t after_brace; /* of an object that begins */
	uint64_t after_place; /* a colon, or the bracket of an array */
	uint64_t after_comma;
	uint64_t after_text; /* a key, or a value of an array */
	uint64_t after_value;
	uint64_t is_text; /* the string that goes on is such a one */
};

/* Ways to look at bytes: each of the machine's kinds, the best one last. */
unsigned json_index_ways(void);

/* To look at bytes the given way, below json_index_ways(). */
void json_index_init(struct json_index *index, unsigned way);

/*
 * Returns how many tokens there are. A number that goes on where the part
 * begins may be odd by what comes only now: it began at tokens[-1], and its
 * block is as far before blocks[0] as its bytes are.
 */
static inline size_t json_index_add(
	struct json_index *index, const struct json_index_part *part)
{
	return index->add(index, part);
}

#endif
