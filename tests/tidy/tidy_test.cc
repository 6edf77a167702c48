// The rules of this folder, applied to this repository.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/tidy/checker.h"
#include "tests/tidy/docs.h"
#include "tests/tidy/rooms.h"
#include "tests/tidy/words.h"

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
  static const std::set<std::string> kSuffixes = {".h",    ".cc",  ".cmake", ".sh", ".md", ".proto",
                                                  ".json", ".txt", ".mjs",   ".py", ".in"};
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

TEST(TidyTest, EveryFileUsesTheWordsOfTheGlossary) {
  for (const File& file : ReadRepository()) ExpectNone(CheckWords(file));
}

TEST(TidyTest, RoomsIncludeOnlyRoomsBelow) {
  ExpectNone(CheckRooms(InLibraries(ReadRepository())));
}

TEST(TidyTest, FoldersAreSmall) { ExpectNone(CheckFolderSizes(InLibraries(ReadRepository()))); }

TEST(TidyTest, UsersSeeOnlyPublicHeaders) {
  const std::vector<File> files = ReadRepository();
  std::vector<File> users;
  for (const File& file : files) {
    const bool shows = file.path.starts_with("examples/") || file.path.starts_with("docs/") ||
                       file.path.starts_with("kubexms/cli/scaffold/");
    if (shows) users.push_back(file);
  }
  constexpr const char* kList = "kubexms/public_headers.txt";
  ExpectNone(CheckPublicHeaders(InLibraries(files),
                                {kList, Read(fs::path(KUBEXMS_SOURCE_DIR) / kList)}, users));
}

TEST(TidyTest, DocsNameFilesThatExist) {
  std::set<std::string, std::less<>> paths;
  std::vector<File> docs;
  for (const File& file : ReadRepository()) {
    if (file.path.ends_with(".md")) docs.push_back(file);
  }
  const fs::path root = KUBEXMS_SOURCE_DIR;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    paths.insert(entry.path().lexically_relative(root));
  }
  ASSERT_GT(docs.size(), 10U);
  for (const File& file : docs) ExpectNone(CheckPaths(file, paths));
}

TEST(TidyTest, EveryLibraryHasAReadme) {
  for (const auto& entry : fs::directory_iterator(fs::path(KUBEXMS_SOURCE_DIR) / "kubexms")) {
    if (!entry.is_directory()) continue;
    EXPECT_TRUE(fs::exists(entry.path() / "README.md")) << entry.path();
  }
}

TEST(TidyTest, EveryLibraryHasALineInTheReadme) {
  const File readme{"kubexms/README.md", Read(fs::path(KUBEXMS_SOURCE_DIR) / "kubexms/README.md")};
  ExpectNone(CheckReadme(InLibraries(ReadRepository()), readme));
}

}  // namespace
}  // namespace kubexms::tidy
