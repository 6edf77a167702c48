#include "kubexms/base/monitoring/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <thread>

#include "kubexms/base/json/json.h"

namespace kubexms {
namespace {

using std::chrono_literals::operator""ms;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

class LogTest : public ::testing::Test {
 protected:
  Logger Make(LogFormat format = LogFormat::kText) {
    return Logger({.format = format, .sink = &sink_, .clock = &clock_, .secrets = &secrets_});
  }
  std::string Last() { return sink_.Lines().empty() ? "" : sink_.Lines().back(); }

  CapturingLogSink sink_;
  ManualClock clock_;
  SecretRegistry secrets_;
};

TEST_F(LogTest, WritesText) {
  clock_.Advance(1234ms);
  Make()
      .Named("controller")
      .Named("node")
      .With("node", "n1")
      .Info("joined the cluster",
            {{"attempt", 3}, {"took", 1500ms}, {"ok", true}, {"ratio", 0.25}});
  EXPECT_THAT(sink_.Lines(),
              ElementsAre("2024-01-01T00:00:01.234Z INFO  controller.node: joined the cluster "
                          "node=n1 attempt=3 took=1.5s ok=true ratio=0.25"));
}

TEST_F(LogTest, WritesJson) {
  Make(LogFormat::kJson)
      .Named("store")
      .With("shard", 7u)
      .Warn("slow \"write\"", {{"bytes", UINT64_MAX}, {"nan", std::nan("")}, {"why", "a\nb"}});
  EXPECT_EQ(Last(),
            R"({"time":"2024-01-01T00:00:00.000Z","level":"warn","logger":"store",)"
            R"("message":"slow \"write\"","shard":7,"bytes":18446744073709551615,"nan":"nan",)"
            R"("why":"a\nb"})");
  EXPECT_TRUE(ParseJson(Last()).ok());
}

TEST_F(LogTest, QuotesValuesThatWouldBeAmbiguous) {
  Make().Info("m", {{"a", "x y"}, {"b", ""}, {"c", "k=v"}, {"d", std::string("q\"")}});
  EXPECT_THAT(Last(), EndsWith(R"(m a="x y" b="" c="k=v" d="q\"")"));
}

TEST_F(LogTest, KeepsEveryMessageOnOneLine) {
  Make().Info("first\nsecond", {{"key\n", "a\r\nb"}});
  EXPECT_THAT(Last(), EndsWith(R"(first\nsecond key\n="a\r\nb")"));
}

TEST_F(LogTest, LogsErrorsByTheirMessage) {
  Make().Error("cannot sync", {{"error", Error::NotFound("pods", "a")}});
  EXPECT_THAT(Last(), EndsWith(R"(ERROR cannot sync error="pods \"a\" not found")"));
}

TEST_F(LogTest, NeverShowsSecrets) {
  const Logger log = Make().With("password", Secret("correct horse"));
  log.Info("m", {{"token", Secret("t0ken")}});
  EXPECT_THAT(Last(), EndsWith("m password=[redacted] token=[redacted]"));

  const Logger early = Make().With("url", "https://u:swordfish@h");
  secrets_.Add("swordfish");
  early.Info("ran mysql -pswordfish", {{"out", std::string("x swordfish y")}, {"swordfish", 1}});
  EXPECT_THAT(Last(), Not(HasSubstr("swordfish")));
  EXPECT_THAT(Last(), HasSubstr("url=https://u:[redacted]@h"));
}

TEST_F(LogTest, RedactsBeforeItTruncates) {
  secrets_.Add("swordfish");
  const Logger log({.max_value_bytes = 8, .sink = &sink_, .clock = &clock_, .secrets = &secrets_});
  log.Info("1234swordfish");
  EXPECT_THAT(Last(), EndsWith("INFO  1234[red...(6 more bytes)"));
}

TEST_F(LogTest, RepairsInvalidUtf8) {
  Make(LogFormat::kJson).Info("a\xFF", {{"b", "\xC3"}});
  EXPECT_TRUE(ParseJson(Last()).ok()) << Last();
}

TEST_F(LogTest, LaterFieldsReplaceEarlierOnes) {
  const Logger log = Make(LogFormat::kJson).With("a", 1).With("b", 1).With("a", 2);
  log.Info("m", {{"b", 3}, {"time", "x"}});
  EXPECT_THAT(Last(), EndsWith(R"("message":"m","a":2,"b":3,"time_":"x"})"));
}

TEST_F(LogTest, SetsTheLevelOfDescendants) {
  const Logger root = Make();
  const Logger controller = root.Named("controller");
  const Logger node = controller.Named("node");
  EXPECT_FALSE(node.Enabled(LogLevel::kDebug));

  controller.SetLevel(LogLevel::kDebug);
  EXPECT_TRUE(node.With("a", 1).Enabled(LogLevel::kDebug));
  EXPECT_TRUE(root.Named("controller.pod").Enabled(LogLevel::kDebug));
  EXPECT_FALSE(root.Named("controllers").Enabled(LogLevel::kDebug));
  EXPECT_FALSE(root.Enabled(LogLevel::kDebug));

  node.SetLevel(LogLevel::kError);
  root.SetLevel(LogLevel::kWarn);
  EXPECT_FALSE(root.Named("other").Enabled(LogLevel::kInfo));
  EXPECT_TRUE(controller.Enabled(LogLevel::kDebug));
  EXPECT_FALSE(root.Named("controller").Named("node").Enabled(LogLevel::kWarn));
}

TEST_F(LogTest, InheritsThroughMissingNames) {
  const Logger root = Make();
  root.Named("a").SetLevel(LogLevel::kError);
  EXPECT_FALSE(root.Named("a.b.c").Enabled(LogLevel::kInfo));
}

TEST_F(LogTest, WritesNothingBelowTheLevel) {
  Make().Debug("hidden");
  EXPECT_THAT(sink_.Lines(), ElementsAre());
}

TEST_F(LogTest, BoundsTheNumberOfNames) {
  const Logger root = Make();
  for (int i = 0; i < 5000; ++i) root.Named(std::to_string(i)).Info("m");
  EXPECT_EQ(Last(), "2024-01-01T00:00:00.000Z INFO  m");
}

TEST_F(LogTest, IsSafeToUseFromManyThreads) {
  const Logger root = Make();
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        for (int i = 0; i < 200; ++i) {
          const Logger log = root.Named(std::to_string(i % 10)).With("t", t);
          log.Warn("m", {{"i", i}});
          log.SetLevel(i % 2 == 0 ? LogLevel::kInfo : LogLevel::kDebug);
          secrets_.Add("secret-" + std::to_string(i));
        }
      });
    }
  }
  EXPECT_EQ(sink_.Lines().size(), 800u);
}

