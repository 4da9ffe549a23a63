// SPDX-License-Identifier: MIT
// Counts the different words of a file: the first example of the README.
#include <fstream>
#include <iostream>
#include <map>

static std::map<std::string, int> count(std::istream &in)
{
	std::map<std::string, int> found;
	for (std::string word; in >> word;)
		found[word]++;
	return found;
}

int main(int, char **argv)
{
	std::ifstream file(argv[1]);
	std::cout << count(file).size() << " words\n";
}
