#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kubexms/apiserver/strategies/builtin.h"
#include "kubexms/apiserver/strategies/fields.h"

namespace kubexms {
namespace {

constexpr int64_t kMaxPrecedence = 10000;
constexpr int64_t kMaxQueues = 10 * 1000 * 1000;
// Of the hash that assigns queues to a flow.
constexpr int kMaxHashBits = 60;

bool HasWildcard(const Field& texts) {
  for (const Field& text : texts.Items()) {
    if (text.Text() == "*") return true;
  }
  return false;
}

void ValidateAloneWildcard(const Field& texts, std::string_view what) {
  if (texts.size() > 1 && HasWildcard(texts))
    texts.Invalid(fmt::format("if '*' is present, must not specify other {}", what));
}

void ValidateVerbs(const Field& verbs) {
  static constexpr std::string_view kVerbs[] = {
      "create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch"};
  if (!verbs.MustBeSet("verbs must contain at least one value")) return;
  if (HasWildcard(verbs)) return ValidateAloneWildcard(verbs, "verbs");
  for (const Field& verb : verbs.Items()) {
    if (std::find(std::begin(kVerbs), std::end(kVerbs), verb.Text()) != std::end(kVerbs)) continue;
    return verbs.NotSupported({"create", "delete", "deletecollection", "get", "list", "patch",
                               "proxy", "update", "watch"});
  }
}

void ValidateUrl(const Field& url) {
  const std::string_view text = url.Text();
  if (text.empty()) return url.Invalid("must not be empty");
  if (text == "/") return;
  if (!text.starts_with('/')) return url.Invalid("must start with slash");
  if (text.find(' ') != std::string_view::npos) return url.Invalid("must not contain white-space");
  if (text.find("//") != std::string_view::npos)
    return url.Invalid("must not contain double slash");
  const size_t star = text.find('*');
  if (star != std::string_view::npos && (star != text.size() - 1 || text[star - 1] != '/'))
    url.Invalid("wildcard can only do suffix matching");
}

void ValidateNonResourceRule(const Field& rule) {
  ValidateVerbs(rule["verbs"]);
  const Field urls = rule["nonResourceURLs"];
  if (!urls.MustBeSet("nonResourceURLs must contain at least one value")) return;
  if (HasWildcard(urls)) return ValidateAloneWildcard(urls, "non-resource URLs");
  for (const Field& url : urls.Items()) ValidateUrl(url);
}

void ValidateResourceRule(const Field& rule) {
  ValidateVerbs(rule["verbs"]);
  const Field groups = rule["apiGroups"];
  if (groups.MustBeSet("resource rules must supply at least one api group"))
    ValidateAloneWildcard(groups, "api groups");
  const Field resources = rule["resources"];
  if (resources.MustBeSet("resource rules must supply at least one resource"))
    ValidateAloneWildcard(resources, "resources");
  const Field namespaces = rule["namespaces"];
  if (namespaces.empty() && !rule["clusterScope"].IsTrue())
    return namespaces.Required(
        "resource rules that are not cluster scoped must supply at least one namespace");
  if (HasWildcard(namespaces)) return ValidateAloneWildcard(namespaces, "namespaces");
  for (const Field& name : namespaces.Items()) {
    for (const std::string& problem : ValidateDns1123Label(name.Text()))
      name.Invalid("each member of this list must be '*' or a DNS-1123 label; " + problem);
  }
}

// A kind of subject and the member that identifies it.
struct SubjectKind {
  std::string_view kind;
  std::string_view member;
};
constexpr SubjectKind kSubjectKinds[] = {
    {"Group", "group"}, {"ServiceAccount", "serviceAccount"}, {"User", "user"}};

void ValidateServiceAccount(const Field& account) {
  const Field name = account["name"];
  if (name.MustBeSet() && name.Text() != "*") name.MustBeSubdomain();
  const Field in = account["namespace"];
  if (in.MustBeSet("must specify namespace for service account")) in.MustBeLabel();
}

void ValidateSubject(const Field& subject) {
  const Field kind = subject["kind"];
  bool known = false;
  for (const SubjectKind& one : kSubjectKinds) {
    if (kind.Text() != one.kind) continue;
    known = true;
    const Field member = subject[one.member];
    if (!member) {
      member.Required(
          fmt::format("{} is required when subject kind is '{}'", one.member, one.kind));
    } else if (one.kind == "ServiceAccount") {
      ValidateServiceAccount(member);
    } else {
      member["name"].MustBeSet();
    }
  }
  if (!known) return kind.NotSupported({"Group", "ServiceAccount", "User"});
  for (std::string_view name : {"serviceAccount", "user", "group"}) {
    for (const SubjectKind& one : kSubjectKinds) {
      if (one.member != name || one.kind == kind.Text() || !subject[name]) continue;
      subject[name].Forbidden(
          fmt::format("{} is forbidden when subject kind is not '{}'", name, one.kind));
    }
  }
}

void ValidateRule(const Field& rule) {
  const Field subjects = rule["subjects"];
  subjects.MustBeSet("subjects must contain at least one value");
  for (const Field& subject : subjects.Items()) ValidateSubject(subject);
  const Field resource_rules = rule["resourceRules"];
  const Field other_rules = rule["nonResourceRules"];
  if (resource_rules.empty() && other_rules.empty())
    rule.Required("at least one of resourceRules and nonResourceRules has to be non-empty");
  for (const Field& one : resource_rules.Items()) ValidateResourceRule(one);
  for (const Field& one : other_rules.Items()) ValidateNonResourceRule(one);
}

void ValidateConditions(const Field& root) {
  const Field conditions = root["status.conditions"];
  UniqueTexts types;
  for (const Field& condition : conditions.Items()) {
    types.Add(condition["type"]);
    condition["type"].MustBeSet();
  }
}

// The status is empty on creation.
class FlowControlStrategy : public KindStrategy {
 public:
  FlowControlStrategy()
      : KindStrategy(
            {.has_status = true, .counts_generations = true, .status_retains_metadata = true}) {}

