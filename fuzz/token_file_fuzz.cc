#include <cstdint>
#include <string_view>

#include "kubexms/apiserver/authentication/authentication.h"
#include "kubexms/base/check.h"
#include "kubexms/base/random.h"
#include "kubexms/base/utf8.h"

// A token file, and impersonation headers: every resulting user has a name and is valid UTF-8.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace kubexms;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  static SeededRandom random(1);
  const auto check = [](const UserInfo& user) {
    KUBEXMS_CHECK(!user.name.empty() && IsValidUtf8(user.name) && IsValidUtf8(user.uid));
    for (const std::string& group : user.groups) KUBEXMS_CHECK(IsValidUtf8(group));
    for (const auto& [key, values] : user.extra) {
      KUBEXMS_CHECK(IsValidUtf8(key));
      for (const std::string& value : values) KUBEXMS_CHECK(IsValidUtf8(value));
    }
  };
  if (const Result<TokenFile> file = TokenFile::Parse(text, random); file.ok()) {
    const std::string_view token = text.substr(0, text.find(','));
    if (const UserInfo* user = file->Find(token)) check(*user);
  }
  HttpHeaders headers;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    const size_t colon = line.find(':');
    if (colon != std::string_view::npos) headers.Add(line.substr(0, colon), line.substr(colon + 1));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
  }
  const Result<std::optional<Impersonation>> impersonation = ParseImpersonation(headers);
  if (impersonation.ok() && *impersonation) check((*impersonation)->user);
  return 0;
}
