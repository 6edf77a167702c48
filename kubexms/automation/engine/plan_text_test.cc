#include <fmt/format.h>
#include <gmock/gmock.h>

#include "kubexms/automation/engine/engine.h"

namespace kubexms::automation {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

PlannedStep Writes(const std::string& host, const std::string& path, const std::string& content,
                   const std::string* before = nullptr) {
  Change change{.summary = {"write " + path}};
  change.files.push_back(DiffFile(path, before, content));
  return {"etcd", "configure", "files", host, std::move(change), {}};
}

std::string Host(size_t number) { return fmt::format("node{}", number); }

std::string Lines(size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i) text += fmt::format("line {}\n", i);
  return text;
}

TEST(PlanTextTest, ShowsAChangeOfManyHostsOnce) {
  RunPlan plan{.checked = 3};
  for (size_t i = 1; i <= 3; ++i) plan.steps.push_back(Writes(Host(i), "/etc/a", "one\n"));
  EXPECT_EQ(plan.ToText(),
            "etcd/configure: files (node1, node2, node3)\n"
            "  write /etc/a\n"
            "--- /etc/a\n+++ /etc/a\n@@ -0,0 +1,1 @@\n+one\n"
            "3 of 3 steps to apply on 3 hosts\n");
}

TEST(PlanTextTest, ShowsShortDiffsThatDifferByHost) {
  RunPlan plan;
  plan.steps = {Writes("node1", "/etc/hostname", "node1\n"),
                Writes("node2", "/etc/hostname", "node2\n")};
  EXPECT_THAT(plan.ToText(),
              AllOf(HasSubstr("files (node1, node2)\n"),
                    HasSubstr("  on node1:\n--- /etc/hostname\n"), HasSubstr("+node2\n")));
}

TEST(PlanTextTest, ShowsTheSameChangeOfFilesThatDifferElsewhereOnce) {
  RunPlan plan;
  const std::string first = "127.0.0.1 node1\n", second = "127.0.0.1 node2\n";
  plan.steps = {Writes("node1", "/etc/hosts", first + "10.0.0.9 api\n", &first),
                Writes("node2", "/etc/hosts", second + "10.0.0.9 api\n", &second)};
  EXPECT_THAT(
      plan.ToText(),
      HasSubstr("files (node1, node2)\n  write /etc/hosts\n--- /etc/hosts\n"
                "+++ /etc/hosts\n@@ -1,1 +1,2 @@\n 127.0.0.1 node1\n+10.0.0.9 api\n2 of 0"));
  EXPECT_THAT(plan.ToText(RunPlan::Detail::kFull), HasSubstr(" 127.0.0.1 node2\n"));
}

TEST(PlanTextTest, ShowsAWarningOfManyHostsOnce) {
  RunPlan plan;
  plan.facts = {{"node1", {}}, {"node2", {}}};
  plan.warnings = {"nothing acts on spec.addons yet", "node1: one CPU", "node2: one CPU"};
  EXPECT_THAT(plan.ToText(), HasSubstr("warning: nothing acts on spec.addons yet\n"
                                       "warning: node1, node2: one CPU\n"));
}

TEST(PlanTextTest, SummarizesLongDiffsUnlessFull) {
  RunPlan plan;
  const std::string before = Lines(30);
  plan.steps = {Writes("node1", "/etc/long", "x\n" + Lines(60).substr(7), &before)};
  EXPECT_THAT(plan.ToText(),
              AllOf(HasSubstr("  /etc/long: 465 bytes, sha256 "), HasSubstr("…, +31 -1 lines\n")));
  const std::string created = Lines(100);
  plan.steps = {Writes("node1", "/etc/long", created)};
  EXPECT_THAT(plan.ToText(), AllOf(HasSubstr("  /etc/long: new, 790 bytes, sha256 "),
                                   HasSubstr("…, +100 -0 lines\n"), Not(HasSubstr("+line 7\n"))));
  EXPECT_THAT(plan.ToText(RunPlan::Detail::kFull), HasSubstr("+line 7\n"));
}

TEST(PlanTextTest, SummarizesCertificatesInOneLineForAllHosts) {
  RunPlan plan;
  for (size_t i = 1; i <= 3; ++i) {
    plan.steps.push_back(
        Writes(Host(i), "/etc/etcd/peer.crt",
               fmt::format("-----BEGIN CERTIFICATE-----\n{}\n-----END CERTIFICATE-----\n", i)));
  }
  EXPECT_THAT(plan.ToText(),
              AllOf(HasSubstr("  /etc/etcd/peer.crt: 56 bytes, contents differ by host\n"),
                    Not(HasSubstr("BEGIN"))));
  EXPECT_THAT(plan.ToText(RunPlan::Detail::kFull),
              AllOf(HasSubstr("  on node2:\n"), HasSubstr("+-----BEGIN CERTIFICATE-----\n+2\n")));
}

TEST(PlanTextTest, StaysShortForManyHosts) {
  RunPlan plan;
  for (size_t i = 1; i <= 500; ++i) {
    plan.steps.push_back(Writes(Host(i), "/etc/hostname", Host(i) + "\n"));
  }
  EXPECT_EQ(plan.ToText(),
            "etcd/configure: files (node1, node2, node3, node4, node5, node6, node7, node8 and 492 "
            "more)\n"
            "  write /etc/hostname\n"
            "  /etc/hostname: 6 to 8 bytes, contents differ by host\n"
            "500 of 0 steps to apply on 500 hosts\n");
}

TEST(PlanTextTest, ShowsNothingOfSecretFiles) {
  RunPlan plan;
  Change change{.summary = {"write /etc/key"}};
  change.files.push_back(DiffSecretFile("/etc/key"));
  plan.steps = {{"etcd", "configure", "files", "node1", std::move(change), {}}};
  const std::string line = "  /etc/key: secret, not shown\n";
  EXPECT_THAT(plan.ToText(), HasSubstr(line));
  EXPECT_EQ(WriteJson(plan.ToJson().at("steps").at(0).at("files")),
            R"([{"path":"/etc/key","secret":true}])");
}

}  // namespace
}  // namespace kubexms::automation
