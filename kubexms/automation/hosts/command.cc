#include "kubexms/automation/hosts/command.h"

#include <fmt/format.h>

#include <algorithm>

namespace kubexms::automation {
namespace {

constexpr size_t kShownBytes = 2000;
constexpr std::string_view kCanceled = "Canceled";

std::string_view Trim(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \r\n");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \r\n") - begin + 1);
}

// The end of the text, from the beginning of a line where there is one.
std::string_view Tail(std::string_view text) {
  text = Trim(text);
  if (text.size() <= kShownBytes) return text;
  text.remove_prefix(text.size() - kShownBytes);
  const size_t line = text.find('\n');
  return line == std::string_view::npos ? text : text.substr(line + 1);
}

bool IsPlain(std::string_view text) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=@%+,";
  return !text.empty() && text.find_first_not_of(kPlain) == std::string_view::npos;
}

}  // namespace

std::string ShellQuote(std::string_view text) {
  if (IsPlain(text)) return std::string(text);
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'')
      quoted += "'\\''";
    else
      quoted += c;
  }
  return quoted + "'";
}

std::string ShellCommand(std::span<const std::string> words) {
  std::string command;
  for (const std::string& word : words) {
    if (!command.empty()) command += ' ';
    command += ShellQuote(word);
  }
  return command;
}

std::string ShellCommand(std::initializer_list<std::string> words) {
  return ShellCommand(std::span(words.begin(), words.size()));
}

Error CommandFailed(std::string_view what, const CommandResult& result) {
  std::string_view said = Tail(result.error_output);
  if (said.empty()) said = Tail(result.output);
  return Error::Internal(
      fmt::format("{}: exit code {}{}{}", what, result.exit_code, said.empty() ? "" : ": ", said));
}

Error Canceled(std::string_view what) {
  return Error(499, kCanceled, fmt::format("{}: canceled", what));
}

bool IsCanceled(const Error& error) { return error.reason() == kCanceled; }

bool IsConnectionLost(const Error& error) {
  return error.reason() == "ServiceUnavailable" && !error.terminal();
}

}  // namespace kubexms::automation
