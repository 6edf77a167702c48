#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "kubexms/api/crd/crd_schema.h"
#include "kubexms/api/schema/field_error.h"
#include "kubexms/api/values/quote.h"
#include "kubexms/apiserver/strategies/builtin.h"
#include "kubexms/apiserver/strategies/definition_parts.h"
#include "kubexms/apiserver/strategies/fields.h"
#include "kubexms/base/json/json_members.h"
#include "kubexms/base/text/lower_case.h"

// The rules of CustomResourceDefinitions.

namespace kubexms {
namespace {

const FieldPath kSpec("spec");
constexpr std::string_view kApproval = "api-approved.kubernetes.io";

void AddAll(const Messages& messages, const FieldPath& path, std::string_view value,
            FieldErrors& errors) {
  for (const std::string& message : messages) errors.push_back(Invalid(path, Json(value), message));
}

// The error about an absent list, which kube-apiserver shows as null.
ErrorCause InvalidNull(const FieldPath& path, std::string_view detail) {
  ErrorCause cause = Invalid(path, Json(0), detail);
  cause.message = fmt::format("Invalid value: null: {}", detail);
  return cause;
}

bool IsEstablished(const Json& definition) {
  return std::ranges::any_of(MemberItems(MemberOrNull(definition, "status"), "conditions"),
                             [](const Json& condition) {
                               return FindString(condition, "type") == "Established" &&
                                      FindString(condition, "status") == "True";
                             });
}

// Validates the definition itself; ParseCrdSchema validates its schemas.
class DefinitionRules {
 public:
  DefinitionRules(const Json& definition, FieldErrors& errors)
      : definition_(definition), spec_(MemberOrNull(definition, "spec")), errors_(errors) {}

  // In the order of kube-apiserver.
  void Check() {
    CheckName();
    CheckGroup();
    CheckScope();
    CheckVersions();
    CheckNames();
    CheckVersionedField("schema", "validation", &DefinitionRules::CheckSchema);
    CheckVersionedField("subresources", "subresources", &DefinitionRules::CheckScalePaths);
    CheckVersionedField("additionalPrinterColumns", "additionalPrinterColumns",
                        &DefinitionRules::CheckColumnsOf);
    CheckSelectable();
    CheckConversion(MemberOrNull(spec_, "conversion"), kSpec.Child("conversion"), errors_);
    CheckStoredVersions();
    CheckApproval();
  }

 private:
  void CheckScope() {
    const FieldPath path = kSpec.Child("scope");
    const std::string_view scope = FindString(spec_, "scope");
    if (scope.empty()) {
      errors_.push_back(Required(path));
    } else if (scope != "Cluster" && scope != "Namespaced") {
      errors_.push_back(NotSupported(path, Json(scope), {"Cluster", "Namespaced"}));
    }
    const FieldPath preserve = kSpec.Child("preserveUnknownFields");
    if (IsMemberTrue(spec_, "preserveUnknownFields")) {
      errors_.push_back(Invalid(preserve, Json(true),
                                "cannot set to true, set x-kubernetes-preserve-unknown-fields to "
                                "true in spec.versions[*].schema instead"));
    }
  }

  // The groups of Kubernetes require the approval annotation.
  void CheckApproval() {
    const std::string_view group = FindString(spec_, "group");
    const bool guarded = group == "k8s.io" || group == "kubernetes.io" ||
                         group.ends_with(".k8s.io") || group.ends_with(".kubernetes.io");
    const Json* annotations = FindMember(MemberOrNull(definition_, "metadata"), "annotations");
    const bool approved = annotations != nullptr && !FindString(*annotations, kApproval).empty();
    if (!guarded || approved) return;
    const FieldPath metadata("metadata");
    const FieldPath annotations_path = metadata.Child("annotations");
    errors_.push_back(
        Required(annotations_path.Key(kApproval),
                 "protected groups must have approval annotation \"api-approved.kubernetes.io\", "
                 "see https://github.com/kubernetes/enhancements/pull/1111"));
  }

  // Objects may be stored in any of these versions.
  void CheckStoredVersions() {
    const FieldPath status("status");
    const FieldPath path = status.Child("storedVersions");
    const JsonArray& stored = MemberItems(MemberOrNull(definition_, "status"), "storedVersions");
    const JsonArray& versions = MemberItems(spec_, "versions");
    if (stored.empty())
      errors_.push_back(InvalidNull(path, "must have at least one stored version"));
    for (size_t i = 0; i < stored.size(); ++i) {
      const std::string_view name = AsView(stored[i].as_string());
      const bool known = std::ranges::any_of(
          versions, [&](const Json& version) { return FindString(version, "name") == name; });
      if (known) continue;
      errors_.push_back(
          Invalid(path.Index(i), stored[i],
                  fmt::format("missing from spec.versions; {0} was previously a storage version, "
                              "and must remain in spec.versions until a storage migration ensures "
                              "no data remains persisted in {0} and removes {0} from "
                              "status.storedVersions",
                              name)));
    }
  }

