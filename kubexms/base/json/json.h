#pragma once

// JSON: a mutable document, a strict parser and a canonical writer.
//
// The document type is Boost.JSON's value. The parser refuses input that a Kubernetes API must not
// accept silently (see ParseJson); the writer produces equal bytes for equal documents: sorted
// keys, no white space, the shortest exact form of every number.

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/string.hpp>
#include <boost/json/value.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kubexms/base/result.h"
#include "kubexms/base/text/text_buffer.h"

namespace kubexms {

using Json = boost::json::value;
using JsonObject = boost::json::object;
using JsonArray = boost::json::array;
using JsonString = boost::json::string;
using JsonStorage = boost::json::storage_ptr;

struct JsonOptions {
  // Deeper nested objects and arrays are refused; empty ones do not count as a level.
  int max_depth = 512;
  // Null: a duplicate key is an error. Otherwise the last value wins, as in Go, and the path of
  // every duplicate ("spec.containers[0].image") is added here.
  std::vector<std::string>* duplicates = nullptr;
  // The memory resource of the document; a monotonic resource makes parsing cheaper.
  JsonStorage storage;
};

// Parses exactly one value. Refuses, with the line and column or the field's path in the message:
// malformed text, trailing text, invalid UTF-8, depth over the limit, duplicate keys, integers
// outside int64/uint64 and numbers outside double.
Result<Json> ParseJson(std::string_view text, const JsonOptions& options = {});

// Appends the canonical form.
void AppendJson(const Json& value, TextBuffer& out);
void AppendJson(const JsonObject& value, TextBuffer& out);
std::string WriteJson(const Json& value);
std::string WriteJson(const JsonObject& value);
// The canonical form, indented by two spaces per level.
std::string WriteJsonPretty(const Json& value);

// Parts of the canonical form, for writers without a document.
void AppendJsonString(std::string_view text, TextBuffer& out);
void AppendJsonNumber(int64_t number, TextBuffer& out);
void AppendJsonNumber(uint64_t number, TextBuffer& out);
// JSON has no infinities and no NaN: they are written as null.
void AppendJsonNumber(double number, TextBuffer& out);
// A quoted and escaped JSON string.
std::string QuoteJson(std::string_view text);

// Semantic equality: 1 and 1.0 are equal, and the order of keys is ignored.
bool JsonEqual(const Json& a, const Json& b);

// The members sorted by key, borrowed.
std::vector<const JsonObject::value_type*> SortedMembers(const JsonObject& object);

// "null", "boolean", "integer", "number", "string", "array" or "object".
std::string_view JsonTypeName(const Json& value);

inline std::string_view AsView(const JsonString& text) { return {text.data(), text.size()}; }

// The member, or null if `value` is not an object or the member does not exist.
const Json* FindMember(const Json& value, std::string_view key);
Json* FindMember(Json& value, std::string_view key);

// The string member, or an empty view if it does not exist.
std::string_view FindString(const Json& value, std::string_view key);

// "line 3, column 7" for a byte offset into `text`; both count from one.
std::string DescribePosition(std::string_view text, size_t offset);

}  // namespace kubexms
