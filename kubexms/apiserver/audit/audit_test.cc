#include "kubexms/apiserver/audit/audit.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include "kubexms/base/json/json.h"
#include "kubexms/base/random.h"
#include "kubexms/base/utf8.h"

namespace kubexms {
namespace {

using testing::HasSubstr;
using testing::Not;

const UserInfo kJoe{.name = "joe", .groups = {"dev"}};
const RequestAttributes kGetPod{
    .verb = "get", .version = "v1", .resource = "pods", .namespace_name = "x", .name = "p"};
const RequestAttributes kGetSecret{.verb = "get", .resource = "secrets", .namespace_name = "x"};

AuditEvent EventOf(std::string_view id, AuditLevel level = AuditLevel::kMetadata) {
  const Clock::WallTime start = ManualClock().Now();
  return {.level = level,
          .id = id,
          .request_uri = "/api/v1/namespaces/x/pods/p",
          .request = kGetPod,
          .user = kJoe,
          .source_address = "10.0.0.1:4711",
          .user_agent = "kubectl",
          .received = start,
          .stage_time = start + std::chrono::microseconds(1500)};
}

TEST(AuditLineTest, IsAnAuditEventOfKubernetes) {
  AuditEvent event = EventOf("i");
  event.annotations = {{"authorization.k8s.io/decision", "allow"}};
  EXPECT_EQ(AuditLine(event),
            R"({"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Metadata","auditID":"i",)"
            R"("stage":"ResponseComplete","requestURI":"/api/v1/namespaces/x/pods/p","verb":"get",)"
            R"("user":{"username":"joe","groups":["dev"]},"sourceIPs":["10.0.0.1"],)"
            R"("userAgent":"kubectl","objectRef":{"resource":"pods","namespace":"x","name":"p",)"
            R"("apiVersion":"v1"},"responseStatus":{"metadata":{},"code":200},)"
            R"("requestReceivedTimestamp":"2024-01-01T00:00:00.000000Z",)"
            R"("stageTimestamp":"2024-01-01T00:00:00.001500Z",)"
            R"("annotations":{"authorization.k8s.io/decision":"allow"}})"
            "\n");
}

TEST(AuditLineTest, ContainsTheImpersonatedUserAndTheError) {
  const UserInfo ann{.name = "ann", .uid = "7", .extra = {{"k", {"a", "b"}}}};
  const Error error = Error::NotFound("pods", "p");
  AuditEvent event = EventOf("i");
  event.stage = AuditStage::kResponseStarted;
  event.impersonated_user = &ann;
  event.source_address = "[::1]:4711";
  event.error = &error;
  event.code = 404;
  const std::string line = AuditLine(event);
  EXPECT_THAT(line, HasSubstr(R"("stage":"ResponseStarted")"));
  EXPECT_THAT(
      line,
      HasSubstr(R"("impersonatedUser":{"username":"ann","uid":"7","extra":{"k":["a","b"]}})"));
  EXPECT_THAT(line, HasSubstr(R"("sourceIPs":["::1"])"));
  EXPECT_THAT(line,
              HasSubstr(R"("responseStatus":{"metadata":{},"status":"Failure",)"
                        R"("message":"pods \"p\" not found","reason":"NotFound","code":404})"));
}

TEST(AuditLineTest, OmitsValuesOfTheBodyOfARefusedRequest) {
  const Error invalid = Error::Invalid(
      "Secret", "s", {{"FieldValueInvalid", "Invalid value: \"hunter2\": no", "data[password]"}});
  const Error malformed = Error::BadRequest("cannot read \"hunter2\"");
  for (const Error* error : {&invalid, &malformed}) {
    AuditEvent event = EventOf("i");
    event.code = error->code();
    event.error = error;
    event.request_object = R"({"data":{"password":"hunter2"}})";
    EXPECT_THAT(AuditLine(event), Not(HasSubstr("hunter2")));
    event.level = AuditLevel::kRequest;
    EXPECT_THAT(AuditLine(event), HasSubstr("hunter2"));
  }
  AuditEvent event = EventOf("i");
  event.error = &invalid;
  EXPECT_THAT(
      AuditLine(event),
      HasSubstr(R"("message":"Secret \"s\" is invalid: data[password]: FieldValueInvalid")"));
}

TEST(AuditLineTest, IsValidJsonForAnyInput) {
  const UserInfo odd{.name = "\xff", .groups = {"\xc3("}, .extra = {{"\xfe", {"\x80"}}}};
  const RequestAttributes request{.verb = "\xf0\x28", .resource = "\xed\xa0\x80", .name = "a\nb"};
  AuditEvent event{
      .id = "i", .request_uri = "/\xff", .request = request, .user = odd, .user_agent = "\xff\xfe"};
  const std::string line = AuditLine(event);
  EXPECT_TRUE(IsValidUtf8(line));
  EXPECT_TRUE(ParseJson(line).ok());
  EXPECT_EQ(std::ranges::count(line, '\n'), 1);
}

TEST(AuditLineTest, ContainsTheBodiesOfItsLevelInOneLine) {
  AuditEvent event = EventOf("i", AuditLevel::kRequest);
  event.request_object = "{\n  \"a\": 1\n}";
  event.response_object = R"({"b":2})";
  EXPECT_THAT(AuditLine(event), HasSubstr(R"("requestObject":{"a":1})"));
  EXPECT_THAT(AuditLine(event), Not(HasSubstr("responseObject")));
  event.level = AuditLevel::kRequestResponse;
  EXPECT_THAT(AuditLine(event), HasSubstr(R"("responseObject":{"b":2})"));
  event.request_object = "a: 1\nb: 2";
  EXPECT_THAT(AuditLine(event), Not(HasSubstr("requestObject")));
  EXPECT_EQ(std::ranges::count(AuditLine(event), '\n'), 1);
}

Result<AuditPolicy> ParsePolicy(std::string_view rules) {
  return AuditPolicy::Parse(
      ParseJson(R"({"apiVersion":"audit.k8s.io/v1","kind":"Policy","rules":)" + std::string(rules) +
                "}")
          .value());
}

TEST(AuditPolicyTest, DefaultsToMetadata) {
  EXPECT_EQ(AuditPolicy().LevelFor(kJoe, kGetPod), AuditLevel::kMetadata);
}

TEST(AuditPolicyTest, UsesTheFirstMatchingRule) {
  const AuditPolicy policy =
      ParsePolicy(R"([{"level":"None","users":["system:kube-proxy"],"verbs":["watch"]},
                      {"level":"None","nonResourceURLs":["/healthz*","/version"]},
                      {"level":"Request","resources":[{"group":"","resources":["pods/*"]}]},
                      {"level":"RequestResponse","userGroups":["dev"],"namespaces":["x"],
                       "resources":[{"group":"","resources":["pods","secrets"]},{"group":"apps"}]},
                      {"level":"Metadata"}])")
          .value();
  RequestAttributes request = kGetPod;
  EXPECT_EQ(policy.LevelFor(kJoe, request), AuditLevel::kRequestResponse);
  EXPECT_EQ(policy.LevelFor({.name = "eve"}, request), AuditLevel::kMetadata);
  request.subresource = "log";
  EXPECT_EQ(policy.LevelFor(kJoe, request), AuditLevel::kRequest);
  request = {.verb = "watch", .group = "apps", .resource = "deployments", .namespace_name = "x"};
  EXPECT_EQ(policy.LevelFor(kJoe, request), AuditLevel::kRequestResponse);
  EXPECT_EQ(policy.LevelFor({.name = "system:kube-proxy"}, request), AuditLevel::kNone);
  request.namespace_name = "y";
  EXPECT_EQ(policy.LevelFor(kJoe, request), AuditLevel::kMetadata);
  const auto path = [&](const char* text) {
    return policy.LevelFor(kJoe, {.verb = "get", .is_resource = false, .path = text});
  };
  EXPECT_EQ(path("/healthz/ping"), AuditLevel::kNone);
  EXPECT_EQ(path("/version"), AuditLevel::kNone);
  EXPECT_EQ(path("/versions"), AuditLevel::kMetadata);
}

TEST(AuditPolicyTest, NeverLogsBodiesWithSecrets) {
  const AuditPolicy policy = ParsePolicy(R"([{"level":"RequestResponse"}])").value();
  EXPECT_EQ(policy.LevelFor(kJoe, kGetPod), AuditLevel::kRequestResponse);
  EXPECT_EQ(policy.LevelFor(kJoe, kGetSecret), AuditLevel::kMetadata);
  EXPECT_EQ(policy.LevelFor(
                kJoe, {.verb = "create", .resource = "serviceaccounts", .subresource = "token"}),
            AuditLevel::kMetadata);
  EXPECT_EQ(
      policy.LevelFor(
          kJoe, {.verb = "create", .group = "authentication.k8s.io", .resource = "tokenreviews"}),
      AuditLevel::kMetadata);
}

TEST(AuditPolicyTest, ErrorsNameTheRule) {
  EXPECT_EQ(ParsePolicy(R"([{"level":"None"},{"level":"All"}])").error().message(),
            "rules[1]: level: expected one of None, Metadata, Request, RequestResponse");
  EXPECT_EQ(ParsePolicy(R"([{"level":"None","verbs":"get"}])").error().message(),
            "rules[0]: verbs: expected a list");
}

class AuditLogTest : public testing::Test {
 protected:
  AuditLogTest() : directory_(testing::TempDir() + "/kubexms-audit-" + random_.Uuid()) {
    std::filesystem::create_directory(directory_);
  }
  ~AuditLogTest() override { std::filesystem::remove_all(directory_); }

