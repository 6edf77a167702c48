#include "kubexms/apiserver/authorization/policy_rules.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <numeric>
#include <unordered_map>

#include "kubexms/api/values/quote.h"

namespace kubexms {
namespace {

using rbacv1::PolicyRule;
using Strings = std::vector<std::string>;

constexpr std::string_view kAll = "*";

bool Has(const Strings& values, std::string_view value) {
  return std::ranges::find(values, value) != values.end();
}

bool ContainsOrAll(const Strings& values, std::string_view value) {
  return std::ranges::any_of(
      values, [&](const std::string& held) { return held == kAll || held == value; });
}

// Whether `combined` ("pods/log") is `resource`/`subresource`; avoids an allocation.
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

// "/healthz/*" covers every path that starts with "/healthz/", "*" covers every path.
bool PathCovers(std::string_view held, std::string_view path) {
  if (held == path) return true;
  return held.ends_with('*') && path.starts_with(held.substr(0, held.find_last_not_of('*') + 1));
}

bool PathsCover(const Strings& held, std::string_view path) {
  return std::ranges::any_of(held, [&](const std::string& one) { return PathCovers(one, path); });
}

// Limits of FindMissingRules(): compared strings and set members, and the size of the result.
constexpr size_t kMaxSteps = 4'000'000;
constexpr size_t kStepsForARule = 8;
constexpr size_t kMaxAnswerBytes = size_t{256} * 1024;
constexpr size_t kMaxAnswerRules = 1000;

// The dimensions of a rule. A rule for non-resource URLs uses those of groups and verbs.
enum Dimension : size_t { kGroups, kResources, kNames, kVerbs, kDimensions };
// Indices of values of a dimension, in ascending order.
using Indices = std::vector<uint32_t>;
using Box = std::array<Indices, kDimensions>;

// Counts steps up to a limit.
class Budget {
 public:
  bool Take(size_t steps) {
    left_ = steps > left_ ? 0 : left_ - steps;
    return left_ > 0;
  }
  bool spent() const { return left_ == 0; }

 private:
  size_t left_ = kMaxSteps;
};

// The distinct values of one dimension of a wanted rule, and which of them a held rule covers.
class Values {
 public:
  // Words and resources have the wildcard "*"; names do not.
  enum class Kind { kWords, kResources, kNames, kPaths };

  Values(const Strings& values, Kind kind) : kind_(kind) {
    for (const std::string& value : values) {
      if (!index_.emplace(value, values_.size()).second) continue;
      const size_t slash = value.find('/');
      if (kind == Kind::kResources && slash != std::string::npos) {
        by_subresource_[std::string_view(value).substr(slash)].push_back(
            static_cast<uint32_t>(values_.size()));
      }
      values_.push_back(&value);
    }
  }
  // The only value of a dimension that rules do not differ in, or that stands for all.
  Values() : kind_(Kind::kWords), values_{nullptr} {}

  size_t size() const { return values_.size(); }
  const std::string* operator[](size_t i) const { return values_[i]; }

  // Sets in `covered`, which has this size, the values that `held` covers. False: none.
  bool Cover(const Strings& held, std::vector<bool>& covered, Budget& budget) const {
    covered.assign(values_.size(), false);
    bool any = false;
    for (const std::string& value : held) {
      if (!budget.Take(1)) return false;
      any |= CoverBy(value, covered, budget);
    }
    return any;
  }

 private:
  bool CoverBy(std::string_view held, std::vector<bool>& covered, Budget& budget) const {
    if (kind_ == Kind::kPaths) return CoverPaths(held, covered, budget);
    if (held == kAll && kind_ != Kind::kNames) {
      budget.Take(values_.size());
      covered.assign(values_.size(), true);
      return true;
    }
    bool any = false;
    if (const auto found = index_.find(held); found != index_.end()) {
      covered[found->second] = true;
      any = true;
    }
    if (kind_ != Kind::kResources || !held.starts_with("*/")) return any;
    const auto found = by_subresource_.find(held.substr(1));
    if (found == by_subresource_.end()) return any;
    budget.Take(found->second.size());
    for (const uint32_t i : found->second) covered[i] = true;
    return true;
  }

