#include "kubexms/apiserver/services/service_addresses.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <thread>

#include "kubexms/apiserver/services/service_families.h"
#include "kubexms/apiserver/write/written_objects_test.h"

namespace kubexms {
namespace {

constexpr std::string_view kPort = R"("ports":[{"port":80}])";

class ServiceAddressesTest : public WrittenObjects {
 protected:
  // 14 addresses and 8 ports.
  explicit ServiceAddressesTest(const std::string& ranges = "10.0.0.0/28")
      : WrittenObjects(
            {.cluster_ip_range = ranges, .first_node_port = 30000, .last_node_port = 30007}) {}

  Result<Json> MakeService(const std::string& name, std::string_view more = "") {
    return Create("", "services",
                  R"({"metadata":{"name":")" + name + R"("},"spec":{)" + std::string(kPort) +
                      std::string(more) + "}}");
  }

  static std::string Ip(const Json& service) {
    return std::string(FindString(*FindMember(service, "spec"), "clusterIP"));
  }
  static int64_t Port(const Json& service) {
    return FindMember(*FindMember(service, "spec"), "ports")->at(0).at("nodePort").get_int64();
  }
};

TEST_F(ServiceAddressesTest, AllocatesDistinctAddresses) {
  std::set<std::string> ips;
  for (int i = 0; i < 14; ++i) {
    const Result<Json> service = MakeService("s" + std::to_string(i));
    ASSERT_TRUE(service.ok()) << service.error().message();
    EXPECT_TRUE(ips.insert(Ip(*service)).second) << Ip(*service);
  }
  EXPECT_EQ(MakeService("one-too-many").error().code(), 500);
}

TEST_F(ServiceAddressesTest, ReleasesTheAddressesOfADeletedService) {
  const Json first = MakeService("a", R"(,"type":"NodePort","clusterIP":"10.0.0.5")").value();
  EXPECT_TRUE(MakeService("b", R"(,"clusterIP":"10.0.0.5")").error().IsInvalid());
  ASSERT_TRUE(Delete("", "services", "a")->completed);
  EXPECT_EQ(Ip(MakeService("b", R"(,"clusterIP":"10.0.0.5")").value()), "10.0.0.5");
}

TEST_F(ServiceAddressesTest, RefusesAddressesOutsideTheRange) {
  EXPECT_TRUE(MakeService("a", R"(,"clusterIP":"10.1.0.1")").error().IsInvalid());
  const Error port = Create("", "services",
                            R"({"metadata":{"name":"a"},"spec":{"type":"NodePort","ports":)"
                            R"([{"port":80,"nodePort":80}]}})")
                         .error();
  EXPECT_EQ(port.details().causes.at(0).message,
            "Invalid value: 80: provided port is not in the valid range. The range of valid ports "
            "is 30000-30007");
}

TEST_F(ServiceAddressesTest, NeverAllocatesANodePortTwiceConcurrently) {
  constexpr int kServices = 8;
  std::vector<Result<Json>> created(kServices, Error::Internal("not created"));
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < kServices; ++i) {
      threads.emplace_back([&, i] {
        created[static_cast<size_t>(i)] =
            MakeService("s" + std::to_string(i), R"(,"type":"NodePort")");
      });
    }
  }
  std::set<int64_t> ports;
  for (const Result<Json>& service : created) {
    ASSERT_TRUE(service.ok()) << service.error().message();
    EXPECT_TRUE(ports.insert(Port(*service)).second) << Port(*service);
  }
}

TEST_F(ServiceAddressesTest, ReleasesNodePortsWhenTheTypeChanges) {
  const Json service = MakeService("a", R"(,"type":"NodePort")").value();
  const Result<Written> written = Update("", "services", "a", [](Json& document) {
    document.get_object()["spec"].get_object()["type"] = "ClusterIP";
  });
  ASSERT_TRUE(written.ok()) << written.error().message();
  const Json changed = ParseJson(written->object).value();
  EXPECT_EQ(Ip(changed), Ip(service));
  const std::string key = StoragePrefix("kubexms.io", "nodeports") + std::to_string(Port(service));
  EXPECT_EQ(store_->Get(key).value(), nullptr);
}

TEST_F(ServiceAddressesTest, AllocatesNothingForHeadlessAndExternalServices) {
  EXPECT_EQ(Ip(MakeService("a", R"(,"clusterIP":"None")").value()), "None");
  const Json external = Create("", "services",
                               R"({"metadata":{"name":"b"},"spec":{"type":"ExternalName",)"
                               R"("externalName":"example.com"}})")
                            .value();
  EXPECT_EQ(Ip(external), "");
}

