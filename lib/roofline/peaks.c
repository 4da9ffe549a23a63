/* SPDX-License-Identifier: MIT */
/*
 * The figures are from the vendors' data sheets and whitepapers. Since the
 * A100, NVIDIA gives them with sparsity: those are halved. For gaming cards,
 * the tensor core rate is that with fp32 sums, which PyTorch uses. An MI250 or
 * MI250X is two devices, each with half of the card's figures. If a vendor
 * rounds (MI355X) or omits a model (RTX 3080 Ti), the figure is the number of
 * units times their rate, which also matches the published figures. Unconfirmed
 * figures are omitted.
 */
#include "roofline/peaks.h"

#include <string.h>
#include <strings.h>

#define GB UINT64_C(1000000000)

/* Longer than any device name; bounds the search, which runs for each
 * kernel. */
#define NAME_SIZE 256

/* clang-format off */
/* GFLOP/s: fp64, fp32, tf32, bf16, fp16, fp8, int8. */
#define RATES(f64, f32, t32, b16, f16, f8, i8) \
	{0, f64, f32, t32, b16, f16, f8, i8, 0}

#define HOPPER RATES(67000, 67000, 494700, 989400, 989400, 1978900, 1978900)
#define AMPERE RATES(19500, 19500, 156000, 312000, 312000, 0, 624000)
#define VOLTA RATES(7800, 15700, 0, 0, 125000, 0, 0)
#define VOLTA_PCIE RATES(7000, 14000, 0, 0, 112000, 0, 0)
#define H20 RATES(1000, 44000, 74000, 148000, 148000, 296000, 296000)
#define UNKNOWN RATES(0, 0, 0, 0, 0, 0, 0)
#define CDNA3 RATES(163400, 163400, 653700, 1307400, 1307400, 2614900, 2614900)

#define VOLTA_SHEET "NVIDIA V100 datasheet 1165301-r5"
#define AMPERE_SHEET "NVIDIA A100 datasheet 1758950-r4"
#define HOPPER_SHEET "NVIDIA H100 datasheet and whitepaper"
#define GRACE_SHEET "NVIDIA GH200 datasheet"
#define TURING_PAPER "NVIDIA Turing architecture whitepaper"
#define GA102_PAPER "NVIDIA Ampere GA102 architecture whitepaper"
#define ADA_PAPER "NVIDIA Ada architecture whitepaper"
#define BLACKWELL_PAPER "NVIDIA RTX Blackwell architecture whitepaper"
#define BLACKWELL_SHEET "NVIDIA Blackwell datasheet"

