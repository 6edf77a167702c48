#include "kubexms/client/rest/rest_client.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "kubexms/api/kinds/core_v1/config.h"
#include "kubexms/client/no_response.h"
#include "kubexms/client/running_server_test.h"

namespace kubexms {
namespace {

using corev1::ConfigMap;
using std::chrono::seconds;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

ConfigMap MakeMap(const std::string& name, const std::string& value = "") {
  ConfigMap map;
  map.metadata.namespace_name = "default";
  map.metadata.name = name;
  if (!value.empty()) map.data["key"] = value;
  return map;
}

const ResourceType& Maps() {
  static const ResourceType kMaps = ResourceType::Of<ConfigMap>();
  return kMaps;
}

std::vector<std::string> Names(const List<ConfigMap>& list) {
  std::vector<std::string> names;
  for (const ConfigMap& map : list.items) names.push_back(map.metadata.name);
  return names;
}

// ---- Against the real server, over both versions of HTTP ----

class RestClientTest : public testing::TestWithParam<bool> {
 protected:
  static void SetUpTestSuite() { server_ = std::make_unique<RunningApiServer>(); }
  static void TearDownTestSuite() { server_.reset(); }

  // NOLINTNEXTLINE(readability-identifier-naming): a member like the others
  static inline std::unique_ptr<RunningApiServer> server_;
  const std::unique_ptr<RestClient> client_ = server_->Connect({.http2 = GetParam()});
  // Objects of one test, in a server that others use as well.
  const std::string prefix_ = GetParam() ? "two-" : "one-";
};

INSTANTIATE_TEST_SUITE_P(Http, RestClientTest, testing::Values(false, true),
                         [](const auto& test) { return test.param ? "2" : "1"; });

TEST_P(RestClientTest, ReadsAndWritesObjects) {
  const std::string name = prefix_ + "crud";
  ConfigMap map = client_->Create(MakeMap(name, "a")).value();
  EXPECT_FALSE(map.metadata.uid.empty());
  map.data["key"] = "b";
  const ConfigMap updated = client_->Update(map).value();
  EXPECT_TRUE(client_->Update(map).error().IsConflict());
  EXPECT_EQ(client_->Get<ConfigMap>({"default", name})->data["key"], "b");

  const Patch patch{.body = R"({"data":{"key":"c"}})"};
  EXPECT_EQ(client_->Patch<ConfigMap>({"default", name}, patch)->data["key"], "c");
  ConfigMap applied = MakeMap(name);
  applied.data["other"] = "d";
  EXPECT_THAT(client_->Apply(applied, {.field_manager = "me"})->data, SizeIs(2));

  EXPECT_TRUE(client_->Delete<ConfigMap>({"default", name}).ok());
  const Error gone = client_->Get<ConfigMap>({"default", name}).error();
  EXPECT_EQ(gone, Error::NotFound("configmaps", name));
}

TEST_P(RestClientTest, ErrorsAreTheServersStatus) {
  const Error error = client_->Create(MakeMap("Not_A_Name")).error();
  EXPECT_TRUE(error.IsInvalid());
  EXPECT_EQ(error.details().causes.at(0).field, "metadata.name");
}

TEST_P(RestClientTest, RefusesToMeanAllWhenOneIsMeant) {
  const Error error = client_->Delete<ConfigMap>({"default", ""}).error();
  EXPECT_EQ(error.message(),
            "delete configmaps: metadata.name is empty: set the name of the object");
}

TEST_P(RestClientTest, ListsInPages) {
  std::vector<std::string> names;
  for (int i = 0; i < 5; ++i) names.push_back(fmt::format("{}page-{}", prefix_, i));
  for (const std::string& name : names) {
    ConfigMap map = MakeMap(name);
    map.metadata.labels["page"] = prefix_ + "test";
    ASSERT_TRUE(client_->Create(map).ok());
  }
  const Selector label_selector = Selector::Parse("page=" + prefix_ + "test").value();
  ListOptions options{.namespace_name = "default", .label_selector = label_selector, .limit = 2};
  const auto first = client_->List<ConfigMap>(options).value();
  EXPECT_THAT(Names(first), ElementsAre(names[0], names[1]));
  options.continue_token = first.metadata.continue_;
  EXPECT_THAT(Names(client_->List<ConfigMap>(options).value()), ElementsAre(names[2], names[3]));
  const auto all = client_->List<ConfigMap>({.label_selector = label_selector}).value();
  EXPECT_EQ(Names(all), names);
  EXPECT_FALSE(all.metadata.resource_version.empty());

  ASSERT_TRUE(
      client_
          ->DeleteAllOf<ConfigMap>({.namespace_name = "default", .label_selector = label_selector})
          .ok());
  EXPECT_THAT(client_->List<ConfigMap>({.label_selector = label_selector})->items, SizeIs(0));
}

TEST_P(RestClientTest, WatchesChanges) {
  const std::string name = prefix_ + "watched";
  const auto selector = FieldSelector::Parse("metadata.name=" + name).value();
  auto watch =
      client_->Watch<ConfigMap>({.namespace_name = "default", .field_selector = selector}).value();
  ConfigMap map = client_->Create(MakeMap(name, "a")).value();
  map.data["key"] = "b";
  ASSERT_TRUE(client_->Update(map).ok());
  ASSERT_TRUE(client_->Delete<ConfigMap>({"default", name}).ok());
  for (const ObjectEventType type :
       {ObjectEventType::kAdded, ObjectEventType::kModified, ObjectEventType::kDeleted}) {
    const auto event = watch.Next().value();
    ASSERT_TRUE(event.has_value());
    EXPECT_EQ(event->type, type);
    EXPECT_EQ(event->object.data.at("key"), type == ObjectEventType::kAdded ? "a" : "b");
  }
}

TEST_P(RestClientTest, AWatchEndsWhenItsTimeIsOver) {
  auto watch = client_->Watch(Maps(), {.namespace_name = "nowhere", .timeout = seconds(1)}).value();
  EXPECT_FALSE(watch->Next().value().has_value());
  EXPECT_FALSE(watch->Next().value().has_value());
}

TEST_P(RestClientTest, AStopEndsAWatchThatHangs) {
  std::stop_source stop;
  auto watch =
      client_->Watch(Maps(), {.namespace_name = "nowhere", .stop = stop.get_token()}).value();
  std::jthread stopper([&] { stop.request_stop(); });
  EXPECT_FALSE(watch->Next().value().has_value());
}

TEST_P(RestClientTest, AWatchMayOutliveItsClient) {
  auto client = server_->Connect({.http2 = GetParam()});
  auto watch = client->Watch(Maps(), {.namespace_name = "nowhere", .timeout = seconds(1)}).value();
  client.reset();
  EXPECT_FALSE(watch->Next().value().has_value());
}

TEST_P(RestClientTest, ReadsOnlyTheMetadata) {
  const std::string name = prefix_ + "meta";
  ASSERT_TRUE(client_->Create(MakeMap(name, "secret")).ok());
  ClientRequest get = Client::GetRequest(Maps(), {"default", name});
  get.metadata_only = true;
  EXPECT_THAT(std::string(client_->Do(get)->view()),
              AllOf(HasSubstr("PartialObjectMetadata"), testing::Not(HasSubstr("secret"))));
  ClientRequest list = Client::ListRequest(Maps(), {.namespace_name = "default"});
  list.metadata_only = true;
  const ObjectPage page = client_->ListPage(list).value();
  ASSERT_FALSE(page.items.empty());
  for (const SharedBytes& item : page.items) {
    EXPECT_EQ(item.view().find("\"data\""), std::string_view::npos);
  }
  ASSERT_TRUE(client_->Delete<ConfigMap>({"default", name}).ok());
}

TEST_P(RestClientTest, ReadsDynamicObjectsAndPaths) {
  const ResourceType namespaces{
      .version = "v1", .kind = "Namespace", .plural = "namespaces", .namespaced = false};
  EXPECT_EQ(client_->Get(namespaces, {"", "default"})->kind, "Namespace");
  EXPECT_THAT(std::string(client_->GetPath("/version")->view()), HasSubstr("gitVersion"));
  EXPECT_TRUE(client_->GetPath("/no/such/path").error().IsNotFound());
}

TEST_P(RestClientTest, Impersonates) {
  ClientConfig config = server_->Config();
  config.user.impersonate = {.user = "joe",
                             .uid = "7",
                             .groups = {"dev", "ops"},
                             .extra = {{"example.com/scopes", {"a", "b"}}}};
  const auto joe = RestClient::Make({.config = config, .http2 = GetParam()}).value();
  const ResourceType reviews{.group = "authentication.k8s.io",
                             .version = "v1",
                             .kind = "SelfSubjectReview",
                             .plural = "selfsubjectreviews",
                             .namespaced = false};
  ClientRequest who = Client::WriteRequest(
      Verb::kCreate, reviews, {},
      R"({"kind":"SelfSubjectReview","apiVersion":"authentication.k8s.io/v1"})");
  const auto answer = joe->Do(who);
  ASSERT_TRUE(answer.ok()) << answer.error().message();
  EXPECT_THAT(std::string(answer->view()),
              AllOf(HasSubstr(R"("username":"joe")"), HasSubstr(R"("uid":"7")"),
                    HasSubstr(R"("dev","ops")"), HasSubstr(R"("example.com/scopes":["a","b"])")));
}

TEST_P(RestClientTest, AServerThatIsNotTrustedEndsTheCallButNotForGood) {
  MetricsRegistry metrics;
  ClientConfig config = server_->Config();
  config.ca_pem =
      CertificateAuthority::Create({.common_name = "other"}, Clock::WallTime::clock::now())
          ->certificate_pem();
  const auto client =
      RestClient::Make({.config = config, .http2 = GetParam(), .metrics = &metrics}).value();
  const Error error = client->Get<ConfigMap>({"default", "a"}).error();
  EXPECT_THAT(error.message(), HasSubstr("unable to get local issuer certificate"));
  EXPECT_FALSE(error.terminal());
  EXPECT_TRUE(error.IsTransient());
  EXPECT_THAT(metrics.Collect(), HasSubstr("method=\"GET\"} 1\n")) << "one attempt";
}

// ---- Against a scripted server ----

constexpr const char* kMap = R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"}})";

class ScriptedRestClientTest : public testing::Test {
 protected:
  Result<ConfigMap> Get(RestClient& client) { return client.Get<ConfigMap>({"default", "a"}); }

