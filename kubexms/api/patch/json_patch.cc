#include "kubexms/api/patch/json_patch.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <span>

namespace kubexms {
namespace {

using Tokens = std::span<const std::string>;

// The reason why an operation does not apply; Rejected() converts it to the error for the caller.
Error Because(std::string why) { return Error::BadRequest(std::move(why)); }

Result<std::string> Unescape(std::string_view token) {
  std::string text;
  text.reserve(token.size());
  for (size_t i = 0; i < token.size(); ++i) {
    if (token[i] != '~') {
      text += token[i];
      continue;
    }
    const char code = ++i < token.size() ? token[i] : '\0';
    if (code != '0' && code != '1') return Because("in a JSON pointer \"~\" is written \"~0\"");
    text += code == '0' ? '~' : '/';
  }
  return text;
}

Result<std::vector<std::string>> ParsePointer(std::string_view pointer) {
  std::vector<std::string> tokens;
  if (pointer.empty()) return tokens;
  if (pointer.front() != '/') return Because("a JSON pointer is empty or starts with \"/\"");
  while (!pointer.empty()) {
    pointer.remove_prefix(1);
    const size_t end = std::min(pointer.find('/'), pointer.size());
    ASSIGN_OR_RETURN(tokens.emplace_back(), Unescape(pointer.substr(0, end)));
    pointer.remove_prefix(end);
  }
  return tokens;
}

// An index below `limit`.
Result<size_t> ParseIndex(std::string_view token, size_t limit) {
  size_t index = 0;
  const auto [stop, failure] = std::from_chars(token.begin(), token.end(), index);
  const bool leading_zero = token.size() > 1 && token.front() == '0';
  if (stop != token.end() || failure == std::errc::invalid_argument || leading_zero) {
    return Because(fmt::format("\"{}\" is not an array index", token));
  }
  if (failure != std::errc() || index >= limit) {
    return Because(fmt::format("the index {} is out of bounds", token));
  }
  return index;
}

Result<Json*> FindChild(Json& value, const std::string& token) {
  if (JsonObject* object = value.if_object()) {
    if (Json* child = object->if_contains(token)) return child;
    return Because(fmt::format("there is no member \"{}\"", token));
  }
  if (JsonArray* array = value.if_array()) {
    ASSIGN_OR_RETURN(const size_t index, ParseIndex(token, array->size()));
    return &(*array)[index];
  }
  return Because(
      fmt::format("\"{}\" would be inside a value of type {}", token, JsonTypeName(value)));
}

Result<Json*> Find(Json& document, Tokens path) {
  Json* value = &document;
  for (const std::string& token : path) {
    ASSIGN_OR_RETURN(value, FindChild(*value, token));
  }
  return value;
}

Result<void> Add(Json& document, Tokens path, Json value) {
  if (path.empty()) {
    document = std::move(value);
    return {};
  }
  ASSIGN_OR_RETURN(Json* const parent, Find(document, path.first(path.size() - 1)));
  const std::string& token = path.back();
  if (JsonObject* object = parent->if_object()) {
    object->insert_or_assign(token, std::move(value));
    return {};
  }
  JsonArray* array = parent->if_array();
  if (array == nullptr) return FindChild(*parent, token).error();
  size_t index = array->size();
  if (token != "-") {
    ASSIGN_OR_RETURN(index, ParseIndex(token, array->size() + 1));
  }
  array->insert(array->begin() + static_cast<ptrdiff_t>(index), std::move(value));
  return {};
}

// Moves the value out of the document.
Result<Json> Remove(Json& document, Tokens path) {
  if (path.empty()) return Because("the whole document cannot be removed");
  ASSIGN_OR_RETURN(Json* const parent, Find(document, path.first(path.size() - 1)));
  ASSIGN_OR_RETURN(Json* const child, FindChild(*parent, path.back()));
  Json removed = std::move(*child);
  if (JsonObject* object = parent->if_object()) {
    object->erase(path.back());
  } else {
    parent->get_array().erase(child);
  }
  return removed;
}

Result<void> Test(Json& document, Tokens path, const Json& expected) {
  if (expected.is_null() && !path.empty()) {
    ASSIGN_OR_RETURN(Json* const parent, Find(document, path.first(path.size() - 1)));
    if (parent->is_object() && !parent->get_object().contains(path.back())) return {};
  }
  ASSIGN_OR_RETURN(Json* const actual, Find(document, path));
  if (!JsonEqual(*actual, expected)) return Because("the value there is a different one");
  return {};
}

size_t DepthOf(const Json& value) {
  size_t deepest = 0;
  if (const JsonObject* object = value.if_object()) {
    for (const auto& member : *object) deepest = std::max(deepest, DepthOf(member.value()));
  } else if (const JsonArray* array = value.if_array()) {
    for (const Json& item : *array) deepest = std::max(deepest, DepthOf(item));
  } else {
    return 0;
  }
  return deepest + 1;
}

class Patcher {
 public:
  Patcher(Json& document, const JsonPatchOptions& options)
      : document_(document), options_(options) {}

