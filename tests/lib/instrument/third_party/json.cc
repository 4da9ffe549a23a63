// SPDX-License-Identifier: MIT
// Puts nlohmann/json to work: documents are parsed, changed, merged, dumped as
// text and as CBOR, and read back; broken ones make its parser throw, through
// its own frames and ours. Prints a checksum of all results. Part of
// tests/lib/instrument/third_party.sh.
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

using nlohmann::json;

namespace
{

std::uint64_t sum;

void add(const std::string &text)
{
	for (unsigned char byte : text)
		sum = sum * 31 + byte;
}

struct place {
	std::string name;
	double height;
	std::vector<int> years;
};

void to_json(json &out, const place &in)
{
	out = json{
		{"name", in.name}, {"height", in.height}, {"years", in.years}};
}

void from_json(const json &in, place &out)
{
	in.at("name").get_to(out.name);
	in.at("height").get_to(out.height);
	in.at("years").get_to(out.years);
}

// Leaves by an exception that this function does not catch.
int depth_of(const json &value, int limit)
{
	int deepest = 0;

	if (limit == 0)
		throw std::length_error("too deep");
	if (value.is_structured())
		for (const json &member : value)
			deepest =
				std::max(deepest, depth_of(member, limit - 1));
	return deepest + 1;
}

void parse_good(int round)
{
	json document = json::parse(
		R"({"list": [1, -2, 3.5e3, true, null, "\u00fc\n"],)"
		R"( "object": {"a": {"b": {"c": [[], {}]}}}})");

	document["round"] = round;
	document["list"].push_back(round * 0.25);
	document.merge_patch({{"object", {{"d", "e"}}}, {"gone", nullptr}});
	add(document.dump());
	add(document.dump(2));
	add(json::from_cbor(json::to_cbor(document)).dump());
	add(document.flatten().unflatten().dump());
	try {
		add(std::to_string(depth_of(document, round % 8)));
	} catch (const std::length_error &error) {
		add(error.what());
	}
}

void parse_bad()
{
	static const char *const broken[] = {"", "{", "[1, 2", "{\"a\" 1}",
		"[tru]", "\"\\u12g4\"", "1e999", "[1,]", "\"\xff\"", "nul",
		"{\"a\": [[[[{\"b\": }]]]]}"};

	for (const char *text : broken) {
		try {
			add(json::parse(text).dump());
		} catch (const json::exception &error) {
			add(error.what());
		}
		add(json::accept(text) ? "good" : "bad");
	}
	try {
		add(json::parse("[1]").at(3).dump());
	} catch (const json::out_of_range &error) {
		add(error.what());
	}
	try {
		add(json("text").get<std::vector<int>>().empty() ? "" : "?");
	} catch (const json::type_error &error) {
		add(error.what());
	}
}

void use_object(int round)
{
	place there = {"Höhe " + std::to_string(round), round / 3.0, {}};
	place back;

	for (int year = 0; year < round; year++)
		there.years.push_back(1900 + year * year);
	back = json(there).get<place>();
	add(json::diff(json(there), json(back)).dump());
	add(back.name);
}

} // namespace

int main()
{
	for (int round = 0; round < 20; round++) {
		parse_good(round);
		parse_bad();
		use_object(round);
	}
	std::printf("%016llx\n", static_cast<unsigned long long>(sum));
	return 0;
}