  std::string Path(std::string_view suffix = "") const {
    return directory_ + "/audit.log" + std::string(suffix);
  }
  std::vector<std::string> Ids(std::string_view suffix = "") const {
    std::vector<std::string> ids;
    std::ifstream file(Path(suffix));
    for (std::string line; std::getline(file, line);) {
      ids.emplace_back(FindString(ParseJson(line).value(), "auditID"));
    }
    return ids;
  }

  SystemRandom random_;
  std::string directory_;
};

TEST_F(AuditLogTest, WritesAllLinesBeforeDestruction) {
  {
    const auto log = AuditLog::Open({.path = Path()}).value();
    for (int i = 0; i < 1000; ++i) log->Write(EventOf(std::to_string(i)));
    log->Write(EventOf("none", AuditLevel::kNone));
  }
  const std::vector<std::string> ids = Ids();
  ASSERT_EQ(ids.size(), 1000u);
  EXPECT_EQ(ids.front(), "0");
  EXPECT_EQ(ids.back(), "999");
  struct stat status;
  ASSERT_EQ(::stat(Path().c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
}

TEST_F(AuditLogTest, AppendsToAnExistingFile) {
  AuditLog::Open({.path = Path()}).value()->Write(EventOf("a"));
  AuditLog::Open({.path = Path()}).value()->Write(EventOf("b"));
  EXPECT_THAT(Ids(), testing::ElementsAre("a", "b"));
}

TEST_F(AuditLogTest, BlocksWritersWhileTheQueueIsFull) {
  {
    const auto log = AuditLog::Open({.path = Path(), .max_queued_lines = 1}).value();
    std::vector<std::thread> writers;
    for (int writer = 0; writer < 4; ++writer) {
      writers.emplace_back([&, writer] {
        for (int i = 0; i < 100; ++i) log->Write(EventOf(std::to_string(writer * 100 + i)));
      });
    }
    for (std::thread& writer : writers) writer.join();
    log->Flush();
    EXPECT_EQ(Ids().size(), 400u);
    EXPECT_EQ(log->lost_lines(), 0u);
  }
  const std::vector<std::string> ids = Ids();
  EXPECT_EQ(std::set<std::string>(ids.begin(), ids.end()).size(), 400u);
}

// A pipe as the log file, with a capacity of `page()` bytes: writes block until the test reads.
class AuditPipe {
 public:
  explicit AuditPipe(const std::string& path) {
    EXPECT_EQ(::mkfifo(path.c_str(), 0600), 0);
    reader_ = ::open(path.c_str(), O_RDONLY | O_NONBLOCK);
    page_ = ::fcntl(reader_, F_SETPIPE_SZ, 4096);
    EXPECT_EQ(::fcntl(reader_, F_SETFL, 0), 0);
  }
  ~AuditPipe() { ::close(reader_); }

  size_t page() const { return static_cast<size_t>(page_); }
  // Blocks for the next bytes; empty when the log is closed.
  std::string Read() const {
    std::string bytes(page(), 0);
    const ssize_t count = ::read(reader_, bytes.data(), bytes.size());
    bytes.resize(static_cast<size_t>(std::max<ssize_t>(count, 0)));
    return bytes;
  }

 private:
  int reader_ = -1;
  int page_ = -1;
};

TEST_F(AuditLogTest, WritesALineWithoutFlush) {
  const AuditPipe pipe(Path());
  const auto log = AuditLog::Open({.path = Path()}).value();
  log->Write(EventOf("a"));
  EXPECT_EQ(pipe.Read(), AuditLine(EventOf("a")));
}

TEST_F(AuditLogTest, BlocksWritersOnASlowDisk) {
  constexpr int kLines = 200;
  const AuditPipe pipe(Path());
  auto log = AuditLog::Open({.path = Path(), .max_queued_lines = 4}).value();
  std::thread writer([&] {
    for (int i = 0; i < kLines; ++i) log->Write(EventOf(std::to_string(i)));
    log.reset();
  });
  std::string text;
  for (std::string more; !(more = pipe.Read()).empty();) text += more;
  writer.join();
  EXPECT_EQ(std::ranges::count(text, '\n'), kLines);
  EXPECT_THAT(text, HasSubstr("\"auditID\":\"199\""));
}

TEST_F(AuditLogTest, BoundsTheQueueInBytes) {
  const AuditPipe pipe(Path());
  const AuditEvent event = EventOf("a");
  const size_t line = AuditLine(event).size();
  auto log = AuditLog::Open({.path = Path(), .max_queued_bytes = 3 * line}).value();
  std::atomic<size_t> queued = 0;
  const size_t lines = 10 * pipe.page() / line;
  std::thread writer([&] {
    for (size_t i = 0; i < lines; ++i) {
      log->Write(event);
      ++queued;
    }
    log.reset();
  });
  size_t read = 0;
  for (std::string more; !(more = pipe.Read()).empty();) {
    read += more.size();
    // The bytes in the pipe, the queued lines, and one line that waits.
    EXPECT_LE(queued * line, read + pipe.page() + 4 * line);
  }
  writer.join();
  EXPECT_EQ(read, lines * line);
}

TEST_F(AuditLogTest, RotatesFilesBySize) {
  const size_t line = AuditLine(EventOf("0")).size();
  const auto log =
      AuditLog::Open({.path = Path(), .max_file_bytes = 2 * line, .max_old_files = 2}).value();
  for (int i = 0; i < 9; ++i) {
    log->Write(EventOf(std::to_string(i)));
    log->Flush();
  }
  EXPECT_THAT(Ids(), testing::ElementsAre("8"));
  EXPECT_THAT(Ids(".1"), testing::ElementsAre("6", "7"));
  EXPECT_THAT(Ids(".2"), testing::ElementsAre("4", "5"));
  EXPECT_FALSE(std::filesystem::exists(Path(".3")));
}

TEST_F(AuditLogTest, CountsLostLines) {
  CapturingLogSink sink;
  const SystemClock clock;
  const auto log =
      AuditLog::Open({.path = "/dev/full", .logger = Logger({.sink = &sink, .clock = &clock})})
          .value();
  log->Write(EventOf("a"));
  log->Flush();
  EXPECT_EQ(log->lost_lines(), 1u);
  ASSERT_EQ(sink.Lines().size(), 1u);
  EXPECT_THAT(sink.Lines()[0], HasSubstr("cannot write to the API audit log; lines are lost"));
}

TEST_F(AuditLogTest, FailsForAnUnwritablePath) {
  const auto log = AuditLog::Open({.path = directory_ + "/missing/audit.log"});
  ASSERT_FALSE(log.ok());
  EXPECT_THAT(log.error().message(), HasSubstr("No such file or directory"));
}

}  // namespace
}  // namespace kubexms
