#include <cstdint>
#include <string>
#include <string_view>

#include "kubexms/api/protobuf/protobuf.h"
#include "kubexms/base/check.h"

// Decoded protobuf can be encoded as JSON; anything else is a bad request.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace kubexms;
  const std::string_view body(reinterpret_cast<const char*>(data), size);
  const Result<Json> decoded = DecodeProtobuf(body);
  if (!decoded.ok()) {
    KUBEXMS_CHECK(decoded.error().IsBadRequest());
    return 0;
  }
  const Result<Json> again = ParseJson(WriteJson(*decoded));
  KUBEXMS_CHECK(again.ok());
  KUBEXMS_CHECK(JsonEqual(*again, *decoded));
  return 0;
}
