// Accept headers: any header is either refused or selects a supported form.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "kubexms/apiserver/request/accept.h"
#include "kubexms/base/check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace kubexms;
  const std::string_view accept(reinterpret_cast<const char*>(data), size);
  for (const ResponseSubject subject : {ResponseSubject::kObjects, ResponseSubject::kEvents,
                                        ResponseSubject::kDiscovery, ResponseSubject::kDocument}) {
    const Result<ResponseForm> form = NegotiateResponse({{"Accept", accept}}, {}, subject);
    if (!form.ok()) {
      KUBEXMS_CHECK(form.error().code() == 406);
    } else {
      KUBEXMS_CHECK(form->version.empty() == (form->kind == ResponseKind::kObject));
    }
  }
  return 0;
}
