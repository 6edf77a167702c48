#include <cstdint>
#include <string_view>

#include "kubexms/base/check.h"
#include "kubexms/store/etcd_layout.h"

// Responses of etcd to a list, a transaction and a watch.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace kubexms::store;
  if (size == 0) return 0;
  const EtcdLayout layout("/k");
  const auto parse = [&](auto& message) {
    return message.ParseFromArray(data + 1, static_cast<int>(size - 1));
  };
  if (data[0] % 3 == 0) {
    etcdserverpb::RangeResponse response;
    if (!parse(response)) return 0;
    for (etcdserverpb::KeyValue& kv : *response.mutable_kvs()) {
      const RecordPtr record = layout.Decode(&kv);
      KUBEXMS_CHECK(!record || !record->deleted);
    }
  } else if (data[0] % 3 == 1) {
    etcdserverpb::TxnResponse response;
    if (!parse(response)) return 0;
    const Transaction transaction = Transaction().IfRevision("/a", 7).IfAbsent("/b").Put("/a", "x");
    const auto result = layout.Decode(transaction, response);
    KUBEXMS_CHECK(!result.ok() || result->committed() == response.succeeded());
  } else {
    etcdserverpb::WatchResponse response;
    if (!parse(response)) return 0;
    for (etcdserverpb::Event& event : *response.mutable_events()) {
      const EventPtr decoded = layout.Decode(&event);
      KUBEXMS_CHECK(!decoded || decoded->record);
      KUBEXMS_CHECK(!decoded || !decoded->record->deleted || decoded->previous);
    }
  }
  return 0;
}
