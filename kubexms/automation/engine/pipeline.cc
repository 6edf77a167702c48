#include "kubexms/automation/engine/pipeline.h"

#include <algorithm>

namespace kubexms::automation {
namespace {

class ListModule final : public Module {
 public:
  using Names = std::optional<std::vector<std::string>>;

  ListModule(std::string name, std::vector<Task> tasks, Names after)
      : name_(std::move(name)), tasks_(std::move(tasks)), after_(std::move(after)) {}
  const std::string& name() const override { return name_; }
  Names After() const override { return after_; }
  Result<std::vector<Task>> Tasks(const Runtime&) const override { return tasks_; }

 private:
  const std::string name_;
  const std::vector<Task> tasks_;
  const Names after_;
};

}  // namespace

Group Quorum(std::string name, std::vector<std::string> hosts) {
  const int spare = (static_cast<int>(hosts.size()) - 1) / 2;
  return {std::move(name), std::move(hosts), std::max(1, spare)};
}

ModulePtr MakeModule(std::string name, std::vector<Task> tasks,
                     std::optional<std::vector<std::string>> after) {
  return std::make_shared<ListModule>(std::move(name), std::move(tasks), std::move(after));
}

}  // namespace kubexms::automation
