// The program that runs transcripts. README.md beside it describes how to use it and how to write
// transcripts.

#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <thread>

#include "kubexms/apiserver/server.h"
#include "tests/api/kubeconfig.h"
#include "tests/api/runner.h"
#include "tests/api/transcript.h"

namespace kubexms::transcripts {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kUsage =
    "usage: api_transcripts [--kubeconfig FILE] PATH...\n\n"
    "Run the transcripts at PATH (files, or folders with *.test files) against a server of its\n"
    "own, or against the server in the kubeconfig with the credentials of a cluster\n"
    "administrator.\n";

struct Arguments {
  std::string kubeconfig;
  std::vector<fs::path> paths;
};

std::optional<Arguments> ParseArguments(const std::vector<std::string>& words) {
  Arguments arguments;
  for (size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--kubeconfig" && i + 1 < words.size()) {
      arguments.kubeconfig = words[++i];
    } else if (words[i].starts_with("-")) {
      return std::nullopt;
    } else {
      arguments.paths.emplace_back(words[i]);
    }
  }
  if (arguments.paths.empty()) return std::nullopt;
  return arguments;
}

Result<std::string> ReadFile(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) return Error::NotFound("files", path.string());
  return std::move(text).str();
}

std::vector<fs::path> FindTranscripts(const std::vector<fs::path>& paths) {
  std::vector<fs::path> found;
  for (const fs::path& path : paths) {
    if (!fs::is_directory(path)) {
      found.push_back(path);
      continue;
    }
    for (const auto& entry : fs::recursive_directory_iterator(path)) {
      if (entry.path().extension() == ".test") found.push_back(entry.path());
    }
  }
  std::ranges::sort(found);
  return found;
}

// A directory that the destructor removes.
class TemporaryDirectory {
 public:
  TemporaryDirectory() : path_((fs::temp_directory_path() / "transcripts.XXXXXX").string()) {
    KUBEXMS_CHECK(::mkdtemp(path_.data()) != nullptr);
  }
  ~TemporaryDirectory() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// Runs all transcripts; returns false when one fails.
Result<bool> RunAll(const std::vector<fs::path>& paths, std::string_view kubeconfig) {
  ASSIGN_OR_RETURN(const HttpClientOptions server, ReadKubeconfig(kubeconfig));
  ASSIGN_OR_RETURN(Runner runner, Runner::Create(server));
  size_t failed = 0;
  for (const fs::path& path : paths) {
    ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
    const Result<Transcript> transcript = ParseTranscript(text);
    const Result<void> result =
        transcript.ok() ? runner.Run(*transcript, path.stem()) : transcript.error();
    if (result.ok()) continue;
    std::cerr << path.string() << ": " << result.error().message() << "\n\n";
    ++failed;
  }
  std::cerr << fmt::format("{} transcripts, {} failed\n", paths.size(), failed);
  return failed == 0;
}

// Runs all transcripts against a server in this process.
Result<bool> RunAllOnOwnServer(const std::vector<fs::path>& paths) {
  const TemporaryDirectory directory;
  ASSIGN_OR_RETURN(
      auto server,
      ApiServer::Create(
          {.data_directory = directory.path(), .store = "memory", .port = 0, .audit_log = "-"}));
  const std::jthread serving([&](const std::stop_token& stop) { server->Run(stop); });
  return RunAll(paths, server->kubeconfig());
}

Result<bool> RunTranscripts(const Arguments& arguments) {
  const std::vector<fs::path> paths = FindTranscripts(arguments.paths);
  if (arguments.kubeconfig.empty()) return RunAllOnOwnServer(paths);
  ASSIGN_OR_RETURN(const std::string kubeconfig, ReadFile(arguments.kubeconfig));
  return RunAll(paths, kubeconfig);
}

int Main(const std::vector<std::string>& words) {
  const std::optional<Arguments> arguments = ParseArguments(words);
  if (!arguments) {
    std::cerr << kUsage;
    return 2;
  }
  const Result<bool> passed = RunTranscripts(*arguments);
  if (!passed.ok()) std::cerr << "error: " << passed.error().message() << "\n";
  return passed.ok() && *passed ? 0 : 1;
}

}  // namespace
}  // namespace kubexms::transcripts

int main(int argc, char** argv) { return kubexms::transcripts::Main({argv + 1, argv + argc}); }
