#pragma once

// Snapshots of etcd: by a timer on the members, on demand to the operator's machine, and the
// restore of one.

#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "kubexms/automation/engine/pipeline.h"
#include "kubexms/base/json/json.h"
#include "kubexms/cluster/config/cluster_kind.h"

namespace kubexms::cluster {

inline constexpr std::string_view kEtcdBackupTimer = "kubexms-etcd-backup.timer";

// The timer of spec.etcd.backup on the members; removed when there is no schedule.
automation::StepPtr EtcdBackupTimer(const EtcdSpec& etcd);

struct EtcdSnapshot {
  std::string member;  // the host of the source
  int64_t revision = 0;
  int64_t keys = 0;
  int64_t bytes = 0;
};

struct EtcdBackupOptions {
  std::set<std::string> limit = {};  // the members to choose from; empty: all
  int parallel = 32;                 // concurrent health checks
  std::stop_token stop = {};
};
// The first healthy member: the one that BackUpEtcd would use. Fails when `file` exists.
Result<std::string> PlanEtcdBackup(const ClusterSpec& spec, const automation::Runtime& runtime,
                                   const std::string& file, const EtcdBackupOptions& options = {});
// Saves a snapshot to `file`, with mode 0600, which appears only when it is complete and verified.
Result<EtcdSnapshot> BackUpEtcd(const ClusterSpec& spec, const automation::Runtime& runtime,
                                const std::string& file, const EtcdBackupOptions& options = {});

// Verifies the checksum at the end of a snapshot.
Result<void> CheckSnapshotFile(const std::string& file);

// Replaces the data of all members by a snapshot, on hosts with the programs and certificates of
// etcd. The members stop and start together. Their previous data is retained until all are healthy
// and have the data of the snapshot; that is the point of no return.
std::vector<automation::Task> RestoreEtcdTasks(const std::string& cluster, const ClusterSpec& spec,
                                               const automation::Runtime& runtime,
                                               const std::string& snapshot);

}  // namespace kubexms::cluster
