#pragma once

// A temporary directory for tests.

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "kubexms/base/check.h"

namespace kubexms {

// The destructor removes the directory with its content.
class TestDirectory {
 public:
  TestDirectory() : path_(std::filesystem::temp_directory_path() / "kubexms-XXXXXX") {
    KUBEXMS_CHECK(::mkdtemp(path_.data()) != nullptr);
  }
  ~TestDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TestDirectory(const TestDirectory&) = delete;
  TestDirectory& operator=(const TestDirectory&) = delete;

  const std::string& path() const { return path_; }
  std::string File(const std::string& name) const { return path_ + "/" + name; }
  std::string Write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories(std::filesystem::path(File(name)).parent_path());
    std::ofstream(File(name), std::ios::binary) << text;
    return File(name);
  }
  // An executable shell script.
  std::string WriteScript(const std::string& name, const std::string& text) const {
    const std::string path = Write(name, "#!/bin/sh\n" + text);
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return path;
  }
  std::string Read(const std::string& name) const {
    std::ifstream file(File(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  bool Has(const std::string& name) const { return std::filesystem::exists(File(name)); }

 private:
  std::string path_;
};

}  // namespace kubexms
