#include "kubexms/cli/scaffold.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string_view>
#include <system_error>

#include "kubexms/api/names.h"
#include "kubexms/api/schema/type.h"
#include "kubexms/base/json/yaml.h"
#include "kubexms/cli/scaffold_templates.h"
#include "kubexms/controller/manager/rbac.h"
#include "kubexms/controller/requests/request_controller.h"

namespace kubexms {
namespace {

namespace fs = std::filesystem;

// Leaves room for the namespace NAME-system.
constexpr size_t kMaxNameBytes = 63 - std::string_view("-system").size();
constexpr size_t kMaxKindBytes = 61;  // the plural may be two bytes longer

bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }
bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsWordCharacter(char c) { return IsUpper(c) || IsLower(c) || IsDigit(c) || c == '_'; }

Error Wrong(std::string_view what, std::string_view value, std::string_view why) {
  return Error::BadRequest(fmt::format("{} \"{}\": {}", what, value, why));
}

Result<void> CheckMessages(std::string_view what, std::string_view value,
                           const Messages& messages) {
  return messages.empty() ? Result<void>() : Wrong(what, value, messages.front());
}

// "yes" and "1.2" are valid names, but YAML reads them as a boolean and a number.
Result<void> CheckPlainInYaml(std::string_view what, std::string_view value) {
  if (WriteYaml(Json(value)) == std::string(value) + "\n") return {};
  return Wrong(what, value, "is not a string in YAML without quotes; choose another name");
}

std::string Replaced(std::string text, std::string_view from, std::string_view to) {
  for (size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

// ---- Templates of each style.

std::set<std::string_view> FoldersOf(ScaffoldStyle style) {
  switch (style) {
    case ScaffoldStyle::kReconciler: return {"common", "object", "reconciler"};
    case ScaffoldStyle::kStages: return {"common", "object", "stages"};
    case ScaffoldStyle::kRequest: return {"common", "request"};
  }
  return {};
}

std::vector<ScaffoldTemplate> TemplatesOf(ScaffoldStyle style) {
  const std::set<std::string_view> folders = FoldersOf(style);
  std::vector<ScaffoldTemplate> templates;
  for (const ScaffoldTemplate& file : ScaffoldTemplates()) {
    if (folders.contains(file.path.substr(0, file.path.find('/')))) templates.push_back(file);
  }
  return templates;
}

bool IsCode(std::string_view path) { return path.ends_with(".h.in") || path.ends_with(".cc.in"); }

// Whether a template uses `word` as an identifier outside of comments.
bool UsesWord(std::string_view code, std::string_view word) {
  const auto joins = [](char c) { return IsWordCharacter(c) || c == '@'; };
  for (size_t at = code.find(word); at != code.npos; at = code.find(word, at + 1)) {
    const size_t end = at + word.size();
    const bool whole =
        (at == 0 || !joins(code[at - 1])) && (end == code.size() || !joins(code[end]));
    const size_t line = code.rfind('\n', at) + 1;
    const bool in_comment = code.substr(line, at - line).find("//") != code.npos;
    if (whole && !in_comment) return true;
  }
  return false;
}

// ---- Placeholders in templates.

std::string NamespaceOf(const std::string& name) {
  std::string result = Replaced(name, "-", "_");
  if (!result.ends_with("_controller")) result += "_controller";
  return result;
}

std::map<std::string, std::string> WordsOf(const ControllerScaffold& scaffold) {
  const KindName kind{.kind = scaffold.kind};
  return {{"@name@", scaffold.name},
          {"@namespace@", NamespaceOf(scaffold.name)},
          {"@group@", scaffold.group},
          {"@version@", scaffold.version},
          {"@Kind@", scaffold.kind},
          {"@kind@", kind.Singular()},
          {"@plural@", kind.Plural()},
          {"@file@", FileNameOfKind(scaffold.kind)},
          {"@scope@", scaffold.cluster_scoped ? "Cluster" : "Namespaced"}};
}

// Removes the marks of conditional lines that apply to `scaffold`, and the other conditional lines.
std::string LinesFor(const ControllerScaffold& scaffold, std::string_view text) {
  const std::pair<std::string_view, bool> marks[] = {
      {"@if-namespaced@", !scaffold.cluster_scoped},
      {"@if-cluster@", scaffold.cluster_scoped},
      {"@if-object@", scaffold.style != ScaffoldStyle::kRequest},
      {"@if-request@", scaffold.style == ScaffoldStyle::kRequest}};
  std::string result;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end);
    for (const auto& [mark, holds] : marks) {
      if (line.starts_with(mark)) line.remove_prefix(holds ? mark.size() : line.size());
    }
    result += line;
  }
  return result;
}

// ---- RBAC manifests. They are generated as the new program itself prints them, because the order
// of the rules depends on the API group.

std::vector<ResourceAccess> AccessOf(const ControllerScaffold& scaffold) {
  const ResourceType maps{.version = "v1", .kind = "ConfigMap", .plural = "configmaps"};
  const ResourceType kind{.group = scaffold.group,
                          .version = scaffold.version,
                          .kind = scaffold.kind,
                          .plural = KindName{.kind = scaffold.kind}.Plural()};
  std::vector<ResourceAccess> all = AccessToReconciled(kind);
  const bool is_request = scaffold.style == ScaffoldStyle::kRequest;
  const RecordLocation records{.type = kind, .namespace_name = std::string(kRecordNamespace)};
  for (ResourceAccess& access :
       is_request ? request_internal::AccessToRequests(records) : AccessToOwned(maps)) {
    all.push_back(std::move(access));
  }
  if (is_request) all.push_back({maps, "", {"get", "create", "update"}});
  return all;
}

std::string RolesOf(const ControllerScaffold& scaffold) {
  Controller controller({.name = scaffold.name});
  for (ResourceAccess& access : AccessOf(scaffold)) controller.AddAccess(std::move(access));
  std::string text;
  for (const Json& object : RolesFor(
           {controller}, {.name = scaffold.name, .namespace_name = scaffold.name + "-system"})) {
    text += "---\n" + WriteYaml(object);
  }
  return text;
}

// ---- Writing.

Error CannotWrite(const fs::path& path, const std::error_code& error) {
  return Error::BadRequest(fmt::format("cannot write {}: {}", path.string(), error.message()));
}

Result<void> WriteFile(const fs::path& path, const std::string& text) {
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  if (error) return CannotWrite(path.parent_path(), error);
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (file) return {};
  return CannotWrite(path, std::error_code(errno, std::generic_category()));
}

// A temporary directory that the destructor removes, unless it was renamed.
class TemporaryDirectory {
 public:
  static Result<fs::path> MakeBeside(const fs::path& target) {
    std::string path = target.string() + ".XXXXXX";
    if (mkdtemp(path.data()) != nullptr) return fs::path(path);
    return CannotWrite(target, std::error_code(errno, std::generic_category()));
  }
  explicit TemporaryDirectory(fs::path path) : path_(std::move(path)) {}
  ~TemporaryDirectory() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  const fs::path& path() const { return path_; }

