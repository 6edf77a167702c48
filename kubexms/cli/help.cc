#include "kubexms/cli/help.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace kubexms {
namespace {

using Rows = std::vector<std::pair<std::string, std::string>>;

// A titled list of two columns; an empty string without rows.
std::string FormatSection(std::string_view title, const Rows& rows) {
  if (rows.empty()) return {};
  size_t width = 0;
  for (const auto& [left, right] : rows) width = std::max(width, left.size());
  std::string text = fmt::format("\n{}:\n", title);
  for (const auto& [left, right] : rows) {
    text += fmt::format("  {:<{}}  {}\n", left, width, right);
  }
  return text;
}

std::string FormatArgument(const Argument& argument) {
  const std::string name = argument.repeated ? argument.name + "..." : argument.name;
  return argument.optional ? "[" + name + "]" : name;
}

std::string FormatUsage(const Command& command, std::string_view path) {
  std::string usage = fmt::format("usage: {}", path);
  if (!command.commands.empty()) usage += " COMMAND";
  for (const Flag& flag : command.flags) {
    if (flag.required) usage += fmt::format(" --{} {}", flag.name, flag.value);
  }
  const bool has_optional = std::any_of(command.flags.begin(), command.flags.end(),
                                        [](const Flag& flag) { return !flag.required; });
  if (has_optional) usage += " [FLAGS]";
  for (const Argument& argument : command.arguments) usage += " " + FormatArgument(argument);
  return usage + "\n";
}

std::string WithChoices(std::string_view doc, const std::vector<std::string>& choices) {
  if (choices.empty()) return std::string(doc);
  return fmt::format("{}: {}", doc, fmt::join(choices, ", "));
}

Rows CommandRows(const Command& command) {
  Rows rows;
  for (const Command& child : command.commands) {
    if (!child.hidden) rows.emplace_back(child.name, child.summary);
  }
  return rows;
}

Rows ArgumentRows(const Command& command) {
  Rows rows;
  for (const Argument& argument : command.arguments) {
    rows.emplace_back(argument.name, WithChoices(argument.doc, argument.choices));
  }
  return rows;
}

Rows FlagRows(const Command& command) {
  Rows rows;
  for (const Flag& flag : command.flags) {
    std::string doc = WithChoices(flag.doc, flag.choices);
    if (!flag.fallback.empty()) doc += fmt::format(" (defaults to {})", flag.fallback);
    if (flag.required) doc += " (required)";
    rows.emplace_back(FormatFlag(flag), std::move(doc));
  }
  rows.emplace_back("-h, --help", "show this help");
  return rows;
}

}  // namespace

std::string FormatFlag(const Flag& flag) {
  std::string text = flag.letter == 0 ? "    " : fmt::format("-{}, ", flag.letter);
  text += "--" + flag.name;
  return flag.value.empty() ? text : text + " " + flag.value;
}

std::string FormatHelp(const Command& command, std::string_view path) {
  std::string text = FormatUsage(command, path);
  text += fmt::format("\n{}\n",
                      command.description.empty() ? command.summary + "." : command.description);
  text += FormatSection("Commands", CommandRows(command));
  text += FormatSection("Arguments", ArgumentRows(command));
  text += FormatSection("Flags", FlagRows(command));
  if (!command.commands.empty()) {
    text += fmt::format("\nRun '{} COMMAND --help' for the flags of a command.\n", path);
  }
  return text;
}

}  // namespace kubexms
