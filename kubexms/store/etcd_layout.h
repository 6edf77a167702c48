#pragma once

// How records are kept in etcd: the names of their keys, the form of their values, and what etcd's
// answers mean. Pure functions of messages; etcd_store.cc sends and receives them. What an answer
// holds is not trusted: other programs can write to the same etcd.

#include <string>
#include <string_view>

#include "kubexms/store/proto/etcd.pb.h"
#include "kubexms/store/store.h"

namespace kubexms::store {

struct EtcdLayout {
  explicit EtcdLayout(const std::string& root)
      : everything(root + "/"), data(root + "/data"), progress(root + "/progress") {}

  std::string Stored(std::string_view key) const { return data + std::string(key); }
  bool IsData(std::string_view stored) const { return stored.starts_with(data); }

  // The record of a key that IsData(). Takes the value. Null when it is no such key, or has
  // revisions that no key has.
  RecordPtr Decode(etcdserverpb::KeyValue* kv) const;
  // Null when etcd has already forgotten what was there before, or the change is none.
  EventPtr Decode(etcdserverpb::Event* event) const;

  etcdserverpb::TxnRequest Encode(const Transaction& transaction) const;
  // Fails when the transaction was refused and all of its conditions hold.
  Result<CommitResult> Decode(const Transaction& transaction,
                              etcdserverpb::TxnResponse& response) const;

  const std::string everything;
  const std::string data;
  const std::string progress;
};

// Of an answer that no etcd gives.
Error UnexpectedAnswer();

}  // namespace kubexms::store
