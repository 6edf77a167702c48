#pragma once

// How much of which request is written to the audit log.

#include <string>
#include <string_view>
#include <vector>

#include "kubexms/apiserver/request/user.h"
#include "kubexms/base/json/json.h"
#include "kubexms/base/result.h"

namespace kubexms {

enum class AuditLevel {
  kNone,             // nothing
  kMetadata,         // who, what, when and the result, without bodies
  kRequest,          // and the object that was sent
  kRequestResponse,  // and the one that was answered
};

// "None", "Metadata", "Request" or "RequestResponse".
std::string_view AuditLevelName(AuditLevel level);

// The first rule that matches a request decides; what none matches is written as kMetadata. Bodies
// with secrets in them (Secrets, tokens and their reviews) are never written, whatever a rule says.
// Immutable: any thread may use it.
class AuditPolicy {
 public:
  // No rules.
  AuditPolicy() = default;
  // A document of audit.k8s.io/v1, kind Policy. Errors name the rule and field.
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
    Words paths;  // a '*' at the end stands for anything

    bool Matches(const UserInfo& user, const RequestAttributes& request) const;
  };

  static Result<Rule> ParseRule(const Json& document);

  std::vector<Rule> rules_;
};

}  // namespace kubexms
