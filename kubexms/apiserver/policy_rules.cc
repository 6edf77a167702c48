#include "kubexms/apiserver/policy_rules.h"

#include <algorithm>

#include "kubexms/api/quote.h"

namespace kubexms {
namespace {

using rbacv1::PolicyRule;
using Strings = std::vector<std::string>;

constexpr std::string_view kAll = "*";

bool Has(const Strings& values, std::string_view value) {
  return std::ranges::find(values, value) != values.end();
}

bool HasOrAll(const Strings& values, std::string_view value) {
  return std::ranges::any_of(
      values, [&](const std::string& held) { return held == kAll || held == value; });
}

// Whether "pods/log" is `resource` and `subresource`, without putting them together.
bool IsSubresource(std::string_view combined, std::string_view resource,
                   std::string_view subresource) {
  return combined.size() == resource.size() + 1 + subresource.size() &&
         combined.starts_with(resource) && combined[resource.size()] == '/' &&
         combined.ends_with(subresource);
}

bool ResourceMatches(std::string_view held, const RequestAttributes& request) {
  if (held == kAll) return true;
  if (request.subresource.empty()) return held == request.resource;
  return IsSubresource(held, request.resource, request.subresource) ||
         IsSubresource(held, kAll, request.subresource);
}

// "/healthz/*" covers every path that begins with "/healthz/", and "*" every path.
bool PathCovers(std::string_view held, std::string_view path) {
  if (held == path) return true;
  return held.ends_with('*') && path.starts_with(held.substr(0, held.find_last_not_of('*') + 1));
}

bool PathsCover(const Strings& held, std::string_view path) {
  return std::ranges::any_of(held, [&](const std::string& one) { return PathCovers(one, path); });
}

bool ResourcesCover(const Strings& held, std::string_view wanted) {
  if (HasOrAll(held, wanted)) return true;
  const size_t slash = wanted.find('/');
  return slash != std::string_view::npos && Has(held, "*" + std::string(wanted.substr(slash)));
}

// One verb on one resource of one group, perhaps of one name; or one verb on one path.
struct Piece {
  std::string_view verb;
  std::string_view group;
  std::string_view resource;
  const std::string* name = nullptr;
  const std::string* path = nullptr;

  bool SameButVerb(const Piece& other) const {
    const bool same_name =
        name == nullptr || other.name == nullptr ? name == other.name : *name == *other.name;
    return path == nullptr && other.path == nullptr && group == other.group &&
           resource == other.resource && same_name;
  }
};

bool Covers(const PolicyRule& held, const Piece& piece) {
  if (!HasOrAll(held.verbs, piece.verb)) return false;
  if (piece.path != nullptr) return PathsCover(held.non_resource_urls, *piece.path);
  if (!HasOrAll(held.api_groups, piece.group) || !ResourcesCover(held.resources, piece.resource)) {
    return false;
  }
  if (held.resource_names.empty()) return true;
  return piece.name != nullptr && Has(held.resource_names, *piece.name);
}

void AppendResourcePieces(const PolicyRule& rule, std::vector<Piece>& pieces) {
  for (const std::string& group : rule.api_groups) {
    for (const std::string& resource : rule.resources) {
      for (const std::string& verb : rule.verbs) {
        Piece piece{.verb = verb, .group = group, .resource = resource};
        if (rule.resource_names.empty()) pieces.push_back(piece);
        for (const std::string& name : rule.resource_names) {
          piece.name = &name;
          pieces.push_back(piece);
        }
      }
    }
  }
}

std::vector<Piece> BreakDown(std::span<const PolicyRule> rules) {
  std::vector<Piece> pieces;
  for (const PolicyRule& rule : rules) {
    AppendResourcePieces(rule, pieces);
    for (const std::string& path : rule.non_resource_urls) {
      for (const std::string& verb : rule.verbs) pieces.push_back({.verb = verb, .path = &path});
    }
  }
  return pieces;
}

PolicyRule RuleOf(const Piece& piece) {
  PolicyRule rule;
  rule.verbs = {std::string(piece.verb)};
  if (piece.path != nullptr) {
    rule.non_resource_urls = {*piece.path};
    return rule;
  }
  rule.api_groups = {std::string(piece.group)};
  rule.resources = {std::string(piece.resource)};
  if (piece.name != nullptr) rule.resource_names = {*piece.name};
  return rule;
}

void AppendField(std::string_view name, const Strings& values, std::string& out) {
  if (values.empty()) return;
  if (out.size() > 1) out += ", ";
  out.append(name).append(":").append(DescribeList(values));
}

}  // namespace

bool RuleAllows(const PolicyRule& rule, const RequestAttributes& request) {
  if (!HasOrAll(rule.verbs, request.verb)) return false;
  if (!request.is_resource) return PathsCover(rule.non_resource_urls, request.path);
  if (!HasOrAll(rule.api_groups, request.group)) return false;
  if (!rule.resource_names.empty() && !Has(rule.resource_names, request.name)) return false;
  return std::ranges::any_of(rule.resources, [&](const std::string& resource) {
    return ResourceMatches(resource, request);
  });
}

PolicyRules MissingRules(std::span<const PolicyRule> held, std::span<const PolicyRule> wanted) {
  std::vector<Piece> missing;  // beside `rules`: the piece that each was made of
  PolicyRules rules;
  for (const Piece& piece : BreakDown(wanted)) {
    const auto covers = [&](const PolicyRule& rule) { return Covers(rule, piece); };
    if (std::ranges::any_of(held, covers)) continue;
    const auto same =
        std::ranges::find_if(missing, [&](const Piece& other) { return other.SameButVerb(piece); });
    if (same == missing.end()) {
      missing.push_back(piece);
      rules.push_back(RuleOf(piece));
      continue;
    }
    Strings& verbs = rules[static_cast<size_t>(same - missing.begin())].verbs;
    if (!Has(verbs, piece.verb)) verbs.emplace_back(piece.verb);
  }
  return rules;
}

std::string DescribeRule(const PolicyRule& rule) {
  std::string text = "{";
  AppendField("APIGroups", rule.api_groups, text);
  AppendField("Resources", rule.resources, text);
  AppendField("NonResourceURLs", rule.non_resource_urls, text);
  AppendField("ResourceNames", rule.resource_names, text);
  AppendField("Verbs", rule.verbs, text);
  return text + "}";
}

std::string DescribeList(std::span<const std::string> values) {
  std::string text = "[";
  for (const std::string& value : values) {
    if (text.size() > 1) text += ' ';
    text += Quoted(value);
  }
  return text + "]";
}

}  // namespace kubexms
