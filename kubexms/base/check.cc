#include "kubexms/base/check.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

#include "kubexms/base/check_recovery.h"

namespace kubexms {
namespace {

// How many CheckRecovery live on this thread.
thread_local int recoveries = 0;

}  // namespace

void CheckFailed(const char* condition, const char* file, int line) {
  std::string message = fmt::format("{}:{}: check failed: {}", file, line, condition);
  // An exception that leaves a destructor during unwinding would end the program without a word.
  if (recoveries > 0 && std::uncaught_exceptions() == 0) throw CheckFailure(std::move(message));
  std::fprintf(stderr, "%s\n", message.c_str());
  std::abort();
}

CheckRecovery::CheckRecovery() { ++recoveries; }
CheckRecovery::~CheckRecovery() { --recoveries; }

}  // namespace kubexms
