#include "kubexms/cluster/modules/containerd/ctr_commands.h"

#include <fmt/format.h>

#include "kubexms/automation/hosts/command.h"

namespace kubexms::cluster {
namespace {

using automation::ShellQuote;

// ctr waits much longer by itself for a containerd that does not respond.
constexpr std::string_view kCtr = "timeout 5 ctr";

constexpr std::string_view kCriIsOk = R"awk(
$1 == "io.containerd.grpc.v1" && $2 == "cri" && $NF == "ok" { ok = 1 }
END { exit !ok })awk";

// CRI marks an image as managed after it has stored a second reference to the same digest, named
// after the id of the image. Only such images can be used by pods. A managed name that was imported
// again by hand keeps its mark and has no such reference: it is printed with its digest, which is
// the id of no image.
constexpr std::string_view kPrintImages = R"awk(
$1 ~ /^sha256:/ { ids[$3] = $1 }
/io\.cri-containerd\.image=managed/ { digests[$1] = $3 }
END {
  count = split(names, name, " ")
  for (i = 1; i <= count; i++) {
    digest = digests[name[i]]
    if (digest != "") print name[i], (digest in ids ? ids[digest] : digest)
  }
})awk";

}  // namespace

std::string RuntimeReadyCommand() {
  return fmt::format(
      "{{ plugins=$({} plugins list 2>&1) && printf '%s\\n' \"$plugins\" | awk {} || "
      "{{ printf '%s\\n' \"$plugins\" | grep -v ' ok *$' | tail -n 5; false; }}; }}",
      kCtr, ShellQuote(kCriIsOk));
}

std::string ListImagesCommand(std::span<const std::string> names) {
  return fmt::format("{} -n k8s.io images list 2>/dev/null | awk -v names={} {}", kCtr,
                     ShellQuote(fmt::format("{}", fmt::join(names, " "))),
                     ShellQuote(kPrintImages));
}

}  // namespace kubexms::cluster