  // Short names and categories.
  void CheckShortNamesAndCategories(const Json& names, const FieldPath& names_path) {
    for (const std::string_view key : {"shortNames", "categories"}) {
      const FieldPath path = names_path.Child(key);
      const JsonArray& items = MemberItems(names, key);
      for (size_t i = 0; i < items.size(); ++i) {
        const std::string_view name = items[i].is_string() ? AsView(items[i].get_string()) : "";
        AddAll(ValidateDns1035Label(name), path.Index(i), name, errors_);
      }
    }
    const std::string_view list_kind = FindString(names, "listKind");
    if (!list_kind.empty() && list_kind == FindString(names, "kind")) {
      errors_.push_back(Invalid(names_path.Child("listKind"), Json(list_kind),
                                "kind and listKind may not be the same"));
    }
  }

  // Whether the field is the same in all versions. There is at least one version.
  bool IsCommon(std::string_view key) const {
    const JsonArray& versions = MemberItems(spec_, "versions");
    const Json& first = MemberOrNull(versions.front(), key);
    return std::ranges::all_of(
        versions, [&](const Json& version) { return MemberOrNull(version, key) == first; });
  }

  // A field that every version has. If it is the same in all of them, errors name it once, by its
  // name in apiextensions.k8s.io/v1beta1, where it was common to all versions.
  void CheckVersionedField(std::string_view key, std::string_view common_name,
                           void (DefinitionRules::*check)(const Json& part,
                                                          const FieldPath& path)) {
    const JsonArray& versions = MemberItems(spec_, "versions");
    if (versions.empty()) return;
    if (IsCommon(key)) {
      return (this->*check)(MemberOrNull(versions.front(), key), kSpec.Child(common_name));
    }
    const FieldPath versions_path = kSpec.Child("versions");
    for (size_t i = 0; i < versions.size(); ++i) {
      const FieldPath path = versions_path.Index(i);
      (this->*check)(MemberOrNull(versions[i], key), path.Child(key));
    }
  }

  // The paths of the scale subresource.
  void CheckScalePaths(const Json& subresources, const FieldPath& path) {
    const Json& scale = MemberOrNull(subresources, "scale");
    if (scale.is_null()) return;
    const FieldPath scale_path = path.Child("scale");
    const auto check = [&](std::string_view key, std::string_view above) {
      const FieldPath at = scale_path.Child(key);
      const std::string_view text = FindString(scale, key);
      if (text.empty()) {
        errors_.push_back(Required(at));
      } else if (!text.starts_with(fmt::format("{}.", above))) {
        errors_.push_back(
            Invalid(at, Json(text), fmt::format("should be a json path under {}", above)));
      }
    };
    check("specReplicasPath", ".spec");
    check("statusReplicasPath", ".status");
    const std::string_view selector = FindString(scale, "labelSelectorPath");
    if (!selector.empty() && !selector.starts_with(".status.") && !selector.starts_with(".spec.")) {
      errors_.push_back(Invalid(scale_path.Child("labelSelectorPath"), Json(selector),
                                selector.starts_with('.')
                                    ? "should be a json path under .status or .spec"
                                    : "must be a simple json path starting with ."));
    }
  }

  void CheckName() {
    const std::string wanted = fmt::format(
        "{}.{}", FindString(MemberOrNull(spec_, "names"), "plural"), FindString(spec_, "group"));
    if (DefinitionName() == wanted) return;
    const FieldPath metadata("metadata");
    errors_.push_back(Invalid(metadata.Child("name"), Json(DefinitionName()),
                              "must be spec.names.plural+\".\"+spec.group"));
  }

  void CheckGroup() {
    const std::string_view group = FindString(spec_, "group");
    const FieldPath path = kSpec.Child("group");
    if (group.empty()) return errors_.push_back(Required(path));
    const Messages wrong = ValidateDns1123Subdomain(group);
    AddAll(wrong, path, group, errors_);
    if (wrong.empty() && group.find('.') == std::string_view::npos) {
      errors_.push_back(Invalid(path, Json(group), "should be a domain with at least one dot"));
    }
  }

