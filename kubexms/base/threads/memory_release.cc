#include "kubexms/base/threads/memory_release.h"

#include <link.h>
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <ctime>

#include "kubexms/base/threads/threads.h"

// jemalloc's function, which is linked into our programs but not into tests.
extern "C" int mallctl(const char* name, void* old_value, size_t* old_size, void* new_value,
                       size_t new_size) noexcept __attribute__((weak));

namespace kubexms {
namespace {

constexpr std::chrono::seconds kPeriod(2);
constexpr double kBusyFrom = 0.1;
constexpr double kQuietBelow = 0.06;

// Writable segments must be kept: their content is not in the file.
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

// CPU time of all threads.
double ProcessorSeconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

}  // namespace

void ReleaseUnusedMemory() {
  if (mallctl != nullptr) {
    (void)mallctl("arena.4096.purge", nullptr, nullptr, nullptr, 0);  // 4096: all arenas
  } else {
    malloc_trim(0);
  }
  dl_iterate_phdr(ReleaseObject, nullptr);
}

bool IdleDetector::Observe(double of_a_core) {
  if (of_a_core >= kBusyFrom) busy_ = true;
  if (!busy_ || of_a_core >= kQuietBelow) return false;
  busy_ = false;
  return true;
}

MemoryReleaser::MemoryReleaser() : thread_([this] { Run(); }) {}

MemoryReleaser::~MemoryReleaser() {
  stop_.Post();
  thread_.join();
}

void MemoryReleaser::Run() {
  NameThisThread("memory");
  IdleDetector work;
  double before = ProcessorSeconds();
  while (!stop_.WaitFor(kPeriod)) {
    const double now = ProcessorSeconds();
    if (work.Observe((now - before) / static_cast<double>(kPeriod.count()))) ReleaseUnusedMemory();
    before = now;
  }
}

}  // namespace kubexms
