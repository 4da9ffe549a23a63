/* SPDX-License-Identifier: MIT */
/*
 * Exercises the stb libraries on generated data: pictures are drawn, written as
 * PNG, BMP, TGA, JPEG and HDR, read back, resized and packed, and truncated
 * ones refused. A font is drawn, and numbers are sorted into a table. Prints a
 * checksum of all results. Part of tests/lib/instrument/third_party.sh.
 */
#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STB_IMAGE_RESIZE_IMPLEMENTATION
#define STB_PERLIN_IMPLEMENTATION
#define STB_RECT_PACK_IMPLEMENTATION
#define STB_DS_IMPLEMENTATION
#define STB_TRUETYPE_IMPLEMENTATION
/* Without vectors: callgrind and the program take the same paths. */
#define STBI_NO_SIMD
/* Bytes that a truncated picture leaves unset are 0, so that the checksum is
 * the same. */
#define STBI_MALLOC(size) calloc(1, size)
#define STBI_REALLOC(memory, size) realloc(memory, size)
#define STBI_FREE(memory) free(memory)
#include <stdlib.h>
#include <stb/stb_image.h>
#include <stb/stb_image_resize.h>
#include <stb/stb_image_write.h>
#include <stb/stb_perlin.h>
#include <stb/stb_rect_pack.h>
#include <stb/stb_ds.h>
#include <stb/stb_truetype.h>
#include <stdint.h>

enum { SIDE = 40, CHANNELS = 3, FILE_BYTES = 1 << 16 };

struct file {
	unsigned char bytes[FILE_BYTES];
	int size;
};

static uint64_t sum;

static void add(const void *data, size_t size)
{
	const unsigned char *bytes = data;

	for (size_t i = 0; i < size; i++)
		sum = sum * 31 + bytes[i];
}

/* stb calls it for each piece that it has written. */
static void append(void *context, void *data, int size)
{
	struct file *file = context;

	if (size < 0 || file->size + size > FILE_BYTES)
		return;
	memcpy(file->bytes + file->size, data, (size_t)size);
	file->size += size;
}

static void draw(unsigned char *pixels, float *light)
{
	for (int i = 0; i < SIDE * SIDE * CHANNELS; i++) {
		float x = (float)(i % (SIDE * CHANNELS)) / 7.0F;
		float y = (float)(i / (SIDE * CHANNELS)) / 5.0F;
		float noise = stb_perlin_noise3(x, y, 0.5F, 0, 0, 0);

		pixels[i] = (unsigned char)(128 + (int)(noise * 100));
		light[i] = noise + 1;
	}
}

static void read_back(const struct file *file)
{
	int width = 0;
	int height = 0;
	int channels = 0;
	unsigned char small[16 * 16 * CHANNELS];
	unsigned char *pixels = stbi_load_from_memory(
		file->bytes, file->size, &width, &height, &channels, CHANNELS);

	if (pixels == NULL) {
		add(stbi_failure_reason(), strlen(stbi_failure_reason()));
		return;
	}
	add(pixels, (size_t)(width * height * CHANNELS));
	stbir_resize_uint8(
		pixels, width, height, 0, small, 16, 16, 0, CHANNELS);
	add(small, sizeof(small));
	stbi_image_free(pixels);
}

static void write_and_read(const unsigned char *pixels, const float *light)
{
	static struct file files[5];

	stbi_write_png_to_func(append, &files[0], SIDE, SIDE, CHANNELS, pixels,
		SIDE * CHANNELS);
	stbi_write_bmp_to_func(append, &files[1], SIDE, SIDE, CHANNELS, pixels);
	stbi_write_tga_to_func(append, &files[2], SIDE, SIDE, CHANNELS, pixels);
	stbi_write_jpg_to_func(
		append, &files[3], SIDE, SIDE, CHANNELS, pixels, 80);
	stbi_write_hdr_to_func(append, &files[4], SIDE, SIDE, CHANNELS, light);
	for (int i = 0; i < 5; i++) {
		read_back(&files[i]);
		/* Reads damaged and truncated files; not the last, since a
		 * truncated HDR picture is read for ever. */
		files[i].bytes[i < 4 ? 0 : 9] ^= 0x55;
		read_back(&files[i]);
		files[i].bytes[i < 4 ? 0 : 9] ^= 0x55;
		files[i].size /= i < 4 ? 2 : 1;
		read_back(&files[i]);
	}
}

