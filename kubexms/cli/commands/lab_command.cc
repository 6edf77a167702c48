#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "kubexms/automation/hosts/local_connector.h"
#include "kubexms/automation/lab/lab.h"
#include "kubexms/base/threads/stop.h"
#include "kubexms/cli/commands.h"
#include "kubexms/cli/output.h"
#include "kubexms/cluster/config/cluster_config.h"

namespace kubexms {
namespace {

using automation::Lab;
using automation::LabHostStatus;
using automation::LabState;

std::string DirectoryOf(const Invocation& call) {
  std::error_code failed;
  const std::filesystem::path path = std::filesystem::absolute(call.Value("dir"), failed);
  return path.lexically_normal().string();
}

// A lab and the objects that it borrows.
class LabCall {
 public:
  explicit LabCall(const Invocation& call)
      : local_(automation::MakeLocalConnector({}, &random_)),
        lab_({.directory = DirectoryOf(call),
              .name = call.Value("name"),
              .progress =
                  [&call](std::string_view line) { call.err() << line << '\n'
                                                              << std::flush; },
              .stop = signals_.token()},
             local_.get(), &clock_, &random_) {}

  Lab& operator*() { return lab_; }
  Lab* operator->() { return &lab_; }

 private:
  const StopSignals signals_;
  SystemClock clock_;
  SystemRandom random_;
  const std::unique_ptr<automation::Connector> local_;
  Lab lab_;
};

Result<int> ReadHosts(const Invocation& call) {
  if (!call.Given("hosts")) return 0;
  const std::string text = call.Value("hosts");
  int hosts = 0;
  const char* end = text.data() + text.size();
  const auto [stop, failed] = std::from_chars(text.data(), end, hosts);
  if (failed == std::errc() && stop == end && hosts > 0) return hosts;
  return Error::BadRequest(fmt::format("--hosts: \"{}\" is not a positive number", text));
}

Result<ExitCode> Up(const Invocation& call) {
  ASSIGN_OR_RETURN(const int hosts, ReadHosts(call));
  LabCall lab(call);
  RETURN_IF_ERROR(
      lab->Up({.hosts = hosts, .subnet = call.Value("subnet"), .mirror = call.Value("mirror")}));
  ASSIGN_OR_RETURN(const std::vector<LabHostStatus> status, lab->Status());
  call.out() << automation::HostsBlock(status, lab->key_file());
  call.err() << "Next: kubexms lab config > cluster.yaml\n";
  return ExitCode::kDone;
}

// The configuration of a cluster with all hosts of a lab.
std::string ConfigOf(const std::vector<LabHostStatus>& hosts, const std::string& key_file,
                     const std::string& name) {
  std::vector<std::string> names;
  for (const LabHostStatus& status : hosts) names.push_back(status.host.name);
  const long members = names.size() < 3 ? 1 : 3;
  std::string block = automation::HostsBlock(hosts, key_file);
  for (size_t at = 0; (at = block.find('\n', at)) + 1 < block.size(); at += 3) {
    block.insert(at + 1, "  ");
  }
  return fmt::format(
      "# The hosts of a lab as a cluster, for kubexms create cluster -f FILE.\n"
      "apiVersion: kubexms.io/v1alpha1\n"
      "kind: Cluster\n"
      "metadata:\n"
      "  name: {}\n"
      "spec:\n"
      "  {}"
      "  roleGroups:\n"
      "    etcd: [{}]\n"
      "    controlPlane: [{}]\n"
      "    worker: [{}]\n"
      "  # The hosts cannot reach the internet, so their packages come from an artifact:\n"
      "  # kubexms artifact build -f FILE -o cluster.artifact\n"
      "  artifact: ./cluster.artifact\n"
      "  # They share the kernel and the disk of this machine.\n"
      "  system: {{configureKernel: false}}\n"
      "  preflight: {{maxDiskSyncMilliseconds: 0}}\n",
      name, block, fmt::join(names.begin(), names.begin() + members, ", "), names.front(),
      fmt::join(names, ", "));
}

Result<ExitCode> Config(const Invocation& call) {
  LabCall lab(call);
  ASSIGN_OR_RETURN(const std::vector<LabHostStatus> status, lab->Status());
  if (status.empty())
    return Error::BadRequest("the lab has no hosts; to create them: kubexms lab up");
  const std::string text = ConfigOf(status, lab->key_file(), call.Value("name"));
  RETURN_IF_ERROR(cluster::ParseCluster(text, "lab"));
  call.out() << text;
  return ExitCode::kDone;
}

Result<ExitCode> Down(const Invocation& call) {
  LabCall lab(call);
  RETURN_IF_ERROR(lab->Down());
  if (call.Given("image")) {
    RETURN_IF_ERROR(automation::RemoveUnusedLabImage(DirectoryOf(call)));
  }
  return ExitCode::kDone;
}

std::string_view StateName(const LabHostStatus& status) {
  return status.running ? "running" : "stopped";
}

Json ToJson(const LabState& state, const std::vector<LabHostStatus>& hosts,
            const std::string& key_file) {
  JsonArray list;
  for (const LabHostStatus& status : hosts) {
    list.push_back(JsonObject{{"name", status.host.name},
                              {"address", status.host.address},
                              {"state", StateName(status)},
                              {"since", status.since},
                              {"user", "root"},
                              {"privateKeyPath", key_file},
                              {"hostKey", status.host_key}});
  }
  return JsonObject{{"name", state.name},
                    {"subnet", state.subnet.ToString()},
                    {"bridge", state.bridge()},
                    {"hosts", std::move(list)}};
}

Result<ExitCode> ShowHosts(const Invocation& call) {
  LabCall lab(call);
  ASSIGN_OR_RETURN(const LabState state, lab->State());
  ASSIGN_OR_RETURN(const std::vector<LabHostStatus> hosts, lab->Status());
  if (call.Given("output")) {
    call.out() << FormatObject(ToJson(state, hosts, lab->key_file()), call.Value("output"));
    return ExitCode::kDone;
  }
  call.out() << fmt::format("{:<8}   {:<15}   {:<7}   {}\n", "NAME", "ADDRESS", "STATE", "SINCE");
  for (const LabHostStatus& status : hosts) {
    call.out() << fmt::format("{:<8}   {:<15}   {:<7}   {}\n", status.host.name,
                              status.host.address, StateName(status),
                              status.since.empty() ? "-" : status.since);
  }
  return ExitCode::kDone;
}

Result<ExitCode> ListNames(const Invocation& call) {
  for (const std::string& name : automation::ListLabs(DirectoryOf(call))) {
    call.out() << name << "\n";
  }
  return ExitCode::kDone;
}

// The command line of ssh: address, keys and command.
Result<std::vector<std::string>> SshArguments(const Invocation& call) {
  LabCall lab(call);
  ASSIGN_OR_RETURN(const LabState state, lab->State());
  ASSIGN_OR_RETURN(const automation::LabHost host, Lab::FindHost(state, call.Value("HOST")));
  std::vector<std::string> arguments = {"ssh",
                                        "-F",
                                        "none",
                                        "-i",
                                        lab->key_file(),
                                        "-o",
                                        "IdentitiesOnly=yes",
                                        "-o",
                                        "StrictHostKeyChecking=yes",
                                        "-o",
                                        "UserKnownHostsFile=" + lab->known_hosts_file(),
                                        "root@" + host.address};
  const std::vector<std::string>& command = call.All("COMMAND");
  if (!command.empty()) arguments.emplace_back("--");
  arguments.insert(arguments.end(), command.begin(), command.end());
  return arguments;
}

// Replaces this process by ssh, with its terminal, signals and exit code.
Result<ExitCode> Ssh(const Invocation& call) {
  ASSIGN_OR_RETURN(std::vector<std::string> arguments, SshArguments(call));
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  call.out().flush();
  sigset_t none;
  sigemptyset(&none);
  pthread_sigmask(SIG_SETMASK, &none, nullptr);  // StopSignals has blocked them
  ::execvp("ssh", pointers.data());
  return Error::Internal(
      fmt::format("cannot start ssh (Debian package openssh-client): {}", std::strerror(errno)));
}

Result<ExitCode> Kill(const Invocation& call) {
  LabCall lab(call);
  RETURN_IF_ERROR(lab->Kill(call.Value("HOST")));
  return ExitCode::kDone;
}

Result<ExitCode> Start(const Invocation& call) {
  LabCall lab(call);
  RETURN_IF_ERROR(lab->Start(call.Value("HOST")));
  return ExitCode::kDone;
}

Flag DirectoryFlag() {
  return {.name = "dir",
          .value = "DIR",
          .doc = "directory of all labs and their image",
          .fallback = automation::LabOptions().directory};
}

std::vector<Flag> LabFlags(std::vector<Flag> more = {}) {
  std::vector<Flag> flags = {{.name = "name",
                              .value = "NAME",
                              .doc = "name of the lab",
                              .fallback = automation::LabOptions().name},
                             DirectoryFlag()};
  flags.insert(flags.end(), more.begin(), more.end());
  return flags;
}

Argument HostArgument() {
  return {.name = "HOST", .doc = "name of a host in the output of lab status"};
}

Command UpCommand() {
  return {
      .name = "up",
      .summary = "Create a lab, or add hosts to a lab",
      .description =
          "Create Debian hosts with systemd and sshd on this machine, and print them as hosts of "
          "a\n"
          "cluster configuration. For an existing lab, start stopped hosts, and add hosts when\n"
          "--hosts is larger. The first lab creates an image with debootstrap, which takes a\n"
          "minute or two.",
      .flags =
          LabFlags({{.name = "hosts",
                     .value = "COUNT",
                     .doc = "number of hosts; defaults to 3, or to the existing ones"},
                    {.name = "subnet",
                     .value = "NETWORK",
                     .doc = "subnet of the hosts, such as 10.77.0.0/24; defaults to a free one"},
                    {.name = "mirror",
                     .value = "URL",
                     .doc = "mirror of Debian for the image; defaults to that of this machine"}}),
      .run = Up,
  };
}

}  // namespace

Command LabCommand() {
  return {
      .name = "lab",
      .summary = "Create disposable hosts on this machine",
      .description =
          "Create disposable Debian hosts on one Linux machine, each with systemd, sshd and an\n"
          "address of its own, on a network that cannot reach the internet. The hosts share the\n"
          "kernel of the machine. Requires root, and the Debian packages systemd-container and\n"
          "debootstrap.",
      .commands =
          {
              UpCommand(),
              {.name = "config",
               .summary = "Print a cluster configuration for the hosts of a lab",
               .flags = LabFlags(),
               .run = Config},
              {.name = "status",
               .summary = "Show the hosts of a lab",
               .flags = LabFlags({OutputFlag()}),
               .run = ShowHosts},
              {.name = "ls",
               .summary = "List the labs of this machine",
               .flags = {DirectoryFlag()},
               .run = ListNames},
              {.name = "ssh",
               .summary = "Log in to a host, or run a command there",
               .description = "Log in to a host, or run a command there. Put a command with flags "
                              "after \"--\":\n\n"
                              "  kubexms lab ssh node1 -- ls -l",
               .flags = LabFlags(),
               .arguments = {HostArgument(),
                             {.name = "COMMAND",
                              .doc = "command to run; defaults to a shell",
                              .optional = true,
                              .repeated = true}},
               .run = Ssh},
              {.name = "kill",
               .summary = "Power off a host without a shutdown; its disk is retained",
               .flags = LabFlags(),
               .arguments = {HostArgument()},
               .run = Kill},
              {.name = "start",
               .summary = "Start a stopped host",
               .flags = LabFlags(),
               .arguments = {HostArgument()},
               .run = Start},
              {.name = "down",
               .summary = "Delete a lab and all its files",
               .flags =
                   LabFlags({{.name = "image",
                              .doc = "also delete the image, unless another lab uses the image"}}),
               .run = Down},
          },
  };
}

}  // namespace kubexms
