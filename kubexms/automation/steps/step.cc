#include "kubexms/automation/steps/step.h"

#include <fmt/format.h>

#include "kubexms/automation/hosts/checksum.h"

namespace kubexms::automation {
namespace {

class EnsureStep final : public NamedStep {
 public:
  using Resources = std::function<Result<std::vector<HostResource>>(const StepContext&)>;

  EnsureStep(std::string name, Resources resources)
      : NamedStep(std::move(name)), resources_(std::move(resources)) {}

  Result<std::vector<Operation>> ListQueries(const StepContext& context) const override {
    ASSIGN_OR_RETURN(const std::vector<HostResource> resources, resources_(context));
    return QueriesFor(resources);
  }
  Result<Change> Plan(const StepContext& context, const Facts& facts) const override {
    ASSIGN_OR_RETURN(const std::vector<HostResource> resources, resources_(context));
    return PlanFor(resources, facts, context.backup_directory);
  }

 private:
  const Resources resources_;
};

class ScriptStep final : public NamedStep {
 public:
  explicit ScriptStep(ScriptOptions options)
      : NamedStep(options.name), options_(std::move(options)) {}

  Result<std::vector<Operation>> ListQueries(const StepContext&) const override {
    return std::vector<Operation>{Probe{options_.done_when}};
  }
  Result<Change> Plan(const StepContext&, const Facts& facts) const override {
    Change change;
    if (facts.Get(Probe{options_.done_when}).exit_code == 0) return change;
    const RunScript run{options_.script};
    change.summary = {Describe(run)};
    if (!options_.survives) change.operations = {run};
    if (!options_.undo.empty()) change.undo = {RunScript{options_.undo}};
    return change;
  }
  bool HasAction() const override { return options_.survives; }
  Result<void> RunAction(const StepContext& context, Runner& runner, const Change&) const override {
    const std::string sum = Sha256Of(options_.name + "\n" + options_.script).substr(0, 16);
    const std::string id = fmt::format("{}-{}", context.run, sum);
    ASSIGN_OR_RETURN(const CommandResult result,
                     runner.RunJob(id, options_.script, options_.timeout));
    RETURN_IF_ERROR(runner.RemoveJob(id));
    if (!result.ok()) return CommandFailed(Describe(RunScript{options_.script}), result);
    return {};
  }

 private:
  const ScriptOptions options_;
};

class RequireStep final : public NamedStep {
 public:
  using Check = std::function<Result<void>(const StepContext&, const Facts&)>;

  RequireStep(std::string name, std::vector<Operation> queries, Check check)
      : NamedStep(std::move(name)), queries_(std::move(queries)), check_(std::move(check)) {}

  Result<std::vector<Operation>> ListQueries(const StepContext&) const override { return queries_; }
  Result<Change> Plan(const StepContext& context, const Facts& facts) const override {
    const Result<void> checked = check_(context, facts);
    if (!checked.ok()) return Terminal(checked.error());
    return Change();
  }

 private:
  const std::vector<Operation> queries_;
  const Check check_;
};

class WarnStep final : public NamedStep {
 public:
  using Warnings = std::function<std::vector<std::string>(const StepContext&, const Facts&)>;

  WarnStep(std::string name, std::vector<Operation> queries, Warnings warnings)
      : NamedStep(std::move(name)), queries_(std::move(queries)), warnings_(std::move(warnings)) {}

  Result<std::vector<Operation>> ListQueries(const StepContext&) const override { return queries_; }
  Result<Change> Plan(const StepContext& context, const Facts& facts) const override {
    return Change{.warnings = warnings_(context, facts)};
  }

 private:
  const std::vector<Operation> queries_;
  const Warnings warnings_;
};

}  // namespace

StepPtr Ensure(std::string name, std::vector<HostResource> resources) {
  return Ensure(std::move(name), [resources = std::move(resources)](const StepContext&) {
    return Result<std::vector<HostResource>>(resources);
  });
}

StepPtr Ensure(std::string name,
               std::function<Result<std::vector<HostResource>>(const StepContext&)> resources) {
  return std::make_shared<EnsureStep>(std::move(name), std::move(resources));
}

StepPtr Script(ScriptOptions options) { return std::make_shared<ScriptStep>(std::move(options)); }

StepPtr Warn(std::string name, std::vector<Operation> queries,
             std::function<std::vector<std::string>(const StepContext&, const Facts&)> warnings) {
  return std::make_shared<WarnStep>(std::move(name), std::move(queries), std::move(warnings));
}

StepPtr Require(std::string name, std::vector<Operation> queries,
                std::function<Result<void>(const StepContext&, const Facts&)> check) {
  return std::make_shared<RequireStep>(std::move(name), std::move(queries), std::move(check));
}

}  // namespace kubexms::automation