class DualStackServicesTest : public ServiceAddressesTest {
 protected:
  DualStackServicesTest() : ServiceAddressesTest("10.0.0.0/28,fd00:1::/124") {}

  static std::string Texts(const Json& service, std::string_view name) {
    return fmt::format("{}", fmt::join(ServiceTexts(service, name), " "));
  }
  static std::string Policy(const Json& service) {
    return std::string(FindString(*FindMember(service, "spec"), "ipFamilyPolicy"));
  }
  Result<Json> Change(const std::string& name, std::string_view member, const Json& value) {
    const Result<Written> written = Update("", "services", name, [&](Json& document) {
      document.get_object()["spec"].get_object()[member] = value;
    });
    if (!written.ok()) return written.error();
    return ParseJson(written->object);
  }
  bool IsHeld(const std::string& ip) {
    return store_->Get(StoragePrefix("networking.k8s.io", "ipaddresses") + ip).value() != nullptr;
  }
};

TEST_F(DualStackServicesTest, HaveTheRequestedFamilies) {
  const struct {
    std::string_view spec;
    std::string_view policy;
    std::string_view families;
    size_t ips;
  } cases[] = {
      {"", "SingleStack", "IPv4", 1},
      {R"(,"ipFamilies":["IPv6"])", "SingleStack", "IPv6", 1},
      {R"(,"clusterIP":"fd00:1::7")", "SingleStack", "IPv6", 1},
      {R"(,"ipFamilyPolicy":"PreferDualStack")", "PreferDualStack", "IPv4 IPv6", 2},
      {R"(,"ipFamilyPolicy":"RequireDualStack","ipFamilies":["IPv6"])", "RequireDualStack",
       "IPv6 IPv4", 2},
      {R"(,"ipFamilyPolicy":"PreferDualStack","clusterIPs":["fd00:1::8","10.0.0.9"])",
       "PreferDualStack", "IPv6 IPv4", 2},
      {R"(,"clusterIP":"None","selector":{"a":"b"})", "SingleStack", "IPv4", 1},
      {R"(,"clusterIP":"None")", "RequireDualStack", "IPv4 IPv6", 1},
  };
  for (size_t i = 0; i < std::size(cases); ++i) {
    const Result<Json> service = MakeService("s" + std::to_string(i), cases[i].spec);
    ASSERT_TRUE(service.ok()) << cases[i].spec << service.error().message();
    EXPECT_EQ(Policy(*service), cases[i].policy) << cases[i].spec;
    EXPECT_EQ(Texts(*service, "ipFamilies"), cases[i].families) << cases[i].spec;
    const std::vector<std::string> ips = ServiceTexts(*service, "clusterIPs");
    EXPECT_EQ(ips.size(), cases[i].ips) << cases[i].spec;
    EXPECT_EQ(ips.front(), Ip(*service));
    for (const std::string& ip : ips) EXPECT_EQ(IsHeld(ip), ip != "None") << ip;
  }
}

TEST_F(DualStackServicesTest, MayAddAndRemoveASecondFamily) {
  const Json one = MakeService("a").value();
  const Result<Json> two = Change("a", "ipFamilyPolicy", "RequireDualStack");
  ASSERT_TRUE(two.ok()) << two.error().message();
  EXPECT_EQ(Texts(*two, "ipFamilies"), "IPv4 IPv6");
  const std::vector<std::string> ips = ServiceTexts(*two, "clusterIPs");
  ASSERT_EQ(ips.size(), 2);
  EXPECT_EQ(ips[0], Ip(one));
  EXPECT_TRUE(IsHeld(ips[1]));
  const Result<Json> again = Change("a", "ipFamilyPolicy", "SingleStack");
  ASSERT_TRUE(again.ok()) << again.error().message();
  EXPECT_EQ(Texts(*again, "clusterIPs"), Ip(one));
  EXPECT_EQ(Texts(*again, "ipFamilies"), "IPv4");
  EXPECT_FALSE(IsHeld(ips[1]));
  EXPECT_TRUE(IsHeld(ips[0]));
}

TEST_F(DualStackServicesTest, CompareAddressesInCanonicalForm) {
  ASSERT_TRUE(MakeService("a", R"(,"clusterIP":"fd00:1::a")").ok());
  EXPECT_THAT(MakeService("b", R"(,"clusterIP":"fd00:1:0::a")").error().message(),
              testing::HasSubstr("already allocated"));
}