 private:
  const fs::path path_;
};

Result<void> CheckFree(const fs::path& directory) {
  std::error_code error;
  const fs::file_status status = fs::status(directory, error);
  if (status.type() == fs::file_type::not_found) return {};
  if (error) return CannotWrite(directory, error);
  const bool free = fs::is_directory(status) && fs::is_empty(directory, error);
  if (free && !error) return {};
  return Error::BadRequest(fmt::format(
      "{} already exists and is not an empty directory; nothing was written", directory.string()));
}

// ---- Names.

Result<void> CheckName(const std::string& name) {
  RETURN_IF_ERROR(CheckMessages("NAME", name, ValidateDns1035Label(name)));
  if (name.size() > kMaxNameBytes) {
    return Wrong("NAME", name, fmt::format("must be no more than {} bytes", kMaxNameBytes));
  }
  return CheckPlainInYaml("NAME", name);
}

Result<void> CheckGroup(const std::string& group) {
  RETURN_IF_ERROR(CheckMessages("--group", group, ValidateDns1123Subdomain(group)));
  if (group.find('.') == group.npos) {
    return Wrong("--group", group, "must be a domain name with a dot, such as example.io");
  }
  for (const std::string_view reserved : {"k8s.io", "kubernetes.io"}) {
    if (group == reserved || group.ends_with("." + std::string(reserved))) {
      return Wrong("--group", group, "is reserved for Kubernetes; use a domain that you own");
    }
  }
  return CheckPlainInYaml("--group", group);
}

// The length of a number without leading zeros at the beginning of `text`.
size_t NumberLength(std::string_view text) {
  const size_t length = std::min(text.find_first_not_of("0123456789"), text.size());
  return length > 0 && text.front() == '0' ? 0 : length;
}

bool IsVersion(std::string_view text) {
  if (!text.starts_with("v")) return false;
  text.remove_prefix(1);
  const size_t major = NumberLength(text);
  if (major == 0) return false;
  text.remove_prefix(major);
  if (text.empty()) return true;
  for (const std::string_view stability : {"alpha", "beta"}) {
    if (!text.starts_with(stability)) continue;
    const std::string_view number = text.substr(stability.size());
    return !number.empty() && NumberLength(number) == number.size();
  }
  return false;
}

Result<void> CheckKind(const std::string& kind, ScaffoldStyle style) {
  const bool camel = !kind.empty() && IsUpper(kind.front()) &&
                     std::all_of(kind.begin(), kind.end(),
                                 [](char c) { return IsUpper(c) || IsLower(c) || IsDigit(c); });
  if (!camel) return Wrong("--kind", kind, "must be in CamelCase, such as WebSite");
  if (kind.size() > kMaxKindBytes) {
    return Wrong("--kind", kind, fmt::format("must be no more than {} bytes", kMaxKindBytes));
  }
  for (const ScaffoldTemplate& file : TemplatesOf(style)) {
    if (IsCode(file.path) && UsesWord(file.text, kind)) {
      return Wrong("--kind", kind,
                   fmt::format("conflicts with an identifier in the project's C++ code; choose "
                               "another name, such as My{}",
                               kind));
    }
  }
  const KindName names{.kind = kind};
  for (const std::string& name : {kind, names.Singular(), names.Plural()}) {
    RETURN_IF_ERROR(CheckPlainInYaml("--kind", name));
  }
  return {};
}

}  // namespace

