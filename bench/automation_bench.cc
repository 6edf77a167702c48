// The cost of a run: twenty operations (files, directories, a package, a service, a user), first on
// fresh hosts, then without changes.
//
// On 200 simulated hosts with a latency of 20 ms, compared to the same checks one by one, as tools
// do that connect once per operation. On ten real lab hosts, compared to Ansible (ansible-core)
// with the same operations on the same hosts, if Ansible is installed and this program runs as
// root. All in the same run, so the ratios are comparable between machines.
//
// Not a Google Benchmark: one run is one measurement, and most of it is waiting.

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "bench/process.h"
#include "kubexms/automation.h"
#include "kubexms/automation/hosts/local_connector.h"
#include "kubexms/automation/hosts/simulated_fleet.h"
#include "kubexms/automation/hosts/ssh_connector.h"
#include "kubexms/automation/lab/lab.h"

namespace kubexms::automation {
namespace {

constexpr int kSimulatedHosts = 200;
constexpr int kLabHosts = 10;
constexpr int kParallel = 64;
constexpr std::chrono::milliseconds kLatency(20);

std::string Content(int i) { return fmt::format("{}: {}\n", i, std::string(2000, 'x')); }

// A host with network latency.
class DistantHost final : public Connector {
 public:
  explicit DistantHost(std::shared_ptr<Connector> host) : host_(std::move(host)) {}

  Result<std::vector<OperationResult>> Perform(std::span<const Operation> operations,
                                               const PerformOptions& options) override {
    std::this_thread::sleep_for(kLatency);
    return host_->Perform(operations, options);
  }
  Result<CommandResult> Exec(const Command& command, const OutputCallback& on_output,
                             std::stop_token stop) override {
    std::this_thread::sleep_for(kLatency);
    return host_->Exec(command, on_output, stop);
  }
  Result<void> Upload(const UploadRequest& request, std::stop_token stop) override {
    return host_->Upload(request, stop);
  }
  Result<void> Download(const DownloadRequest& request, std::stop_token stop) override {
    return host_->Download(request, stop);
  }
  uint64_t round_trips() const override { return host_->round_trips(); }

