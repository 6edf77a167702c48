#include "kubexms/cluster/modules/surveyed_module.h"

namespace kubexms::cluster {
namespace {

class SurveyedModule final : public automation::Module {
 public:
  SurveyedModule(std::string name, SurveyTasks tasks)
      : name_(std::move(name)), tasks_(std::move(tasks)) {}
  const std::string& name() const override { return name_; }
  Result<std::vector<automation::Task>> Tasks(const automation::Runtime& runtime) const override {
    return tasks_(runtime);
  }

 private:
  const std::string name_;
  const SurveyTasks tasks_;
};

}  // namespace

automation::ModulePtr MakeSurveyedModule(std::string name, SurveyTasks tasks) {
  return std::make_shared<SurveyedModule>(std::move(name), std::move(tasks));
}

}  // namespace kubexms::cluster
