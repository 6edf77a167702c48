// RunPlan::ToText: a plan for terminals.

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "kubexms/automation/engine/engine.h"

namespace kubexms::automation {
namespace {

constexpr size_t kMaxNamedHosts = 8;

using Steps = std::vector<const PlannedStep*>;

// Groups equal changes of several hosts, in plan order. The contents of their files may differ.
std::vector<Steps> GroupByChange(const std::vector<PlannedStep>& steps) {
  std::vector<Steps> groups;
  std::map<std::vector<std::string>, size_t> known;
  for (const PlannedStep& step : steps) {
    std::vector<std::string> key = {step.module, step.task, step.step,
                                    step.error ? step.error->message() : ""};
    key.insert(key.end(), step.change.summary.begin(), step.change.summary.end());
    const auto [at, is_new] = known.emplace(std::move(key), groups.size());
    if (is_new) groups.emplace_back();
    groups[at->second].push_back(&step);
  }
  return groups;
}

std::string NameHosts(const std::vector<std::string>& hosts, RunPlan::Detail detail) {
  if (detail == RunPlan::Detail::kFull || hosts.size() <= kMaxNamedHosts) {
    return fmt::format("{}", fmt::join(hosts, ", "));
  }
  return fmt::format("{} and {} more",
                     fmt::join(hosts.begin(), hosts.begin() + kMaxNamedHosts, ", "),
                     hosts.size() - kMaxNamedHosts);
}

std::vector<std::string> HostsOf(const Steps& steps) {
  std::vector<std::string> hosts;
  for (const PlannedStep* step : steps) hosts.push_back(step->host);
  return hosts;
}

// The changes of one file on all hosts of a group.
struct FileOnHosts {
  std::vector<const FileDiff*> files;
  std::vector<std::string> hosts;
};

// By path, in the order of the change.
std::vector<FileOnHosts> FilesOf(const Steps& steps) {
  std::vector<FileOnHosts> all;
  std::map<std::string, size_t> known;
  for (const PlannedStep* step : steps) {
    for (const FileDiff& file : step->change.files) {
      const auto [at, is_new] = known.emplace(file.path, all.size());
      if (is_new) all.emplace_back();
      all[at->second].files.push_back(&file);
      all[at->second].hosts.push_back(step->host);
    }
  }
  return all;
}

// One line for all hosts.
std::string SummaryOf(const FileOnHosts& file) {
  const FileDiff& first = *file.files.front();
  size_t least = first.bytes, most = first.bytes;
  bool same = true;
  for (const FileDiff* other : file.files) {
    same &= other->Summary() == first.Summary();
    least = std::min(least, other->bytes);
    most = std::max(most, other->bytes);
  }
  if (same) return first.Summary();
  return fmt::format("{}: {} bytes, contents differ by host", first.path,
                     least == most ? std::to_string(least) : fmt::format("{} to {}", least, most));
}

void AppendFile(const FileOnHosts& file, RunPlan::Detail detail, std::string& text) {
  struct Shown {
    std::string diff;  // of the first host
    std::vector<std::string> hosts;
  };
  std::map<std::string, Shown> by_change;
  bool readable = true;
  for (size_t i = 0; i < file.files.size(); ++i) {
    const FileDiff& diff = *file.files[i];
    readable &= diff.IsReadable();
    Shown& shown = by_change[detail == RunPlan::Detail::kFull ? diff.diff : diff.ChangedLines()];
    if (shown.hosts.empty()) shown.diff = diff.diff;
    shown.hosts.push_back(file.hosts[i]);
  }
  const bool brief = !readable || by_change.size() > kMaxNamedHosts;
  if (detail == RunPlan::Detail::kSummary && brief) {
    text += fmt::format("  {}\n", SummaryOf(file));
    return;
  }
  for (const auto& [change, shown] : by_change) {
    if (by_change.size() > 1) text += fmt::format("  on {}:\n", NameHosts(shown.hosts, detail));
    text += shown.diff;
  }
}

}  // namespace

std::vector<std::string> RunPlan::DistinctWarnings() const {
  std::vector<std::string> texts;
  std::map<std::string, std::vector<std::string>> hosts;  // by text
  for (const std::string& warning : warnings) {
    const size_t colon = warning.find(": ");
    const bool of_host = colon != warning.npos && facts.contains(warning.substr(0, colon));
    const std::string text = of_host ? warning.substr(colon + 2) : warning;
    if (!hosts.contains(text)) texts.push_back(text);
    std::vector<std::string>& named = hosts[text];
    if (of_host) named.push_back(warning.substr(0, colon));
  }
  for (std::string& text : texts) {
    const std::vector<std::string>& named = hosts[text];
    if (!named.empty()) text = fmt::format("{}: {}", NameHosts(named, Detail::kSummary), text);
  }
  return texts;
}

std::string RunPlan::ToText(Detail detail) const {
  std::string text;
  for (const Steps& group : GroupByChange(steps)) {
    const PlannedStep& first = *group.front();
    text += fmt::format("{}/{}: {} ({})\n", first.module, first.task, first.step,
                        NameHosts(HostsOf(group), detail));
    for (const std::string& line : first.change.summary) text += fmt::format("  {}\n", line);
    if (first.error) text += fmt::format("  cannot be planned: {}\n", first.error->message());
    for (const FileOnHosts& file : FilesOf(group)) AppendFile(file, detail, text);
  }
  for (const std::string& host : unreachable) text += fmt::format("{}\n", host);
  for (const std::string& warning : DistinctWarnings())
    text += fmt::format("warning: {}\n", warning);
  return text + Summary() + "\n";
}

}  // namespace kubexms::automation
