#pragma once

// Files that others replace while a program runs, such as certificates that are rotated.

#include <functional>
#include <string>
#include <vector>

#include "kubexms/base/monitoring/log.h"
#include "kubexms/base/mutex.h"
#include "kubexms/base/result.h"

namespace kubexms {

// Safe for use from any thread.
class ReloadedFiles {
 public:
  using Texts = std::vector<std::string>;

  struct Options {
    // An empty path stands for a text that never changes.
    std::vector<std::string> paths;
    // What the files had when they were first read.
    Texts texts;
    // Whether new texts can be used together.
    std::function<Result<void>(const Texts&)> check;
    Logger log;
  };

  explicit ReloadedFiles(Options options);

  // The texts, read again if a file has changed. When what is new cannot be read or used, perhaps
  // because it is not all written yet, that is logged once, and the old texts stay.
  Texts Get() EXCLUDES(mutex_);

 private:
  Result<Texts> Read() const;

  const Options options_;
  Mutex mutex_;
  Texts texts_ GUARDED_BY(mutex_);
  // What tells each file from its next version, as of the last reading.
  std::vector<std::string> stamps_ GUARDED_BY(mutex_);
};

}  // namespace kubexms
