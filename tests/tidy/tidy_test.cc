// The rules of checker.h, applied to this repository.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/tidy/checker.h"

namespace kubexms::tidy {
namespace {

namespace fs = std::filesystem;

std::string Read(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

// Data of tests and of fuzzers may look like anything.
bool IsSkippedFolder(const std::string& name) {
  return name == "build" || name == "node_modules" || name == "corpus" || name == "testdata" ||
         (name.size() > 1 && name[0] == '.' && name != ".ci");
}

bool IsCheckedFile(const fs::path& path) {
  static const std::set<std::string> kSuffixes = {".h",     ".cc",   ".cmake", ".sh",  ".md",
                                                  ".proto", ".json", ".txt",   ".mjs", ".py"};
  static const std::set<std::string> kNames = {"dev", "run", ".clang-format", ".clang-tidy"};
  return kSuffixes.contains(path.extension()) || kNames.contains(path.filename());
}

std::vector<File> ReadRepository() {
  const fs::path root = KUBEXMS_SOURCE_DIR;
  std::vector<File> files;
  for (auto it = fs::recursive_directory_iterator(root); it != fs::end(it); ++it) {
    if (it->is_directory() && IsSkippedFolder(it->path().filename())) {
      it.disable_recursion_pending();
    } else if (it->is_regular_file() && IsCheckedFile(it->path())) {
      files.push_back({it->path().lexically_relative(root), Read(it->path())});
    }
  }
  return files;
}

std::vector<File> InLibraries(const std::vector<File>& files) {
  std::vector<File> found;
  for (const File& file : files) {
    const bool code = file.path.ends_with(".h") || file.path.ends_with(".cc");
    if (file.path.starts_with("kubexms/") && code) found.push_back(file);
  }
  return found;
}

void ExpectNone(const Complaints& complaints) {
  for (const Complaint& complaint : complaints) {
    ADD_FAILURE_AT(complaint.path.c_str(), complaint.line) << complaint.what;
  }
}

TEST(TidyTest, EveryFileKeepsTheRules) {
  const std::vector<File> files = ReadRepository();
  ASSERT_GT(InLibraries(files).size(), 10U);
  for (const File& file : files) ExpectNone(CheckFile(file));
}

TEST(TidyTest, EverySourceIncludesItsOwnHeaderFirst) {
  ExpectNone(CheckOwnHeaders(InLibraries(ReadRepository())));
}

TEST(TidyTest, EveryLibraryHasALineInTheReadme) {
  const File readme{"kubexms/README.md", Read(fs::path(KUBEXMS_SOURCE_DIR) / "kubexms/README.md")};
  ExpectNone(CheckReadme(InLibraries(ReadRepository()), readme));
}

}  // namespace
}  // namespace kubexms::tidy
