#pragma once

// The rules of style that a program can check, as functions from text to complaints. tidy_test.cc
// applies them to the sources; checker_test.cc shows that each can fail.

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace kubexms::tidy {

// "kubexms/net/http/http.h:12: what is wrong". Line 0 is the file as a whole.
struct Complaint {
  std::string path;
  int line = 0;
  std::string what;

  bool operator==(const Complaint&) const = default;
};

using Complaints = std::vector<Complaint>;

// A file by its path from the root of the repository.
struct File {
  std::string path;
  std::string text;
};

// Which libraries a library may include, itself not named.
using DirectionTable = std::map<std::string, std::set<std::string>, std::less<>>;
const DirectionTable& Directions();

// A text without comments and without what stands in string and character literals. Line breaks
// stay, so that line numbers do too.
struct StrippedText {
  std::string code;
  std::set<int> raw_string_lines;  // the lines that a raw string literal is on
};
StrippedText StripCommentsAndStrings(std::string_view text);

// All rules for one file; which apply depends on its path.
Complaints CheckFile(const File& file);

// Rules that need more than one file: `files` are the headers and sources of kubexms/, `readme` is
// kubexms/README.md. Every .cc includes its own header first; every library has a line in the
// readme that names a header to start reading at, which opens with a comment that says why the
// library exists.
Complaints CheckOwnHeaders(const std::vector<File>& files);
Complaints CheckReadme(const std::vector<File>& files, const File& readme);

}  // namespace kubexms::tidy