  Result<void> Apply(const JsonObject& operation) {
    ASSIGN_OR_RETURN(const std::string_view op, StringOf(operation, "op"));
    ASSIGN_OR_RETURN(const auto path, PointerOf(operation, "path"));
    if (op == "add") return AddValue(operation, path);
    if (op == "replace") return Replace(operation, path);
    if (op == "remove") return Discard(Remove(document_, path));
    if (op == "test") {
      ASSIGN_OR_RETURN(const Json* const value, ValueOf(operation));
      return Test(document_, path, *value);
    }
    if (op != "move" && op != "copy") return Because("there is no such operation");
    ASSIGN_OR_RETURN(const auto from, PointerOf(operation, "from"));
    return op == "move" ? Move(from, path) : Copy(from, path);
  }

 private:
  static Result<void> Discard(const Result<Json>& removed) {
    return removed.ok() ? Result<void>() : removed.error();
  }

  static Result<const Json*> ValueOf(const JsonObject& operation) {
    if (const Json* value = operation.if_contains("value")) return value;
    return Because("the operation has no \"value\"");
  }

  static Result<std::string_view> StringOf(const JsonObject& operation, const char* key) {
    const Json* value = operation.if_contains(key);
    if (value == nullptr) return Because(fmt::format("the operation has no \"{}\"", key));
    if (value->is_string()) return AsView(value->get_string());
    return Because(fmt::format("\"{}\" must be a string", key));
  }

  static Result<std::vector<std::string>> PointerOf(const JsonObject& operation, const char* key) {
    ASSIGN_OR_RETURN(const std::string_view text, StringOf(operation, key));
    return ParsePointer(text);
  }

  Result<void> CheckDepth(const Json& value, Tokens path) const {
    if (path.size() + DepthOf(value) <= options_.max_depth) return {};
    return Because(fmt::format("the document would be nested deeper than {}", options_.max_depth));
  }

  Result<void> AddValue(const JsonObject& operation, Tokens path) {
    ASSIGN_OR_RETURN(const Json* const value, ValueOf(operation));
    RETURN_IF_ERROR(CheckDepth(*value, path));
    return Add(document_, path, Json(*value, document_.storage()));
  }

  Result<void> Replace(const JsonObject& operation, Tokens path) {
    ASSIGN_OR_RETURN(const Json* const value, ValueOf(operation));
    RETURN_IF_ERROR(CheckDepth(*value, path));
    ASSIGN_OR_RETURN(Json* const target, Find(document_, path));
    *target = *value;
    return {};
  }

  Result<void> Move(Tokens from, Tokens path) {
    ASSIGN_OR_RETURN(const Json* const value, Find(document_, from));
    if (from.size() == path.size() && std::equal(from.begin(), from.end(), path.begin())) return {};
    if (from.size() < path.size() && std::equal(from.begin(), from.end(), path.begin())) {
      return Because("a value cannot move into itself");
    }
    RETURN_IF_ERROR(CheckDepth(*value, path));
    ASSIGN_OR_RETURN(Json removed, Remove(document_, from));
    return Add(document_, path, std::move(removed));
  }

  Result<void> Copy(Tokens from, Tokens path) {
    ASSIGN_OR_RETURN(const Json* const value, Find(document_, from));
    RETURN_IF_ERROR(CheckDepth(*value, path));
    copied_bytes_ += WriteJson(*value).size();
    if (copied_bytes_ > options_.max_copied_bytes) {
      return Because(fmt::format("the copies add up to {} bytes, more than the limit of {}",
                                 copied_bytes_, options_.max_copied_bytes));
    }
    return Add(document_, path, Json(*value, document_.storage()));
  }

  Json& document_;
  const JsonPatchOptions& options_;
  size_t copied_bytes_ = 0;
};

Error Rejected(size_t index, const JsonObject& operation, const Error& why) {
  const Json* op = operation.if_contains("op");
  const Json* path = operation.if_contains("path");
  std::string message;
  for (const Json* part : {op, path}) {
    if (part == nullptr || !part->is_string()) continue;
    if (!message.empty()) message += ' ';
    message += AsView(part->get_string());
  }
  message += message.empty() ? why.message() : ": " + why.message();
  return {422,
          "Invalid",
          "the server rejected our request due to an error in our request",
          {.causes = {{.reason = "FieldValueInvalid",
                       .message = std::move(message),
                       .field = fmt::format("patch[{}]", index)}}}};
}

}  // namespace

Result<Json> ApplyJsonPatch(Json document, const Json& patch, const JsonPatchOptions& options) {
  const JsonArray* operations = patch.if_array();
  if (operations == nullptr) {
    return Error::BadRequest(
        fmt::format("a JSON patch is an array of operations, not a value of "
                    "type {}",
                    JsonTypeName(patch)));
  }
  if (operations->size() > options.max_operations) {
    return Error::RequestTooLarge(
        fmt::format("The allowed maximum operations in a JSON patch is {}, got {}",
                    options.max_operations, operations->size()));
  }
  Patcher patcher(document, options);
  for (size_t i = 0; i < operations->size(); ++i) {
    const JsonObject* operation = (*operations)[i].if_object();
    if (operation == nullptr) {
      return Error::BadRequest(
          fmt::format("patch[{}]: an operation is an object, not a value of "
                      "type {}",
                      i, JsonTypeName((*operations)[i])));
    }
    if (const Result<void> done = patcher.Apply(*operation); !done.ok()) {
      return Rejected(i, *operation, done.error());
    }
  }
  return document;
}

}  // namespace kubexms
