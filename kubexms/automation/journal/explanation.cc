#include "kubexms/automation/journal/explanation.h"

namespace kubexms::automation {
namespace {

struct Signature {
  std::string_view text;  // what the message contains
  Explanation explanation;
};

// The first that fits counts, so the more telling ones come first.
constexpr Signature kSignatures[] = {
    {"No space left on device",
     {"a file system of the host is full", "make room (df -h shows where), then resume"}},
    {"Read-only file system",
     {"a file system of the host is mounted read-only",
      "look for errors of the disk in dmesg and mount it for writing, then resume"}},
    {"sudo does not accept the password",
     {"the sudo password in the configuration is wrong", "correct it, then resume"}},
    {"sudo asks for a password",
     {"the user needs a password for sudo", "name it in the configuration (sudoPassword)"}},
    {"lets none of our keys and passwords in",
     {"the user, key or password in the configuration is wrong",
      "try it with ssh, and correct the configuration"}},
    {"not one of those that the configuration names",
     {"the host shows another key than the configuration says",
      "make sure that it is the right host; then correct its hostKey"}},
    {"not the one that is known",
     {"the host shows another key than before",
      "make sure that it is the right host; then remove its old key and resume"}},
    {"Could not get lock /var/lib/dpkg",
     {"another program is installing packages on the host",
      "wait until it has ended, or stop unattended-upgrades, then resume"}},
    {"Unable to locate package",
     {"the host's package lists do not have the package",
      "correct the package sources of the host, or use an artifact"}},
    {"Temporary failure resolving",
     {"the host cannot look up names",
      "correct /etc/resolv.conf of the host, or use an artifact for its packages, then resume"}},
    {"address already in use",
     {"another program listens on the port", "find it with ss -ltnp and stop it, then resume"}},
    {"Address already in use",
     {"another program listens on the port", "find it with ss -ltnp and stop it, then resume"}},
    {"dpkg was interrupted",
     {"an installation of packages was cut off",
      "run dpkg --configure -a on the host, then resume"}},
    {"cannot find the host",
     {"the name of the host cannot be looked up", "correct the host's address"}},
    {"request cluster ID mismatch",
     {"the members of etcd are of two clusters",
      "remove the data directory of the one that does not belong, then resume"}},
    {"running with swap on is not supported",
     {"swap is on", "turn it off with swapoff -a and in /etc/fstab, then resume"}},
    {"member has already been bootstrapped",
     {"the data directory of etcd is from an earlier cluster",
      "if that one is no longer needed, remove its data directory, then resume"}},
    {"certificate has expired or is not yet valid",
     {"a certificate is too old, or a clock is wrong",
      "compare the clocks of the hosts (timedatectl), then resume"}},
    {"it is locked by",
     {"another run is working on the host", "wait until it has ended, or roll it back"}},
    {"there is no service",
     {"the service's unit file is not on the host", "see whether its package was installed"}},
    {"the connection is lost",
     {"the host went down, or the network to it", "when it is back, resume"}},
    {"Connection refused",
     {"nothing listens on the host's SSH port", "see whether the host is up and runs sshd"}},
    {"No route to host",
     {"the host is down, or not in the network that the route leads to",
      "see whether the host is up and its address is right"}},
    {"no answer to the attempt to connect",
     {"the host is down, or a firewall drops what is sent to it",
      "see whether the host is up and its address is right"}},
};

}  // namespace

std::optional<Explanation> Explain(std::string_view message) {
  for (const Signature& signature : kSignatures) {
    if (message.find(signature.text) != std::string_view::npos) return signature.explanation;
  }
  return std::nullopt;
}

}  // namespace kubexms::automation
