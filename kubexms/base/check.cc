#include "kubexms/base/check.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

#include "kubexms/base/check_recovery.h"

namespace kubexms {
namespace {

// The number of CheckRecovery objects of this thread.
thread_local int recoveries = 0;

}  // namespace

void CheckFailed(const char* condition, const char* file, int line) {
  std::string message = fmt::format("{}:{}: check failed: {}", file, line, condition);
  // An exception that leaves a destructor during unwinding would terminate without a message.
  if (recoveries > 0 && std::uncaught_exceptions() == 0) throw CheckFailure(std::move(message));
  std::fprintf(stderr, "%s\n", message.c_str());
  std::abort();
}

CheckRecovery::CheckRecovery() { ++recoveries; }
CheckRecovery::~CheckRecovery() { --recoveries; }

}  // namespace kubexms
