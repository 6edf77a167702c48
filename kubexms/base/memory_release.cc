#include "kubexms/base/memory_release.h"

#include <link.h>
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>

// Of mimalloc, which the binary has and tests have not.
extern "C" void mi_collect(bool force) noexcept __attribute__((weak));

namespace kubexms {
namespace {

// Segments that can be written have been: their content is nowhere else.
int ReleaseObject(dl_phdr_info* object, size_t, void*) {
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = object->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_W) != 0) continue;
    const uintptr_t start = object->dlpi_addr + segment.p_vaddr;
    const uintptr_t first = start / page * page;
    const uintptr_t end = start + segment.p_memsz;
    (void)madvise(reinterpret_cast<void*>(first), end - first, MADV_DONTNEED);
  }
  return 0;
}

}  // namespace

void ReleaseUnusedMemory() {
  if (mi_collect != nullptr) {
    mi_collect(true);
  } else {
    malloc_trim(0);
  }
  dl_iterate_phdr(ReleaseObject, nullptr);
}

}  // namespace kubexms
