#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ostream>

#include "kubexms/base/json/yaml.h"
#include "kubexms/cli/commands.h"
#include "kubexms/cli/output.h"
#include "kubexms/platform/platform.h"

namespace kubexms {
namespace {

// The CustomResourceDefinitions of all kinds that this binary defines.
std::vector<Json> AllDefinitions() { return platform::Definitions(); }

std::string LowerCase(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return lower;
}

// Accepts the same names as kubectl: kind, singular, plural, or plural.group, in any case.
bool IsNamed(const Json& definition, std::string_view word) {
  const Json& names = definition.at("spec").at("names");
  const std::string wanted = LowerCase(word);
  return wanted == LowerCase(FindString(names, "kind")) ||
         wanted == FindString(names, "singular") || wanted == FindString(names, "plural") ||
         wanted == FindString(definition.at("metadata"), "name");
}

Error NoSuchKind(std::string_view word, const std::vector<Json>& definitions) {
  std::vector<std::string_view> kinds;
  for (const Json& definition : definitions) {
    kinds.push_back(FindString(definition.at("spec").at("names"), "kind"));
  }
  return Error::BadRequest(
      fmt::format("unknown kind \"{}\"; the kinds are {}", word, fmt::join(kinds, ", ")));
}

Result<std::vector<Json>> SelectDefinitions(const std::vector<std::string>& words) {
  const std::vector<Json> all = AllDefinitions();
  if (words.empty()) return all;
  std::vector<Json> selected;
  for (const std::string& word : words) {
    const auto found = std::find_if(
        all.begin(), all.end(), [&](const Json& definition) { return IsNamed(definition, word); });
    if (found == all.end()) return NoSuchKind(word, all);
    selected.push_back(*found);
  }
  return selected;
}

Result<ExitCode> PrintDefinitions(const Invocation& call) {
  ASSIGN_OR_RETURN(const std::vector<Json> definitions, SelectDefinitions(call.All("KIND")));
  if (call.Given("output")) {
    const Json list = JsonObject{{"apiVersion", "v1"},
                                 {"kind", "List"},
                                 {"items", JsonArray(definitions.begin(), definitions.end())}};
    call.out() << FormatObject(list, call.Value("output"));
    return ExitCode::kDone;
  }
  for (const Json& definition : definitions) call.out() << "---\n" << WriteYaml(definition);
  return ExitCode::kDone;
}

}  // namespace

Command CrdCommand() {
  return {
      .name = "crd",
      .summary = "Print the CustomResourceDefinitions of this binary's kinds",
      .description =
          "Print the CustomResourceDefinitions of this binary's kinds as YAML documents. To "
          "install\n"
          "them in a cluster:\n"
          "\n"
          "  kubexms crd | kubectl apply --server-side -f -",
      .flags = {OutputFlag()},
      .arguments = {{.name = "KIND",
                     .doc = "kind, singular, plural or plural.group, such as User or "
                            "users.user.sealos.io; may be repeated; defaults to all kinds",
                     .optional = true,
                     .repeated = true}},
      .run = PrintDefinitions,
  };
}

}  // namespace kubexms
