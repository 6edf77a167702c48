#pragma once

// Shared by HTTP/1.1 and HTTP/2: the header of a response.

#include <chrono>
#include <string>
#include <string_view>

#include "kubexms/net/http/http.h"

namespace kubexms {

// Whether a handler may set the field: framing fields are written by the protocol, and fields with
// line breaks are refused, to prevent header injection.
bool MaySendField(const HttpHeaders::Field& field);

// Whether responses with this status never have a body.
bool HasNoBody(int status);

// The value of the Date field, formatted at most once per second.
class HttpDate {
 public:
  std::string_view At(std::chrono::steady_clock::time_point now);

 private:
  std::string text_;
  std::chrono::steady_clock::time_point valid_until_{};
};

}  // namespace kubexms