TEST_F(DualStackServicesTest, RefuseContradictoryFamilies) {
  const struct {
    std::string_view spec;
    std::string_view error;
  } cases[] = {
      {R"(,"ipFamilies":["IPv4","IPv6"])",
       "spec.ipFamilyPolicy: Invalid value: \"SingleStack\": must be 'RequireDualStack' or "
       "'PreferDualStack' when multiple IP families are specified"},
      {R"(,"ipFamilyPolicy":"SingleStack","clusterIPs":["10.0.0.3","fd00:1::3"])",
       "must be 'RequireDualStack' or 'PreferDualStack' when multiple cluster IPs are specified"},
      {R"(,"ipFamilyPolicy":"PreferDualStack","clusterIPs":["10.0.0.3","10.0.0.4"])",
       "may specify no more than one IP for each IP family"},
      {R"(,"ipFamilies":["IPv6"],"clusterIP":"10.0.0.3")",
       "spec.clusterIPs[0]: Invalid value: [\"10.0.0.3\"]: expected an IPv6 value as indicated by "
       "`ipFamilies[0]`"},
      {R"(,"ipFamilyPolicy":"PreferDualStack","ipFamilies":["IPv4","IPv4"])",
       "spec.ipFamilies[1]: Duplicate value: \"IPv4\""},
      {R"(,"ipFamilyPolicy":"Both")", "spec.ipFamilyPolicy: Unsupported value: \"Both\""},
      {R"(,"clusterIP":"fd00:2::1")",
       "spec.clusterIPs: Invalid value: [\"fd00:2::1\"]: failed to allocate IP fd00:2::1: the "
       "provided IP (fd00:2::1) is not in the valid range. The range of valid IPs is "
       "fd00:1::/124"},
  };
  for (const auto& [spec, error] : cases) {
    const Result<Json> service = MakeService("a", spec);
    ASSERT_FALSE(service.ok()) << spec;
    EXPECT_THAT(service.error().message(), testing::HasSubstr(error));
  }
  ASSERT_TRUE(MakeService("a", R"(,"ipFamilyPolicy":"RequireDualStack")").ok());
  EXPECT_THAT(Change("a", "ipFamilies", JsonArray{"IPv6", "IPv4"}).error().message(),
              testing::HasSubstr("spec.ipFamilies[0]: Invalid value: [\"IPv6\",\"IPv4\"]: may not "
                                 "change once set"));
  EXPECT_THAT(Change("a", "ipFamilies", JsonArray{"IPv4"}).error().message(),
              testing::HasSubstr("must be set to 'SingleStack' when releasing the secondary "
                                 "ipFamily"));
}

TEST_F(ServiceAddressesTest, RefusesAFamilyThatTheClusterLacks) {
  EXPECT_THAT(MakeService("a", R"(,"ipFamilies":["IPv6"])").error().message(),
              testing::HasSubstr("spec.ipFamilies[0]: Invalid value: \"IPv6\": not configured on "
                                 "this cluster"));
  EXPECT_THAT(MakeService("a", R"(,"clusterIP":"fd00::1")").error().message(),
              testing::HasSubstr("IPv6 is not configured on this cluster"));
  EXPECT_THAT(MakeService("a", R"(,"ipFamilyPolicy":"RequireDualStack")").error().message(),
              testing::HasSubstr("this cluster is not configured for dual-stack services"));
  const Json one = MakeService("a", R"(,"ipFamilyPolicy":"PreferDualStack")").value();
  EXPECT_EQ(ServiceTexts(one, "clusterIPs").size(), 1);
}

TEST(ServiceIpRangeTest, RefusesInvalidRanges) {
  for (const char* range : {"", "10.0.0.0", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/24x", "x/8",
                            "fd00::/48", "fd00::/127", "10.0.0.0/8,10.1.0.0/16", "10.0.0.0/8,"}) {
    EXPECT_FALSE(ParseServiceIpRanges(range).ok()) << range;
  }
}

TEST(ServiceIpRangeTest, ContainsTheAddressesOfItsNetwork) {
  const ServiceIpRange four = ServiceIpRange::Parse("10.96.5.7/30").value();
  EXPECT_EQ(four.size(), 2);
  EXPECT_EQ(four.At(0), "10.96.5.5");
  EXPECT_EQ(four.At(1), "10.96.5.6");
  for (const char* other : {"10.96.5.4", "10.96.5.7", "fd00::5", "x"}) {
    EXPECT_FALSE(four.Contains(other)) << other;
  }
  const ServiceIpRange six = ServiceIpRange::Parse("fd00:96::/64").value();
  EXPECT_EQ(six.size(), UINT64_MAX);
  EXPECT_EQ(six.At(0), "fd00:96::1");
  EXPECT_EQ(six.At(UINT64_MAX - 1), "fd00:96::ffff:ffff:ffff:ffff");
  EXPECT_TRUE(six.Contains("fd00:96:0:0::1"));
  EXPECT_FALSE(six.Contains("fd00:96::"));
  EXPECT_FALSE(six.Contains("fd00:97::1"));
}

}  // namespace
}  // namespace kubexms
