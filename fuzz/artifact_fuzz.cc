#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

#include "kubexms/base/check.h"
#include "kubexms/cluster/artifact/artifact.h"
#include "kubexms/cluster/artifact/image_archive.h"
#include "kubexms/cluster/artifact/tar_file.h"

// An untrusted archive: an artifact, an image, any tar file.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace kubexms;
  static const int file = ::memfd_create("artifact", MFD_CLOEXEC);
  static const std::string path = fmt::format("/proc/self/fd/{}", file);
  KUBEXMS_CHECK(::ftruncate(file, 0) == 0);
  KUBEXMS_CHECK(::pwrite(file, data, size, 0) == static_cast<ssize_t>(size));
  const Result<std::vector<cluster::TarMember>> members = cluster::ListTar(path);
  if (members.ok()) {
    for (const cluster::TarMember& member : *members) {
      KUBEXMS_CHECK(member.size >= 0 && member.offset + member.size <= static_cast<int64_t>(size));
    }
  }
  (void)cluster::ListForeignTar(path);
  (void)cluster::Artifact::Open(path);
  (void)cluster::ReadImageArchive(path, "registry.example/a:1", "amd64");
  return 0;
}