  void PrepareForCreate(JsonObject& object) const override { object["status"] = JsonObject(); }
  void ValidateStatusUpdate(const JsonObject& object, const JsonObject&,
                            FieldErrors& errors) const override {
    ValidateConditions(Field(object, errors));
  }
};

class FlowSchemaStrategy : public FlowControlStrategy {
 public:
  void Validate(const JsonObject& object, FieldErrors& errors) const override {
    const Field root(object, errors);
    const Field spec = root["spec"];
    const Field precedence = spec["matchingPrecedence"];
    const int64_t number = precedence.Int();
    if (number <= 0) precedence.Invalid(Json(number), "must be a positive value");
    if (number > kMaxPrecedence)
      precedence.Invalid(fmt::format("must not be greater than {}", kMaxPrecedence));
    if (number == 1 && root["metadata.name"].Text() != "exempt")
      precedence.Invalid("only the schema named 'exempt' may have matchingPrecedence 1");
    const Field method = spec["distinguisherMethod"];
    const Field type = method["type"];
    if (method && type.Text() != "ByNamespace" && type.Text() != "ByUser")
      Field(method.value(), type.path(), errors)
          .NotSupportedAs(fmt::format("{{\"Type\":{}}}", WriteJson(Json(type.Text()))),
                          {"ByNamespace", "ByUser"});
    const Field level = spec["priorityLevelConfiguration.name"];
    if (level.MustBeSet("must reference a priority level")) level.MustBeSubdomain();
    const Field rules = spec["rules"];
    for (const Field& rule : rules.Items()) ValidateRule(rule);
  }
};

// How many bits of a hash are needed to deal a hand from a deck.
int RequiredEntropyBits(int64_t deck, int64_t hand) {
  return static_cast<int>(
      std::ceil(std::log2(static_cast<double>(deck)) * static_cast<double>(hand)));
}

void ValidateQueuing(const Field& queuing) {
  const Field length = queuing["queueLengthLimit"];
  if (length.Int() <= 0) length.Invalid(Json(length.Int()), "must be positive");
  const Field queues = queuing["queues"];
  if (queues.Int() <= 0) {
    queues.Invalid(Json(queues.Int()), "must be positive");
  } else if (queues.Int() > kMaxQueues) {
    queues.Invalid(fmt::format("must not be greater than {}", kMaxQueues));
  }
  const Field hand = queuing["handSize"];
  if (hand.Int() <= 0) {
    hand.Invalid(Json(hand.Int()), "must be positive");
  } else if (hand.Int() > queues.Int()) {
    hand.Invalid(fmt::format("should not be greater than queues ({})", queues.Int()));
  } else if (RequiredEntropyBits(queues.Int(), hand.Int()) > kMaxHashBits) {
    hand.Invalid(fmt::format(
        "required entropy bits of deckSize {} and handSize {} should not be greater than {}",
        queues.Int(), hand.Int(), kMaxHashBits));
  }
}

void ValidateShares(const Field& level) {
  const Field shares = level["nominalConcurrencyShares"];
  if (shares.Int() < 0) shares.Invalid("must be a non-negative integer");
}

void ValidateLendablePercent(const Field& level) {
  const Field lendable = level["lendablePercent"];
  if (lendable.Int() < 0 || lendable.Int() > 100)
    lendable.Invalid("must be between 0 and 100, inclusive");
}

void ValidateLimited(const Field& limited) {
  ValidateShares(limited);
  const Field response = limited["limitResponse"];
  const Field type = response["type"];
  const Field queuing = response["queuing"];
  if (type.Text() == "Reject") {
    if (queuing) queuing.Forbidden("must be nil if limited.limitResponse.type is not Limited");
  } else if (type.Text() == "Queue") {
    if (!queuing) {
      queuing.Required("must not be empty if limited.limitResponse.type is Limited");
    } else {
      ValidateQueuing(queuing);
    }
  } else {
    type.NotSupported({"Queue", "Reject"});
  }
  ValidateLendablePercent(limited);
  const Field borrowing = limited["borrowingLimitPercent"];
  if (borrowing.Int() < 0) borrowing.Invalid("if specified, must be a non-negative integer");
}

class PriorityLevelStrategy : public FlowControlStrategy {
 public:
  void Validate(const JsonObject& object, FieldErrors& errors) const override {
    const Field root(object, errors);
    const Field spec = root["spec"];
    const Field type = spec["type"];
    const Field limited = spec["limited"];
    const Field exempt = spec["exempt"];
    const bool is_exempt = type.Text() == "Exempt";
    if (is_exempt != (root["metadata.name"].Text() == "exempt"))
      type.Invalid("must be 'Exempt' if and only if `name` is 'exempt'");
    if (is_exempt) {
      if (limited) limited.Forbidden("must be nil if the type is not Limited");
      ValidateShares(exempt);
      ValidateLendablePercent(exempt);
    } else if (type.Text() == "Limited") {
      if (exempt) exempt.Forbidden("must be nil if the type is Limited");
      if (!limited) return limited.Required("must not be empty when type is Limited");
      ValidateLimited(limited);
    } else {
      type.NotSupported({"Exempt", "Limited"});
    }
  }
};

}  // namespace

void AddFlowControlStrategies(StrategyTable& table) {
  constexpr std::string_view kGroup = "flowcontrol.apiserver.k8s.io";
  table.Add(kGroup, "FlowSchema", std::make_unique<FlowSchemaStrategy>());
  table.Add(kGroup, "PriorityLevelConfiguration", std::make_unique<PriorityLevelStrategy>());
}

}  // namespace kubexms
