#include "kubexms/apiserver/table/printers/printer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kubexms/api/labels.h"
#include "kubexms/api/values/time.h"
#include "kubexms/apiserver/table/printers/human_duration.h"

namespace kubexms::printers {
namespace {

StringMap ReadLabels(JsonView labels) {
  StringMap map;
  for (const auto& [key, value] : labels.Members()) map.emplace(key, value.Text());
  return map;
}

LabelSelector ReadSelector(JsonView selector) {
  LabelSelector read;
  read.match_labels = ReadLabels(selector["matchLabels"]);
  for (const JsonView& expression : selector["matchExpressions"].Items()) {
    LabelSelectorRequirement requirement;
    requirement.key = expression["key"].Text();
    requirement.operator_ = expression["operator"].Text();
    for (const JsonView& value : expression["values"].Items()) {
      requirement.values.emplace_back(value.Text());
    }
    read.match_expressions.push_back(std::move(requirement));
  }
  return read;
}

std::string JoinOfContainers(JsonView pod_spec, std::string_view field) {
  std::string joined;
  for (const JsonView& container : pod_spec["containers"].Items()) {
    if (!joined.empty()) joined += ',';
    joined += container[field].Text();
  }
  return joined;
}

}  // namespace

void Row::Separate() {
  if (!std::exchange(first_, false)) out_.Append(',');
}

void Row::AddNull() {
  Separate();
  out_.Append("null");
}

void Row::AddJson(JsonView value) {
  Separate();
  value.AppendTo(out_);
}

std::string Row::Since(JsonView time) const {
  const Result<Time> parsed = Time::Parse(time.Text());
  if (!parsed.ok() || parsed->IsZero()) return "<unknown>";
  return HumanDuration(now_ - parsed->value());
}

void Row::Complete(std::string_view reason, std::string_view message) {
  complete_reason_ = reason;
  complete_message_ = message;
}

std::string_view TruthText(JsonView value) {
  if (!value) return "<unset>";
  return value.Bool() ? "True" : "False";
}

JsonView FindCondition(JsonView object, std::string_view type) {
  for (const JsonView& condition : object["status"]["conditions"].Items()) {
    if (condition["type"].Text() == type) return condition;
  }
  return {};
}

bool IsConditionTrue(JsonView object, std::string_view type) {
  return FindCondition(object, type)["status"].Text() == "True";
}

std::string FormatLabels(JsonView labels) {
  const StringMap map = ReadLabels(labels);
  if (map.empty()) return "<none>";
  std::string text;
  for (const auto& [key, value] : map) {
    if (!text.empty()) text += ',';
    text.append(key).append("=").append(value);
  }
  return text;
}

std::string SelectorText(JsonView selector) {
  const Result<Selector> compiled = Selector::From(ReadSelector(selector));
  return compiled.ok() ? compiled->ToString() : "<error>";
}

std::string FormatSelector(JsonView selector) {
  std::string text = SelectorText(selector);
  return text.empty() ? "<none>" : text;
}

std::string ContainerNames(JsonView pod_spec) { return JoinOfContainers(pod_spec, "name"); }
std::string ContainerImages(JsonView pod_spec) { return JoinOfContainers(pod_spec, "image"); }

std::string JoinTexts(JsonView list) {
  std::string joined;
  for (const JsonView& item : list.Items()) {
    if (!joined.empty()) joined += ',';
    joined += item.Text();
  }
  return joined;
}

std::string JoinFirst(std::span<const std::string> texts, size_t limit,
                      std::string_view separator) {
  if (texts.size() <= limit) return fmt::format("{}", fmt::join(texts, separator));
  return fmt::format("{} + {} more...", fmt::join(texts.first(limit), separator),
                     texts.size() - limit);
}

}  // namespace kubexms::printers
