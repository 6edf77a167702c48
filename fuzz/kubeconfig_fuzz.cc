#include <cstdint>
#include <string_view>

#include "kubexms/base/check.h"
#include "kubexms/client/credentials/kubeconfig.h"
#include "kubexms/net/http/http.h"

// An accepted kubeconfig names a server with a valid URL.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto config = kubexms::ParseKubeconfig(text, "", "/nonexistent");
  if (config.ok()) KUBEXMS_CHECK(kubexms::Url::Parse(config->server).ok());
  return 0;
}
