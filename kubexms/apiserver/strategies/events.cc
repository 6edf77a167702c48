#include <fmt/format.h>

#include "kubexms/apiserver/strategies/builtin.h"
#include "kubexms/apiserver/strategies/fields.h"

namespace kubexms {
namespace {

constexpr size_t kMaxShortText = 128;
constexpr size_t kMaxNote = 1024;
constexpr std::string_view kImmutable = "field is immutable";

// Events are stored and validated as v1. Events that are written through events.k8s.io must be
// complete, and only their series can change.
class EventStrategy : public KindStrategy {
 public:
  explicit EventStrategy(bool strict)
      : KindStrategy({.allows_create_on_update = true}), strict_(strict) {}

  void Validate(const JsonObject& object, FieldErrors& errors) const override {
    const Field root(object, errors);
    ValidateNamespace(root);
    if (!root["eventTime"]) return;
    ValidateController(root["reportingComponent"].Text(), errors);
    for (std::string_view name : {"reportingInstance", "action", "reason"}) {
      const Field field = root[name];
      if (field.MustBeSet() && field.size() > kMaxShortText)
        field.Invalid(Json(""), "can have at most 128 characters");
    }
    const Field note = root["message"];
    if (note.size() > kMaxNote) note.Invalid(Json(""), "can have at most 1024 characters");
  }

  void ValidateCreate(const JsonObject& object, FieldErrors& errors) const override {
    if (!strict_) return;
    const Field root(object, errors);
    ValidateSeries(root);
    if (!root["eventTime"]) root["eventTime"].Required();
    const Field type = root["type"];
    if (type.Text() != "Normal" && type.Text() != "Warning") {
      type.Invalid(Json(""), fmt::format("has invalid value: {}", type.Text()));
    }
    for (std::string_view name : {"firstTimestamp", "lastTimestamp", "count", "source"}) {
      const Field field = root[name];
      const bool set = name == "count" ? field.Int() != 0 : !field.empty();
      if (set) field.Invalid(Json(""), "needs to be unset");
    }
  }

  void ValidateUpdate(const JsonObject& object, const JsonObject& old,
                      FieldErrors& errors) const override {
    if (!strict_) return;
    const Field root(object, errors);
    if (!SameAt(object, old, "series")) ValidateSeries(root);
    const Field before(old, errors);
    for (std::string_view name : {"involvedObject", "related"}) {
      KeepMember(
          root, before, name,
          {"kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"});
    }
    KeepMember(root, before, "source", {"component", "host"});
    for (std::string_view name : {"reason", "message", "type", "action", "reportingInstance"}) {
      const Field text = root[name];
      if (!text.SameAs(before[name])) text.Invalid(Json(text.Text()), kImmutable);
    }
    root.ImmutableMembers(before, {"firstTimestamp", "lastTimestamp", "count", "eventTime"});
    if (root["reportingComponent"].SameAs(before["reportingComponent"])) return;
    errors.push_back(
        Invalid(ControllerPath(), Json(root["reportingComponent"].Text()), kImmutable));
  }

 private:
  static void ValidateNamespace(const Field& root) {
    const Field place = root["involvedObject.namespace"];
    const std::string_view own = root["metadata.namespace"].Text();
    const bool timed = bool(root["eventTime"]);
    const bool fits = !place.empty()
                          ? timed || own == place.Text()
                          : own == "default" || (timed ? own == "kube-system" : own.empty());
    if (!fits) place.Invalid(Json(place.Text()), "does not match event.namespace");
  }

  // By the name that the field has in the form of the request.
  FieldPath ControllerPath() const {
    return FieldPath(strict_ ? "reportingController" : "reportingComponent");
  }

  void ValidateController(std::string_view name, FieldErrors& errors) const {
    const FieldPath path = ControllerPath();
    if (name.empty()) errors.push_back(Required(path));
    for (const std::string& message : ValidateQualifiedName(name)) {
      errors.push_back(Invalid(path, Json(name), message));
    }
  }

  // An error shows the object as the Go struct that it is in Kubernetes.
  static void KeepMember(const Field& root, const Field& before, std::string_view name,
                         std::initializer_list<std::string_view> members) {
    const Field member = root[name];
    if (member.SameAs(before[name])) return;
    std::string shown;
    for (std::string_view key : members) {
      fmt::format_to(std::back_inserter(shown), "{}\"{}\":{}", shown.empty() ? "" : ",",
                     GoName(key), WriteJson(Json(member[key].Text())));
    }
    member.InvalidAs("{" + shown + "}", kImmutable);
  }

  static std::string GoName(std::string_view key) {
    if (key == "uid") return "UID";
    if (key == "apiVersion") return "APIVersion";
    std::string name(key);
    name.front() = static_cast<char>(name.front() - 'a' + 'A');
    return name;
  }

  static void ValidateSeries(const Field& root) {
    const Field series = root["series"];
    if (!series) return;
    const Field count = series["count"];
    if (count.Int() < 2) count.Invalid(Json(""), "should be at least 2");
    if (const Field time = series["lastObservedTime"]; !time) time.Required();
  }

  const bool strict_;
};

class LeaseStrategy : public KindStrategy {
 public:
  LeaseStrategy() : KindStrategy({.allows_create_on_update = true}) {}

  void Validate(const JsonObject& object, FieldErrors& errors) const override {
    const Field root(object, errors);
    const Field spec = root["spec"];
    const Field seconds = spec["leaseDurationSeconds"];
    if (seconds && seconds.Int() <= 0) seconds.Invalid("must be greater than 0");
    spec["leaseTransitions"].AtLeast(0);
    if (const Field holder = spec["preferredHolder"]; holder && spec["strategy"].empty())
      holder.Forbidden("may only be specified if `strategy` is defined");
  }
};

}  // namespace

void AddEventStrategies(StrategyTable& table) {
  table.Add("", "Event", std::make_unique<EventStrategy>(/*strict=*/false));
  table.Add("events.k8s.io", "Event", std::make_unique<EventStrategy>(/*strict=*/true));
  table.Add("coordination.k8s.io", "Lease", std::make_unique<LeaseStrategy>());
}

}  // namespace kubexms
