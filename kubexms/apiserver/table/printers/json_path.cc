#include "kubexms/apiserver/table/printers/json_path.h"

#include <charconv>
#include <utility>

namespace kubexms {
namespace {

std::optional<double> ParseNumber(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

class JsonPath::Parser {
 public:
  explicit Parser(std::string_view text) : text_(text), rest_(text) {
    if (rest_.starts_with('{') && rest_.ends_with('}')) {
      rest_ = rest_.substr(1, rest_.size() - 2);
    }
    if (rest_.starts_with('$')) rest_.remove_prefix(1);
  }

  Result<std::vector<Step>> Parse() {
    std::vector<Step> steps;
    while (!rest_.empty()) {
      ASSIGN_OR_RETURN(Step step, ParseStep());
      steps.push_back(std::move(step));
    }
    return steps;
  }

 private:
  Error Refuse(std::string_view why) const {
    return Error::BadRequest("\"" + std::string(text_) +
                             "\" is not a JSONPath: " + std::string(why));
  }

  bool Take(std::string_view prefix) {
    if (!rest_.starts_with(prefix)) return false;
    rest_.remove_prefix(prefix.size());
    return true;
  }

  void SkipSpaces() {
    while (Take(" ")) {
    }
  }

  Result<Step> ParseStep() {
    if (rest_.starts_with("[")) return ParseBracket();
    if (!Take(".")) return Refuse("a step begins with '.' or '['");
    if (rest_.starts_with("[")) return ParseBracket();
    if (rest_.starts_with(".")) return Refuse("'..' is not supported");
    if (Take("*")) return Step{.kind = Step::Kind::kAll};
    ASSIGN_OR_RETURN(std::string name, ParseName());
    return Step{.kind = Step::Kind::kField, .name = std::move(name)};
  }

  // Parses up to the next step; a backslash escapes the next character.
  Result<std::string> ParseName() {
    std::string name;
    while (!rest_.empty() && std::string_view(".[]()=!<> ").find(rest_[0]) == std::string::npos) {
      if (rest_[0] == '\\' && rest_.size() > 1) rest_.remove_prefix(1);
      name += rest_[0];
      rest_.remove_prefix(1);
    }
    if (name.empty()) return Refuse("a name is missing");
    return name;
  }

  Result<Step> ParseBracket() {
    Take("[");
    if (Take("*]")) return Step{.kind = Step::Kind::kAll};
    if (Take("?(")) return ParseFilter();
    if (rest_.starts_with("'") || rest_.starts_with("\"")) {
      ASSIGN_OR_RETURN(std::string name, ParseQuoted());
      if (!Take("]")) return Refuse("']' is missing");
      return Step{.kind = Step::Kind::kField, .name = std::move(name)};
    }
    const size_t end = rest_.find(']');
    const std::optional<double> index =
        end == std::string_view::npos ? std::nullopt : ParseNumber(rest_.substr(0, end));
    if (!index) return Refuse("between '[' and ']' must be an index, '*', a name or a filter");
    rest_.remove_prefix(end + 1);
    return Step{.kind = Step::Kind::kIndex, .index = static_cast<int64_t>(*index)};
  }

  Result<std::string> ParseQuoted() {
    const char quote = rest_[0];
    const size_t end = rest_.find(quote, 1);
    if (end == std::string_view::npos) return Refuse("missing closing quote");
    std::string text(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 1);
    return text;
  }

  Result<Step> ParseFilter() {
    Step filter{.kind = Step::Kind::kFilter};
    SkipSpaces();
    if (!Take("@")) return Refuse("a filter begins with '@'");
    while (Take(".")) {
      ASSIGN_OR_RETURN(std::string name, ParseName());
      filter.fields.push_back(std::move(name));
    }
    SkipSpaces();
    filter.comparison = ParseComparison();
    SkipSpaces();
    if (filter.comparison != Step::Comparison::kExists) {
      ASSIGN_OR_RETURN(filter.operand, ParseOperand());
    }
    SkipSpaces();
    if (!Take(")]")) return Refuse("a filter ends with ')]'");
    return filter;
  }

  Step::Comparison ParseComparison() {
    using enum Step::Comparison;
    if (Take("==")) return kEqual;
    if (Take("!=")) return kNotEqual;
    if (Take("<=")) return kLessEqual;
    if (Take(">=")) return kGreaterEqual;
    if (Take("<")) return kLess;
    if (Take(">")) return kGreater;
    return kExists;
  }

  Result<std::string> ParseOperand() {
    if (rest_.starts_with("'") || rest_.starts_with("\"")) return ParseQuoted();
    const size_t end = rest_.find_first_of(" )");
    if (end == 0 || end == std::string_view::npos) return Refuse("a filter compares with a value");
    std::string operand(rest_.substr(0, end));
    rest_.remove_prefix(end);
    return operand;
  }

  std::string_view text_;
  std::string_view rest_;
};

Result<JsonPath> JsonPath::Parse(std::string_view text) {
  JsonPath path;
  ASSIGN_OR_RETURN(path.steps_, Parser(text).Parse());
  return path;
}

bool JsonPath::Selects(const Step& filter, JsonView item) {
  using enum Step::Comparison;
  for (const std::string& field : filter.fields) item = item[field];
  if (filter.comparison == kExists || !item) return static_cast<bool>(item);
  const std::string text = item.ToText();
  if (filter.comparison == kEqual) return text == filter.operand;
  if (filter.comparison == kNotEqual) return text != filter.operand;
  const std::optional<double> operand = ParseNumber(filter.operand);
  const std::weak_ordering order = item.IsNumber() && operand
                                       ? std::weak_order(item.AsDouble(), *operand)
                                       : std::weak_order(text, filter.operand);
  switch (filter.comparison) {
    case kLess: return order < 0;
    case kLessEqual: return order <= 0;
    case kGreater: return order > 0;
    default: return order >= 0;
  }
}

JsonView JsonPath::FirstOf(const std::vector<JsonView>& values, size_t step) const {
  for (const JsonView& value : values) {
    if (const JsonView found = FirstFrom(value, step)) return found;
  }
  return {};
}

JsonView JsonPath::FirstFrom(JsonView value, size_t step) const {
  if (step == steps_.size() || !value) return value;
  const Step& current = steps_[step];
  if (current.kind == Step::Kind::kField) return FirstFrom(value[current.name], step + 1);

  std::vector<JsonView> items = value.Items();
  if (current.kind == Step::Kind::kIndex) {
    const int64_t size = static_cast<int64_t>(items.size());
    const int64_t index = current.index < 0 ? size + current.index : current.index;
    if (index < 0 || index >= size) return {};
    return FirstFrom(items[static_cast<size_t>(index)], step + 1);
  }
  for (const auto& [key, member] : value.Members()) items.push_back(member);
  if (current.kind == Step::Kind::kFilter) {
    std::erase_if(items, [&](const JsonView& item) { return !Selects(current, item); });
  }
  return FirstOf(items, step + 1);
}

}  // namespace kubexms