static void pack(void)
{
	stbrp_context context;
	stbrp_node nodes[64];
	stbrp_rect rects[30];

	for (int i = 0; i < 30; i++)
		rects[i] = (stbrp_rect){
			.id = i, .w = 3 + i * 7 % 13, .h = 2 + i * 5 % 11};
	stbrp_init_target(&context, 64, 64, nodes, 64);
	add(&(int){stbrp_pack_rects(&context, rects, 30)}, sizeof(int));
	for (int i = 0; i < 30; i++)
		add(&rects[i].x, sizeof(rects[i].x));
}

static void count_words(void)
{
	struct {
		char *key;
		int value;
	} *words = NULL;
	int *order = NULL;
	char word[16];

	sh_new_strdup(words);
	shdefault(words, 0);
	for (int i = 0; i < 300; i++) {
		int times;

		snprintf(word, sizeof(word), "w%d", i * i % 97);
		times = shget(words, word) + 1;
		shput(words, word, times);
		arrput(order, times);
	}
	for (int i = 0; i < 97; i += 3) {
		snprintf(word, sizeof(word), "w%d", i);
		(void)shdel(words, word);
	}
	for (int i = 0; i < arrlen(order); i++)
		add(&order[i], sizeof(order[i]));
	arrfree(order);
	shfree(words);
}

/* --- a font with two glyphs: nothing, and a box with a curved side -------- */

static unsigned char *put(unsigned char *at, unsigned bytes, unsigned value)
{
	while (bytes > 0)
		*at++ = (unsigned char)(value >> (8 * --bytes));
	return at;
}

static const uint16_t head[27] = {1, 0, 0, 0, 0, 0, 0x5f0f, 0x3cf5, 0,
	1000, [18] = 0, 0, 700, 700, 0, 8, 2, 0, 0};
static const uint16_t hhea[18] = {1, 0, 800, 0xff38, 0, 700, [17] = 1};
static const uint16_t hmtx[3] = {700, 0, 0};
static const uint16_t maxp[3] = {1, 0, 2};
static const uint16_t loca[3] = {0, 0, 16};
/* All characters from A to Z are glyph 1: a table of format 4. */
static const uint16_t cmap[22] = {0, 1, 3, 1, 0, 12, 4, 32, 0, 4, 4, 1, 0, 'Z',
	0xffff, 0, 'A', 0xffff, (uint16_t)(1 - 'A'), 1, 0, 0};
/* Five points, the fourth off the curve, with 16-bit steps. */
static const uint16_t glyf[16] = {1, 0, 0, 700, 700, 4, 0, 0x0101, 0x0100,
	0x0100, 600, 0, 100, 0xff9c, 0, 0};

struct table {
	const char *tag;
	const uint16_t *words;
	unsigned count;
};

static const struct table tables[] = {
	{"cmap", cmap, 22},
	{"glyf", glyf, 16},
	{"head", head, 27},
	{"hhea", hhea, 18},
	{"hmtx", hmtx, 3},
	{"loca", loca, 3},
	{"maxp", maxp, 3},
};

static void make_font(unsigned char *font)
{
	const unsigned count = sizeof(tables) / sizeof(*tables);
	unsigned char *entry = put(font, 4, 0x00010000);
	unsigned char *body = font + 12 + 16 * count;

	entry = put(put(entry, 2, count), 6, 0);
	for (unsigned i = 0; i < count; i++) {
		memcpy(entry, tables[i].tag, 4);
		entry = put(entry + 4, 4, 0);
		entry = put(entry, 4, (unsigned)(body - font));
		entry = put(entry, 4, 2 * tables[i].count);
		for (unsigned k = 0; k < tables[i].count; k++)
			body = put(body, 2, tables[i].words[k]);
	}
}

static void draw_text(void)
{
	unsigned char font[512] = {0};
	stbtt_fontinfo info;
	int width = 0;
	int height = 0;
	float scale;

	make_font(font);
	if (!stbtt_InitFont(&info, font, 0))
		return;
	for (int size = 8; size < 24; size += 5) {
		unsigned char *pixels;

		scale = stbtt_ScaleForPixelHeight(&info, (float)size);
		pixels = stbtt_GetCodepointBitmap(
			&info, 0, scale, 'Q', &width, &height, NULL, NULL);
		if (pixels == NULL)
			continue;
		add(pixels, (size_t)(width * height));
		stbtt_FreeBitmap(pixels, NULL);
	}
}

int main(void)
{
	static unsigned char pixels[SIDE * SIDE * CHANNELS];
	static float light[SIDE * SIDE * CHANNELS];

	draw(pixels, light);
	write_and_read(pixels, light);
	pack();
	count_words();
	draw_text();
	printf("%016llx\n", (unsigned long long)sum);
	return 0;
}