  bool CoverPaths(std::string_view held, std::vector<bool>& covered, Budget& budget) const {
    bool any = false;
    budget.Take(values_.size());
    for (size_t i = 0; i < values_.size(); ++i) {
      if (!PathCovers(held, *values_[i])) continue;
      covered[i] = true;
      any = true;
    }
    return any;
  }

  Kind kind_;
  std::vector<const std::string*> values_;
  std::unordered_map<std::string_view, size_t> index_;
  std::unordered_map<std::string_view, Indices> by_subresource_;
};

// One wanted rule, from which held rules are subtracted.
class WantedRule {
 public:
  WantedRule(const PolicyRule& rule, bool paths) : paths_(paths) {
    values_[kGroups] = paths ? Values(rule.non_resource_urls, Values::Kind::kPaths)
                             : Values(rule.api_groups, Values::Kind::kWords);
    if (!paths) values_[kResources] = Values(rule.resources, Values::Kind::kResources);
    if (!paths && !rule.resource_names.empty()) {
      values_[kNames] = Values(rule.resource_names, Values::Kind::kNames);
      named_ = true;
    }
    values_[kVerbs] = Values(rule.verbs, Values::Kind::kWords);
    Box all;
    for (size_t d = 0; d < kDimensions; ++d) {
      all[d].resize(values_[d].size());
      std::iota(all[d].begin(), all[d].end(), 0U);
    }
    const bool grants =
        std::ranges::none_of(all, [](const Indices& indices) { return indices.empty(); });
    if (grants) missing_.push_back(std::move(all));
  }

  // Empty once everything is held.
  const std::vector<Box>& missing() const { return missing_; }
  const Values& values(Dimension dimension) const { return values_[dimension]; }
  bool paths() const { return paths_; }

  void Subtract(const PolicyRule& held, Budget& budget) {
    std::array<std::vector<bool>, kDimensions> covered;
    budget.Take(kStepsForARule);
    if (!Cover(held, covered, budget)) return;
    std::vector<Box> left;
    for (Box& box : missing_) SubtractFrom(box, covered, left, budget);
    missing_ = std::move(left);
  }

 private:
  bool Cover(const PolicyRule& held, std::array<std::vector<bool>, kDimensions>& covered,
             Budget& budget) const {
    const auto cover = [&](Dimension dimension, const Strings& by) {
      return values_[dimension].Cover(by, covered[dimension], budget);
    };
    if (!cover(kVerbs, held.verbs)) return false;
    if (!cover(kGroups, paths_ ? held.non_resource_urls : held.api_groups)) return false;
    if (paths_) {
      covered[kResources] = covered[kNames] = {true};
      return true;
    }
    if (!cover(kResources, held.resources)) return false;
    if (held.resource_names.empty()) {
      covered[kNames].assign(values_[kNames].size(), true);
      return true;
    }
    return named_ && cover(kNames, held.resource_names);
  }

  // Appends the part of the box that is not covered: the part outside in the first dimension, then,
  // of the part inside, what is outside in the second one, and so on.
  static void SubtractFrom(Box& box, const std::array<std::vector<bool>, kDimensions>& covered,
                           std::vector<Box>& left, Budget& budget) {
    Box inside;
    Box outside;
    bool apart = false;
    size_t members = 0;
    for (size_t d = 0; d < kDimensions; ++d) {
      for (const uint32_t i : box[d]) (covered[d][i] ? inside : outside)[d].push_back(i);
      apart = apart || inside[d].empty();
      members += box[d].size();
    }
    // When the budget is exhausted the box remains: permissions not proven to be held are missing.
    if (!budget.Take(members * kDimensions) || apart) {
      left.push_back(std::move(box));
      return;
    }
    for (size_t d = 0; d < kDimensions; ++d) {
      if (!outside[d].empty()) {
        left.push_back(box);
        left.back()[d] = outside[d];
      }
      box[d] = std::move(inside[d]);
    }
  }

  const bool paths_;
  bool named_ = false;
  std::array<Values, kDimensions> values_;
  std::vector<Box> missing_;
};

// Collects the missing permissions of all wanted rules, within the limits.
class MissingPieces {
 public:
  void Add(const WantedRule& wanted) {
    for (const Piece& piece : PiecesOf(wanted)) {
      if (full_) return;
      PolicyRule& rule = RuleOf(wanted, piece);
      for (const uint32_t verb : *piece.verbs) AddVerb(*wanted.values(kVerbs)[verb], rule);
    }
  }

