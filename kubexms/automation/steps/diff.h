#pragma once

// The difference of two texts, for people.

#include <cstddef>
#include <string>
#include <string_view>

namespace kubexms::automation {

// A unified diff with three lines of context; empty when the texts are equal. One line for binary
// content and for more than a thousand changed lines.
std::string UnifiedDiff(std::string_view path, std::string_view before, std::string_view after);

// The change of a file: the diff, and its summary where the diff is too long.
struct FileDiff {
  std::string path;
  bool created = false;
  bool secret = false;  // only the path is shown
  size_t bytes = 0;     // of the new content, and its checksum
  std::string sha256;
  size_t added = 0;  // lines
  size_t removed = 0;
  std::string diff;

  // One line without line break: "/etc/a: 660 bytes, sha256 3f9c21ab…, +11 -11 lines".
  std::string Summary() const;
  // The added and removed lines of the diff, without context.
  std::string ChangedLines() const;
  // Whether the diff is short, and neither of a certificate nor of a key.
  bool IsReadable() const;
};

// `before` is null for a file that does not exist.
FileDiff DiffFile(std::string_view path, const std::string* before, std::string_view after);
// For a file whose content must not be shown.
FileDiff DiffSecretFile(std::string_view path);

}  // namespace kubexms::automation
