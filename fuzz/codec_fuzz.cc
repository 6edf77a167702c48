#include <cstdint>
#include <string>
#include <string_view>

#include "kubexms/api/codec.h"
#include "kubexms/api/kinds/core_v1/pod.h"
#include "kubexms/api/stored_object.h"
#include "kubexms/base/check.h"

// A Pod that decodes is encoded in a form that decodes to the same encoding. Any bytes are accepted
// or refused as the header of a stored object.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace kubexms;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)ReadHeader(text, {"spec.nodeName", "status.phase"}).ok();
  const Result<corev1::Pod> pod = Decode<corev1::Pod>(text);
  if (!pod.ok()) return 0;
  const std::string encoded = Encode(*pod);
  const Result<corev1::Pod> again = Decode<corev1::Pod>(encoded);
  KUBEXMS_CHECK(again.ok());
  KUBEXMS_CHECK(Encode(*again) == encoded);
  return 0;
}
