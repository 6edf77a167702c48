#pragma once

// Prose that names files of the repository: what it names has to exist.

#include <set>
#include <string>
#include <vector>

#include "tests/tidy/checker.h"

namespace kubexms::tidy {

// The paths from the root of the repository that a Markdown file names: targets of its links, and
// paths in code spans that begin with a folder of the repository. Placeholders (`<library>`, `*`)
// and addresses are no paths.
std::vector<std::string> PathsIn(const File& file);

// `paths` are all files and folders of the repository.
Complaints CheckPaths(const File& file, const std::set<std::string, std::less<>>& paths);

}  // namespace kubexms::tidy
