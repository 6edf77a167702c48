#include "kubexms/cluster/cluster_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "kubexms/api/schema/validation.h"
#include "kubexms/automation/engine/engine.h"
#include "kubexms/automation/engine/execution.h"
#include "kubexms/automation/hosts/checksum.h"
#include "kubexms/base/small_file.h"
#include "kubexms/cluster/cluster_pipeline.h"
#include "kubexms/cluster/host_inventory.h"
#include "kubexms/cluster/modules/etcd/etcd_host.h"

namespace kubexms::cluster {
namespace {

using namespace automation;

constexpr size_t kMaxIdentityBytes = 16 << 20;
constexpr size_t kMaxPemBytes = 1 << 20;
constexpr int kParallel = 32;
constexpr std::chrono::seconds kTimeout(60);

constexpr std::string_view kAdopt =
    "kubexms adopt cluster brings its state here from its hosts, or --state-dir names the "
    "directory "
    "of the operator who has it";

std::string MarkerPath(const Runtime& runtime) {
  return runtime.host_directory() + "/cluster.json";
}

GetPath MarkerQuery(const Runtime& runtime) { return {MarkerPath(runtime), true}; }

const GetPath kAuthority{EtcdPath("ca.crt")};

Probe RunsQuery(const Runtime& runtime) {
  return {
      fmt::format("# runs that have worked on this host\n"
                  "grep -so '\"run\":\"[^\"]*\"' {} | cut -d'\"' -f4 | sort -u",
                  ShellQuote(runtime.host_directory() + "/journal"))};
}

Result<ClusterIdentity> ParseIdentity(std::string_view text) {
  ASSIGN_OR_RETURN(const Json json, ParseJson(text));
  // Names of hosts become parts of paths.
  const std::vector<ErrorCause> wrong = Validate(json, SchemaOf<ClusterIdentity>());
  if (!wrong.empty()) {
    return Error::BadRequest(fmt::format("{}: {}", wrong[0].field, wrong[0].message));
  }
  ASSIGN_OR_RETURN(ClusterIdentity identity, FromJson<ClusterIdentity>(json));
  if (identity.uid.empty()) return Error::BadRequest("it has no uid");
  return identity;
}

// Empty when the host and the state agree.
std::string Disagreement(const ClusterState& state, const HostOwnership& host) {
  if (host.has_marker && host.marker.uid.empty()) {
    return "its marker cluster.json cannot be read; restore it from another host of the cluster";
  }
  const std::string& own = state.identity.uid;
  if (host.has_marker && !own.empty() && host.marker.uid != own) {
    return fmt::format("it belongs to the cluster {} with the uid {}, and the state is that of {}",
                       host.marker.name, host.marker.uid, own);
  }
  if (!host.etcd_authority.empty() && !state.etcd_authority.empty() &&
      host.etcd_authority != state.etcd_authority) {
    return fmt::format("its etcd has the authority {:.12}, and the state has {:.12}",
                       host.etcd_authority, state.etcd_authority);
  }
  std::vector<std::string> unknown;
  std::ranges::set_difference(host.runs, state.runs, std::back_inserter(unknown));
  if (!unknown.empty()) {
    return fmt::format("the state does not have the run {} that changed it", unknown.back());
  }
  if (state.empty() && !host.empty()) {
    return host.has_marker ? fmt::format("it belongs to the cluster {} with the uid {}",
                                         host.marker.name, host.marker.uid)
                           : "it has an etcd of kubexms";
  }
  return "";
}

// A state directory of an older version or from a backup has the authority but no identity.
std::string UidOfHosts(const std::string& authority, const std::vector<HostOwnership>& ownership) {
  for (const HostOwnership& host : ownership) {
    if (host.has_marker && host.marker.etcd_authority == authority) return host.marker.uid;
  }
  return "";
}

// A lost authority is not replaced.
Result<void> CheckAuthority(const ClusterState& state) {
  const std::string& known = state.identity.etcd_authority;
  if (known.empty() || known == state.etcd_authority) return {};
  const std::string file = EtcdCertificateDirectory(state.directory) + "/ca.crt";
  return Error::Conflict(
      "clusters", state.identity.name,
      fmt::format("{} is {}: restore it from a backup, or move {} away and run kubexms adopt "
                  "cluster, which brings it back from the hosts",
                  file, state.etcd_authority.empty() ? "missing" : "that of another cluster",
                  state.directory));
}

}  // namespace

void ClusterIdentity::Describe(Type<ClusterIdentity>& type) {
  type.Doc("Which cluster a host belongs to.");
  type.Field("name", &ClusterIdentity::name, "Of the cluster.").Required();
  type.Field("uid", &ClusterIdentity::uid, "Of this cluster alone.").Required();
  type.Field("etcdAuthority", &ClusterIdentity::etcd_authority, "SHA-256 of etcd's ca.crt.");
  type.Field("hosts", &ClusterIdentity::hosts, "All hosts, and how they are reached.");
}

std::string IdentityPath(const std::string& directory) { return directory + "/cluster.json"; }

Result<void> SaveIdentity(const ClusterIdentity& identity, const std::string& directory) {
  return WritePrivateFile(IdentityPath(directory), WriteJsonPretty(ToJson(identity)));
}

Result<ClusterState> LoadClusterState(const std::string& directory) {
  ClusterState state{.directory = directory};
  ASSIGN_OR_RETURN(const std::optional<std::string> text,
                   ReadSmallFile(IdentityPath(directory), kMaxIdentityBytes));
  if (text) {
    Result<ClusterIdentity> identity = ParseIdentity(*text);
    if (!identity.ok()) return identity.error().WithContext(IdentityPath(directory));
    state.identity = *std::move(identity);
  }
  ASSIGN_OR_RETURN(const std::optional<std::string> authority,
                   ReadSmallFile(EtcdCertificateDirectory(directory) + "/ca.crt", kMaxPemBytes));
  if (authority) state.etcd_authority = Sha256Of(*authority);
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(directory + "/runs", none)) {
    // One that is empty has lost what hosts know of the run, or has never had anything.
    const uintmax_t size = std::filesystem::file_size(entry.path() / "journal", none);
    if (!none && size > 0) state.runs.insert(entry.path().filename());
  }
  return state;
}

