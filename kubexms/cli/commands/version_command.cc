#include <fmt/format.h>

#include <ostream>

#include "kubexms/cli/commands.h"
#include "kubexms/cli/output.h"

namespace kubexms {
namespace {

#if defined(__clang__)
constexpr std::string_view kCompiler = "clang++ " __clang_version__;
#else
constexpr std::string_view kCompiler = "g++ " __VERSION__;
#endif

#if defined(__x86_64__)
constexpr std::string_view kPlatform = "linux/amd64";
#elif defined(__aarch64__)
constexpr std::string_view kPlatform = "linux/arm64";
#else
constexpr std::string_view kPlatform = "linux";
#endif

Result<ExitCode> PrintVersion(const Invocation& call) {
  if (call.Given("output")) {
    const Json version =
        JsonObject{{"version", KUBEXMS_VERSION}, {"compiler", kCompiler}, {"platform", kPlatform}};
    call.out() << FormatObject(version, call.Value("output"));
  } else {
    call.out() << fmt::format("kubexms {} {} ({})\n", KUBEXMS_VERSION, kPlatform, kCompiler);
  }
  return ExitCode::kDone;
}

}  // namespace

Command VersionCommand() {
  return {
      .name = "version",
      .summary = "Print the version of this binary",
      .flags = {OutputFlag()},
      .run = PrintVersion,
  };
}

}  // namespace kubexms