const struct peak peaks_known[] = {
	{"P100 PCIE 12GB", 0, RATES(4700, 9300, 0, 0, 18700, 0, 0), 549,
		"NVIDIA P100 datasheet"},
	{"P100 PCIE", 0, RATES(4700, 9300, 0, 0, 18700, 0, 0), 732,
		"NVIDIA P100 datasheet"},
	{"P100", 0, RATES(5300, 10600, 0, 0, 21200, 0, 0), 732,
		"NVIDIA P100 datasheet"},
	{"V100 SXM2", 0, VOLTA, 900, VOLTA_SHEET},
	{"V100 SXM3", 0, VOLTA, 900, VOLTA_SHEET},
	{"V100 DGXS", 0, VOLTA, 900, VOLTA_SHEET},
	{"V100 PCIE", 0, VOLTA_PCIE, 900, VOLTA_SHEET},
	{"V100S PCIE", 0, RATES(8200, 16400, 0, 0, 130000, 0, 0), 1134,
		VOLTA_SHEET},
	{"T4", 0, RATES(0, 8100, 0, 0, 65000, 0, 130000), 320,
		"NVIDIA T4 datasheet"},
	{"A100 80GB PCIe", 0, AMPERE, 1935, AMPERE_SHEET},
	{"A100", 60 * GB, AMPERE, 2039, AMPERE_SHEET},
	{"A100 SXM4 80GB", 0, AMPERE, 2039, AMPERE_SHEET},
	{"A100", 0, AMPERE, 1555, AMPERE_SHEET},
	{"A800 80GB PCIe", 0, AMPERE, 1935, AMPERE_SHEET},
	{"A800 SXM4 80GB", 0, AMPERE, 2039, AMPERE_SHEET},
	{"A10", 0, RATES(0, 31200, 62500, 125000, 125000, 0, 250000), 600,
		"NVIDIA A10 datasheet"},
	{"A10G", 0, RATES(0, 35000, 0, 70000, 70000, 0, 0), 600,
		"AWS and NVIDIA, A10G product brief"},
	{"A30", 0, RATES(10300, 10300, 82000, 165000, 165000, 0, 330000), 933,
		"NVIDIA A30 datasheet"},
	{"A40", 0, RATES(0, 37400, 74800, 149700, 149700, 0, 299300), 696,
		"NVIDIA A40 datasheet"},
	{"L4", 0, RATES(0, 30300, 60000, 121000, 121000, 242500, 242500), 300,
		"NVIDIA L4 datasheet"},
	{"L40", 0, RATES(0, 90500, 90500, 181050, 181050, 362000, 362000), 864,
		"NVIDIA L40 datasheet"},
	{"L40S", 0, RATES(0, 91600, 183000, 362000, 362000, 733000, 733000),
		864, "NVIDIA L40S datasheet"},
	{"H100 PCIe", 0, RATES(51000, 51000, 378000, 756000, 756000, 1513000,
		1513000), 2000, HOPPER_SHEET},
	{"H100 NVL", 0, RATES(60000, 60000, 418000, 835000, 835000, 1671000,
		1671000), 3900, HOPPER_SHEET},
	{"H100 80GB HBM3", 0, HOPPER, 3350, HOPPER_SHEET},
	{"H100 SXM5", 0, HOPPER, 3350, HOPPER_SHEET},
	{"H200 NVL", 0, RATES(60000, 60000, 417500, 835500, 835500, 1670500,
		1670500), 4800, "NVIDIA H200 datasheet"},
	{"H200", 0, HOPPER, 4800, "NVIDIA H200 datasheet"},
	{"H800 PCIe", 0, UNKNOWN, 0, NULL},
	{"H800", 0, RATES(0, 67000, 494700, 989400, 989400, 1978900, 1978900),
		3350, "reports of NVIDIA's H800 datasheet"},
	{"H20", 120 * GB, H20, 4800, "reports of NVIDIA's H20 datasheet"},
	{"H20", 0, H20, 4000, "reports of NVIDIA's H20 datasheet"},
	{"GH200 144G", 0, HOPPER, 4900, GRACE_SHEET},
	{"GH200", 0, HOPPER, 4000, GRACE_SHEET},
	{"B200", 0, RATES(37000, 75000, 1100000, 2250000, 2250000, 4500000,
		4500000), 7700, BLACKWELL_SHEET ", GPU of HGX B200"},
	{"GB200", 0, RATES(40000, 80000, 1250000, 2500000, 2500000, 5000000,
		5000000), 8000, BLACKWELL_SHEET ", GPU of GB200 NVL72"},

	{"TITAN V", 0, RATES(7450, 14900, 0, 0, 110000, 0, 0), 653,
		"NVIDIA TITAN V specifications"},
	{"TITAN RTX", 0, RATES(0, 16300, 0, 0, 130500, 0, 261000), 672,
		TURING_PAPER},
	{"Quadro RTX 6000", 0, RATES(0, 16300, 0, 0, 130500, 0, 261000), 672,
		TURING_PAPER},
	{"Quadro RTX 8000", 0, RATES(0, 16300, 0, 0, 130500, 0, 261000), 672,
		TURING_PAPER},
	{"RTX A4000", 0, RATES(0, 19200, 38300, 76700, 76700, 0, 153400), 448,
		"NVIDIA RTX A4000 datasheet"},
	{"RTX A5000", 0, RATES(0, 27800, 55600, 111100, 111100, 0, 222200),
		768, "NVIDIA RTX A5000 datasheet"},
	{"RTX A6000", 0, RATES(0, 38700, 77400, 154800, 154800, 0, 309700),
		768, "NVIDIA RTX A6000 datasheet"},
	{"RTX 6000 Ada", 0, RATES(0, 91100, 182100, 364200, 364200, 728500,
		728500), 960, "NVIDIA RTX 6000 Ada datasheet"},
	{"RTX 2070", 0, RATES(0, 7500, 0, 0, 29900, 0, 119400), 448,
		TURING_PAPER},
	{"RTX 2080", 0, RATES(0, 10100, 0, 0, 40300, 0, 161100), 448,
		TURING_PAPER},
	{"RTX 2080 Ti", 0, RATES(0, 13400, 0, 0, 53800, 0, 215200), 616,
		TURING_PAPER},
	{"RTX 3070", 0, RATES(0, 20300, 20300, 40600, 40600, 0, 162600), 448,
		GA102_PAPER},
	{"RTX 3080", 12 * GB, RATES(0, 30600, 30600, 61300, 61300, 0, 245100),
		912, GA102_PAPER},
	{"RTX 3080", 0, RATES(0, 29800, 29800, 59500, 59500, 0, 238000), 760,
		GA102_PAPER},
	{"RTX 3080 Ti", 0, RATES(0, 34100, 34100, 68200, 68200, 0, 272800),
		912, GA102_PAPER},
	{"RTX 3090", 0, RATES(556, 35600, 35600, 71000, 71000, 0, 284000), 936,
		GA102_PAPER},
	{"RTX 3090 Ti", 0, RATES(625, 40000, 40000, 80000, 80000, 0, 320000),
		1008, GA102_PAPER},
	{"RTX 4070 Ti", 0, RATES(0, 40100, 40100, 80200, 80200, 160400,
		320700), 504, ADA_PAPER},
	{"RTX 4080", 0, RATES(0, 48700, 48700, 97500, 97500, 194900, 389900),
		717, ADA_PAPER},
	{"RTX 4090", 0, RATES(1290, 82600, 82600, 165200, 165200, 330300,
		660600), 1008, ADA_PAPER},
	{"RTX 5080", 0, RATES(0, 56300, 56300, 112600, 112600, 225100, 450200),
		960, BLACKWELL_PAPER},
	{"RTX 5090", 0, RATES(0, 104800, 104800, 209500, 209500, 419000,
		838000), 1792, BLACKWELL_PAPER},

	{"MI100", 0, RATES(11500, 46100, 0, 92300, 184600, 0, 184600), 1229,
		"AMD Instinct MI100 brochure"},
	{"MI210", 0, RATES(45300, 45300, 0, 181000, 181000, 0, 181000), 1638,
		"AMD Instinct MI210 brochure"},
	{"MI250X", 0, RATES(47850, 47850, 0, 191500, 191500, 0, 191500), 1638,
		"AMD Instinct MI200 series datasheet"},
	{"MI250", 0, RATES(45250, 45250, 0, 181050, 181050, 0, 181050), 1638,
		"AMD Instinct MI200 series datasheet"},
	{"MI300A", 0, RATES(122600, 122600, 490300, 980600, 980600, 1961200,
		1961200), 5300, "AMD Instinct MI300A data sheet"},
	{"MI300X", 0, CDNA3, 5300, "AMD Instinct MI300X data sheet"},
	{"MI325X", 0, CDNA3, 6000, "AMD Instinct MI325X data sheet"},
	{"MI355X", 0, RATES(78600, 157300, 0, 2516600, 2516600, 5033200,
		5033200), 8000, "AMD Instinct MI355X data sheet"},
};
/* clang-format on */

