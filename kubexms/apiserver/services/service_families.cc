#include "kubexms/apiserver/services/service_families.h"

#include <fmt/format.h>

#include <algorithm>

#include "kubexms/api/schema/field_error.h"
#include "kubexms/apiserver/resources/metadata.h"

namespace kubexms {
namespace {

constexpr std::string_view kSingle = "SingleStack";
constexpr std::string_view kPrefer = "PreferDualStack";
constexpr std::string_view kRequire = "RequireDualStack";

JsonArray ToArray(const std::vector<std::string>& texts) {
  return JsonArray(texts.begin(), texts.end());
}

std::string OtherFamily(std::string_view family) { return family == "IPv4" ? "IPv6" : "IPv4"; }

// The family fields of a Service.
class Families {
 public:
  explicit Families(const Json& service)
      : policy_(FindString(MemberOrNull(service, "spec"), "ipFamilyPolicy")),
        ips_(ServiceTexts(service, "clusterIPs")),
        names_(ServiceTexts(service, "ipFamilies")) {
    const Json* selector = FindMember(MemberOrNull(service, "spec"), "selector");
    const bool has_selector =
        selector != nullptr && selector->is_object() && !selector->get_object().empty();
    by_hand_ = !ips_.empty() && ips_.front() == "None" && !has_selector;
  }

  // A missing policy is that of the old Service, or follows from the other fields.
  void InferPolicy(const Families* old) {
    if (!policy_.empty()) return;
    if (old != nullptr) policy_ = old->policy_;
    if (policy_.empty()) policy_ = by_hand_ ? kRequire : kSingle;
  }

  // A change to SingleStack need not remove the secondary values explicitly; otherwise both remain.
  void ReleaseSecondary(const Families& old, std::vector<ErrorCause>& causes) {
    if (policy_ == kSingle) {
      if (ips_.size() == 2 && ips_ == old.ips_) ips_.resize(1);
      if (names_.size() == 2 && names_ == old.names_) names_.resize(1);
      return;
    }
    const auto reduced = [](const auto& now, const auto& before) {
      return !now.empty() && now.size() < before.size();
    };
    if (reduced(ips_, old.ips_)) {
      causes.push_back(WrongPolicy("must be 'SingleStack' to release the secondary cluster IP"));
    }
    if (reduced(names_, old.names_)) {
      causes.push_back(WrongPolicy("must be 'SingleStack' to release the secondary IP family"));
    }
  }

  // A Service with PreferDualStack keeps its families when those of the cluster change.
  bool KeepsPreferredFamilies(const Families& old) const {
    return policy_ == kPrefer && old.policy_ == kPrefer && ips_ == old.ips_ && names_ == old.names_;
  }

  void InferFamiliesFromIps(std::span<const std::string_view> available,
                            std::vector<ErrorCause>& causes) {
    if (policy_ == kSingle) {
      if (ips_.size() == 2) causes.push_back(TooManyFor("cluster IPs"));
      if (names_.size() == 2) causes.push_back(TooManyFor("IP families"));
    }
    const FieldPath path("spec.clusterIPs");
    for (size_t i = names_.size(); i < ips_.size() && ips_[i] != "None"; ++i) {
      const std::string_view name = FamilyOf(ips_[i]);
      if (std::ranges::count(available, name) > 0) {
        names_.emplace_back(name);
      } else {
        causes.push_back(Invalid(path.Index(i), ToArray(ips_),
                                 fmt::format("{} is not configured on this cluster", name)));
      }
    }
  }

  // A headless Service without a selector has manually managed endpoints and may have any family.
  bool AllowsAnyFamily() const { return by_hand_; }

  void CheckAvailable(std::span<const std::string_view> available,
                      std::vector<ErrorCause>& causes) const {
    const FieldPath path("spec.ipFamilies");
    for (size_t i = 0; i < names_.size(); ++i) {
      if (std::ranges::count(available, names_[i]) > 0) continue;
      causes.push_back(Invalid(path.Index(i), Json(names_[i]), "not configured on this cluster"));
    }
    if (policy_ == kRequire && available.size() < 2) {
      causes.push_back(Invalid(FieldPath("spec.ipFamilyPolicy"), Json(policy_),
                               "this cluster is not configured for dual-stack services"));
    }
  }

  void FillIn(std::span<const std::string_view> available) {
    if (names_.empty()) names_.emplace_back(available.front());
    const bool both = policy_ != kSingle && (by_hand_ || available.size() == 2);
    if (both && names_.size() == 1) names_.push_back(OtherFamily(names_.front()));
  }

  void WriteTo(Json& service) const {
    JsonObject& spec = ObjectMember(service.get_object(), "spec");
    spec["ipFamilyPolicy"] = policy_;
    spec["ipFamilies"] = ToArray(names_);
    if (!ips_.empty()) spec["clusterIPs"] = ToArray(ips_);
  }

 private:
  ErrorCause TooManyFor(std::string_view what) const {
    return WrongPolicy(fmt::format(
        "must be 'RequireDualStack' or 'PreferDualStack' when multiple {} are specified", what));
  }
  ErrorCause WrongPolicy(std::string_view why) const {
    return Invalid(FieldPath("spec.ipFamilyPolicy"), Json(policy_), why);
  }

  std::string policy_;  // empty: not set
  std::vector<std::string> ips_;
  std::vector<std::string> names_;
  bool by_hand_ = false;
};

}  // namespace

std::vector<std::string> ServiceTexts(const Json& service, std::string_view name) {
  std::vector<std::string> texts;
  const Json* list = FindMember(MemberOrNull(service, "spec"), name);
  if (list == nullptr || !list->is_array()) return texts;
  for (const Json& text : list->get_array()) {
    if (text.is_string()) texts.emplace_back(std::string_view(text.get_string()));
  }
  return texts;
}

std::string_view FamilyOf(std::string_view address) {
  return address.find(':') == std::string_view::npos ? "IPv4" : "IPv6";
}

Result<void> ChooseIpFamilies(Json& service, const Json* old,
                              std::span<const std::string_view> available) {
  Families families(service);
  std::vector<ErrorCause> causes;
  if (old != nullptr) {
    const Families before(*old);
    if (families.KeepsPreferredFamilies(before)) return {};
    families.InferPolicy(&before);
    families.ReleaseSecondary(before, causes);
  } else {
    families.InferPolicy(nullptr);
  }
  families.InferFamiliesFromIps(available, causes);
  if (causes.empty() && !families.AllowsAnyFamily()) families.CheckAvailable(available, causes);
  if (!causes.empty()) return Error::Invalid("Service", NameOf(service), std::move(causes));
  families.FillIn(available);
  families.WriteTo(service);
  return {};
}

}  // namespace kubexms