std::vector<Operation> OwnershipQueries(const Runtime& runtime) {
  return {MarkerQuery(runtime), kAuthority, RunsQuery(runtime)};
}

HostOwnership ReadOwnership(const Facts& facts, const Runtime& runtime) {
  HostOwnership ownership{.reachable = true};
  const PathState& marker = facts.Get(MarkerQuery(runtime));
  ownership.has_marker = marker.exists();
  if (marker.exists()) {
    Result<ClusterIdentity> identity = ParseIdentity(marker.content);
    if (identity.ok()) ownership.marker = *std::move(identity);
  }
  ownership.etcd_authority = facts.Get(kAuthority).sha256;
  const ProbeResult& runs = facts.Get(RunsQuery(runtime));
  std::istringstream lines(runs.exit_code == 0 ? runs.output : "");
  for (std::string run; std::getline(lines, run);) ownership.runs.insert(run);
  return ownership;
}

std::vector<HostOwnership> GatherOwnership(const Runtime& runtime) {
  const std::vector<Operation> queries = OwnershipQueries(runtime);
  std::vector<HostOwnership> ownership(runtime.hosts().size());
  ForEach(ownership.size(), kParallel, [&](size_t i) {
    const Result<Facts> facts =
        runtime.RunnerFor(runtime.hosts()[i], {.timeout = kTimeout}).Gather(queries);
    if (facts.ok()) ownership[i] = ReadOwnership(*facts, runtime);
  });
  return ownership;
}

Result<void> CheckOwnership(const ClusterState& state, const Runtime& runtime,
                            const std::vector<HostOwnership>& ownership) {
  std::string reasons;
  for (size_t i = 0; i < ownership.size(); ++i) {
    const std::string reason = ownership[i].reachable ? Disagreement(state, ownership[i]) : "";
    if (!reason.empty()) reasons += fmt::format("\n  {}: {}", runtime.hosts()[i].name, reason);
  }
  if (reasons.empty()) return {};
  return Error::BadRequest(fmt::format(
      "{} does not have the state of these hosts; nothing was changed{}\n{}. If that cluster is no "
      "more, remove /var/lib/kubexms/{} and /etc/kubexms on the hosts",
      state.directory, reasons, kAdopt, runtime.cluster()));
}

Result<void> CheckHostOwnership(const Runtime& runtime) {
  ASSIGN_OR_RETURN(const ClusterState state, LoadClusterState(runtime.directory()));
  return CheckOwnership(state, runtime, GatherOwnership(runtime));
}

Result<std::vector<HostSpec>> SharedHosts(const ClusterSpec& spec, const std::string& directory) {
  ASSIGN_OR_RETURN(const HostInventory inventory, HostInventory::Load(directory));
  std::vector<HostSpec> hosts = inventory.WithKnownHosts(spec).hosts;
  for (HostSpec& host : hosts) {
    host.private_key_path = host.private_key_passphrase = "";
    host.password = host.sudo_password = host.host_key = "";
  }
  return hosts;
}

Result<OpenedState> OpenClusterState(const Cluster& cluster, const Runtime& runtime) {
  const std::string& directory = runtime.directory();
  ASSIGN_OR_RETURN(ClusterState state, LoadClusterState(directory));
  RETURN_IF_ERROR(CheckAuthority(state));
  std::string uid = state.identity.uid;
  if (uid.empty()) {
    const std::vector<HostOwnership> ownership = GatherOwnership(runtime);
    RETURN_IF_ERROR(CheckOwnership(state, runtime, ownership));
    uid = UidOfHosts(state.etcd_authority, ownership);
    if (uid.empty()) uid = runtime.random().Uuid();
  }
  OpenedState opened;
  ASSIGN_OR_RETURN(opened.certificates,
                   EnsureEtcdCertificates(cluster.spec, EtcdCertificateDirectory(directory),
                                          runtime.clock().Now()));
  opened.identity.name = cluster.metadata.name;
  opened.identity.uid = uid;
  opened.identity.etcd_authority = Sha256Of(opened.certificates.authority.certificate_pem);
  ASSIGN_OR_RETURN(opened.identity.hosts, SharedHosts(cluster.spec, directory));
  if (!JsonEqual(ToJson(opened.identity), ToJson(state.identity))) {
    RETURN_IF_ERROR(SaveIdentity(opened.identity, directory));
  }
  return opened;
}

StepPtr MarkHost(const ClusterIdentity& identity) {
  return Ensure(
      "marker", [identity](const StepContext& context) -> Result<std::vector<HostResource>> {
        return std::vector<HostResource>{File{.path = MarkerPath(context.runtime),
                                              .content = WriteJsonPretty(ToJson(identity)) + "\n",
                                              .mode = "0600",
                                              .secret = true}};
      });
}

}  // namespace kubexms::cluster