const size_t peaks_known_count = sizeof(peaks_known) / sizeof(peaks_known[0]);

/* Words that distinguish another model or a partition of a device. */
static const char *const others[] = {"Ti", "SUPER", "D", "Laptop", "Mobile",
	"Max", "Ada", "Blackwell", "MIG", "FHHL"};

static bool is_letter(char byte)
{
	return (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') ||
	       (byte >= 'a' && byte <= 'z');
}

/* Reads the next word and advances `name`; 0 if there is none. */
static size_t next_word(const char **name, const char **word)
{
	const char *at = *name;
	size_t size = 0;

	while (*at != '\0' && !is_letter(*at))
		at++;
	while (is_letter(at[size]))
		size++;
	*word = at;
	*name = at + size;
	return size;
}

static bool has_other(const char *word, size_t size)
{
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (strlen(others[i]) == size &&
			strncasecmp(others[i], word, size) == 0)
			return true;
	return false;
}

/* Whether the name contains all the words, and no other that distinguishes a
 * model. */
static bool matches(const char *words, const char *name)
{
	const char *wanted;
	const char *word;
	size_t wanted_size = next_word(&words, &wanted);
	size_t size;

	while ((size = next_word(&name, &word)) > 0) {
		if (size == wanted_size && strncasecmp(word, wanted, size) == 0)
			wanted_size = next_word(&words, &wanted);
		else if (has_other(word, size))
			return false;
	}
	return wanted_size == 0;
}

const struct peak *peak_find(const struct peak *peaks, size_t count,
	const char *name, uint64_t memory_bytes)
{
	if (strnlen(name, NAME_SIZE) == NAME_SIZE)
		return NULL;
	for (size_t i = 0; i < count; i++)
		if (memory_bytes >= peaks[i].memory_bytes &&
			matches(peaks[i].name, name))
			return peaks[i].source == NULL ? NULL : &peaks[i];
	return NULL;
}