  MissingRules Take() && { return {.rules = std::move(rules_), .truncated = full_}; }

 private:
  using Key = std::array<std::string_view, kDimensions>;

  struct Piece {
    std::array<uint32_t, 3> at;  // group, resource and name
    const Indices* verbs;
  };

  // In the order of the rule's own lists; truncated at the limit.
  static std::vector<Piece> PiecesOf(const WantedRule& wanted) {
    std::vector<Piece> pieces;
    const auto add = [&pieces](const Box& box) {
      for (const uint32_t group : box[kGroups]) {
        for (const uint32_t resource : box[kResources]) {
          for (const uint32_t name : box[kNames]) {
            if (pieces.size() > kMaxAnswerRules) return;
            pieces.push_back({{group, resource, name}, &box[kVerbs]});
          }
        }
      }
    };
    for (const Box& box : wanted.missing()) add(box);
    std::ranges::sort(pieces, {}, &Piece::at);
    return pieces;
  }

  PolicyRule& RuleOf(const WantedRule& wanted, const Piece& piece) {
    const std::string& first = *wanted.values(kGroups)[piece.at[0]];
    const std::string* second = wanted.values(kResources)[piece.at[1]];
    const std::string* third = wanted.values(kNames)[piece.at[2]];
    Key key{first, {}, {}, wanted.paths() ? "path" : "all"};
    if (second != nullptr) key[1] = *second;
    if (third != nullptr) {
      key[2] = *third;
      key[3] = "name";
    }
    const auto [found, added] = index_.emplace(key, rules_.size());
    if (!added) return rules_[found->second];
    PolicyRule& rule = rules_.emplace_back();
    Charge(key[0].size() + key[1].size() + key[2].size() + sizeof(PolicyRule));
    if (wanted.paths()) {
      rule.non_resource_urls = {first};
    } else {
      rule.api_groups = {first};
      rule.resources = {*second};
      if (third != nullptr) rule.resource_names = {*third};
    }
    full_ = full_ || rules_.size() >= kMaxAnswerRules;
    return rule;
  }

  void AddVerb(const std::string& verb, PolicyRule& rule) {
    if (rule.verbs.size() >= kMaxVerbs) {
      full_ = true;
      return;
    }
    if (Has(rule.verbs, verb)) return;
    rule.verbs.push_back(verb);
    Charge(verb.size() + sizeof(verb));
  }

  void Charge(size_t bytes) {
    bytes_ += bytes;
    full_ = full_ || bytes_ > kMaxAnswerBytes;
  }

  static constexpr size_t kMaxVerbs = 256;

  PolicyRules rules_;
  std::map<Key, size_t> index_;
  size_t bytes_ = 0;
  bool full_ = false;
};

void AppendField(std::string_view name, const Strings& values, std::string& out) {
  if (values.empty()) return;
  if (out.size() > 1) out += ", ";
  out.append(name).append(":").append(DescribeList(values));
}

}  // namespace

bool RuleAllows(const PolicyRule& rule, const RequestAttributes& request) {
  if (!ContainsOrAll(rule.verbs, request.verb)) return false;
  if (!request.is_resource) return PathsCover(rule.non_resource_urls, request.path);
  if (!ContainsOrAll(rule.api_groups, request.group)) return false;
  if (!rule.resource_names.empty() && !Has(rule.resource_names, request.name)) return false;
  return std::ranges::any_of(rule.resources, [&](const std::string& resource) {
    return ResourceMatches(resource, request);
  });
}

MissingRules FindMissingRules(std::span<const PolicyRule* const> held,
                              std::span<const PolicyRule> wanted) {
  Budget budget;
  MissingPieces pieces;
  for (const PolicyRule& rule : wanted) {
    for (const bool paths : {false, true}) {
      WantedRule one(rule, paths);
      for (size_t i = 0; i < held.size() && !one.missing().empty() && !budget.spent(); ++i) {
        one.Subtract(*held[i], budget);
      }
      pieces.Add(one);
    }
  }
  MissingRules missing = std::move(pieces).Take();
  missing.truncated = missing.truncated || (budget.spent() && !missing.rules.empty());
  return missing;
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
