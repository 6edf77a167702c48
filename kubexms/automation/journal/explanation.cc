#include "kubexms/automation/journal/explanation.h"

namespace kubexms::automation {
namespace {

struct Signature {
  std::string_view text;  // a part of the message
  Explanation explanation;
};

// The first match wins, so more specific texts come first.
constexpr Signature kSignatures[] = {
    {"No space left on device",
     {"a file system of the host is full", "free disk space (df -h shows where), then resume"}},
    {"Read-only file system",
     {"a file system of the host is mounted read-only",
      "check dmesg for disk errors, mount it for writing, then resume"}},
    {"sudo does not accept the password",
     {"the sudo password in the configuration is wrong", "correct it, then resume"}},
    {"sudo requires a password",
     {"the user needs a password for sudo", "set sudoPassword in the configuration"}},
    {"accepts none of the keys and passwords",
     {"the user, key or password in the configuration is wrong",
      "test it with ssh, and correct the configuration"}},
    {"is not one of hostKey in the configuration",
     {"the host key differs from the one in the configuration",
      "verify that it is the right host, then correct its hostKey"}},
    {"differs from the known one",
     {"the host key has changed",
      "verify that it is the right host, then remove its old key and resume"}},
    {"Could not get lock /var/lib/dpkg",
     {"another program is installing packages on the host",
      "wait until it has ended, or stop unattended-upgrades, then resume"}},
    {"Unable to locate package",
     {"the package sources of the host do not have the package",
      "correct the package sources of the host, or build an artifact: kubexms artifact build"}},
    {"Temporary failure resolving",
     {"the host cannot resolve names",
      "correct /etc/resolv.conf of the host, or build an artifact: kubexms artifact build; then "
      "resume"}},
    {"address already in use",
     {"another program listens on the port", "find it with ss -ltnp and stop it, then resume"}},
    {"Address already in use",
     {"another program listens on the port", "find it with ss -ltnp and stop it, then resume"}},
    {"dpkg was interrupted",
     {"an installation of packages was interrupted",
      "run dpkg --configure -a on the host, then resume"}},
    {"cannot resolve the host",
     {"the name of the host cannot be resolved", "correct the address of the host"}},
    {"request cluster ID mismatch",
     {"the members of etcd belong to two clusters",
      "remove the data directory of the member of the other cluster, then resume"}},
    {"running with swap on is not supported",
     {"swap is on", "turn it off with swapoff -a and in /etc/fstab, then resume"}},
    {"member has already been bootstrapped",
     {"the data directory of etcd is from an earlier cluster",
      "if that cluster is no longer needed, remove the data directory, then resume"}},
    {"certificate has expired or is not yet valid",
     {"a certificate has expired, or a clock is wrong",
      "compare the clocks of the hosts (timedatectl), then resume"}},
    {"locked by run",
     {"another run is working on the host", "wait until it has ended, or roll it back"}},
    {"no unit file for the service",
     {"the unit file of the service is not on the host", "check that its package is installed"}},
    {"connection lost",
     {"the host or the network to it went down", "resume when the host is reachable"}},
    {"Connection refused",
     {"nothing listens on the SSH port of the host", "check that the host is up and runs sshd"}},
    {"No route to host",
     {"the host is down, or not in the network of the route",
      "check that the host is up and its address is right"}},
    {"connection timed out",
     {"the host is down, or a firewall drops packets to it",
      "check that the host is up and its address is right"}},
};

}  // namespace

std::optional<Explanation> Explain(std::string_view message) {
  for (const Signature& signature : kSignatures) {
    if (message.find(signature.text) != std::string_view::npos) return signature.explanation;
  }
  return std::nullopt;
}

}  // namespace kubexms::automation
