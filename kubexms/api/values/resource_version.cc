#include "kubexms/api/values/resource_version.h"

#include <fmt/format.h>

#include "kubexms/api/values/quote.h"

namespace kubexms {

Result<ResourceVersion> ResourceVersion::Parse(std::string_view text) {
  if (text.empty()) return ResourceVersion();
  const Result<uint64_t> number = ParseUint64(text);
  if (number.ok()) return ResourceVersion(*number);
  return Error::BadRequest(
      fmt::format("invalid resource version: resourceVersion: Invalid value: {}: {}", Quoted(text),
                  number.error().message()));
}

}  // namespace kubexms
