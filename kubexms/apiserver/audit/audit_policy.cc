#include "kubexms/apiserver/audit/audit_policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

namespace kubexms {
namespace {

using Words = std::vector<std::string>;

constexpr std::array<std::string_view, 4> kLevelNames = {"None", "Metadata", "Request",
                                                         "RequestResponse"};

bool Has(const Words& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

bool EmptyOrHas(const Words& words, std::string_view word) {
  return words.empty() || Has(words, word);
}

bool MatchesResource(std::string_view pattern, const RequestAttributes& request) {
  if (pattern == "*") return true;
  const size_t slash = pattern.find('/');
  const std::string_view resource = pattern.substr(0, slash);
  if (resource != "*" && resource != request.resource) return false;
  if (slash == std::string_view::npos) return request.subresource.empty();
  const std::string_view subresource = pattern.substr(slash + 1);
  return !request.subresource.empty() && (subresource == "*" || subresource == request.subresource);
}

bool MatchesPath(std::string_view pattern, std::string_view path) {
  if (!pattern.ends_with('*')) return pattern == path;
  return path.starts_with(pattern.substr(0, pattern.size() - 1));
}

bool HasSecretBody(const RequestAttributes& request) {
  return request.is_resource &&
         ((request.group.empty() && request.resource == "secrets") ||
          request.subresource == "token" || request.resource == "tokenreviews");
}

std::optional<AuditLevel> ParseLevel(std::string_view name) {
  const auto found = std::ranges::find(kLevelNames, name);
  if (found == kLevelNames.end()) return std::nullopt;
  return static_cast<AuditLevel>(found - kLevelNames.begin());
}

Result<Words> ParseWords(const Json& document, std::string_view field) {
  const Json* list = FindMember(document, field);
  Words words;
  if (list == nullptr || list->is_null()) return words;
  if (!list->is_array()) return Error::BadRequest(fmt::format("{}: expected a list", field));
  for (const Json& word : list->get_array()) {
    if (!word.is_string()) {
      return Error::BadRequest(fmt::format("{}: expected a list of strings", field));
    }
    words.emplace_back(AsView(word.get_string()));
  }
  return words;
}

}  // namespace

std::string_view AuditLevelName(AuditLevel level) {
  return kLevelNames[static_cast<size_t>(level)];
}

bool AuditPolicy::Resources::Matches(const RequestAttributes& request) const {
  if (group != request.group || !EmptyOrHas(names, request.name)) return false;
  return resources.empty() || std::ranges::any_of(resources, [&](const std::string& pattern) {
           return MatchesResource(pattern, request);
         });
}

bool AuditPolicy::Rule::Matches(const UserInfo& user, const RequestAttributes& request) const {
  if (!EmptyOrHas(users, user.name) || !EmptyOrHas(verbs, request.verb)) return false;
  const auto is_member = [&](const std::string& group) { return Has(user.groups, group); };
  if (!groups.empty() && !std::ranges::any_of(groups, is_member)) return false;
  if (!request.is_resource) {
    const auto matches = [&](const std::string& path) { return MatchesPath(path, request.path); };
    return std::ranges::any_of(paths, matches) ||
           (paths.empty() && resources.empty() && namespaces.empty());
  }
  if (!paths.empty() || !EmptyOrHas(namespaces, request.namespace_name)) return false;
  return resources.empty() ||
         std::ranges::any_of(resources, [&](const Resources& one) { return one.Matches(request); });
}

Result<AuditPolicy::Rule> AuditPolicy::ParseRule(const Json& document) {
  Rule rule;
  const std::optional<AuditLevel> level = ParseLevel(FindString(document, "level"));
  if (!level) {
    return Error::BadRequest(
        fmt::format("level: expected one of {}", fmt::join(kLevelNames, ", ")));
  }
  rule.level = *level;
  ASSIGN_OR_RETURN(rule.users, ParseWords(document, "users"));
  ASSIGN_OR_RETURN(rule.groups, ParseWords(document, "userGroups"));
  ASSIGN_OR_RETURN(rule.verbs, ParseWords(document, "verbs"));
  ASSIGN_OR_RETURN(rule.namespaces, ParseWords(document, "namespaces"));
  ASSIGN_OR_RETURN(rule.paths, ParseWords(document, "nonResourceURLs"));
  const Json* resources = FindMember(document, "resources");
  if (resources == nullptr || resources->is_null()) return rule;
  if (!resources->is_array()) return Error::BadRequest("resources: expected a list");
  for (const Json& item : resources->get_array()) {
    Resources& one = rule.resources.emplace_back();
    one.group = FindString(item, "group");
    ASSIGN_OR_RETURN(one.resources, ParseWords(item, "resources"));
    ASSIGN_OR_RETURN(one.names, ParseWords(item, "resourceNames"));
  }
  return rule;
}

Result<AuditPolicy> AuditPolicy::Parse(const Json& document) {
  if (FindString(document, "apiVersion") != "audit.k8s.io/v1" ||
      FindString(document, "kind") != "Policy") {
    return Error::BadRequest("expected apiVersion: audit.k8s.io/v1, kind: Policy");
  }
  AuditPolicy policy;
  const Json* rules = FindMember(document, "rules");
  if (rules == nullptr || !rules->is_array()) {
    return Error::BadRequest("rules: expected a list of rules");
  }
  for (const Json& item : rules->get_array()) {
    Result<Rule> rule = ParseRule(item);
    if (!rule.ok()) {
      return rule.error().WithContext(fmt::format("rules[{}]", policy.rules_.size()));
    }
    policy.rules_.push_back(std::move(*rule));
  }
  return policy;
}

AuditLevel AuditPolicy::LevelFor(const UserInfo& user, const RequestAttributes& request) const {
  const auto matches = [&](const Rule& rule) { return rule.Matches(user, request); };
  const auto rule = std::ranges::find_if(rules_, matches);
  const AuditLevel level = rule == rules_.end() ? AuditLevel::kMetadata : rule->level;
  return HasSecretBody(request) ? std::min(level, AuditLevel::kMetadata) : level;
}

}  // namespace kubexms
