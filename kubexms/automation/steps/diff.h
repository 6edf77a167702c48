#pragma once

// The difference of two texts, as people read it.

#include <cstddef>
#include <string>
#include <string_view>

namespace kubexms::automation {

// A unified diff with three lines of context; empty when the texts are equal. What is not text, or
// differs in more than a thousand lines, is told in one line.
std::string UnifiedDiff(std::string_view path, std::string_view before, std::string_view after);

// How a file changes: the diff, and what is said of it where the diff is too long to read.
struct FileDiff {
  std::string path;
  bool created = false;
  bool secret = false;  // then only the path is known, and the diff says so
  size_t bytes = 0;     // of the new content, and its checksum
  std::string sha256;
  size_t added = 0;  // lines
  size_t removed = 0;
  std::string diff;

  // One line without its end: "/etc/a: 660 bytes, sha256 3f9c21ab…, +11 -11 lines".
  std::string Summary() const;
  // Of the diff those that are added and removed, without what is around them.
  std::string ChangedLines() const;
  // Whether people can read the diff at a glance: it is short, and neither a certificate nor a key.
  bool IsReadable() const;
};

// `before` is null for a file that does not exist.
FileDiff DiffFile(std::string_view path, const std::string* before, std::string_view after);
// Of a file whose contents must not be shown.
FileDiff DiffSecretFile(std::string_view path);

}  // namespace kubexms::automation
