#include "kubexms/cluster/host_inventory.h"

#include <algorithm>

#include "kubexms/base/small_file.h"
#include "kubexms/net/tls/certificates.h"

namespace kubexms::cluster {
namespace {

constexpr size_t kMaxBytes = 64 << 20;

bool Has(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

void KnownHost::Describe(Type<KnownHost>& type) {
  type.Field("host", &KnownHost::host, "How it was last reached.").Required();
  type.Field("etcd", &KnownHost::etcd, "Whether it has etcd, or some of it.");
  type.Field("ready", &KnownHost::ready, "Whether a run has finished on it.");
}

void KnownHosts::Describe(Type<KnownHosts>& type) {
  type.Doc("The hosts that kubexms has worked on.");
  type.Field("hosts", &KnownHosts::hosts, "The hosts.");
}

Result<HostInventory> HostInventory::Load(const std::string& cluster_directory) {
  HostInventory inventory(PathIn(cluster_directory));
  ASSIGN_OR_RETURN(const std::optional<std::string> text,
                   ReadSmallFile(inventory.path_, kMaxBytes));
  if (!text) return inventory;
  Result<Json> document = ParseJson(*text);
  if (!document.ok()) return document.error().WithContext(inventory.path_);
  Result<KnownHosts> known = FromJson<KnownHosts>(*document);
  if (!known.ok()) return known.error().WithContext(inventory.path_);
  inventory.known_ = *std::move(known);
  return inventory;
}

const KnownHost* HostInventory::Find(std::string_view name) const {
  for (const KnownHost& known : known_.hosts) {
    if (known.host.name == name) return &known;
  }
  return nullptr;
}

KnownHost& HostInventory::At(const std::string& name) {
  for (KnownHost& known : known_.hosts) {
    if (known.host.name == name) return known;
  }
  return known_.hosts.emplace_back();
}

Result<void> HostInventory::Save() const {
  return WritePrivateFile(path_, WriteJsonPretty(ToJson(known_)));
}

ClusterSpec HostInventory::WithKnownHosts(const ClusterSpec& spec) const {
  ClusterSpec all = spec;
  for (const KnownHost& known : known_.hosts) {
    const std::string& name = known.host.name;
    if (std::ranges::find(all.hosts, name, &HostSpec::name) == all.hosts.end()) {
      all.hosts.push_back(known.host);
    }
    if (known.etcd && !Has(all.role_groups.etcd, name)) all.role_groups.etcd.push_back(name);
  }
  return all;
}

std::vector<std::string> HostInventory::NewHosts(const ClusterSpec& spec) const {
  std::vector<std::string> names;
  for (const HostSpec& host : spec.hosts) {
    const KnownHost* known = Find(host.name);
    if (!known || !known->ready) names.push_back(host.name);
  }
  return names;
}

std::set<std::string> HostInventory::FormerMembers(const ClusterSpec& spec) const {
  std::set<std::string> names;
  for (const KnownHost& known : known_.hosts) {
    if (known.etcd && !Has(spec.role_groups.etcd, known.host.name)) names.insert(known.host.name);
  }
  return names;
}

Result<void> HostInventory::AddHosts(const ClusterSpec& spec,
                                     const std::vector<std::string>& hosts) {
  const Json before = ToJson(known_);
  for (const HostSpec& host : spec.hosts) {
    if (!Has(hosts, host.name)) continue;
    KnownHost& known = At(host.name);
    known.host = host;
    known.etcd |= Has(spec.role_groups.etcd, host.name);
  }
  return JsonEqual(before, ToJson(known_)) ? Result<void>() : Save();
}

Result<void> HostInventory::MarkReady(const std::vector<std::string>& hosts) {
  bool changed = false;
  for (KnownHost& known : known_.hosts) {
    if (known.ready || !Has(hosts, known.host.name)) continue;
    known.ready = changed = true;
  }
  return changed ? Save() : Result<void>();
}

Result<void> HostInventory::ClearEtcd(const std::set<std::string>& hosts) {
  for (KnownHost& known : known_.hosts) {
    if (hosts.contains(known.host.name)) known.etcd = false;
  }
  return Save();
}

Result<void> HostInventory::Remove(const std::set<std::string>& hosts) {
  std::erase_if(known_.hosts,
                [&](const KnownHost& known) { return hosts.contains(known.host.name); });
  return Save();
}

Result<void> HostInventory::Merge(const std::vector<KnownHost>& hosts) {
  for (const KnownHost& host : hosts) At(host.host.name) = host;
  return Save();
}

Cluster WithoutHosts(Cluster cluster, const std::set<std::string>& names) {
  ClusterSpec& spec = cluster.spec;
  std::erase_if(spec.hosts, [&](const HostSpec& host) { return names.contains(host.name); });
  for (auto* group : {&spec.role_groups.etcd, &spec.role_groups.control_plane,
                      &spec.role_groups.worker, &spec.role_groups.load_balancer}) {
    std::erase_if(*group, [&](const std::string& name) { return names.contains(name); });
  }
  return cluster;
}

}  // namespace kubexms::cluster
