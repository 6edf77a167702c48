#pragma once

// Calls to a cluster of etcd: one channel per endpoint, the choice between them, and what etcd's
// errors mean to us. Safe for use from any thread.

#include <grpcpp/grpcpp.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kubexms/base/result.h"
#include "kubexms/store/etcd_store.h"
#include "kubexms/store/proto/etcd.grpc.pb.h"

namespace kubexms::store {

class EtcdClient {
 public:
  using Deadline = std::chrono::system_clock::time_point;
  struct Endpoint {
    size_t number;
    std::shared_ptr<grpc::Channel> channel;
    std::unique_ptr<etcdserverpb::KV::Stub> kv;
    std::unique_ptr<etcdserverpb::Watch::Stub> watch;
  };
  using Call = std::function<grpc::Status(etcdserverpb::KV::Stub&, grpc::ClientContext*)>;
  enum class Repeat {
    kAlways,       // the call may be made twice
    kWhenRefused,  // only when etcd has said that it did nothing
  };

  explicit EtcdClient(const EtcdOptions& options);

  // Makes the call, on one endpoint after the other when needed, until the timeout has passed.
  // Returns etcd's own error when that is not about being unreachable.
  grpc::Status Invoke(Repeat repeat, const Call& call);

  // An endpoint that is connected now, or else the one that was used last. Does not wait.
  Endpoint& Ready();
  // Waits for one that is connected; null at the deadline.
  Endpoint* WaitReady(Deadline deadline);
  // The endpoint did not answer: others come first from now on.
  void Avoid(const Endpoint& endpoint);

  Deadline NewDeadline() const { return std::chrono::system_clock::now() + timeout_; }

 private:
  Endpoint* FindReady();

  const std::chrono::milliseconds timeout_;
  std::vector<Endpoint> endpoints_;
  std::atomic<size_t> preferred_ = 0;
};

// True when etcd has refused the call without doing anything, for a reason that passes.
bool RefusedForNow(const grpc::Status& status);
bool IsCompacted(const grpc::Status& status);
bool IsFuture(const grpc::Status& status);
// The error for the callers of the store, naming what was tried.
Error ToError(const grpc::Status& status, std::string_view what);

}  // namespace kubexms::store