std::string FileNameOfKind(const std::string& kind) {
  std::string name;
  for (size_t i = 0; i < kind.size(); ++i) {
    if (!IsUpper(kind[i])) {
      name += kind[i];
      continue;
    }
    // A word begins after and before a lower-case letter: "HTTPRoute" becomes http_route.
    const bool after_small = i > 0 && !IsUpper(kind[i - 1]);
    const bool before_small = i > 0 && i + 1 < kind.size() && IsLower(kind[i + 1]);
    if (after_small || before_small) name += '_';
    name += static_cast<char>(kind[i] - 'A' + 'a');
  }
  return name;
}

Result<void> ControllerScaffold::Validate() const {
  RETURN_IF_ERROR(CheckName(name));
  RETURN_IF_ERROR(CheckGroup(group));
  if (!IsVersion(version)) {
    return Wrong("--version", version, "must be like v1, v1beta1 or v1alpha1");
  }
  return CheckKind(kind, style);
}

std::vector<ScaffoldFile> MakeScaffold(const ControllerScaffold& scaffold) {
  constexpr std::string_view kSuffix = ".in";
  const std::map<std::string, std::string> words = WordsOf(scaffold);
  std::vector<ScaffoldFile> files = {{"config/rbac.yaml", RolesOf(scaffold)}};
  for (const ScaffoldTemplate& from : TemplatesOf(scaffold.style)) {
    std::string_view path = from.path.substr(from.path.find('/') + 1);
    path.remove_suffix(kSuffix.size());
    ScaffoldFile file{std::string(path), LinesFor(scaffold, from.text)};
    for (const auto& [word, value] : words) {
      file.path = Replaced(std::move(file.path), word, value);
      file.text = Replaced(std::move(file.text), word, value);
    }
    files.push_back(std::move(file));
  }
  std::sort(files.begin(), files.end(),
            [](const ScaffoldFile& a, const ScaffoldFile& b) { return a.path < b.path; });
  return files;
}

Result<void> WriteScaffold(const std::vector<ScaffoldFile>& files, const std::string& directory) {
  std::error_code error;
  fs::path target = fs::absolute(directory, error).lexically_normal();
  if (error) return CannotWrite(directory, error);
  if (!target.has_filename()) target = target.parent_path();  // "project/"
  RETURN_IF_ERROR(CheckFree(target));
  fs::create_directories(target.parent_path(), error);
  if (error) return CannotWrite(target.parent_path(), error);
  ASSIGN_OR_RETURN(fs::path made, TemporaryDirectory::MakeBeside(target));
  const TemporaryDirectory temporary(std::move(made));
  for (const ScaffoldFile& file : files) {
    RETURN_IF_ERROR(WriteFile(temporary.path() / file.path, file.text));
  }
  fs::permissions(temporary.path(), fs::perms(0755), error);
  if (!error) fs::rename(temporary.path(), target, error);
  return error ? CannotWrite(target, error) : Result<void>();
}

}  // namespace kubexms
