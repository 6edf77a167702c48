#pragma once

// A store in an etcd cluster (v3 API, etcd 3.4 or newer), which several API servers can share.
//
// Reads and commits are calls to etcd. One etcd watch of all keys of the store feeds all of its
// watches; the store caches the newest changes, so that most watches start without a call to etcd.
// When an endpoint fails, the store uses the next one: it retries reads, resumes the etcd watch,
// and retries a commit only if etcd cannot have received it.
//
// A key K is stored in etcd as "<root>/data" K. Its value is followed by a line with the offset of
// the revision ("\n" and the offset, or only "\n"). The store writes "<root>/progress" to find out
// when a watch has reached the newest revision: etcd 3.4 may respond to a progress request before
// it has sent the preceding changes.

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "kubexms/store/store.h"

namespace kubexms::store {

struct EtcdOptions {
  std::vector<std::string> endpoints;  // "host:port", at least one
  std::string root = "/kubexms";       // the store owns all keys below it

  // PEM, not file names. A certificate authority enables TLS.
  std::string certificate_authority;
  std::string certificate;  // the client certificate, if etcd requires one
  std::string private_key;

  // The timeout of a call, including all retries.
  std::chrono::milliseconds timeout = std::chrono::seconds(5);
  // The number of cached changes, and the limit on changes that a watch may read from etcd if it
  // starts before the cached ones. A watch that starts even earlier is Expired.
  size_t history = 16384;
};

// Fails when no endpoint is reachable within the timeout.
Result<std::unique_ptr<Store>> OpenEtcdStore(EtcdOptions options);

}  // namespace kubexms::store
