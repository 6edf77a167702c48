#pragma once

// What HTTP/1.1 and HTTP/2 have in common in the header of an answer.

#include <chrono>
#include <string>
#include <string_view>

#include "kubexms/net/http/http.h"

namespace kubexms {

// True for a field that a handler may set: not one about framing, which the protocol writes, and
// not one whose text could break out of its line.
bool MaySendField(const HttpHeaders::Field& field);

// True when an answer with this status never has a body.
bool HasNoBody(int status);

// The text of the Date field, made anew at most once a second.
class HttpDate {
 public:
  std::string_view At(std::chrono::steady_clock::time_point now);

 private:
  std::string text_;
  std::chrono::steady_clock::time_point valid_until_{};
};

}  // namespace kubexms
