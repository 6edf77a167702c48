#pragma once

// The policy of the API audit log: which HTTP requests are logged, at which level.

#include <string>
#include <string_view>
#include <vector>

#include "kubexms/apiserver/request/user.h"
#include "kubexms/base/json/json.h"
#include "kubexms/base/result.h"

namespace kubexms {

enum class AuditLevel {
  kNone,             // nothing
  kMetadata,         // user, attributes, time and response code, without bodies
  kRequest,          // also the object in the request body
  kRequestResponse,  // also the object in the response
};

// "None", "Metadata", "Request" or "RequestResponse".
std::string_view AuditLevelName(AuditLevel level);

// The first matching rule determines the level; without a match it is kMetadata. Bodies with
// secrets (Secrets, tokens and token reviews) are never logged, regardless of the rules. Immutable:
// any thread may use it.
class AuditPolicy {
 public:
  // No rules.
  AuditPolicy() = default;
  // Parses a Policy of audit.k8s.io/v1. Errors name the rule and the field.
  static Result<AuditPolicy> Parse(const Json& document);

  AuditLevel LevelFor(const UserInfo& user, const RequestAttributes& request) const;

 private:
  using Words = std::vector<std::string>;
  struct Resources {
    std::string group;
    Words resources;  // "pods", "pods/log", "pods/*", "*/status", "*"; empty: all of the group
    Words names;      // empty: all

    bool Matches(const RequestAttributes& request) const;
  };
  // Empty lists match everything.
  struct Rule {
    AuditLevel level = AuditLevel::kMetadata;
    Words users;
    Words groups;
    Words verbs;
    Words namespaces;
    std::vector<Resources> resources;
    Words paths;  // a trailing '*' matches any suffix

    bool Matches(const UserInfo& user, const RequestAttributes& request) const;
  };

  static Result<Rule> ParseRule(const Json& document);

  std::vector<Rule> rules_;
};

}  // namespace kubexms
