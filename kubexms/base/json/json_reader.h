#pragma once

// Random access to JSON without a document: simdjson's tape. For code that takes a few values out
// of a text, wherever they are: headers of stored objects. Include it in .cc files only.

#include <simdjson.h>

#include <string_view>

#include "kubexms/base/result.h"
#include "kubexms/base/text/text_buffer.h"

namespace kubexms {

// Parses one text and lends its root element. The element and all its strings stay valid until the
// next JsonReader is made on this thread; hence: read, copy out what you need, let go.
// Refuses what ParseJson refuses, except duplicate keys: those are for the caller to see.
class JsonReader {
 public:
  static Result<simdjson::dom::element> Read(std::string_view text, int max_depth = 512);
};

// Appends the canonical form of an element.
void AppendJson(simdjson::dom::element element, TextBuffer& out);

}  // namespace kubexms
