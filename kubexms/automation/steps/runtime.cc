#include "kubexms/automation/steps/runtime.h"

#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "kubexms/automation/hosts/local_connector.h"

namespace kubexms::automation {
namespace {

Result<std::string> ReadEnvironment(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  if (!value) return Error::BadRequest(fmt::format("env:{}: the variable is not set", name));
  return std::string(value);
}

Result<std::string> ReadFileText(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return Error::BadRequest(fmt::format("file:{}: cannot be read", path));
  return std::string(std::istreambuf_iterator<char>(file), {});
}

Result<std::string> RunForText(const std::string& command) {
  std::string output;
  const Result<int> exit_code = MakeLocalTransport()->Execute(
      {.command_line = command,
       .on_output =
           [&](OutputStream stream, std::string_view bytes) {
             if (stream == OutputStream::kOutput) output += bytes;
           },
       .deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1)});
  if (!exit_code.ok()) return exit_code.error().WithContext("cmd:" + command);
  // The output may be a part of the secret, so the error does not have it.
  if (*exit_code != 0) {
    return Error::BadRequest(fmt::format("cmd:{}: exit code {}", command, *exit_code));
  }
  return output;
}

}  // namespace

Runtime::Runtime(RuntimeOptions options) : options_(std::move(options)) {
  KUBEXMS_CHECK(options_.secrets && options_.clock && options_.random);
  std::set<std::string_view> names;
  for (const Host& host : options_.hosts) KUBEXMS_CHECK(names.insert(host.name).second);
}

const Host* Runtime::FindHost(std::string_view name) const {
  for (const Host& host : options_.hosts) {
    if (host.name == name) return &host;
  }
  return nullptr;
}

std::vector<std::string> Runtime::HostsWithRole(std::string_view role) const {
  std::vector<std::string> names;
  for (const Host& host : options_.hosts) {
    if (host.roles.contains(std::string(role))) names.push_back(host.name);
  }
  return names;
}

std::vector<std::string> Runtime::AllHosts() const {
  std::vector<std::string> names;
  for (const Host& host : options_.hosts) names.push_back(host.name);
  return names;
}

Runner Runtime::RunnerFor(const Host& host, RunnerOptions options) const {
  options.job_directory = host_directory() + "/jobs";
  return {host.connector.get(), options_.clock, std::move(options)};
}

uint64_t Runtime::round_trips() const {
  uint64_t sum = 0;
  for (const Host& host : options_.hosts) sum += host.connector->round_trips();
  return sum;
}

Result<Secret> ResolveSecret(std::string_view reference, SecretRegistry& secrets) {
  const size_t colon = reference.find(':');
  const std::string_view scheme = reference.substr(0, colon);
  const std::string rest(colon == std::string_view::npos ? "" : reference.substr(colon + 1));
  Result<std::string> text =
      Error::BadRequest("a secret is named by env:NAME, file:/path or cmd:command");
  if (scheme == "env") text = ReadEnvironment(rest);
  if (scheme == "file") text = ReadFileText(rest);
  if (scheme == "cmd") text = RunForText(rest);
  if (!text.ok()) return text.error();
  if (text->ends_with('\n')) text->pop_back();
  if (text->empty()) return Error::BadRequest(fmt::format("{}: the secret is empty", reference));
  secrets.Add(*text);
  return Secret(*std::move(text));
}

}  // namespace kubexms::automation
