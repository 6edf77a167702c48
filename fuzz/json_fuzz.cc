#include <cstdint>
#include <string>
#include <string_view>

#include "kubexms/base/check.h"
#include "kubexms/base/json/json.h"
#include "kubexms/base/json/json_scanner.h"

namespace {

// The scanner refuses what the parser refuses, and otherwise finds the same values.
void CheckScanner(std::string_view text, const kubexms::Result<kubexms::Json>& parsed) {
  kubexms::JsonScanner in(text);
  std::string scanned;
  const bool read = in.ReadCanonical(scanned).ok() && in.Finish();
  KUBEXMS_CHECK(read == parsed.ok());
  if (read) KUBEXMS_CHECK(scanned == kubexms::WriteJson(*parsed));
}

}  // namespace

// A parsed document is written in a form that parses to an equal document and is written the same
// again, whether duplicate keys are refused or collected.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace kubexms;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Result<Json> strict = ParseJson(text);
  CheckScanner(text, strict);
  std::vector<std::string> duplicates;
  const Result<Json> lenient = ParseJson(text, {.duplicates = &duplicates});
  KUBEXMS_CHECK(!strict.ok() || (lenient.ok() && duplicates.empty()));
  KUBEXMS_CHECK(strict.ok() || !strict.error().message().empty());
  if (!lenient.ok()) return 0;
  const std::string written = WriteJson(*lenient);
  const Result<Json> again = ParseJson(written);
  KUBEXMS_CHECK(again.ok());
  KUBEXMS_CHECK(WriteJson(*again) == written);
  KUBEXMS_CHECK(JsonEqual(*again, *lenient));
  return 0;
}
