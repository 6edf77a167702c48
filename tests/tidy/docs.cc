#include "tests/tidy/docs.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <regex>

namespace kubexms::tidy {
namespace {

// Names with placeholders, addresses, and C++ in code blocks: [](std::string_view text).
bool IsPlaceholder(const std::string& path) {
  return path.find_first_of("<>*{}$@ …") != std::string::npos ||
         path.find("::") != std::string::npos || path.find("://") != std::string::npos;
}

bool IsInRepository(const std::string& path) {
  static constexpr std::array<std::string_view, 9> kFolders = {
      "kubexms/", "tests/", "docs/", "examples/", "bench/", "fuzz/", "cmake/", "./dev", ".ci/"};
  return std::any_of(kFolders.begin(), kFolders.end(),
                     [&](std::string_view folder) { return path.starts_with(folder); });
}

// "docs/a.md" and "../kubexms/README.md#x" make "kubexms/README.md".
std::string Resolve(const std::string& from, const std::string& target) {
  const std::filesystem::path folder = std::filesystem::path(from).parent_path();
  std::string path = (folder / target.substr(0, target.find('#'))).lexically_normal().string();
  while (path.ends_with('/')) path.pop_back();
  return path;
}

}  // namespace

std::vector<std::string> PathsIn(const File& file) {
  static const std::regex kLink(R"(\]\(([^)#][^)]*)\))");
  static const std::regex kCode("`([^`\\s]+\\.(h|cc|md|sh|test|cmake|txt|mjs|py|proto|yaml))`");
  std::vector<std::string> paths;
  const auto each = [&](const std::regex& pattern, auto&& add) {
    for (std::sregex_iterator match(file.text.begin(), file.text.end(), pattern), end; match != end;
         ++match) {
      const std::string text = (*match)[1];
      if (!IsPlaceholder(text) && !text.starts_with("mailto:")) add(text);
    }
  };
  each(kLink, [&](const std::string& text) { paths.push_back(Resolve(file.path, text)); });
  each(kCode, [&](const std::string& text) {
    if (IsInRepository(text)) paths.push_back(text);
  });
  return paths;
}

Complaints CheckPaths(const File& file, const std::set<std::string, std::less<>>& paths) {
  Complaints complaints;
  for (const std::string& path : PathsIn(file)) {
    if (paths.contains(path)) continue;
    complaints.push_back({file.path, 0, fmt::format("names {}, which does not exist", path)});
  }
  return complaints;
}

}  // namespace kubexms::tidy
