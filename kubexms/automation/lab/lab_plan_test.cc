#include "kubexms/automation/lab/lab_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kubexms::automation {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Subnet Net(std::string_view text) { return *Subnet::Parse(text); }

LabState Planned(const LabRequest& request, const std::optional<LabState>& existing = {},
                 std::vector<Subnet> taken = {}) {
  const Result<LabState> state = PlanLab(request, existing, taken);
  EXPECT_TRUE(state.ok()) << state.error().message();
  return *state;
}

std::string Refusal(const LabRequest& request, const std::optional<LabState>& existing = {},
                    std::vector<Subnet> taken = {}) {
  const Result<LabState> state = PlanLab(request, existing, taken);
  return state.ok() ? "" : std::string(state.error().message());
}

TEST(LabPlanTest, HostsHaveNamesAndAddressesInTheirOrder) {
  const LabState lab = Planned({.name = "lab", .hosts = 2});
  EXPECT_EQ(lab.subnet.ToString(), "10.77.0.0/24");
  EXPECT_EQ(lab.bridge(), "kx-lab");
  EXPECT_EQ(lab.gateway(), "10.77.0.1");
  EXPECT_THAT(lab.hosts,
              ElementsAre(LabHost{"node1", "10.77.0.11"}, LabHost{"node2", "10.77.0.12"}));
  EXPECT_EQ(Planned({.name = "lab"}).hosts.size(), 3u);
}

TEST(LabPlanTest, RepeatedRequestChangesNothing) {
  const LabState lab = Planned({.name = "lab", .hosts = 2});
  EXPECT_EQ(Planned({.name = "lab", .hosts = 2}, lab, {lab.subnet}), lab);
  EXPECT_EQ(Planned({.name = "lab"}, lab, {lab.subnet}), lab);
  EXPECT_EQ(Planned({.name = "lab", .subnet = "10.77.0.0/24"}, lab, {lab.subnet}), lab);
}

TEST(LabPlanTest, AddsHostsAndRetainsExistingOnes) {
  const LabState three = Planned({.name = "lab", .hosts = 3, .subnet = "10.1.0.0/24"});
  LabState five = Planned({.name = "lab", .hosts = 5}, three);
  EXPECT_EQ(five.hosts[4], (LabHost{"node5", "10.1.0.15"}));
  five.hosts.resize(3);
  EXPECT_EQ(five, three);
}

TEST(LabPlanTest, ChoosesAFreeSubnet) {
  EXPECT_EQ(Planned({.name = "lab"}, {}, {Net("10.77.0.0/24"), Net("10.77.1.0/24")}).subnet,
            Net("10.77.2.0/24"));
  EXPECT_THAT(Refusal({.name = "lab"}, {}, {Net("10.77.0.0/16")}), HasSubstr("--subnet"));
}

TEST(LabPlanTest, RefusesInvalidRequests) {
  const LabState lab = Planned({.name = "lab", .hosts = 2});
  EXPECT_THAT(Refusal({.name = "lab", .subnet = "10.1.0.0/24"}, {}, {Net("10.1.0.0/16")}),
              HasSubstr("in use"));
  EXPECT_THAT(Refusal({.name = "lab", .hosts = 1}, lab), HasSubstr("has 2 hosts"));
  EXPECT_THAT(Refusal({.name = "lab", .subnet = "10.1.0.0/24"}, lab), HasSubstr("10.77.0.0/24"));
  EXPECT_THAT(Refusal({.name = "lab", .hosts = 65}), HasSubstr("at most 64"));
  EXPECT_THAT(Refusal({.name = "lab", .hosts = 5, .subnet = "10.1.0.16/28"}),
              HasSubstr("at most 4 in 10.1.0.16/28"));
  for (const char* name : {"", "images", "Lab", "a/b", "..", "-a", "a-", "thirteen-long"}) {
    EXPECT_THAT(Refusal({.name = name}), HasSubstr("is no valid name")) << name;
  }
  for (const char* subnet : {"10.1.0.0", "10.1.0.1/24", "10.1.0/24", "10.1.0.0/8", "10.1.0.0/30",
                             "10.1.0.256/24", "10.1.0.0/24x", "a.b.c.d/24", "10.1.0.0.0/24"}) {
    EXPECT_THAT(Refusal({.name = "lab", .subnet = subnet}), HasSubstr("not a network")) << subnet;
  }
}

TEST(LabPlanTest, ReadsTheWrittenState) {
  const LabState lab = Planned({.name = "lab", .hosts = 2});
  EXPECT_EQ(*ReadLabState(WriteLabState(lab)), lab);
  for (const char* text : {"", "{", "[]", R"({"name": "lab"})",
                           R"({"name": "../x", "subnet": "10.1.0.0/24", "hosts": []})",
                           R"({"name": "lab", "subnet": "10.1.0.0/24", "hosts": 1})"}) {
    EXPECT_FALSE(ReadLabState(text).ok()) << text;
  }
}

TEST(LabPlanTest, FindsTheNetworksOfTheRoutes) {
  EXPECT_THAT(NetworksIn("Iface Destination Gateway Flags RefCnt Use Metric Mask MTU Window IRTT\n"
                         "eth0 00000000 010011AC 0003 0 0 0 00000000 0 0 0\n"
                         "kx-a 00004D0A 00000000 0001 0 0 0 00FFFFFF 0 0 0\n"),
              ElementsAre(Net("10.77.0.0/24")));
}

TEST(LabPlanTest, FindsTheMirrorInBothFormatsOfSources) {
  const std::vector<std::string> sources = {
      "# deb http://comment/ bookworm main\n"
      "deb-src http://source/ bookworm main\n"
      "deb [arch=amd64 signed-by=/a] http://other/ bookworm-updates main\n",
      "Types: deb-src\nURIs: http://source/\nSuites: bookworm\n\n"
      "Types: deb\n# a comment\nURIs: http://stanza/debian http://second/\n"
      "Suites: bookworm bookworm-updates\nComponents: main\n",
      "deb [arch=amd64 signed-by=/a] http://line/debian bookworm main\n"};
  EXPECT_EQ(MirrorIn(sources, "bookworm"), "http://stanza/debian");
  EXPECT_EQ(MirrorIn(std::span(sources).subspan(2), "bookworm"), "http://line/debian");
  EXPECT_EQ(MirrorIn(sources, "trixie"), "");
}

TEST(LabPlanTest, UnmountsTheInnermostFirst) {
  const std::string mounts =
      "overlay /lab/a/root overlay rw 0 0\n"
      "proc /lab/a/root/proc proc rw 0 0\n"
      "tmpfs /lab/ab tmpfs rw 0 0\n"
      "tmpfs /lab/a\\040b tmpfs rw 0 0\n"
      "cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n";
  EXPECT_THAT(MountsBelow("/lab/a", mounts), ElementsAre("/lab/a/root/proc", "/lab/a/root"));
  EXPECT_THAT(MountsBelow("/lab/a b", mounts), ElementsAre("/lab/a b"));
  EXPECT_THAT(MountsBelow("/other", mounts), IsEmpty());
  EXPECT_THAT(CgroupHierarchies(mounts), ElementsAre("/sys/fs/cgroup"));
}

}  // namespace
}  // namespace kubexms::automation
