#pragma once

// Random access to JSON without a document, with simdjson. For code that reads a few values of a
// text, such as the headers of stored objects. Include it in .cc files only.

#include <simdjson.h>

#include <string_view>

#include "kubexms/base/result.h"
#include "kubexms/base/text/text_buffer.h"

namespace kubexms {

// Parses one text and returns its root element. The element and all its strings are valid until the
// next Read() on this thread: copy the values that you need. Refuses the same texts as ParseJson,
// except for duplicate keys, which the caller must check.
class JsonReader {
 public:
  static Result<simdjson::dom::element> Read(std::string_view text, int max_depth = 512);
};

// Appends the canonical form of an element.
void AppendJson(simdjson::dom::element element, TextBuffer& out);

}  // namespace kubexms
