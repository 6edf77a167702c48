// Compares the tables of docs/ with the code: commands and flags, built-in controllers, modules of
// a cluster, settings of managers, metrics. docs/commands.md is generated: run docs_test with
// KUBEXMS_UPDATE_DOCS=1 to write the page.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "kubexms/api/schema/schema.h"
#include "kubexms/api/schema/type.h"
#include "kubexms/builtin/builtin_controllers.h"
#include "kubexms/cli/commands.h"
#include "kubexms/cli/help.h"
#include "kubexms/cluster/modules/identities.h"
#include "kubexms/controller/manager/manager_configuration.h"

namespace kubexms {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAreArray;
using ::testing::IsEmpty;
using ::testing::Not;

const fs::path kSource = KUBEXMS_SOURCE_DIR;

std::string ReadText(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// All words in backquotes.
std::vector<std::string> QuotedWords(const std::string& text) {
  std::vector<std::string> words;
  const std::regex quoted("`([^`]+)`");
  for (std::sregex_iterator it(text.begin(), text.end(), quoted), end; it != end; ++it) {
    words.push_back((*it)[1]);
  }
  return words;
}

// The first cells of all table rows below the heading `heading`, without the backquotes. Rows of
// the head and rules are left out.
std::vector<std::string> FirstCells(const std::string& page, const std::string& heading) {
  std::vector<std::string> cells;
  bool inside = false;
  bool in_body = false;
  for (const std::string& line : Lines(ReadText(kSource / "docs" / page))) {
    if (line.starts_with("#")) inside = line == heading;
    if (!inside || !line.starts_with("|")) {
      in_body = false;
      continue;
    }
    if (line.starts_with("|---")) {
      in_body = true;
    } else if (in_body) {
      std::string cell = line.substr(1, line.find('|', 1) - 1);
      std::erase_if(cell, [](char c) { return c == '`' || c == ' '; });
      cells.push_back(cell);
    }
  }
  return cells;
}

void AppendHelp(const Command& command, const std::string& path, std::string& page) {
  if (command.hidden) return;
  page += "\n## " + path + "\n\n```text\n" + FormatHelp(command, path) + "```\n";
  for (const Command& child : command.commands) AppendHelp(child, path + " " + child.name, page);
}

std::string CommandReference() {
  std::string page =
      "# Commands\n"
      "\n"
      "Every command with its flags, as `--help` prints them. This page is generated:\n"
      "`tests/docs/docs_test.cc` says how to update it. Exit codes: 0 success, 1 failure, 2 wrong\n"
      "usage (or, for `kubexms diff`, hosts differ), 3 some hosts failed.\n";
  AppendHelp(RootCommand(), "kubexms", page);
  return page;
}

// The paths of all fields, "leaderElection.enabled"; the values of a map have the key `key`.
void CollectFields(const Schema& schema, const std::string& path, const std::string& key,
                   std::set<std::string>& fields) {
  const Schema& resolved = schema.Resolve();
  if (resolved.IsMap()) {
    CollectFields(*resolved.additional_properties, path + "." + key, key, fields);
  } else if (resolved.properties.empty()) {
    fields.insert(path);
  }
  for (const auto& property : resolved.properties) {
    CollectFields(*property.schema, path.empty() ? property.name : path + "." + property.name, key,
                  fields);
  }
}

// The names of the metrics that the sources register: string literals with the prefix of a family,
// in files that add a family.
std::set<std::string> MetricsInSources() {
  const std::regex adds("Add(Counter|Gauge|Histogram)\\(");
  const std::regex name(
      "\"((apiserver|controller|garbagecollector|informer|leader_election|rest_client|scheduler|"
      "workqueue)_[a-z_]+)\"");
  const std::regex named("\\.name = \"([a-z_]+_(total|seconds|bytes))\"");
  std::set<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(kSource / "kubexms")) {
    const std::string file = entry.path().filename();
    if (!file.ends_with(".cc") || file.ends_with("_test.cc") || file == "metrics.cc") continue;
    const std::string text = ReadText(entry.path());
    if (!std::regex_search(text, adds)) continue;
    for (const std::regex& pattern : {name, named}) {
      for (std::sregex_iterator it(text.begin(), text.end(), pattern), end; it != end; ++it) {
        names.insert((*it)[1]);
      }
    }
  }
  return names;
}

TEST(DocsTest, CommandReferenceEqualsHelp) {
  const fs::path path = kSource / "docs/commands.md";
  const std::string expected = CommandReference();
  if (std::getenv("KUBEXMS_UPDATE_DOCS") != nullptr) std::ofstream(path) << expected;
  EXPECT_EQ(Lines(ReadText(path)), Lines(expected))
      << "docs/commands.md is outdated: run docs_test with KUBEXMS_UPDATE_DOCS=1";
}

TEST(DocsTest, BuiltinControllersAreListed) {
  std::vector<std::string> names;
  for (const BuiltinController& controller : BuiltinControllers()) {
    names.emplace_back(controller.name);
  }
  EXPECT_THAT(FirstCells("builtin.md", "## The controllers"), ElementsAreArray(names));
}

TEST(DocsTest, ClusterModulesAreListedInOrder) {
  std::vector<std::string> names;
  for (int id = 0; id <= static_cast<int>(cluster::ModuleId::kHa); ++id) {
    names.push_back(ModuleName(static_cast<cluster::ModuleId>(id)));
  }
  EXPECT_THAT(FirstCells("clusters.md", "## Modules"), ElementsAreArray(names));
}

TEST(DocsTest, ManagerSettingsAreListed) {
  std::set<std::string> fields;
  CollectFields(SchemaOf<ManagerConfiguration>(), "", "hello", fields);
  const std::vector<std::string> listed = FirstCells("controllers.md", "## Settings");
  EXPECT_EQ(std::set<std::string>(listed.begin(), listed.end()), fields);
}

TEST(DocsTest, MetricsAreListed) {
  const std::set<std::string> registered = MetricsInSources();
  std::set<std::string> listed;
  for (const std::string& line : Lines(ReadText(kSource / "docs/metrics.md"))) {
    if (!line.starts_with("| `")) continue;
    listed.insert(QuotedWords(line).front());
  }
  EXPECT_THAT(registered, Not(IsEmpty()));
  EXPECT_EQ(listed, registered);
}

}  // namespace
}  // namespace kubexms