  void CheckNames() {
    const Json& names = MemberOrNull(spec_, "names");
    const FieldPath names_path = kSpec.Child("names");
    for (const std::string_view key : {"plural", "singular", "kind", "listKind"}) {
      if (FindString(names, key).empty()) errors_.push_back(Required(names_path.Child(key)));
    }
    for (const std::string_view key : {"plural", "singular", "kind", "listKind"}) {
      const std::string_view name = FindString(names, key);
      if (name.empty()) continue;
      const FieldPath path = names_path.Child(key);
      const bool mixed_case = key == "kind" || key == "listKind";
      for (const std::string& message :
           ValidateDns1035Label(mixed_case ? LowerCase(name) : std::string(name))) {
        errors_.push_back(Invalid(
            path, Json(name),
            (mixed_case ? "may have mixed case, but should otherwise match: " : "") + message));
      }
    }
    CheckShortNamesAndCategories(names, names_path);
  }

  void CheckVersions() {
    const FieldPath versions_path = kSpec.Child("versions");
    const JsonArray& versions = MemberItems(spec_, "versions");
    std::set<std::string_view> names;
    int storage_versions = 0;
    for (size_t i = 0; i < versions.size(); ++i) {
      const FieldPath path = versions_path.Index(i);
      const FieldPath name_path = path.Child("name");
      const std::string_view name = FindString(versions[i], "name");
      AddAll(ValidateDns1035Label(name), name_path, name, errors_);
      names.insert(name);
      if (IsMemberTrue(versions[i], "storage")) ++storage_versions;
      CheckDeprecationWarning(versions[i], path, errors_);
      RequireSchema(versions[i], path);
    }
    if (names.size() != versions.size()) {
      errors_.push_back(Invalid(versions_path, MemberOrNull(spec_, "versions"),
                                "must contain unique version names"));
    }
    if (storage_versions != 1) {
      constexpr std::string_view kOne = "must have exactly one version marked as storage version";
      errors_.push_back(versions.empty()
                            ? InvalidNull(versions_path, kOne)
                            : Invalid(versions_path, MemberOrNull(spec_, "versions"), kOne));
    }
  }

  void RequireSchema(const Json& version, const FieldPath& path) {
    if (!MemberOrNull(MemberOrNull(version, "schema"), "openAPIV3Schema").is_null()) return;
    const FieldPath schema_path = path.Child("schema");
    errors_.push_back(Required(schema_path.Child("openAPIV3Schema"), ""));
  }

  void CheckSchema(const Json& validation, const FieldPath& path) {
    const Json& schema = MemberOrNull(validation, "openAPIV3Schema");
    if (schema.is_null()) return;
    const FieldPath schema_path = path.Child("openAPIV3Schema");
    const CrdSchema parsed = ParseCrdSchema(schema, schema_path);
    errors_.insert(errors_.end(), parsed.errors.begin(), parsed.errors.end());
  }

  void CheckColumnsOf(const Json& columns, const FieldPath& path) {
    CheckColumns(columns, path, errors_);
  }

  // As in kube-apiserver, selectable fields that are the same in all versions need a schema that is
  // the same in all versions, and others a schema that is not.
  void CheckSelectable() {
    const JsonArray& versions = MemberItems(spec_, "versions");
    if (versions.empty()) return;
    const bool common_schema = IsCommon("schema");
    if (IsCommon("selectableFields")) {
      CheckFields(versions.front(), common_schema,
                  "may only be set when validations.schema is included",
                  kSpec.Child("selectableFields"));
      return;
    }
    const FieldPath versions_path = kSpec.Child("versions");
    for (size_t i = 0; i < versions.size(); ++i) {
      const FieldPath path = versions_path.Index(i);
      CheckFields(versions[i], !common_schema,
                  "may only be set when `version.schema.openAPIV3Schema` is not included",
                  path.Child("selectableFields"));
    }
  }

  void CheckFields(const Json& version, bool has_schema, std::string_view without_schema,
                   const FieldPath& path) {
    const JsonArray& fields = MemberItems(version, "selectableFields");
    if (fields.empty()) return;
    const Json& schema = MemberOrNull(MemberOrNull(version, "schema"), "openAPIV3Schema");
    if (has_schema) return CheckSelectableFields(fields, schema, path, errors_);
    errors_.push_back(Invalid(path, Json(""), without_schema));
  }

  std::string_view DefinitionName() const {
    return FindString(MemberOrNull(definition_, "metadata"), "name");
  }