  // Moves the clock on after each of the next requests, once the client waits.
  std::jthread LetPass(std::vector<seconds> waits) {
    return std::jthread(
        [this, waits = std::move(waits), seen = server_.requests().size()]() mutable {
          for (const seconds wait : waits) {
            while (server_.requests().size() <= seen) std::this_thread::yield();
            ++seen;
            clock_.WaitForSleepers(1);
            clock_.Advance(wait);
          }
        });
  }

  ScriptedServer server_;
  ManualClock clock_;
};

TEST_F(ScriptedRestClientTest, SendsWhatServersWantToKnow) {
  server_.Answer(200, kMap);
  const auto client =
      server_.Connect({.config = {.server = "/prefix/", .user = {.token = Secret("t")}}});
  ASSERT_TRUE(Get(*client).ok());
  const HttpRequest request = server_.requests().at(0);
  EXPECT_EQ(request.target, "/prefix/api/v1/namespaces/default/configmaps/a");
  EXPECT_EQ(request.headers.Get("Authorization"), "Bearer t");
  EXPECT_EQ(request.headers.Get("Accept"), "application/json");
  EXPECT_THAT(std::string(request.headers.Get("User-Agent").value_or("")),
              testing::StartsWith("kubexms/"));
}

TEST_F(ScriptedRestClientTest, WaitsAsLongAsTheServerSays) {
  server_.Answer(429, "slow down", {{"Retry-After", "7"}});
  server_.Answer(503, "not yet", {{"Retry-After", "Mon, 01 Jan 2024 00:00:10 GMT"}});
  server_.Answer(201, kMap);
  const auto client = server_.Connect({.clock = &clock_});
  const std::jthread time = LetPass({seconds(7), seconds(3)});
  EXPECT_TRUE(client->Create(MakeMap("a")).ok());
  EXPECT_THAT(server_.requests(), SizeIs(3));
}

TEST_F(ScriptedRestClientTest, ReadsAreRepeatedAfterAnyErrorThatSaysWhen) {
  server_.Answer(500, "not now", {{"Retry-After", "2"}});
  server_.Answer(200, kMap);
  const auto client = server_.Connect({.clock = &clock_});
  const std::jthread time = LetPass({seconds(2)});
  EXPECT_TRUE(Get(*client).ok());
  server_.Answer(500, "not now", {{"Retry-After", "2"}});
  EXPECT_EQ(client->Create(MakeMap("a")).error().code(), 500) << "it may have been done";
  EXPECT_THAT(server_.requests(), SizeIs(3));
}

TEST_F(ScriptedRestClientTest, BoundsTheResponse) {
  for (const auto& [text, expected] : std::map<std::string, seconds>{
           {"9223372036854775807", seconds(3600)}, {"-1", seconds(1)}, {"0", seconds(1)}}) {
    server_.Answer(429, "slow down", {{"Retry-After", text}});
    const Error error = Get(*server_.Connect({.max_retries = 0, .clock = &clock_})).error();
    EXPECT_EQ(error.details().retry_after, expected) << text;
  }
}

TEST_F(ScriptedRestClientTest, DoesNotWaitTooLongOrTooOften) {
  server_.Answer(429, "slow down", {{"Retry-After", "61"}});
  const Error late = Get(*server_.Connect({.clock = &clock_})).error();
  EXPECT_TRUE(late.IsTooManyRequests());
  EXPECT_EQ(late.details().retry_after, seconds(61));

  for (int i = 0; i < 3; ++i) server_.Answer(503, "not yet", {{"Retry-After", "1"}});
  const std::jthread time = LetPass({seconds(1), seconds(1)});
  EXPECT_EQ(Get(*server_.Connect({.max_retries = 2, .clock = &clock_})).error().code(), 503);
  EXPECT_THAT(server_.requests(), SizeIs(4));

  server_.Answer(503, "down");
  EXPECT_EQ(Get(*server_.Connect({.clock = &clock_})).error().message(), "down");
  EXPECT_THAT(server_.requests(), SizeIs(5)) << "nobody said when to try again";
}

TEST_F(ScriptedRestClientTest, AStopEndsTheWait) {
  server_.Answer(429, "slow down", {{"Retry-After", "7"}});
  const auto client = server_.Connect({.clock = &clock_});
  std::stop_source stop;
  std::jthread stopper([&] {
    clock_.WaitForSleepers(1);
    stop.request_stop();
  });
  const auto result = client->Get<ConfigMap>({"default", "a"}, {.stop = stop.get_token()});
  EXPECT_EQ(result.error().reason(), "Canceled");
}

TEST_F(ScriptedRestClientTest, OnlyReadsAreSentAgainWhenTheConnectionBreaks) {
  SystemClock clock;
  server_.Stream({"{"}, ResponseStream::Next::kAbort);
  server_.Answer(200, kMap);
  const auto client = server_.Connect({.clock = &clock});
  EXPECT_TRUE(Get(*client).ok());
  EXPECT_THAT(server_.requests(), SizeIs(2));

  server_.Stream({"{"}, ResponseStream::Next::kAbort);
  EXPECT_TRUE(client->Create(MakeMap("a")).error().IsTransient());
  EXPECT_THAT(server_.requests(), SizeIs(3));
}

TEST_F(ScriptedRestClientTest, AListHasTheTimeThatItWasGiven) {
  const auto client = server_.Connect({.timeout = seconds(0)});
  ClientRequest list = Client::ListRequest(Maps());
  list.timeout = seconds(10);
  server_.Answer(200, R"({"kind":"ConfigMapList","apiVersion":"v1","metadata":{},"items":[]})");
  const auto page = client->ListPage(list);
  EXPECT_TRUE(page.ok()) << page.error().message();
}

TEST_F(ScriptedRestClientTest, DoesNotRetryAfterATimeout) {
  MetricsRegistry metrics;
  const auto client =
      server_.Connect({.timeout = std::chrono::milliseconds(500), .metrics = &metrics});
  for (int i = 0; i < 4; ++i) server_.Stream({"{"}, ResponseStream::Next::kWait);
  EXPECT_EQ(client->ListPage(Client::ListRequest(Maps())).error().code(), 504);
  EXPECT_THAT(metrics.Collect(), HasSubstr("method=\"GET\"} 1\n"));
}

TEST_F(ScriptedRestClientTest, ConnectsAgainAlsoForWrites) {
  const auto nobody = [] {
    ScriptedServer gone;
    return gone.url();
  }();
  MetricsRegistry metrics;
  const auto client = RestClient::Make({.config = {.server = nobody}, .metrics = &metrics}).value();
  EXPECT_THAT(client->Create(MakeMap("a")).error().message(), HasSubstr("connect to"));
  EXPECT_THAT(metrics.Collect(), HasSubstr("method=\"POST\"} 4"));
}

TEST_F(ScriptedRestClientTest, MarksErrorsWithoutAResponse) {
  server_.Answer(503, "down");
  EXPECT_FALSE(IsNoResponse(Get(*server_.Connect({})).error()));
  const auto client = server_.Connect({.timeout = std::chrono::milliseconds(500)});
  server_.Stream({"{"}, ResponseStream::Next::kWait);
  EXPECT_TRUE(IsNoResponse(client->Create(MakeMap("a")).error()));
}

TEST_F(ScriptedRestClientTest, ARefusedTokenIsReadAgainOnce) {
  const TestDirectory directory;
  const std::string path = directory.Write("token", "old");
  const auto client = server_.Connect({.config = {.user = {.token_file = path}}});
  server_.Answer(200, kMap);
  ASSERT_TRUE(Get(*client).ok());
  directory.Write("token", "new");
  server_.Answer(401, "who?");
  server_.Answer(200, kMap);
  EXPECT_TRUE(Get(*client).ok());
  EXPECT_EQ(server_.requests().at(2).headers.Get("Authorization"), "Bearer new");

  directory.Write("token", "newest");
  server_.Answer(401, "who?");
  server_.Answer(401, "who?");
  EXPECT_TRUE(Get(*client).error().IsUnauthorized());
  EXPECT_THAT(server_.requests(), SizeIs(5));
}

TEST_F(ScriptedRestClientTest, APluginThatIsMissingIsNoTerminalError) {
  const auto client = server_.Connect(
      {.config = {.user = {.exec = ExecPlugin{.api_version = "client.authentication.k8s.io/v1",
                                              .command = "no-such-login-program"}}}});
  const Error error = Get(*client).error();
  EXPECT_THAT(error.message(), HasSubstr("there is no program"));
  EXPECT_FALSE(error.terminal());
}

TEST_F(ScriptedRestClientTest, EachWarningIsLoggedOnce) {
  CapturingLogSink sink;
  const auto client = server_.Connect({.log = Logger({.sink = &sink, .clock = &clock_})});
  for (int i = 0; i < 2; ++i) {
    server_.Answer(200, kMap,
                   {{"Warning", R"(299 - "v1beta1 is \"old\"")"}, {"Warning", "nonsense"}});
    ASSERT_TRUE(Get(*client).ok());
  }
  ASSERT_THAT(sink.Lines(), SizeIs(1));
  EXPECT_THAT(sink.Lines()[0], HasSubstr("v1beta1 is"));
}

TEST_F(ScriptedRestClientTest, CountsAndTimesRequests) {
  MetricsRegistry metrics;
  const auto client = server_.Connect({.metrics = &metrics});
  server_.Answer(200, kMap);
  server_.Answer(404, "gone");
  (void)Get(*client);
  (void)Get(*client);
  const std::string text = metrics.Collect();
  EXPECT_THAT(text, HasSubstr(R"(rest_client_requests_total{code="404",host="127.0.0.1)"));
  EXPECT_THAT(text, HasSubstr("rest_client_request_duration_seconds_bucket"));
  EXPECT_THAT(text, HasSubstr("rest_client_rate_limiter_duration_seconds_count"));
}

TEST_F(ScriptedRestClientTest, KeepsToItsOwnLimit) {
  const auto client = RestClient::Make({.config = {.server = server_.url()},
                                        .requests_per_second = 1,
                                        .burst = 1,
                                        .clock = &clock_})
                          .value();
  server_.Answer(200, kMap);
  ASSERT_TRUE(Get(*client).ok());
  server_.Answer(200, "{}");
  ASSERT_TRUE(client->GetPath("/version").ok()) << "it does not count";
  server_.Answer(200, kMap);
  std::jthread time([&] {
    clock_.WaitForSleepers(1);
    clock_.Advance(seconds(1));
  });
  EXPECT_TRUE(Get(*client).ok());
}

TEST_F(ScriptedRestClientTest, PutsAWatchTogetherAgain) {
  server_.Stream({"{\"type\":\"ADDED\",\"obj", "ect\":{\"a\":1}}\n{\"type\":\"MODI",
                  "FIED\",\"object\":{\"a\":2}}", "\n"});
  const auto client = server_.Connect();
  auto watch = client->Watch(Maps()).value();
  EXPECT_EQ(watch->Next().value()->object.view(), "{\"a\":1}");
  EXPECT_EQ(watch->Next().value()->object.view(), "{\"a\":2}");
  EXPECT_FALSE(watch->Next().value().has_value());
}

TEST_F(ScriptedRestClientTest, AWatchSaysHowItFailed) {
  const auto client = server_.Connect({.max_event_bytes = 200});
  server_.Stream({R"({"type":"ERROR","object":{"kind":"Status","code":410,"reason":"Expired",)"
                  R"("message":"too old"}})"
                  "\n"});
  auto expired = client->Watch(Maps()).value();
  EXPECT_TRUE(expired->Next().error().IsExpired());
  EXPECT_FALSE(expired->Next().value().has_value()) << "then it is over";

  server_.Stream({"{\"type\":\"ADDED\","});
  EXPECT_THAT(client->Watch(Maps()).value()->Next().error().message(),
              HasSubstr("in the middle of an event"));
  server_.Stream({"{\"type\":\"ADDED\","}, ResponseStream::Next::kAbort);
  EXPECT_TRUE(client->Watch(Maps()).value()->Next().error().IsTransient());
  server_.Stream({"<html>\n"});
  EXPECT_THAT(client->Watch(Maps()).value()->Next().error().message(),
              HasSubstr("malformed watch event"));
  server_.Stream({std::string(300, 'x')});
  EXPECT_EQ(client->Watch(Maps()).value()->Next().error().code(), 413);
  server_.Answer(410, R"({"kind":"Status","reason":"Expired","message":"old"})");
  EXPECT_TRUE(client->Watch(Maps()).error().IsExpired());
}

TEST_F(ScriptedRestClientTest, ABrokenListIsAnError) {
  server_.Answer(200, "<html>");
  EXPECT_THAT(server_.Connect()->List(Maps()).error().message(), HasSubstr("malformed list"));
}

// ---- Certificates in files ----

// An authority that vouches for a server and for its clients.
class Realm {
 public:
  CertificateAndKey Issue(CertificateUsage usage) const {
    return authority_
        .Issue({.subject = {.common_name = "me", .ip_addresses = {"127.0.0.1"}}, .usage = usage},
               now_)
        .value();
  }
  const std::string& pem() const { return authority_.certificate_pem(); }

 private:
  const Clock::WallTime now_ = Clock::WallTime::clock::now();
  const CertificateAuthority authority_ =
      CertificateAuthority::Create({.common_name = "realm"}, now_).value();
};

class EmptyObject final : public HttpHandler {
  HttpResponse Handle(HttpRequest) override {
    return HttpResponse::Text(200, "application/json", kMap);
  }
};

// Serves clients of the same realm only, on a port that may be given.
class RealmServer {
 public:
  explicit RealmServer(const Realm& realm, uint16_t port = 0)
      : server_(HttpServer::Create(Options(realm, port), handler_).value()),
        thread_([this](const std::stop_token& stop) { server_->Run(stop); }) {}
  uint16_t port() const { return server_->port(); }

 private:
  static HttpServerOptions Options(const Realm& realm, uint16_t port) {
    HttpServerOptions options;
    options.port = port;
    options.tls = {.certificate = realm.Issue(CertificateUsage::kServer),
                   .client_ca_pem = realm.pem(),
                   .require_client_certificate = true};
    return options;
  }

  EmptyObject handler_;
  const std::unique_ptr<HttpServer> server_;
  std::jthread thread_;
};

TEST(RestClientFilesTest, FollowsCertificatesThatAreReplaced) {
  const Realm old_realm;
  auto server = std::make_unique<RealmServer>(old_realm);
  const uint16_t port = server->port();
  const TestDirectory directory;
  const auto write = [&](const Realm& realm, const std::string& name) {
    const CertificateAndKey pair = realm.Issue(CertificateUsage::kClient);
    directory.Write("ca.crt", realm.pem());
    directory.Write("me.crt", pair.certificate_pem);
    directory.Write(name, pair.key_pem);
  };
  write(old_realm, "me.key");
  const std::string path = directory.Write(
      "config",
      fmt::format(
          "current-context: c\n"
          "contexts: [{{name: c, context: {{cluster: k, user: u}}}}]\n"
          "clusters: [{{name: k, cluster: {{server: 'https://127.0.0.1:{}', "
          "certificate-authority: ca.crt}}}}]\n"
          "users: [{{name: u, user: {{client-certificate: me.crt, client-key: me.key}}}}]\n",
          port));
  CapturingLogSink sink;
  SystemClock clock;
  const auto client = RestClient::Make({.config = LoadClientConfig({.kubeconfig = path}).value(),
                                        .requests_per_second = 0,
                                        .log = Logger({.sink = &sink, .clock = &clock})})
                          .value();
  const auto get = [&] { return client->Get<ConfigMap>({"default", "a"}); };
  ASSERT_TRUE(get().ok()) << get().error().message();

  // What is only half written is not used.
  const Realm new_realm;
  write(new_realm, "next.key");
  EXPECT_TRUE(get().ok());
  EXPECT_TRUE(get().ok());
  EXPECT_THAT(sink.Lines(), ElementsAre(HasSubstr("what they had before is kept")));

  server.reset();
  server = std::make_unique<RealmServer>(new_realm, port);
  EXPECT_FALSE(get().ok());
  directory.Write("me.key", directory.Read("next.key"));
  const auto now = get();
  EXPECT_TRUE(now.ok()) << now.error().message();
  EXPECT_THAT(sink.Lines(), SizeIs(1));
}

}  // namespace
}  // namespace kubexms
