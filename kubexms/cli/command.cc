#include "kubexms/cli/command.h"

#include <algorithm>
#include <sstream>

namespace kubexms {
namespace {

template <class Items>
auto FindNamed(const Items& items, std::string_view name) {
  return std::find_if(items.begin(), items.end(),
                      [&](const auto& item) { return item.name == name; });
}

}  // namespace

const Command* Command::Find(std::string_view child) const {
  const auto found = FindNamed(commands, child);
  return found == commands.end() ? nullptr : &*found;
}

Invocation::Invocation(const Command& root, const Command& command, Values given, std::ostream& out,
                       std::ostream& err)
    : root_(root), command_(command), given_(std::move(given)), out_(out), err_(err) {}

bool Invocation::Given(std::string_view name) const {
  CheckDeclared(name);
  return given_.contains(name);
}

std::string Invocation::Value(std::string_view name) const {
  if (Given(name)) return given_.find(name)->second.back();
  const auto flag = FindNamed(command_.flags, name);
  return flag == command_.flags.end() ? std::string() : flag->fallback;
}

const std::vector<std::string>& Invocation::All(std::string_view name) const {
  static const std::vector<std::string> kNone;
  return Given(name) ? given_.find(name)->second : kNone;
}

std::vector<std::string> Invocation::List(std::string_view name) const {
  std::vector<std::string> parts;
  for (const std::string& value : Given(name) ? All(name) : std::vector{Value(name)}) {
    std::istringstream stream(value);
    for (std::string part; std::getline(stream, part, ',');) parts.push_back(part);
  }
  return parts;
}

void Invocation::CheckDeclared(std::string_view name) const {
  KUBEXMS_CHECK(FindNamed(command_.flags, name) != command_.flags.end() ||
                FindNamed(command_.arguments, name) != command_.arguments.end());
}

}  // namespace kubexms
