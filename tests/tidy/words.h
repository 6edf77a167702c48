#pragma once

// The words of the project (docs/glossary.md) as far as a program can check them: phrases that make
// a Kubernetes engineer translate, and the established term for each.

#include <string_view>
#include <vector>

#include "tests/tidy/checker.h"

namespace kubexms::tidy {

struct BannedPhrase {
  std::string_view phrase;  // lower case; found as whole words in any case
  std::string_view instead;
};

struct BannedIdentifier {
  std::string_view part;  // found anywhere in an identifier, in this case
  std::string_view instead;
};

const std::vector<BannedPhrase>& BannedPhrases();
const std::vector<BannedIdentifier>& BannedIdentifiers();

// Of comments, strings and prose: every text file but those that define the words.
Complaints CheckWords(const File& file);

}  // namespace kubexms::tidy
