#pragma once

// JSON: a mutable document, a strict parser and a canonical writer.
//
// The document is Boost.JSON's value, under our names. The parser refuses what a Kubernetes API
// must not accept silently (see ParseJson); the writer always gives the same bytes for equal
// documents: keys sorted, no white space, the shortest exact form of every number.

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
  // Objects and arrays nested deeper than this are refused; empty ones do not count as a level.
  int max_depth = 512;
  // Null: a duplicate key is an error. Otherwise the last value wins, as in Go, and the path of
  // every duplicate ("spec.containers[0].image") is added here.
  std::vector<std::string>* duplicates = nullptr;
  // Where the document's memory comes from; a monotonic resource makes parsing cheaper.
  JsonStorage storage;
};

// Parses exactly one value. Refused, with the line and column or the field's path in the message:
// malformed text, trailing text, invalid UTF-8, depth over the limit, duplicate keys, integers
// outside int64/uint64 and numbers outside double.
Result<Json> ParseJson(std::string_view text, const JsonOptions& options = {});

// Appends the canonical form.
void AppendJson(const Json& value, TextBuffer& out);
void AppendJson(const JsonObject& value, TextBuffer& out);
std::string WriteJson(const Json& value);
std::string WriteJson(const JsonObject& value);
// The canonical form, indented by two spaces a level, for people.
std::string WriteJsonPretty(const Json& value);

// The pieces of the canonical form, for writers that have no document.
void AppendJsonString(std::string_view text, TextBuffer& out);
void AppendJsonNumber(int64_t number, TextBuffer& out);
void AppendJsonNumber(uint64_t number, TextBuffer& out);
// JSON has no infinities and no NaN: they are written as null.
void AppendJsonNumber(double number, TextBuffer& out);
// A string between quotes with what JSON wants escaped.
std::string QuoteJson(std::string_view text);

// Equality of values as JSON means it: 1 and 1.0 are equal, the order of keys does not matter.
bool JsonEqual(const Json& a, const Json& b);

// The members in the order of their keys, borrowed.
std::vector<const JsonObject::value_type*> SortedMembers(const JsonObject& object);

// "null", "boolean", "integer", "number", "string", "array" or "object".
std::string_view JsonTypeName(const Json& value);

inline std::string_view AsView(const JsonString& text) { return {text.data(), text.size()}; }

// The member, or null when `value` is not an object or has no such member.
const Json* FindMember(const Json& value, std::string_view key);
Json* FindMember(Json& value, std::string_view key);

// The string member, or an empty view when there is none.
std::string_view FindString(const Json& value, std::string_view key);

// "line 3, column 7" for a byte offset into `text`; both count from one.
std::string DescribePosition(std::string_view text, size_t offset);

}  // namespace kubexms
