#include "kubexms/cluster/modules/dynamic_module.h"

namespace kubexms::cluster {
namespace {

class DynamicModule final : public automation::Module {
 public:
  DynamicModule(std::string name, TaskFactory tasks)
      : name_(std::move(name)), tasks_(std::move(tasks)) {}
  const std::string& name() const override { return name_; }
  Result<std::vector<automation::Task>> Tasks(const automation::Runtime& runtime) const override {
    return tasks_(runtime);
  }

 private:
  const std::string name_;
  const TaskFactory tasks_;
};

}  // namespace

automation::ModulePtr MakeDynamicModule(std::string name, TaskFactory tasks) {
  return std::make_shared<DynamicModule>(std::move(name), std::move(tasks));
}

}  // namespace kubexms::cluster
