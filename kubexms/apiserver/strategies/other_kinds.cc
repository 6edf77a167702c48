#include <fmt/format.h>

#include "kubexms/apiserver/strategies/builtin.h"
#include "kubexms/apiserver/strategies/fields.h"

// Kinds with few rules beyond their schema.

namespace kubexms {
namespace {

// The status is empty on creation.
class StatusStrategy : public ImmutableFieldsStrategy {
 public:
  StatusStrategy(bool counts_generations, std::vector<std::string_view> fixed = {})
      : ImmutableFieldsStrategy({.has_status = true,
                                 .counts_generations = counts_generations,
                                 .status_retains_metadata = true},
                                std::move(fixed)) {}

  void PrepareForCreate(JsonObject& object) const override { object["status"] = JsonObject(); }
};

class ApiServiceStrategy : public StatusStrategy {
 public:
  ApiServiceStrategy() : StatusStrategy(false) {}

  void Validate(const JsonObject& object, FieldErrors& errors) const override {
    const Field root(object, errors);
    const Field spec = root["spec"];
    const Field version = spec["version"];
    const std::string wanted =
        std::string(version.Text()) + "." + std::string(spec["group"].Text());
    const Field name = root["metadata.name"];
    if (!name.empty() && name.Text() != wanted)
      name.Invalid("must be `spec.version+\".\"+spec.group`: \"" + wanted + "\"");
    for (const std::string& problem : ValidateDns1035Label(version.Text()))
      version.Invalid(Json(version.Text()), problem);
    for (const auto& [member, maximum] :
         {std::pair<std::string_view, int64_t>{"groupPriorityMinimum", 20000},
          {"versionPriority", 1000}}) {
      const Field priority = spec[member];
      if (priority.Int() <= 0 || priority.Int() > maximum)
        priority.Invalid(Json(priority.Int()),
                         fmt::format("must be positive and less than {}", maximum));
    }
    ValidateService(spec);
  }

 private:
  static void ValidateService(const Field& spec) {
    const Field service = spec["service"];
    const Field bundle = spec["caBundle"];
    const Field insecure = spec["insecureSkipTLSVerify"];
    if (!service) {
      if (!bundle.empty())
        bundle.Invalid(Json(std::to_string(bundle.size())),
                       "local APIServices may not have a caBundle");
      if (insecure.IsTrue())
        insecure.Invalid("local APIServices may not have insecureSkipTLSVerify");
      return;
    }
    service["namespace"].MustBeSet();
    service["name"].MustBeSet();
    if (const Field port = service["port"]) port.Report(ValidatePortNumber(port.Int()));
    if (insecure.IsTrue() && !bundle.empty())
      insecure.Invalid("may not be true if caBundle is present");
  }
};

}  // namespace

void AddOtherStrategies(StrategyTable& table) {
  table.Add("apiregistration.k8s.io", "APIService", std::make_unique<ApiServiceStrategy>());
}

}  // namespace kubexms
