#include "kubexms/apiserver/strategies/builtin.h"
#include "kubexms/apiserver/strategies/fields.h"

namespace kubexms {
namespace {

constexpr std::string_view kGroup = "rbac.authorization.k8s.io";
constexpr KindTraits kTraits{.allows_create_on_update = true,
                             .validate_name = ValidatePathSegmentName};

void ValidateRule(const Field& rule, bool namespaced) {
  rule["verbs"].MustBeSet("verbs must contain at least one value");
  const Field urls = rule["nonResourceURLs"];
  if (!urls.empty()) {
    if (namespaced) urls.Invalid("namespaced rules cannot apply to non-resource URLs");
    if (!rule["apiGroups"].empty() || !rule["resources"].empty() || !rule["resourceNames"].empty())
      urls.Invalid("rules cannot apply to both regular resources and non-resource URLs");
    return;
  }
  rule["apiGroups"].MustBeSet("resource rules must supply at least one api group");
  rule["resources"].MustBeSet("resource rules must supply at least one resource");
}

class RoleStrategy : public KindStrategy {
 public:
  explicit RoleStrategy(bool namespaced) : KindStrategy(kTraits), namespaced_(namespaced) {}

  void Validate(const JsonObject& object, FieldErrors& errors) const override {
    const Field root(object, errors);
    const Field rules = root["rules"];
    for (const Field& rule : rules.Items()) ValidateRule(rule, namespaced_);
    const Field aggregation = root["aggregationRule"];
    if (!aggregation) return;
    const Field selectors = aggregation["clusterRoleSelectors"];
    selectors.MustBeSet("at least one clusterRoleSelector required if aggregationRule is non-nil");
    for (const Field& selector : selectors.Items()) ValidateLabelSelector(selector);
  }

 private:
  const bool namespaced_;
};

class BindingStrategy : public KindStrategy {
 public:
  explicit BindingStrategy(bool namespaced) : KindStrategy(kTraits), namespaced_(namespaced) {}

  void SetDefaults(JsonObject& binding) const override {
    if (JsonObject* role = FindObject(binding, "roleRef")) {
      if (TextAt(*role, "apiGroup").empty()) (*role)["apiGroup"] = kGroup;
    }
    ForEachObject(binding, "subjects", [](JsonObject& subject) {
      const std::string_view kind = TextAt(subject, "kind");
      if ((kind == "User" || kind == "Group") && TextAt(subject, "apiGroup").empty())
        subject["apiGroup"] = kGroup;
    });
  }

  void Validate(const JsonObject& object, FieldErrors& errors) const override {
    const Field root(object, errors);
    const Field role = root["roleRef"];
    role["apiGroup"].OneOf({kGroup});
    if (namespaced_) {
      role["kind"].SetAndOneOf({"Role", "ClusterRole"});
    } else {
      role["kind"].SetAndOneOf({"ClusterRole"});
    }
    const Field name = role["name"];
    if (name.MustBeSet()) name.Report(ValidatePathSegmentName(name.Text()));
    const Field subjects = root["subjects"];
    for (const Field& subject : subjects.Items()) ValidateSubject(subject);
  }

  void ValidateUpdate(const JsonObject& object, const JsonObject& old_object,
                      FieldErrors& errors) const override {
    if (SameAt(object, old_object, "roleRef")) return;
    const Field root(object, errors);
    const Field role = root["roleRef"];
    // Kubernetes shows the field names of its Go type.
    role.Invalid(JsonObject{{"APIGroup", role["apiGroup"].Text()},
                            {"Kind", role["kind"].Text()},
                            {"Name", role["name"].Text()}},
                 "cannot change roleRef");
  }

 private:
  void ValidateSubject(const Field& subject) const {
    const Field name = subject["name"];
    name.MustBeSet();
    const Field kind = subject["kind"];
    const Field group = subject["apiGroup"];
    if (kind.Text() == "ServiceAccount") {
      if (!name.empty()) name.MustBeSubdomain();
      if (!group.empty()) group.NotSupported({""});
      if (!namespaced_) subject["namespace"].MustBeSet();
    } else if (kind.Text() == "User" || kind.Text() == "Group") {
      group.SetAndOneOf({kGroup});
    } else {
      kind.NotSupported({"ServiceAccount", "User", "Group"});
    }
  }

  const bool namespaced_;
};

}  // namespace

void AddRbacStrategies(StrategyTable& table) {
  table.Add(kGroup, "Role", std::make_unique<RoleStrategy>(true));
  table.Add(kGroup, "ClusterRole", std::make_unique<RoleStrategy>(false));
  table.Add(kGroup, "RoleBinding", std::make_unique<BindingStrategy>(true));
  table.Add(kGroup, "ClusterRoleBinding", std::make_unique<BindingStrategy>(false));
}

}  // namespace kubexms
