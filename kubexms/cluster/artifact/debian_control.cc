#include "kubexms/cluster/artifact/debian_control.h"

#include <fmt/format.h>

namespace kubexms::cluster {
namespace {

// Removes and returns the text before the next separator.
std::string_view TakeUntil(std::string_view& text, char separator) {
  const size_t end = std::min(text.find(separator), text.size());
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return part;
}

std::string_view Trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\n";
  const size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

}  // namespace

std::vector<ControlParagraph> ControlParagraph::ParseAll(std::string_view text) {
  std::vector<ControlParagraph> paragraphs;
  bool open = false;
  while (!text.empty()) {
    const std::string_view line = TakeUntil(text, '\n');
    if (Trimmed(line).empty()) {
      open = false;
      continue;
    }
    if (!std::exchange(open, true)) paragraphs.emplace_back();
    auto& fields = paragraphs.back().fields_;
    if ((line[0] == ' ' || line[0] == '\t') && !fields.empty()) {
      fields.back().second += fmt::format("\n{}", line);
      continue;
    }
    std::string_view value = line;
    const std::string_view name = TakeUntil(value, ':');
    fields.emplace_back(name, Trimmed(value));
  }
  return paragraphs;
}

std::string_view ControlParagraph::Get(std::string_view field) const {
  for (const auto& [name, value] : fields_) {
    if (name == field) return value;
  }
  return {};
}

std::string ControlParagraph::Select(std::initializer_list<std::string_view> fields) const {
  std::string text;
  for (const std::string_view field : fields) {
    if (const std::string_view value = Get(field); !value.empty()) {
      text += fmt::format("{}: {}\n", field, value);
    }
  }
  return text;
}

std::vector<std::vector<std::string>> DependencyNames(std::string_view relations) {
  std::vector<std::vector<std::string>> groups;
  while (!relations.empty()) {
    std::string_view group = TakeUntil(relations, ',');
    std::vector<std::string> names;
    while (!group.empty()) {
      const std::string_view name = Trimmed(TakeUntil(group, '|'));
      // Without a version, an architecture or a qualifier.
      const std::string_view bare = name.substr(0, name.find_first_of(" :(["));
      if (!bare.empty()) names.emplace_back(bare);
    }
    if (!names.empty()) groups.push_back(std::move(names));
  }
  return groups;
}

}  // namespace kubexms::cluster
