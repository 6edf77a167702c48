#include "kubexms/controller/requests/audit_record.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "kubexms/base/json/json.h"

namespace kubexms {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::SizeIs;

AuditRecord MakeRecord(const std::string& id, const std::string& result = "Completed") {
  return {.id = id,
          .type = {.group = "test.io", .version = "v1", .kind = "Grant", .plural = "grants"},
          .key = {"default", "g"},
          .requester = {.user = "alice"},
          .spec = R"({"role":"Owner"})",
          .created = Time::Parse("2024-01-01T00:00:00Z").value(),
          .started = Time::Parse("2024-01-01T00:00:05Z").value(),
          .completed = Time::Parse("2024-01-01T00:00:07Z").value(),
          .duration = std::chrono::milliseconds(1500),
          .result = result,
          .message = "granted"};
}

TEST(AuditRecordTest, ALineHasAllFields) {
  EXPECT_EQ(AuditRecordLine(MakeRecord("u1"), 1000),
            R"({"apiVersion":"test.io/v1",)"
            R"("completed":"2024-01-01T00:00:07Z","created":"2024-01-01T00:00:00Z",)"
            R"("durationSeconds":1.5,"id":"u1",)"
            R"("kind":"Grant","message":"granted","name":"g","namespace":"default",)"
            R"("requestedBy":{"user":"alice"},)"
            R"("result":"Completed","spec":{"role":"Owner"},"started":"2024-01-01T00:00:05Z"})"
            "\n");
}

TEST(AuditRecordTest, ALineIsBounded) {
  AuditRecord record = MakeRecord("u1");
  record.spec = "\"" + std::string(5000, 'x') + "\"";
  const std::string without_spec = AuditRecordLine(record, 1000);
  EXPECT_LE(without_spec.size(), 1000);
  EXPECT_THAT(without_spec, HasSubstr("\"specBytes\":5002"));
  EXPECT_THAT(without_spec, HasSubstr("granted"));
  record.message = std::string(5000, '\n');
  EXPECT_LE(AuditRecordLine(record, 1000).size(), 1000);
}

TEST(AuditRecordTest, ALongRequesterIsTruncated) {
  AuditRecord record = MakeRecord("u1");
  record.requester = {.claimed = std::string(200'000, 'x')};
  const std::string line = AuditRecordLine(record, 64 * 1024);
  EXPECT_LE(line.size(), 64 * 1024);
  EXPECT_THAT(line, HasSubstr("granted"));
  EXPECT_THAT(line, HasSubstr("Owner"));
  record.requester.claimed = std::string(200'000, '\n');
  EXPECT_LE(AuditRecordLine(record, 1024).size(), 1024);
}

class FileAuditSinkTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "audit_XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    directory_ = name;
    path_ = name + "/requests.log";
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  std::vector<std::string> Lines() const {
    std::ifstream file(path_);
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
  }

  std::string directory_;
  std::string path_;
};

TEST_F(FileAuditSinkTest, AppendsLinesThatOnlyTheOwnerCanRead) {
  for (const char* id : {"u1", "u2"}) {
    const auto sink = FileAuditSink::Open(path_).value();
    ASSERT_TRUE(sink->Write(MakeRecord(id)).ok());
  }
  EXPECT_THAT(Lines(), ElementsAre(HasSubstr("\"u1\""), HasSubstr("\"u2\"")));
  struct stat status;
  ASSERT_EQ(::stat(path_.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
}

TEST_F(FileAuditSinkTest, WritesTheSameResultOfARequestOnce) {
  for (int i = 0; i < 2; ++i) {
    const auto sink = FileAuditSink::Open(path_).value();
    ASSERT_TRUE(sink->Write(MakeRecord("u1")).ok());
    ASSERT_TRUE(sink->Write(MakeRecord("u1")).ok());
  }
  EXPECT_THAT(Lines(), SizeIs(1));
  // Another end of the same request is news.
  ASSERT_TRUE(FileAuditSink::Open(path_).value()->Write(MakeRecord("u1", "Failed")).ok());
  EXPECT_THAT(Lines(), SizeIs(2));
}

TEST_F(FileAuditSinkTest, ComparesABoundedNumberOfRecords) {
  const auto sink = FileAuditSink::Open(path_, {.remembered = 2}).value();
  for (const char* id : {"u1", "u2", "u3", "u3", "u2", "u1"}) {
    ASSERT_TRUE(sink->Write(MakeRecord(id)).ok());
  }
  EXPECT_THAT(Lines(), SizeIs(4));
}

TEST_F(FileAuditSinkTest, ALineThatACrashCutInTwoIsEnded) {
  std::ofstream(path_) << R"({"id":"u1","res)";
  ASSERT_TRUE(FileAuditSink::Open(path_).value()->Write(MakeRecord("u1")).ok());
  EXPECT_THAT(Lines(), ElementsAre(EndsWith("\"res"), HasSubstr("\"Completed\"")));
}

// As with leader election: the one that waits has the file open too.
TEST_F(FileAuditSinkTest, HasOneWriterFromItsFirstRecordOn) {
  auto first = FileAuditSink::Open(path_).value();
  const auto second = FileAuditSink::Open(path_).value();
  ASSERT_TRUE(first->Write(MakeRecord("u1")).ok());
  const auto written = second->Write(MakeRecord("u2"));
  ASSERT_FALSE(written.ok());
  EXPECT_THAT(written.error().message(), HasSubstr("in use"));
  first.reset();
  // It knows what the other one wrote.
  ASSERT_TRUE(second->Write(MakeRecord("u1")).ok());
  ASSERT_TRUE(second->Write(MakeRecord("u2")).ok());
  EXPECT_THAT(Lines(), ElementsAre(HasSubstr("\"u1\""), HasSubstr("\"u2\"")));
}

TEST_F(FileAuditSinkTest, CreatesANewFileAfterARename) {
  const auto sink = FileAuditSink::Open(path_).value();
  ASSERT_TRUE(sink->Write(MakeRecord("u1")).ok());
  std::filesystem::rename(path_, path_ + ".1");
  ASSERT_TRUE(sink->Write(MakeRecord("u1")).ok());  // known from the file before
  ASSERT_TRUE(sink->Write(MakeRecord("u2")).ok());
  EXPECT_THAT(Lines(), ElementsAre(HasSubstr("\"u2\"")));
  std::filesystem::remove(path_);
  ASSERT_TRUE(sink->Write(MakeRecord("u3")).ok());
  EXPECT_THAT(Lines(), ElementsAre(HasSubstr("\"u3\"")));
  // The new one is locked as the first was.
  EXPECT_FALSE(FileAuditSink::Open(path_).value()->Write(MakeRecord("u4")).ok());
  std::filesystem::remove_all(directory_);
  EXPECT_FALSE(sink->Write(MakeRecord("u5")).ok());
}

TEST_F(FileAuditSinkTest, RecognizesRecordsOfAnyLength) {
  const FileAuditSinkOptions options{.remembered = 10};
  const auto write_all = [&] {
    const auto sink = FileAuditSink::Open(path_, options).value();
    for (int i = 0; i < 10; ++i) {
      AuditRecord record = MakeRecord("u" + std::to_string(i));
      record.spec = "\"" + std::string(50'000, 'x') + "\"";
      ASSERT_TRUE(sink->Write(record).ok());
    }
  };
  write_all();
  write_all();
  EXPECT_THAT(Lines(), SizeIs(10));
}

TEST_F(FileAuditSinkTest, NamesTheFileThatCannotBeOpened) {
  const auto sink = FileAuditSink::Open(directory_ + "/none/requests.log");
  ASSERT_FALSE(sink.ok());
  EXPECT_THAT(sink.error().message(), HasSubstr("/none/requests.log: No such file"));
}

}  // namespace
}  // namespace kubexms
