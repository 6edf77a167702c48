#include "kubexms/apiserver/strategies/builtin.h"
#include "kubexms/apiserver/strategies/fields.h"

namespace kubexms {
namespace {

constexpr size_t kMaxShortText = 128;
constexpr size_t kMaxNote = 1024;

// Events are stored as v1; where events.k8s.io has another name for a field, errors use that first.
class EventStrategy : public KindStrategy {
 public:
  EventStrategy() : KindStrategy({.allows_create_on_update = true}) {}

  void Validate(const JsonObject& object, FieldErrors& errors) const override {
    const Field root(object, errors);
    const bool v1 = root["apiVersion"].Text() == "v1" || root["apiVersion"].empty();
    ValidateNamespace(root, v1 ? "involvedObject.namespace" : "regarding.namespace");
    if (!root["eventTime"]) return;
    const Field controller = root[v1 ? "reportingComponent" : "reportingController"];
    if (controller.MustBeSet()) controller.Report(ValidateQualifiedName(controller.Text()));
    for (std::string_view name : {"reportingInstance", "action", "reason"}) {
      const Field field = root[name];
      if (field.MustBeSet() && field.size() > kMaxShortText)
        field.Invalid("can have at most 128 characters");
    }
    const Field note = root[v1 ? "message" : "note"];
    if (note.size() > kMaxNote) note.Invalid("can have at most 1024 characters");
    root["type"].SetAndOneOf({"Normal", "Warning"});
  }

 private:
  static void ValidateNamespace(const Field& root, std::string_view about) {
    const Field place = root[about];
    const std::string_view own = root["metadata.namespace"].Text();
    const bool timed = bool(root["eventTime"]);
    const bool fits = !place.empty()
                          ? timed || own == place.Text()
                          : own == "default" || (timed ? own == "kube-system" : own.empty());
    if (!fits) place.Invalid(Json(place.Text()), "does not match event.namespace");
  }
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
  table.Add("", "Event", std::make_unique<EventStrategy>());
  table.Add("events.k8s.io", "Event", std::make_unique<EventStrategy>());
  table.Add("coordination.k8s.io", "Lease", std::make_unique<LeaseStrategy>());
}

}  // namespace kubexms