 private:
  const std::shared_ptr<Connector> host_;
};

// The desired state for both tools; `tool` is part of the paths, so that the tools do not
// interfere.
std::vector<HostResource> Resources(const std::string& tool) {
  const std::string base = "/etc/bench-" + tool;
  std::vector<HostResource> resources = {
      Package{"sudo"}, User{.name = "bench-" + tool},
      HostsEntries{tool, {{"192.0.2.1", "bench-" + tool}}},
      Link{.path = "/etc/bench-" + tool + ".link", .target = base},
      Absent{"/etc/bench-" + tool + ".legacy"}};
  resources.push_back(Directory{.path = base});
  for (int i = 1; i < 5; ++i) {
    resources.push_back(Directory{.path = fmt::format("{}/directory-{}", base, i)});
  }
  for (int i = 0; i < 9; ++i) {
    resources.push_back(File{.path = fmt::format("{}/file-{}", base, i), .content = Content(i)});
  }
  resources.push_back(Service{"ssh"});
  return resources;
}

// Four modules of five steps.
Pipeline MakePipeline(const std::vector<std::string>& hosts) {
  Pipeline pipeline{.name = "bench"};
  const std::vector<HostResource> resources = Resources("kubexms");
  KUBEXMS_CHECK(resources.size() == 20);
  for (size_t module = 0; module < 4; ++module) {
    std::vector<StepPtr> steps;
    for (size_t i = module * 5; i < module * 5 + 5; ++i) {
      steps.push_back(Ensure(fmt::format("step {}", i), {resources[i]}));
    }
    pipeline.modules.push_back(
        MakeModule(fmt::format("module {}", module),
                   {{.name = "task", .steps = std::move(steps), .hosts = hosts}}));
  }
  return pipeline;
}

struct Measurement {
  double seconds = 0;
  double trips = 0;  // per host
};

template <class Work>
double Seconds(Work work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

template <class Work>
Measurement Measure(const SimulatedFleet& fleet, Work work) {
  const uint64_t before = fleet.round_trips();
  const double seconds = Seconds(work);
  return {seconds, static_cast<double>(fleet.round_trips() - before) / kSimulatedHosts};
}

void CheckOneByOne(const Runtime& runtime) {
  const std::vector<HostResource> resources = Resources("kubexms");
  std::atomic<size_t> next = 0;
  std::vector<std::jthread> threads;
  for (int i = 0; i < kParallel; ++i) {
    threads.emplace_back([&] {
      for (size_t at = next++; at < runtime.hosts().size(); at = next++) {
        Runner runner = runtime.RunnerFor(runtime.hosts()[at]);
        for (const HostResource& resource : resources) {
          KUBEXMS_CHECK(runner.Ensure(std::span(&resource, 1)).ok());
        }
      }
    });
  }
}

void Print(std::string_view name, const Measurement& measurement, const Measurement& baseline) {
  fmt::print("{:<34} {:>8.2f} s {:>10.1f} round trips a host {:>8.1f}x\n", name,
             measurement.seconds, measurement.trips, baseline.seconds / measurement.seconds);
}

// A temporary directory of this run.
class TemporaryDirectory {
 public:
  TemporaryDirectory()
      : path_(std::filesystem::temp_directory_path() /
              fmt::format("kubexms-bench-{}", SystemRandom().Uuid())) {
    std::filesystem::create_directories(path_);
  }
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  std::string File(std::string_view name) const { return fmt::format("{}/{}", path_, name); }
  const std::string& path() const { return path_; }

 private:
  const std::string path_;
};

void RunSimulated() {
  SimulatedFleet fleet(kSimulatedHosts, {{"sudo", {}}});
  for (const auto& host : fleet.hosts()) host->PutFile("/etc/systemd/system/ssh.service", "");
  SystemClock clock;
  SystemRandom random;
  SecretRegistry secrets;
  const TemporaryDirectory directory;
  RuntimeOptions options{.cluster = "bench",
                         .directory = directory.path(),
                         .secrets = &secrets,
                         .clock = &clock,
                         .random = &random};
  for (const auto& host : fleet.hosts()) {
    options.hosts.push_back(
        {.name = host->name(), .connector = std::make_shared<DistantHost>(host)});
  }
  Runtime runtime(std::move(options));
  Engine engine(&runtime);
  const Pipeline pipeline = MakePipeline(runtime.AllHosts());
  const auto run = [&] {
    const Result<RunReport> report = engine.Run(pipeline, {.parallel = kParallel});
    KUBEXMS_CHECK(report.ok() && report->ok());
  };
  const Measurement first = Measure(fleet, run);
  const Measurement second = Measure(fleet, run);
  const Measurement single = Measure(fleet, [&] { CheckOneByOne(runtime); });
  fmt::print("{} simulated hosts, {} at a time, {} ms away, 20 operations in 4 modules\n",
             kSimulatedHosts, kParallel, kLatency.count());
  Print("one question at a time", single, single);
  Print("a run that changes everything", first, single);
  Print("a run that changes nothing", second, single);
}

// Real hosts on this machine; destroyed with this object.
class LabHosts {
 public:
  LabHosts()
      : local_(MakeLocalConnector({}, &random_)),
        lab_({.directory = KUBEXMS_BENCH_LAB,
              .name = fmt::format("b{}", ::getpid() % 100000),
              .progress = [](std::string_view) {}},
             local_.get(), &clock_, &random_) {}
  ~LabHosts() {
    if (const Result<void> gone = lab_.Down(); !gone.ok()) {
      fmt::print(stderr, "{}\n", gone.error().message());
    }
  }
  LabHosts(const LabHosts&) = delete;
  LabHosts& operator=(const LabHosts&) = delete;

  Result<void> Up() {
    RETURN_IF_ERROR(lab_.Up({.hosts = kLabHosts}));
    ASSIGN_OR_RETURN(hosts_, lab_.Status());
    return {};
  }
  const std::vector<LabHostStatus>& hosts() const { return hosts_; }
  Lab& lab() { return lab_; }

 private:
  SystemClock clock_;
  SystemRandom random_;
  const std::unique_ptr<Connector> local_;
  Lab lab_;
  std::vector<LabHostStatus> hosts_;
};

// A whole run including its connections.
Measurement RunOnLab(LabHosts& lab, const std::string& directory) {
  SystemClock clock;
  SystemRandom random;
  SecretRegistry secrets;
  Measurement measured;
  measured.seconds = Seconds([&] {
    SshConnections connections;
    RuntimeOptions options{.cluster = "bench",
                           .directory = directory,
                           .secrets = &secrets,
                           .clock = &clock,
                           .random = &random};
    for (const LabHostStatus& host : lab.hosts()) {
      SshEndpoint endpoint{.host = host.host.address,
                           .user = "root",
                           .use_agent = false,
                           .private_key_files = {lab.lab().key_file()}};
      endpoint.host_key.known_hosts_file = lab.lab().known_hosts_file();
      options.hosts.push_back(
          {.name = host.host.name,
           .connector = MakeSshConnector({.route = {endpoint}}, &connections, &random)});
    }
    Runtime runtime(std::move(options));
    const Result<RunReport> report = Engine(&runtime).Run(MakePipeline(runtime.AllHosts()));
    KUBEXMS_CHECK(report.ok());
    if (!report->ok()) fmt::print(stderr, "{}\n", report->error->message());
    KUBEXMS_CHECK(report->ok());
    measured.trips = static_cast<double>(report->round_trips) / kLabHosts;
  });
  return measured;
}

// The same twenty operations as a playbook, in Ansible's fastest common configuration: pipelining,
// persistent connections, no facts.
class Ansible {
 public:
  explicit Ansible(LabHosts& lab) {
    Write("ansible.cfg",
          fmt::format("[defaults]\ninventory = {}\nforks = {}\ngathering = explicit\n"
                      "interpreter_python = /usr/bin/python3\nretry_files_enabled = False\n"
                      "local_tmp = {}\n[ssh_connection]\npipelining = True\n"
                      "control_path_dir = {}\nssh_args = -o ControlMaster=auto "
                      "-o ControlPersist=60s -o UserKnownHostsFile={}\n",
                      directory_.File("hosts"), kLabHosts, directory_.File("tmp"),
                      directory_.File("cp"), lab.lab().known_hosts_file()));
    std::string hosts;
    for (const LabHostStatus& host : lab.hosts()) {
      hosts += fmt::format("{} ansible_host={} ansible_user=root ansible_ssh_private_key_file={}\n",
                           host.host.name, host.host.address, lab.lab().key_file());
    }
    Write("hosts", hosts);
    Write("playbook.yaml", Playbook());
  }
  ~Ansible() {
    // Persistent connections end after their timeout, or now.
    for (const auto& socket :
         std::filesystem::directory_iterator(directory_.File("cp"), ignored_)) {
      bench::Output(fmt::format("ssh -O exit -S {} host 2>&1", socket.path().string()));
    }
  }
  Ansible(const Ansible&) = delete;
  Ansible& operator=(const Ansible&) = delete;

  static std::string Version() {
    return bench::Output(
        "ansible --version 2>/dev/null | sed -n '1s/.*core \\([0-9.]*\\).*/\\1/p'");
  }

  // True when the playbook succeeds and, if `unchanged`, changes nothing.
  bool Run(bool unchanged, double& seconds) {
    std::string output;
    seconds = Seconds([&] {
      output = bench::Output(
          fmt::format("cd {} && ansible-playbook playbook.yaml 2>&1", directory_.path()));
    });
    const auto lines = [&](std::string_view text) {
      int count = 0;
      for (size_t at = output.find(text); at != std::string::npos; at = output.find(text, at + 1)) {
        ++count;
      }
      return count;
    };
    const bool good = lines("failed=0") == kLabHosts && lines("unreachable=0") == kLabHosts &&
                      (!unchanged || lines("changed=0") == kLabHosts);
    if (!good) fmt::print(stderr, "{}\n", output);
    return good;
  }

 private:
  void Write(std::string_view name, std::string_view text) {
    std::ofstream(directory_.File(name)) << text;
  }
  static std::string Playbook() {
    std::string tasks;
    const auto task = [&](std::string_view module, const std::string& arguments) {
      tasks += fmt::format("    - ansible.builtin.{}: {{{}}}\n", module, arguments);
    };
    const std::string base = "/etc/bench-ansible";
    const std::string owned = "owner: root, group: root";
    task("apt", "name: sudo, state: present");
    task("user", "name: bench-ansible, system: true, create_home: false");
    task("blockinfile",
         "path: /etc/hosts, marker: '# {mark} bench', block: '192.0.2.1 bench-ansible'");
    task("file", fmt::format("path: {0}.link, src: {0}, state: link, force: true", base));
    task("file", fmt::format("path: {}.legacy, state: absent", base));
    task("file", fmt::format("path: {}, state: directory, mode: '0755', {}", base, owned));
    for (int i = 1; i < 5; ++i) {
      task("file", fmt::format("path: {}/directory-{}, state: directory, mode: '0755', {}", base, i,
                               owned));
    }
    for (int i = 0; i < 9; ++i) {
      task("copy", fmt::format("dest: {}/file-{}, content: \"{}\\n\", mode: '0644', {}", base, i,
                               Content(i).substr(0, Content(i).size() - 1), owned));
    }
    task("systemd", "name: ssh, state: started, enabled: true");
    return fmt::format("- hosts: all\n  gather_facts: false\n  tasks:\n{}", tasks);
  }

  const TemporaryDirectory directory_;
  std::error_code ignored_;
};

// Prepares a host image with Python, which Ansible needs.
bool PrepareImage() {
  return std::system(fmt::format("{} {}", KUBEXMS_BENCH_IMAGE, KUBEXMS_BENCH_LAB).c_str()) == 0;
}

void RunLab() {
  if (::geteuid() != 0 || !PrepareImage()) {
    fmt::print("real hosts: not measured; it needs root, systemd-container and debootstrap\n");
    return;
  }
  LabHosts lab;
  const double up = Seconds([&] {
    const Result<void> started = lab.Up();
    if (!started.ok()) fmt::print(stderr, "{}\n", started.error().message());
    KUBEXMS_CHECK(started.ok());
  });
  fmt::print(
      "\n{} real hosts on this machine over SSH (up in {:.1f} s), 20 operations in 4 modules\n",
      kLabHosts, up);
  const TemporaryDirectory directory;
  const Measurement first = RunOnLab(lab, directory.path());
  const Measurement second = RunOnLab(lab, directory.path());
  const std::string version = Ansible::Version();
  Measurement their_first, their_second;
  Ansible ansible(lab);
  const bool compared = !version.empty() && ansible.Run(false, their_first.seconds) &&
                        ansible.Run(true, their_second.seconds);
  const auto print = [&](std::string_view name, const Measurement& measured, double baseline) {
    fmt::print("{:<34} {:>8.2f} s {:>10.1f} round trips a host", name, measured.seconds,
               measured.trips);
    if (compared) fmt::print(" {:>8.1f}x", baseline / measured.seconds);
    fmt::print("\n");
  };
  if (compared) {
    const std::string name = "Ansible " + version.substr(0, version.find('\n'));
    fmt::print("{:<34} {:>8.2f} s\n", name + ", first run", their_first.seconds);
    fmt::print("{:<34} {:>8.2f} s\n", name + ", nothing to change", their_second.seconds);
  } else {
    fmt::print("Ansible: not measured; the package ansible-core is not installed, or it failed\n");
  }
  print("a run that changes everything", first, their_first.seconds);
  print("a run that changes nothing", second, their_second.seconds);
}

}  // namespace
}  // namespace kubexms::automation

int main() {
  kubexms::automation::RunSimulated();
  kubexms::automation::RunLab();
}
