#include "tests/tidy/text.h"

namespace kubexms::tidy {

std::vector<std::string_view> Lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return lines;
}

std::string_view IncludedPath(std::string_view line) {
  if (!line.starts_with("#include ")) return {};
  const size_t begin = line.find_first_of("\"<");
  const size_t end = line.find_last_of("\">");
  if (begin == std::string_view::npos || end <= begin) return {};
  return line.substr(begin + 1, end - begin - 1);
}

std::string_view LibraryOf(std::string_view path) {
  constexpr std::string_view kRoot = "kubexms/";
  if (!path.starts_with(kRoot)) return {};
  const std::string_view rest = path.substr(kRoot.size());
  const size_t slash = rest.find('/');
  return slash == std::string_view::npos ? std::string_view() : rest.substr(0, slash);
}

}  // namespace kubexms::tidy
