#pragma once

// Snapshots of etcd: taken by a timer on the members and on demand to the operator's machine, and a
// new etcd made of one.

#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "kubexms/automation/engine/pipeline.h"
#include "kubexms/base/json/json.h"
#include "kubexms/cluster/config/cluster_kind.h"

namespace kubexms::cluster {

inline constexpr std::string_view kEtcdBackupTimer = "kubexms-etcd-backup.timer";

// The timer of spec.etcd.backup on its members; without a schedule there is none.
automation::StepPtr EtcdBackupTimer(const EtcdSpec& etcd);

struct EtcdSnapshot {
  std::string member;  // the host whose member it was taken from
  int64_t revision = 0;
  int64_t keys = 0;
  int64_t bytes = 0;
};

struct EtcdBackupOptions {
  std::set<std::string> limit = {};  // the members to take it from; empty: any
  int parallel = 32;                 // how many of them are asked at a time
  std::stop_token stop = {};
};
// The first member that is healthy, from which BackUpEtcd would take a snapshot to `file` of the
// operator, which must not exist.
Result<std::string> PlanEtcdBackup(const ClusterSpec& spec, const automation::Runtime& runtime,
                                   const std::string& file, const EtcdBackupOptions& options = {});
// Takes it: readable by its owner alone, and there only when it is whole.
Result<EtcdSnapshot> BackUpEtcd(const ClusterSpec& spec, const automation::Runtime& runtime,
                                const std::string& file, const EtcdBackupOptions& options = {});

// A snapshot ends with the checksum of all that is before it.
Result<void> CheckSnapshotFile(const std::string& file);

// Puts a snapshot in the place of the data of all members, on hosts that have what etcd needs. They
// are stopped and started together; the data they had is kept until all of them are healthy and
// have what is in the snapshot. A rollback before that brings it back; after that there is none.
std::vector<automation::Task> RestoreEtcdTasks(const std::string& cluster, const ClusterSpec& spec,
                                               const automation::Runtime& runtime,
                                               const std::string& snapshot);

}  // namespace kubexms::cluster
