// The input is a document and a JSON patch, separated by a line break.

#include <cstdint>
#include <string_view>

#include "kubexms/api/patch/json_patch.h"
#include "kubexms/base/check.h"

using namespace kubexms;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const size_t split = input.find('\n');
  if (split == std::string_view::npos) return 0;
  const Result<Json> document = ParseJson(input.substr(0, split));
  const Result<Json> patch = ParseJson(input.substr(split + 1));
  if (!document.ok() || !patch.ok()) return 0;

  const JsonPatchOptions options{
      .max_operations = 100, .max_copied_bytes = 10'000, .max_depth = 600};
  const std::string before = WriteJson(*patch);
  const Result<Json> once = ApplyJsonPatch(*document, *patch, options);
  const Result<Json> again = ApplyJsonPatch(*document, *patch, options);
  KUBEXMS_CHECK(WriteJson(*patch) == before);
  KUBEXMS_CHECK(once.ok() == again.ok());
  if (!once.ok()) {
    KUBEXMS_CHECK(once.error() == again.error());
    return 0;
  }
  KUBEXMS_CHECK(WriteJson(*once) == WriteJson(*again));
  // The result can be parsed again.
  const Result<Json> read = ParseJson(WriteJson(*once), {.max_depth = 600});
  KUBEXMS_CHECK(read.ok() && JsonEqual(*read, *once));
  return 0;
}