  const Json& definition_;
  const Json& spec_;
  FieldErrors& errors_;
};

const Json kNoJson;

// A new definition has no conditions: the server adds them.
Json InitialStatus(const JsonObject& definition) {
  JsonArray stored;
  const Json* spec = definition.if_contains("spec");
  if (spec == nullptr) spec = &kNoJson;
  for (const Json& version : MemberItems(*spec, "versions")) {
    if (IsMemberTrue(version, "storage")) stored.emplace_back(FindString(version, "name"));
  }
  return JsonObject{{"acceptedNames", JsonObject{{"kind", ""}, {"plural", ""}}},
                    {"conditions", JsonArray()},
                    {"storedVersions", std::move(stored)}};
}

// Whether objects may need conversion by a webhook; with one version they never do.
bool NeedsConversion(const Json& definition) {
  const Json& spec = MemberOrNull(definition, "spec");
  if (FindString(MemberOrNull(spec, "conversion"), "strategy") != "Webhook") return false;
  return std::ranges::count_if(MemberItems(spec, "versions"), [](const Json& version) {
           return IsMemberTrue(version, "served") || IsMemberTrue(version, "storage");
         }) > 1;
}

void RefuseConversion(FieldErrors& errors) {
  const FieldPath conversion = kSpec.Child("conversion");
  errors.push_back(Forbidden(conversion.Child("strategy"),
                             "this server does not call conversion webhooks; serve and store one "
                             "version, or use the strategy None"));
}

class DefinitionStrategy final : public Strategy {
 public:
  void SetDefaults(JsonObject& definition) const override {
    Json* spec = definition.if_contains("spec");
    if (spec == nullptr || !spec->is_object()) return;
    JsonObject& object = spec->get_object();
    if (!object.contains("conversion")) object["conversion"] = JsonObject{{"strategy", "None"}};
    Json* names = object.if_contains("names");
    if (names == nullptr || !names->is_object()) return;
    const std::string kind(FindString(*names, "kind"));
    if (FindString(*names, "singular").empty()) names->get_object()["singular"] = LowerCase(kind);
    if (FindString(*names, "listKind").empty() && !kind.empty()) {
      names->get_object()["listKind"] = kind + "List";
    }
  }

  void PrepareForCreate(JsonObject& definition) const override {
    definition["status"] = InitialStatus(definition);
  }

  // A new storage version is added to status.storedVersions.
  void PrepareForUpdate(JsonObject& definition, const JsonObject&) const override {
    Json& status = definition["status"];
    if (!status.is_object()) status = InitialStatus(definition);
    Json& stored = status.get_object()["storedVersions"];
    if (!stored.is_array()) stored.emplace_array();
    for (const Json& version : MemberItems(definition["spec"], "versions")) {
      const Json name(FindString(version, "name"));
      if (!IsMemberTrue(version, "storage")) continue;
      if (std::ranges::count(stored.get_array(), name) == 0) stored.get_array().push_back(name);
    }
  }

  void Validate(const JsonObject& definition, FieldErrors& errors) const override {
    DefinitionRules(Json(definition), errors).Check();
  }

  void ValidateCreate(const JsonObject& definition, FieldErrors& errors) const override {
    if (NeedsConversion(Json(definition))) RefuseConversion(errors);
  }

  void ValidateUpdate(const JsonObject& definition, const JsonObject& old,
                      FieldErrors& errors) const override {
    const Json before(old);
    if (NeedsConversion(Json(definition)) && !NeedsConversion(before)) RefuseConversion(errors);
    if (!IsEstablished(before)) return;
    const Json now(definition);
    const auto check = [&](const Json& from, const Json& to, std::string_view key,
                           const FieldPath& parent) {
      const FieldPath path = parent.Child(key);
      if (!JsonEqual(MemberOrNull(from, key), MemberOrNull(to, key))) {
        errors.push_back(Invalid(path, MemberOrNull(to, key), "field is immutable"));
      }
    };
    const Json& old_spec = MemberOrNull(before, "spec");
    const Json& spec = MemberOrNull(now, "spec");
    const FieldPath names = kSpec.Child("names");
    check(old_spec, spec, "scope", kSpec);
    check(old_spec, spec, "group", kSpec);
    check(MemberOrNull(old_spec, "names"), MemberOrNull(spec, "names"), "kind", names);
    check(MemberOrNull(old_spec, "names"), MemberOrNull(spec, "names"), "plural", names);
  }

  bool CountsGenerations() const override { return true; }
  bool HasStatus() const override { return true; }
  const FieldSet& FieldsResetByStatus() const override { return SpecAndMetadataFields(); }

  // The definition is removed after the objects that it defines.
  void PrepareForDelete(JsonObject& definition) const override {
    JsonObject& metadata = EnsureObject(definition, "metadata");
    if (metadata.contains("deletionTimestamp")) return;
    Json& finalizers = metadata["finalizers"];
    if (!finalizers.is_array()) finalizers.emplace_array();
    const Json cleanup(kCustomResourceCleanup);
    if (std::ranges::count(finalizers.get_array(), cleanup) == 0) {
      finalizers.get_array().push_back(cleanup);
    }
  }
  bool CountsDeletions() const override { return false; }
};

}  // namespace

void AddCustomResourceDefinitionStrategies(StrategyTable& table) {
  table.Add("apiextensions.k8s.io", "CustomResourceDefinition",
            std::make_unique<DefinitionStrategy>());
}

}  // namespace kubexms
