#pragma once

// Files with holes in them, filled from a JSON document:
//
//   server {{ host.name }}:
//   {{ for peer in peers }}
//     peer {{ peer.name }} {{ peer.address }}
//   {{ end }}
//   {{ if tls }}tls on{{ else }}tls off{{ end }}
//
// A line that has nothing but one `for`, `if`, `else` or `end` on it leaves no line behind. What is
// not there is an error, never an empty place: a file that is half filled in is a wrong file.

#include <string>
#include <string_view>

#include "kubexms/base/json/json.h"
#include "kubexms/base/result.h"

namespace kubexms::automation {

// Strings are put in as they are, numbers and booleans as JSON writes them. For `if` false, null,
// "", [] and {} are not so, and neither is what is not there. Errors name the line.
Result<std::string> RenderTemplate(std::string_view text, const JsonObject& values);

}  // namespace kubexms::automation
