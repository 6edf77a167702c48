#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <cmath>
#include <set>
#include <thread>

#include "kubexms/cluster/modules.h"

namespace kubexms::cluster {
namespace {

using namespace automation;

constexpr int64_t kMebibyte = 1 << 20;
constexpr size_t kParallel = 32;
const Probe kUserId{"id -u"};
// Free kibibytes.
const Probe kFreeDisk{"df -Pk /var/lib | awk 'END { print $4 }'"};
const Probe kMissingCommands{
    "for c in awk df hostname modprobe sha256sum sysctl systemctl tar; do "
    "command -v $c >/dev/null || echo $c; done"};
const Probe kMachineId{"cat /etc/machine-id"};

std::string FirstLine(const std::string& text) { return text.substr(0, text.find('\n')); }

int64_t ToNumber(const std::string& text) {
  int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

std::string Words(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  while (text.ends_with(' ')) text.pop_back();
  return text;
}

using Reasons = std::vector<std::string>;

Result<void> Refuse(const Reasons& reasons) {
  if (reasons.empty()) return {};
  return Error::BadRequest(fmt::format("{}", fmt::join(reasons, "; ")));
}

void CheckSystem(const ClusterSpec& spec, const Answers& answers, Reasons& reasons) {
  const Facts& facts = answers.Get(GetFacts{});
  static const std::set<std::string> kSystems = {"debian", "ubuntu", "rocky", "almalinux", "rhel"};
  if (!kSystems.contains(facts.os)) {
    reasons.push_back(fmt::format("the system {} {} is not supported; use one of {}", facts.os,
                                  facts.os_version, fmt::join(kSystems, ", ")));
  }
  if (!facts.systemd) reasons.push_back("it does not run systemd");
  if (FirstLine(answers.Get(kUserId).output) != "0") {
    reasons.push_back("the user is not root and does not become root by sudo");
  }
  if (facts.memory_bytes < spec.preflight.min_memory_mebibytes * kMebibyte) {
    reasons.push_back(fmt::format("it has {} MiB of memory, and needs {}",
                                  facts.memory_bytes / kMebibyte,
                                  spec.preflight.min_memory_mebibytes));
  }
  const int64_t free = ToNumber(answers.Get(kFreeDisk).output) / 1024;
  if (free < spec.preflight.min_disk_mebibytes) {
    reasons.push_back(fmt::format("{} MiB are free below /var/lib, and it needs {}", free,
                                  spec.preflight.min_disk_mebibytes));
  }
  if (const std::string missing = Words(answers.Get(kMissingCommands).output); !missing.empty()) {
    reasons.push_back(fmt::format("commands are missing: {}", missing));
  }
}

std::vector<Operation> EtcdQueries(const EtcdSpec& etcd) {
  return {GetService{std::string(kEtcdService)}, GetPort{etcd.client_port}, GetPort{etcd.peer_port},
          GetPath{etcd.data_dir + "/member"}};
}

// Where our etcd is already, its ports and data are its own.
void CheckEtcd(const EtcdSpec& etcd, const Answers& answers, Reasons& reasons) {
  if (answers.Get(GetService{std::string(kEtcdService)}).exists) return;
  for (const int32_t port : {etcd.client_port, etcd.peer_port}) {
    if (!answers.Get(GetPort{port}).listening) continue;
    reasons.push_back(
        fmt::format("another program listens on port {}; ss -ltnp shows which", port));
  }
  if (answers.Get(GetPath{etcd.data_dir + "/member"}).exists()) {
    reasons.push_back(fmt::format(
        "{} has the data of another etcd; move it away, or set spec.etcd.dataDir", etcd.data_dir));
  }
}

struct Sighting {
  Result<void> asked;
  std::string machine_id;
  double clock_skew_seconds = 0;
};

double Seconds(Clock::WallTime time) {
  return std::chrono::duration<double>(time.time_since_epoch()).count();
}

Sighting Look(const Runtime& runtime, const Host& host) {
  const double before = Seconds(runtime.clock().Now());
  const Result<std::vector<Answer>> answers = host.connector->Perform({GetFacts{}, kMachineId});
  const double after = Seconds(runtime.clock().Now());
  // A host that does not answer is the engine's to report.
  if (!answers.ok()) return {.asked = answers.error()};
  const double at = static_cast<double>(std::get<Facts>((*answers)[0]).time_seconds);
  const double skew = at + 1 < before ? at + 1 - before : at > after ? at - after : 0;
  return {.machine_id = FirstLine(std::get<ProbeResult>((*answers)[1]).output),
          .clock_skew_seconds = skew};
}

std::vector<Sighting> LookAtAll(const Runtime& runtime) {
  const std::vector<Host>& hosts = runtime.hosts();
  std::vector<Sighting> sightings(hosts.size());
  std::atomic<size_t> next = 0;
  std::vector<std::jthread> workers;
  for (size_t i = 0; i < std::min(hosts.size(), kParallel); ++i) {
    workers.emplace_back([&] {
      for (size_t at = next++; at < hosts.size(); at = next++) {
        sightings[at] = Look(runtime, hosts[at]);
      }
    });
  }
  workers.clear();
  return sightings;
}

}  // namespace

ModulePtr PreflightModule(const ClusterSpec& spec, const HostChoice& choice) {
  const auto require = [](std::string name, std::vector<Operation> queries, auto check) {
    return Require(std::move(name), std::move(queries),
                   [check](const StepContext&, const Answers& answers) {
                     Reasons reasons;
                     check(answers, reasons);
                     return Refuse(reasons);
                   });
  };
  return MakeModule(
      "preflight",
      {{.name = "hosts",
        .steps = {require("system", {GetFacts{}, kUserId, kFreeDisk, kMissingCommands},
                          [spec](const Answers& answers, Reasons& reasons) {
                            CheckSystem(spec, answers, reasons);
                          })},
        .hosts = choice.All(spec)},
       {.name = "etcd",
        .steps = {require("etcd", EtcdQueries(spec.etcd),
                          [etcd = spec.etcd](const Answers& answers, Reasons& reasons) {
                            CheckEtcd(etcd, answers, reasons);
                          })},
        .hosts = choice.Of(spec.role_groups.etcd)}});
}

Result<void> CheckFleet(const ClusterSpec& spec, const Runtime& runtime) {
  const std::vector<Sighting> sightings = LookAtAll(runtime);
  std::map<std::string, std::string> seen;
  Reasons reasons;
  for (size_t i = 0; i < sightings.size(); ++i) {
    const std::string& name = runtime.hosts()[i].name;
    const Sighting& sighting = sightings[i];
    if (!sighting.asked.ok()) continue;
    const auto [other, fresh] = seen.emplace(sighting.machine_id, name);
    if (!fresh) {
      reasons.push_back(fmt::format(
          "{} and {} have the same machine-id: they are one machine, or copies of one (then "
          "remove /etc/machine-id of one and run systemd-machine-id-setup)",
          other->second, name));
    }
    if (std::abs(sighting.clock_skew_seconds) > spec.preflight.max_clock_skew_seconds) {
      reasons.push_back(fmt::format("the clock of {} is {:.0f} s {}; set up chrony or timesyncd",
                                    name, std::abs(sighting.clock_skew_seconds),
                                    sighting.clock_skew_seconds < 0 ? "behind" : "ahead"));
    }
  }
  return Refuse(reasons);
}

}  // namespace kubexms::cluster
