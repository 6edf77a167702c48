#pragma once

// A store on a cluster of etcd (v3 API, from etcd 3.4 on): several API servers can share one.
//
// Reads and commits go to etcd. One stream watches everything the store holds and feeds all of its
// watches; the newest changes are kept, so that most watches start without asking etcd. When an
// endpoint fails the next one is used: reads are repeated, the stream goes on where it stopped, and
// a commit is repeated only when etcd cannot have seen it.
//
// In etcd a key K is stored as "<root>/data" K, and its value is followed by a line that says where
// the revision belongs ("\n" and the offset, or nothing). "<root>/progress" is written to learn
// that a watch has reached the newest revision: etcd 3.4 may answer its own progress requests
// before it has sent the changes they stand for.

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "kubexms/store/store.h"

namespace kubexms::store {

struct EtcdOptions {
  std::vector<std::string> endpoints;  // "host:port", at least one
  std::string root = "/kubexms";       // whatever is below belongs to the store

  // TLS is used when there is a certificate authority: PEM texts, not file names.
  std::string certificate_authority;
  std::string certificate;  // the client's own, if etcd asks for one
  std::string private_key;

  // How long a call may take, with all its repetitions.
  std::chrono::milliseconds timeout = std::chrono::seconds(5);
  // How many changes are kept for watches to start from, and how many are read from etcd at most
  // for a watch that starts before those; one that starts still earlier is Expired.
  size_t history = 16384;
};

// Fails when no endpoint can be reached within the timeout.
Result<std::unique_ptr<Store>> OpenEtcdStore(EtcdOptions options);

}  // namespace kubexms::store
