#include "kubexms/client/no_response.h"

#include <algorithm>
#include <utility>

namespace kubexms {
namespace {

constexpr const char* kReason = "NoResponse";

}  // namespace

Error NoResponse(const Error& error) {
  ErrorDetails details = error.details();
  details.causes.push_back({.reason = kReason});
  return {error.code(), error.reason(), error.message(), std::move(details)};
}

bool IsNoResponse(const Error& error) {
  const auto& causes = error.details().causes;
  return std::any_of(causes.begin(), causes.end(),
                     [](const ErrorCause& cause) { return cause.reason == kReason; });
}

}  // namespace kubexms
