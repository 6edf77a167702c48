#include "kubexms/apiserver/service_addresses.h"

#include <gtest/gtest.h>

#include <set>
#include <thread>

#include "kubexms/apiserver/written_objects_test.h"

namespace kubexms {
namespace {

constexpr std::string_view kPort = R"("ports":[{"port":80}])";

class ServiceAddressesTest : public WrittenObjects {
 protected:
  // 14 addresses and 8 ports.
  ServiceAddressesTest()
      : WrittenObjects({.cluster_ip_range = "10.0.0.0/28",
                        .first_node_port = 30000,
                        .last_node_port = 30007}) {}

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

TEST_F(ServiceAddressesTest, EveryServiceHasItsOwnAddress) {
  std::set<std::string> ips;
  for (int i = 0; i < 14; ++i) {
    const Result<Json> service = MakeService("s" + std::to_string(i));
    ASSERT_TRUE(service.ok()) << service.error().message();
    EXPECT_TRUE(ips.insert(Ip(*service)).second) << Ip(*service);
  }
  EXPECT_EQ(MakeService("one-too-many").error().code(), 500);
}

TEST_F(ServiceAddressesTest, ADeletedServiceFreesItsAddresses) {
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

TEST_F(ServiceAddressesTest, NodePortsAreNeverSharedWhoeverIsFaster) {
  constexpr int kServices = 8;
  std::vector<Result<Json>> made(kServices, Error::Internal("not made"));
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < kServices; ++i) {
      threads.emplace_back([&, i] {
        made[static_cast<size_t>(i)] =
            MakeService("s" + std::to_string(i), R"(,"type":"NodePort")");
      });
    }
  }
  std::set<int64_t> ports;
  for (const Result<Json>& service : made) {
    ASSERT_TRUE(service.ok()) << service.error().message();
    EXPECT_TRUE(ports.insert(Port(*service)).second) << Port(*service);
  }
}

TEST_F(ServiceAddressesTest, AServiceThatBecomesInternalGivesItsPortsBack) {
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

TEST_F(ServiceAddressesTest, HeadlessAndExternalServicesHaveNone) {
  EXPECT_EQ(Ip(MakeService("a", R"(,"clusterIP":"None")").value()), "None");
  const Json external = Create("", "services",
                               R"({"metadata":{"name":"b"},"spec":{"type":"ExternalName",)"
                               R"("externalName":"example.com"}})")
                            .value();
  EXPECT_EQ(Ip(external), "");
}

TEST(ServiceAddressOptionsTest, RefusesWhatIsNoRange) {
  const auto store = store::MakeMemoryStore();
  SeededRandom random(1);
  for (const char* range : {"", "10.0.0.0", "10.0.0.0/33", "10.0.0.0/24x", "fd00::/108", "x/8"}) {
    EXPECT_FALSE(ServiceAddresses::Create({.cluster_ip_range = range}, *store, random).ok())
        << range;
  }
}

}  // namespace
}  // namespace kubexms
