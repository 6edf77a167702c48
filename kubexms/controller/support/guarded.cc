#include "kubexms/controller/support/guarded.h"

namespace kubexms {

Error ThrownError(std::string_view who, std::string_view what) {
  std::string message = std::string(who) + " threw";
  if (!what.empty()) message.append(": ").append(what);
  return {0, "Unknown", std::move(message)};
}

}  // namespace kubexms
