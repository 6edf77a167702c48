#include "kubexms/automation/engine/task_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace kubexms::automation {
namespace {

class GraphBuilder {
 public:
  GraphBuilder(const Pipeline& pipeline, const Runtime& runtime)
      : pipeline_(pipeline), runtime_(runtime) {}

  Result<std::vector<TaskNode>> Build();

 private:
  void AddCause(std::string field, std::string message) {
    causes_.push_back({"FieldValueInvalid", std::move(message), std::move(field)});
  }
  // Adds the tasks of a module, each after the tasks of the modules that it waits for.
  Result<void> AddModule(const Module& module);
  // The tasks that must finish before the module starts.
  std::vector<size_t> EntryOf(const Module& module);
  void AddTask(const std::string& module, Task task);
  void Link(size_t first, const std::vector<size_t>& entry);
  // Sorts topologically; tasks on a cycle become causes of the error.
  std::vector<TaskNode> Sort();

  const Pipeline& pipeline_;
  const Runtime& runtime_;
  std::vector<TaskNode> nodes_;
  // By module, the tasks that its successors wait for: its own, or for a module without tasks,
  // those that it waits for itself.
  std::map<std::string, std::vector<size_t>> exits_;
  std::vector<ErrorCause> causes_;
};

void GraphBuilder::AddTask(const std::string& module, Task task) {
  TaskNode node{.module = module, .task = std::move(task)};
  std::set<std::string> steps;
  for (const StepPtr& step : node.task.steps) {
    if (!steps.insert(step->name()).second) {
      AddCause(node.id(), fmt::format("duplicate step \"{}\"", step->name()));
    }
  }
  std::set<std::string> hosts;
  for (const std::string& name : node.task.hosts) {
    const Host* host = runtime_.FindHost(name);
    if (!host) AddCause(node.id(), fmt::format("unknown host \"{}\"", name));
    if (host && hosts.insert(name).second) node.hosts.push_back(host);
  }
  for (const Group& group : pipeline_.groups) {
    if (group.name == node.task.group) node.group = &group;
  }
  if (!node.task.group.empty() && !node.group) {
    AddCause(node.id(), fmt::format("unknown group \"{}\"", node.task.group));
  }
  nodes_.push_back(std::move(node));
}

void GraphBuilder::Link(size_t first, const std::vector<size_t>& entry) {
  for (size_t i = first; i < nodes_.size(); ++i) {
    TaskNode& node = nodes_[i];
    node.after = entry;
    if (!node.task.after) {
      if (i > first) node.after.push_back(i - 1);
      continue;
    }
    for (const std::string& name : *node.task.after) {
      size_t other = first;
      while (other < nodes_.size() && nodes_[other].task.name != name) ++other;
      if (other == nodes_.size())
        AddCause(node.id(), fmt::format("waits for \"{}\", which is no task of the module", name));
      else
        node.after.push_back(other);
    }
  }
}

std::vector<size_t> GraphBuilder::EntryOf(const Module& module) {
  std::set<size_t> entry;
  const std::optional<std::vector<std::string>> after = module.After();
  if (!after) {
    for (const auto& [name, tasks] : exits_) entry.insert(tasks.begin(), tasks.end());
    return {entry.begin(), entry.end()};
  }
  for (const std::string& name : *after) {
    const auto found = exits_.find(name);
    if (found == exits_.end())
      AddCause(module.name(), fmt::format("waits for \"{}\", which is no module before it", name));
    else
      entry.insert(found->second.begin(), found->second.end());
  }
  return {entry.begin(), entry.end()};
}

Result<void> GraphBuilder::AddModule(const Module& module) {
  const std::vector<size_t> entry = EntryOf(module);
  const size_t first = nodes_.size();
  if (module.IsEnabled(runtime_)) {
    Result<std::vector<Task>> tasks = module.Tasks(runtime_);
    if (!tasks.ok()) return tasks.error().WithContext(module.name());
    std::set<std::string> names;
    for (Task& task : *tasks) {
      if (!names.insert(task.name).second) {
        AddCause(module.name(), fmt::format("duplicate task \"{}\"", task.name));
      }
      AddTask(module.name(), std::move(task));
    }
    Link(first, entry);
  }
  std::vector<size_t> exits = entry;
  if (first < nodes_.size()) exits.clear();
  for (size_t i = first; i < nodes_.size(); ++i) exits.push_back(i);
  if (!exits_.emplace(module.name(), std::move(exits)).second) {
    AddCause(module.name(), "duplicate module");
  }
  return {};
}

std::vector<TaskNode> GraphBuilder::Sort() {
  std::vector<size_t> order, place(nodes_.size(), nodes_.size());
  for (bool progress = true; progress;) {
    progress = false;
    for (size_t i = 0; i < nodes_.size(); ++i) {
      const bool ready = std::all_of(nodes_[i].after.begin(), nodes_[i].after.end(),
                                     [&](size_t other) { return place[other] < nodes_.size(); });
      if (place[i] < nodes_.size() || !ready) continue;
      place[i] = order.size();
      order.push_back(i);
      progress = true;
    }
  }
  std::vector<TaskNode> sorted;
  for (const size_t i : order) {
    for (size_t& other : nodes_[i].after) other = place[other];
    sorted.push_back(std::move(nodes_[i]));
  }
  for (size_t i = 0; i < nodes_.size(); ++i) {
    if (place[i] == nodes_.size()) AddCause(nodes_[i].id(), "waits for itself");
  }
  return sorted;
}

Result<std::vector<TaskNode>> GraphBuilder::Build() {
  for (const ModulePtr& module : pipeline_.modules) {
    RETURN_IF_ERROR(AddModule(*module));
  }
  std::vector<TaskNode> sorted = Sort();
  if (!causes_.empty()) return Error::Invalid("Pipeline", pipeline_.name, std::move(causes_));
  return sorted;
}

}  // namespace

Result<std::vector<TaskNode>> BuildGraph(const Pipeline& pipeline, const Runtime& runtime) {
  return GraphBuilder(pipeline, runtime).Build();
}

}  // namespace kubexms::automation
