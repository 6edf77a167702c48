#include "kubexms/automation/steps/diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "kubexms/automation/hosts/checksum.h"
#include "kubexms/base/utf8.h"

namespace kubexms::automation {
namespace {

constexpr size_t kContext = 3;
constexpr size_t kMaxLines = 1000;  // that differ, on each side
constexpr size_t kMaxReadableLines = 16;
constexpr size_t kShownDigits = 12;  // of a checksum

using Lines = std::vector<std::string_view>;

Lines Split(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size() - 1);
    lines.push_back(text.substr(0, end + 1));
    text.remove_prefix(end + 1);
  }
  return lines;
}

// One line of the result: ' ' in both, '-' only before, '+' only after.
struct Edit {
  char sign;
  std::string_view line;
};

// By the longest common subsequence, of what lies between the common beginning and end.
void AppendMiddle(const Lines& before, const Lines& after, std::vector<Edit>& edits) {
  const size_t rows = before.size(), columns = after.size();
  std::vector<std::vector<uint16_t>> length(rows + 1, std::vector<uint16_t>(columns + 1, 0));
  for (size_t i = rows; i-- > 0;) {
    for (size_t j = columns; j-- > 0;) {
      length[i][j] = before[i] == after[j] ? static_cast<uint16_t>(length[i + 1][j + 1] + 1)
                                           : std::max(length[i + 1][j], length[i][j + 1]);
    }
  }
  size_t i = 0, j = 0;
  while (i < rows || j < columns) {
    if (i < rows && j < columns && before[i] == after[j]) {
      edits.push_back({' ', before[i]});
      ++i, ++j;
    } else if (i < rows && (j == columns || length[i + 1][j] >= length[i][j + 1])) {
      edits.push_back({'-', before[i++]});
    } else {
      edits.push_back({'+', after[j++]});
    }
  }
}

void AppendLine(const Edit& edit, std::string& text) {
  text += edit.sign;
  text += edit.line;
  if (!edit.line.ends_with('\n')) text += "\n\\ No newline at end of file\n";
}

// The edits from `begin` to `end`, with the numbers of their first lines.
void AppendHunk(const std::vector<Edit>& edits, size_t begin, size_t end, std::string& text) {
  size_t before = 1, after = 1, removed = 0, added = 0;
  for (size_t i = 0; i < end; ++i) {
    size_t& old_count = i < begin ? before : removed;
    size_t& new_count = i < begin ? after : added;
    old_count += edits[i].sign != '+';
    new_count += edits[i].sign != '-';
  }
  text += fmt::format("@@ -{},{} +{},{} @@\n", removed ? before : before - 1, removed,
                      added ? after : after - 1, added);
  for (size_t i = begin; i < end; ++i) AppendLine(edits[i], text);
}

std::string Hunks(const std::vector<Edit>& edits) {
  std::string text;
  size_t at = 0;
  const auto is_change = [](const Edit& edit) { return edit.sign != ' '; };
  for (;;) {
    const auto first = std::find_if(edits.begin() + static_cast<long>(at), edits.end(), is_change);
    if (first == edits.end()) return text;
    const size_t change = static_cast<size_t>(first - edits.begin());
    size_t end = change + 1;  // after the last change that is near enough
    for (size_t i = end; i < edits.size() && i < end + 2 * kContext; ++i) {
      if (is_change(edits[i])) end = i + 1;
    }
    const size_t stop = std::min(edits.size(), end + kContext);
    AppendHunk(edits, change - std::min(change - at, kContext), stop, text);
    at = stop;
  }
}

// The changed lines of a unified diff, whose first two lines name the file.
void CountLines(FileDiff& file) {
  if (!file.diff.starts_with("--- ")) return;
  const Lines lines = Split(file.diff);
  for (size_t i = 2; i < lines.size(); ++i) {
    file.added += lines[i].front() == '+';
    file.removed += lines[i].front() == '-';
  }
}

}  // namespace

std::string UnifiedDiff(std::string_view path, std::string_view before, std::string_view after) {
  if (before == after) return {};
  const auto too_much = [&] {
    return fmt::format("{}: {} bytes become {}\n", path, before.size(), after.size());
  };
  if (!IsValidUtf8(before) || !IsValidUtf8(after)) return too_much();
  Lines old_lines = Split(before), new_lines = Split(after);
  std::vector<Edit> edits, tail;
  size_t same = 0;
  while (same < old_lines.size() && same < new_lines.size() && old_lines[same] == new_lines[same]) {
    edits.push_back({' ', old_lines[same++]});
  }
  while (old_lines.size() > same && new_lines.size() > same &&
         old_lines.back() == new_lines.back()) {
    tail.push_back({' ', old_lines.back()});
    old_lines.pop_back();
    new_lines.pop_back();
  }
  old_lines.erase(old_lines.begin(), old_lines.begin() + static_cast<long>(same));
  new_lines.erase(new_lines.begin(), new_lines.begin() + static_cast<long>(same));
  if (old_lines.size() > kMaxLines || new_lines.size() > kMaxLines) return too_much();
  AppendMiddle(old_lines, new_lines, edits);
  edits.insert(edits.end(), tail.rbegin(), tail.rend());
  return fmt::format("--- {0}\n+++ {0}\n{1}", path, Hunks(edits));
}

std::string FileDiff::Summary() const {
  if (secret) return fmt::format("{}: secret, not shown", path);
  return fmt::format("{}: {}{} bytes, sha256 {}…, +{} -{} lines", path, created ? "new, " : "",
                     bytes, sha256.substr(0, kShownDigits), added, removed);
}

std::string FileDiff::ChangedLines() const {
  if (!diff.starts_with("--- ")) return diff;
  std::string changed;
  const Lines lines = Split(diff);
  for (size_t i = 2; i < lines.size(); ++i) {
    if (lines[i].front() == '+' || lines[i].front() == '-') changed += lines[i];
  }
  return changed;
}

bool FileDiff::IsReadable() const {
  return !secret && added + removed <= kMaxReadableLines && diff.find("-----BEGIN ") == diff.npos;
}

FileDiff DiffFile(std::string_view path, const std::string* before, std::string_view after) {
  FileDiff file{.path = std::string(path),
                .created = before == nullptr,
                .bytes = after.size(),
                .sha256 = Sha256Of(after),
                .diff = UnifiedDiff(path, before ? *before : "", after)};
  CountLines(file);
  return file;
}

FileDiff DiffSecretFile(std::string_view path) {
  FileDiff file{.path = std::string(path), .secret = true};
  file.diff = file.Summary() + "\n";
  return file;
}

}  // namespace kubexms::automation
