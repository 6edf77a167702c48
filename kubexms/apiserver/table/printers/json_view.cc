#include "kubexms/apiserver/table/printers/json_view.h"

namespace kubexms {

std::string JsonView::ToText(std::string_view fallback) const {
  if (!present_) return std::string(fallback);
  if (element_.is_string()) return std::string(Text());
  TextBuffer text(64);
  AppendJson(element_, text);
  return text.ToString();
}

size_t JsonView::size() const {
  simdjson::dom::array array;
  simdjson::dom::object object;
  if (!present_) return 0;
  if (element_.get(array) == simdjson::SUCCESS) return array.size();
  if (element_.get(object) == simdjson::SUCCESS) return object.size();
  return 0;
}

std::vector<JsonView> JsonView::Items() const {
  std::vector<JsonView> items;
  simdjson::dom::array array;
  if (!present_ || element_.get(array) != simdjson::SUCCESS) return items;
  items.reserve(array.size());
  for (const simdjson::dom::element item : array) items.emplace_back(item);
  return items;
}

std::vector<std::pair<std::string_view, JsonView>> JsonView::Members() const {
  std::vector<std::pair<std::string_view, JsonView>> members;
  simdjson::dom::object object;
  if (!present_ || element_.get(object) != simdjson::SUCCESS) return members;
  members.reserve(object.size());
  for (const auto [key, value] : object) members.emplace_back(key, JsonView(value));
  return members;
}

void JsonView::AppendTo(TextBuffer& out) const {
  if (present_) {
    AppendJson(element_, out);
  } else {
    out.Append("null");
  }
}

}  // namespace kubexms
