#include "kubexms/cluster/cluster_adoption.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <map>
#include <set>
#include <tuple>

#include "kubexms/automation/engine/execution.h"
#include "kubexms/automation/hosts/checksum.h"
#include "kubexms/automation/journal/journal.h"
#include "kubexms/automation/journal/timestamp.h"
#include "kubexms/cluster/cluster_pipeline.h"
#include "kubexms/cluster/host_inventory.h"
#include "kubexms/cluster/modules/etcd/etcd_host.h"
#include "kubexms/cluster/modules/identities.h"

namespace kubexms::cluster {
namespace {

using namespace automation;
using Type = JournalRecord::Type;
using Records = std::vector<JournalRecord>;

constexpr int kParallel = 32;
constexpr std::string_view kFiles[] = {"ca.crt",     "ca.key",     "client.crt", "client.key",
                                       "server.crt", "server.key", "peer.crt",   "peer.key"};
const GetPath kKeepalived{"/etc/keepalived/keepalived.conf", true};
constexpr std::string_view kPassword = "auth_pass ";

// The part of the state on one host.
struct HostPart {
  bool reachable = false;
  std::map<std::string, std::string, std::less<>> files;  // of etcd, by name
  std::string vrrp_password;
  Records journal;
};

std::string PasswordIn(std::string_view config) {
  const size_t at = config.find(kPassword);
  if (at == std::string_view::npos) return "";
  const std::string_view rest = config.substr(at + kPassword.size());
  return std::string(rest.substr(0, rest.find('\n')));
}

Result<Records> ReadHostJournal(const Runtime& runtime, const Host& host) {
  const std::string path = runtime.host_directory() + "/journal";
  const std::string copy = fmt::format("{}/.journal-{}", runtime.directory(), host.name);
  Runner runner = runtime.RunnerFor(host);
  ASSIGN_OR_RETURN(const PathState state, runner.Get(GetPath{path}));
  if (!state.exists()) return Records();
  RETURN_IF_ERROR(runner.Download({.path = path, .destination = copy}));
  Result<Records> records = ReadJournal(copy);
  std::error_code ignored;
  std::filesystem::remove(copy, ignored);
  return records;
}

Result<HostPart> ReadPart(const Runtime& runtime, const Host& host) {
  std::vector<Operation> queries = {kKeepalived};
  for (const std::string_view file : kFiles) queries.emplace_back(GetPath{EtcdPath(file), true});
  ASSIGN_OR_RETURN(const Facts facts, runtime.RunnerFor(host).Gather(queries));
  HostPart part{.reachable = true};
  part.vrrp_password = PasswordIn(facts.Get(kKeepalived).content);
  for (const std::string_view file : kFiles) {
    part.files.emplace(file, facts.Get(GetPath{EtcdPath(file), true}).content);
  }
  ASSIGN_OR_RETURN(part.journal, ReadHostJournal(runtime, host));
  return part;
}

using Parts = std::map<std::string, HostPart>;  // by host

Result<Parts> ReadParts(const Runtime& runtime, const AdoptOptions& options,
                        std::vector<std::string>& unreachable) {
  const std::vector<Host>& hosts = runtime.hosts();
  std::vector<Result<HostPart>> read(hosts.size(), Result<HostPart>(HostPart()));
  ForEach(hosts.size(), kParallel, [&](size_t i) { read[i] = ReadPart(runtime, hosts[i]); });
  Parts parts;
  for (size_t i = 0; i < hosts.size(); ++i) {
    if (read[i].ok()) {
      parts.emplace(hosts[i].name, *std::move(read[i]));
    } else if (options.skip_unreachable_hosts && IsConnectionLost(read[i].error())) {
      unreachable.push_back(hosts[i].name);
    } else {
      return read[i].error().WithContext(fmt::format(
          "{}: the state on this host cannot be read; if the host is lost for good, add --force",
          hosts[i].name));
    }
  }
  return parts;
}

// --- certificates

const CertificateAndKey PairOf(const HostPart& part, const std::string& name) {
  const auto file = [&](const char* suffix) {
    const auto found = part.files.find(name + suffix);
    return found == part.files.end() ? std::string() : found->second;
  };
  return {file(".crt"), file(".key")};
}

Result<void> SavePair(const std::string& path, const CertificateAndKey& pair) {
  if (pair.certificate_pem.empty() || pair.key_pem.empty()) return {};
  RETURN_IF_ERROR(WritePrivateFile(path + ".key", pair.key_pem));
  return WritePrivateFile(path + ".crt", pair.certificate_pem);
}

Result<void> MakeDirectories(const std::string& directory) {
  std::error_code failed;
  std::filesystem::create_directories(directory, failed);
  if (failed)
    return Error::Internal(fmt::format("cannot create {}: {}", directory, failed.message()));
  return {};
}

Result<void> SaveCertificates(const ClusterIdentity& identity, const Parts& parts,
                              const std::string& directory) {
  const std::string pki = EtcdCertificateDirectory(directory);
  RETURN_IF_ERROR(MakeDirectories(pki));
  bool found = false;
  for (const auto& [host, part] : parts) {
    const CertificateAndKey authority = PairOf(part, "ca");
    if (Sha256Of(authority.certificate_pem) != identity.etcd_authority) continue;
    RETURN_IF_ERROR(SavePair(fmt::format("{}/{}-server", pki, host), PairOf(part, "server")));
    RETURN_IF_ERROR(SavePair(fmt::format("{}/{}-peer", pki, host), PairOf(part, "peer")));
    if (found || !CheckKeyMatches(authority).ok()) continue;
    RETURN_IF_ERROR(SavePair(pki + "/client", PairOf(part, "client")));
    RETURN_IF_ERROR(SavePair(pki + "/ca", authority));
    found = true;
  }
  ASSIGN_OR_RETURN(const ClusterState state, LoadClusterState(directory));
  if (found || state.etcd_authority == identity.etcd_authority) return {};
  return Error::BadRequest(fmt::format(
      "no host has the key of etcd's authority {:.12} in {}: earlier versions did not store it "
      "there. Copy pki/etcd from the state directory of the operator who created the cluster",
      identity.etcd_authority, EtcdPath("ca.key")));
}

Result<void> SaveSecrets(const Parts& parts, const std::string& directory) {
  const std::string path = ClusterSecretDirectory(directory) + "/vrrp-password";
  for (const auto& [host, part] : parts) {
    if (part.vrrp_password.empty()) continue;
    RETURN_IF_ERROR(MakeDirectories(ClusterSecretDirectory(directory)));
    return WritePrivateFile(path, part.vrrp_password);
  }
  return {};
}

// --- journals

using StepKey = std::tuple<std::string, std::string, std::string>;  // host, task, step
StepKey KeyOf(const JournalRecord& record) { return {record.host, record.task, record.step}; }

// The records of each step of a run.
std::map<StepKey, Records> ByStep(const Records& records) {
  std::map<StepKey, Records> steps;
  for (const JournalRecord& record : records) {
    if (record.type == Type::kBegin || record.type == Type::kDone || record.type == Type::kUndone) {
      steps[KeyOf(record)].push_back(record);
    }
  }
  return steps;
}

// Whether the step is in effect.
bool IsInEffect(const Records& records) {
  return !records.empty() && records.back().type != Type::kUndone;
}

// By time, without changing the order of one host's.
Records Interleave(std::map<std::string, std::deque<JournalRecord>> hosts) {
  Records all;
  for (;;) {
    std::deque<JournalRecord>* first = nullptr;
    for (auto& [host, records] : hosts) {
      if (!records.empty() && (!first || records.front().time < first->front().time)) {
        first = &records;
      }
    }
    if (!first) return all;
    all.push_back(std::move(first->front()));
    first->pop_front();
  }
}

// The records of a run on the hosts that the operator's journal lacks.
Records Missing(const Records& own, const Records& of_hosts) {
  std::map<StepKey, Records> known = ByStep(own);
  Records missing;
  std::map<StepKey, bool> lacks;
  for (const auto& [key, records] : ByStep(of_hosts)) {
    lacks[key] =
        IsInEffect(known[key]) != IsInEffect(records) || (known[key].empty() && !records.empty());
  }
  for (const JournalRecord& record : of_hosts) {
    if (const auto found = lacks.find(KeyOf(record)); found != lacks.end() && found->second) {
      missing.push_back(record);
    }
  }
  return missing;
}

bool IsComplete(const Records& records) {
  for (const auto& [key, of_step] : ByStep(records)) {
    if (of_step.back().type == Type::kBegin) return false;
  }
  return true;
}

JournalRecord Beginning(const std::string& run, const Records& records) {
  return {.type = Type::kRun,
          .run = run,
          .pipeline = records.front().pipeline.empty() ? "adopted" : records.front().pipeline,
          .config = records.front().config,
          .time = records.front().time};
}

// True when something was added.
Result<bool> MergeRun(const Runtime& runtime, const std::string& run, const Records& of_hosts) {
  const std::string directory = fmt::format("{}/runs/{}", runtime.directory(), run);
  const std::string path = directory + "/journal";
  Records own;
  if (std::filesystem::exists(path)) {
    ASSIGN_OR_RETURN(own, ReadJournal(path));
  }
  Records missing = Missing(own, of_hosts);
  if (missing.empty() && !own.empty()) return false;
  if (own.empty()) {
    missing.insert(missing.begin(), Beginning(run, of_hosts));
    if (IsComplete(of_hosts)) {
      missing.push_back({.type = Type::kFinished, .run = run, .time = of_hosts.back().time});
    }
  }
  RETURN_IF_ERROR(MakeDirectories(directory));
  ASSIGN_OR_RETURN(const std::unique_ptr<Journal> journal, Journal::Open(path, &runtime.secrets()));
  for (const JournalRecord& record : missing) RETURN_IF_ERROR(journal->Append(record));
  return true;
}

Result<std::vector<std::string>> MergeRuns(const Runtime& runtime, const Parts& parts) {
  std::map<std::string, std::map<std::string, std::deque<JournalRecord>>> runs;
  for (const auto& [host, part] : parts) {
    for (const JournalRecord& record : part.journal) {
      // A run id must be one path component.
      const bool named = !record.run.empty() && record.run[0] != '.' &&
                         record.run.find('/') == std::string::npos && record.host == host;
      if (named) runs[record.run][host].push_back(record);
    }
  }
  std::vector<std::string> merged;
  for (auto& [run, hosts] : runs) {
    ASSIGN_OR_RETURN(const bool added, MergeRun(runtime, run, Interleave(std::move(hosts))));
    if (added) merged.push_back(run);
  }
  return merged;
}

// --- inventory

KnownHost Known(const HostSpec& host, const HostPart& part) {
  KnownHost known;
  known.host = host;
  for (const auto& [key, records] : ByStep(part.journal)) {
    if (!IsInEffect(records)) continue;
    known.ready |= records.back().type == Type::kDone;
    known.etcd |= std::get<1>(key).starts_with(ModuleName(ModuleId::kEtcd) + "/");
  }
  return known;
}

Result<void> SaveInventory(const Cluster& cluster, const ClusterIdentity& identity,
                           const Parts& parts, const std::string& directory) {
  ASSIGN_OR_RETURN(HostInventory inventory, HostInventory::Load(directory));
  std::vector<HostSpec> hosts = cluster.spec.hosts;
  for (const HostSpec& host : identity.hosts) {
    if (std::ranges::find(hosts, host.name, &HostSpec::name) == hosts.end()) hosts.push_back(host);
  }
  std::vector<KnownHost> known;
  std::set<std::string> unmanaged;
  for (const HostSpec& host : hosts) {
    const auto part = parts.find(host.name);
    if (part == parts.end()) continue;
    // A reachable host without a journal has left the cluster or has not joined it yet.
    if (part->second.journal.empty())
      unmanaged.insert(host.name);
    else
      known.push_back(Known(host, part->second));
  }
  RETURN_IF_ERROR(inventory.Remove(unmanaged));
  return inventory.Merge(known);
}

}  // namespace

Result<ClusterIdentity> FindIdentity(const Runtime& runtime) {
  ASSIGN_OR_RETURN(const ClusterState state, LoadClusterState(runtime.directory()));
  const std::vector<HostOwnership> ownership = GatherOwnership(runtime);
  ClusterIdentity identity;
  std::string from, unmarked, unreachable;
  for (size_t i = 0; i < ownership.size(); ++i) {
    const std::string& host = runtime.hosts()[i].name;
    const ClusterIdentity& marker = ownership[i].marker;
    if (!ownership[i].reachable) unreachable += " " + host;
    if (ownership[i].reachable && marker.uid.empty() && !ownership[i].empty())
      unmarked += " " + host;
    if (marker.uid.empty()) continue;
    if (!identity.uid.empty() &&
        (marker.uid != identity.uid || marker.etcd_authority != identity.etcd_authority)) {
      return Error::Conflict(
          "clusters", runtime.cluster(),
          fmt::format("{} belongs to the cluster {} with the authority {:.12}, and {} to {} with "
                      "{:.12}; remove the hosts of one of them from the configuration",
                      from, identity.uid, identity.etcd_authority, host, marker.uid,
                      marker.etcd_authority));
    }
    identity = marker;
    from = host;
  }
  // The markers may have been rolled back.
  if (identity.uid.empty()) identity = state.identity;
  if (identity.uid.empty()) {
    return Error::BadRequest(
        !unmarked.empty()
            ? fmt::format(
                  "the hosts{} have no marker of a cluster: an earlier version has set them "
                  "up. Copy the state directory of the operator who did",
                  unmarked)
            : fmt::format("none of the hosts belongs to a cluster {}{}", runtime.cluster(),
                          unreachable.empty()
                              ? "; to create it: kubexms create cluster"
                              : fmt::format(", and{} are unreachable", unreachable)));
  }
  const bool other = !state.identity.uid.empty() && state.identity.uid != identity.uid;
  const bool foreign = !state.etcd_authority.empty() && !identity.etcd_authority.empty() &&
                       state.etcd_authority != identity.etcd_authority;
  if (other || foreign) {
    return Error::Conflict(
        "clusters", runtime.cluster(),
        fmt::format(
            "{} has the state of another cluster; move it, or choose another directory with "
            "--state-dir",
            state.directory));
  }
  return identity;
}

Result<void> StoreHosts(const ClusterIdentity& identity, const std::string& directory) {
  ASSIGN_OR_RETURN(HostInventory inventory, HostInventory::Load(directory));
  std::vector<KnownHost> missing;
  for (const HostSpec& host : identity.hosts) {
    if (inventory.Find(host.name)) continue;
    missing.emplace_back().host = host;
  }
  return missing.empty() ? Result<void>() : inventory.Merge(missing);
}

Result<Adoption> AdoptCluster(const Cluster& cluster, const Runtime& runtime,
                              const AdoptOptions& options) {
  const std::string& directory = runtime.directory();
  ASSIGN_OR_RETURN(const std::unique_ptr<ClusterLock> lock,
                   ClusterLock::Acquire(directory + "/lock",
                                        fmt::format("adopt cluster (process {})", ::getpid())));
  Adoption adoption;
  ASSIGN_OR_RETURN(adoption.identity, FindIdentity(runtime));
  ASSIGN_OR_RETURN(const Parts parts, ReadParts(runtime, options, adoption.unreachable));
  RETURN_IF_ERROR(SaveCertificates(adoption.identity, parts, directory));
  RETURN_IF_ERROR(SaveSecrets(parts, directory));
  ASSIGN_OR_RETURN(adoption.runs, MergeRuns(runtime, parts));
  RETURN_IF_ERROR(SaveInventory(cluster, adoption.identity, parts, directory));
  RETURN_IF_ERROR(SaveIdentity(adoption.identity, directory));
  return adoption;
}

}  // namespace kubexms::cluster
