#include "kubexms/cluster/artifact/artifact_sources.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include "kubexms/automation/hosts/checksum.h"
#include "kubexms/automation/journal/journal.h"

namespace kubexms::cluster {
namespace {

namespace fs = std::filesystem;
using automation::ClusterLock;
using automation::ShellQuote;

constexpr std::chrono::minutes kTimeout(60);

Result<const SourceSpec*> Choose(const std::vector<SourceSpec>& sources,
                                 std::string_view architecture) {
  const auto is_for = [](std::string_view wanted) {
    return [wanted](const SourceSpec& source) { return source.architecture == wanted; };
  };
  auto found = std::ranges::find_if(sources, is_for(architecture));
  if (found == sources.end()) found = std::ranges::find_if(sources, is_for(""));
  if (found != sources.end()) return &*found;
  std::set<std::string_view> others;
  for (const SourceSpec& source : sources) others.insert(source.architecture);
  return Error::BadRequest(fmt::format("the configuration has no source for {}, only for {}",
                                       architecture, fmt::join(others, ", ")));
}

Result<void> CheckSum(const std::string& file, const SourceSpec& source) {
  if (source.sha256.empty()) return {};
  ASSIGN_OR_RETURN(const std::string sum, automation::Sha256OfFile(file));
  if (sum == source.sha256) return {};
  return Error::BadRequest(fmt::format("{} has the checksum {}, and the configuration says {}",
                                       source.url.empty() ? file : source.url, sum, source.sha256));
}

}  // namespace

ArtifactSources::ArtifactSources(automation::Runner* runner, SourceOptions options)
    : runner_(runner),
      options_(std::move(options)),
      root_(fs::absolute(options_.cache_directory).string() + "/sources") {}

ArtifactSources::~ArtifactSources() = default;

Result<void> ArtifactSources::Open() {
  if (lock_) return {};
  std::error_code failed;
  fs::create_directories(root_, failed);
  if (failed) return Error::Internal(fmt::format("cannot create {}: {}", root_, failed.message()));
  ASSIGN_OR_RETURN(
      lock_, ClusterLock::Acquire(root_ + "/lock",
                                  fmt::format("kubexms artifact build (process {})", ::getpid())));
  return {};
}

Result<std::string> ArtifactSources::Get(const std::vector<SourceSpec>& sources,
                                         std::string_view architecture, std::string_view what) {
  const auto get = [&]() -> Result<std::string> {
    ASSIGN_OR_RETURN(const SourceSpec* source, Choose(sources, architecture));
    if (!source->url.empty()) return Fetch(*source);
    if (!source->command.empty()) return RunSourceCommand(*source, architecture);
    const std::string file = (fs::path(options_.directory) / source->file).string();
    std::error_code failed;
    if (!fs::is_regular_file(file, failed)) {
      return Error::BadRequest(fmt::format("there is no file {}", file));
    }
    RETURN_IF_ERROR(CheckSum(file, *source));
    return file;
  };
  Result<std::string> file = get();
  if (!file.ok()) return file.error().WithContext(what);
  return file;
}

Result<std::string> ArtifactSources::StoreContent(const std::string& content) {
  RETURN_IF_ERROR(Open());
  const std::string path = fmt::format("{}/{}", root_, automation::Sha256Of(content));
  if (std::ofstream(path, std::ios::binary | std::ios::trunc) << content << std::flush) return path;
  return Error::Internal(fmt::format("{} cannot be written", path));
}

Result<void> ArtifactSources::Write(const std::string& script, std::string_view architecture,
                                    const std::string& path) {
  const std::string part = path + ".part";
  RETURN_IF_ERROR(
      runner_->Run({.script = fmt::format("set -- {}\n{}", ShellQuote(part), script),
                    .environment = {{"ARCH", std::string(architecture)}},
                    .directory = fs::absolute(fs::path(options_.directory) / ".").string(),
                    .as_root = false,
                    .timeout = kTimeout}));
  std::error_code failed;
  fs::rename(part, path, failed);
  if (failed) return Error::Internal(fmt::format("rename {}: {}", part, failed.message()));
  return {};
}

Result<std::string> ArtifactSources::Fetch(const SourceSpec& source) {
  RETURN_IF_ERROR(Open());
  const std::string path = fmt::format("{}/{}", root_, source.sha256);
  std::error_code failed;
  if (fs::exists(path, failed) && CheckSum(path, source).ok()) return path;
  options_.progress("fetching " + source.url);
  RETURN_IF_ERROR(
      Write(fmt::format("exec curl --fail --location --silent --show-error --output \"$1\" {}",
                        ShellQuote(source.url)),
            "", path));
  RETURN_IF_ERROR(CheckSum(path, source));
  return path;
}

Result<std::string> ArtifactSources::RunSourceCommand(const SourceSpec& source,
                                                      std::string_view architecture) {
  RETURN_IF_ERROR(Open());
  const std::string path = fmt::format(
      "{}/{}", root_, automation::Sha256Of(fmt::format("{} {}", architecture, source.command)));
  options_.progress("running " + source.command);
  RETURN_IF_ERROR(Write(fmt::format("{{ {}\n}} >\"$1\"", source.command), architecture, path));
  RETURN_IF_ERROR(CheckSum(path, source));
  return path;
}

}  // namespace kubexms::cluster