TEST(LoggerTest, DiscardsEverythingWhenDefaultConstructed) {
  const Logger log;
  log.Named("a").With("b", 1).Error("m");
  log.SetLevel(LogLevel::kDebug);
  EXPECT_FALSE(log.Enabled(LogLevel::kError));
}

TEST(LogLevelTest, HasNames) {
  EXPECT_EQ(LogLevelName(LogLevel::kWarn), "warn");
  EXPECT_EQ(ParseLogLevel("debug"), LogLevel::kDebug);
  EXPECT_EQ(ParseLogLevel("loud"), std::nullopt);
}

TEST(FileLogSinkTest, WritesWholeLines) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  FileLogSink sink(ends[1]);
  sink.Write(LogLevel::kInfo, "hello\n");
  char buffer[16];
  EXPECT_EQ(std::string(buffer, static_cast<size_t>(::read(ends[0], buffer, sizeof(buffer)))),
            "hello\n");
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST(CapturingLogSinkTest, StoresTheLastLines) {
  CapturingLogSink sink(2);
  for (const char* line : {"a\n", "b\n", "c\n"}) sink.Write(LogLevel::kInfo, line);
  EXPECT_THAT(sink.Lines(), ElementsAre("b", "c"));
}

}  // namespace
}  // namespace kubexms
