#include "tests/tidy/checker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kubexms::tidy {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::string_view kGoodHeader = "#pragma once\n\n// Why this exists.\n\n";

// Complaints about a header of this library whose body is `body`.
Complaints CheckHeader(const std::string& library, const std::string& body) {
  return CheckFile({"kubexms/" + library + "/x.h", std::string(kGoodHeader) + body});
}

Complaints CheckSource(const std::string& library, const std::string& text) {
  return CheckFile({"kubexms/" + library + "/x.cc", text});
}

MATCHER_P2(Complains, line, what, "") {
  return arg.line == line && ExplainMatchResult(HasSubstr(what), arg.what, result_listener);
}

TEST(CheckerTest, HasNothingToSayAboutGoodFiles) {
  EXPECT_THAT(CheckHeader("net", "#include \"kubexms/base/result.h\"\n"), IsEmpty());
  EXPECT_THAT(CheckSource("base", "int main() { return 0; }\n"), IsEmpty());
}

TEST(CheckerTest, RefusesIncludesAgainstTheDirections) {
  EXPECT_THAT(CheckSource("base", "#include \"kubexms/api/schema/schema.h\"\n"),
              ElementsAre(Complains(1, "base may not include api")));
  EXPECT_THAT(CheckSource("api", "\n#include \"kubexms/net/http/http.h\"\n"),
              ElementsAre(Complains(2, "api may not include net")));
  EXPECT_THAT(CheckSource("store", "#include \"kubexms/api/schema/schema.h\"\n"),
              ElementsAre(Complains(1, "store may not include api")));
  EXPECT_THAT(CheckFile({"kubexms/base/x_test.cc", "#include \"kubexms/net/http/http.h\"\n"}),
              ElementsAre(Complains(1, "base may not include net")));
}

TEST(CheckerTest, AllowsTheServerInTestsOfWhatUsesIt) {
  const std::string include = "#include \"kubexms/apiserver/server.h\"\n";
  EXPECT_THAT(CheckFile({"kubexms/client/x_test.cc", include}), IsEmpty());
  EXPECT_THAT(CheckFile({"kubexms/platform/x_test.h", std::string(kGoodHeader) + include}),
              IsEmpty());
  EXPECT_THAT(CheckSource("client", include),
              ElementsAre(Complains(1, "client may not include apiserver")));
  EXPECT_THAT(CheckFile({"kubexms/store/x_test.cc", include}),
              ElementsAre(Complains(1, "store may not include apiserver")));
}

TEST(CheckerTest, TheDirectionsHaveNoCircle) {
  for (const auto& [library, allowed] : Directions()) {
    for (const std::string& other : allowed) {
      ASSERT_TRUE(Directions().contains(other)) << other;
      EXPECT_FALSE(Directions().at(other).contains(library)) << library << " and " << other;
    }
  }
}

TEST(CheckerTest, RefusesALibraryThatIsNotInTheTable) {
  EXPECT_THAT(CheckSource("util", "\n"), ElementsAre(Complains(0, "\"util\"")));
}

TEST(CheckerTest, RefusesAHeaderWithoutPragmaOnce) {
  EXPECT_THAT(CheckFile({"kubexms/base/x.h", "// Why.\n"}),
              ElementsAre(Complains(1, "#pragma once")));
}

TEST(CheckerTest, RefusesUsingNamespaceInHeaders) {
  EXPECT_THAT(CheckHeader("base", "using namespace std;\n"),
              ElementsAre(Complains(5, "using namespace")));
  EXPECT_THAT(CheckSource("base", "using namespace std::literals;\n"), IsEmpty());
}

TEST(CheckerTest, RefusesOtherPeoplesHeadersInHeaders) {
  EXPECT_THAT(CheckHeader("api", "#include <boost/asio/io_context.hpp>\n"),
              ElementsAre(Complains(5, "boost/asio/io_context.hpp")));
  EXPECT_THAT(CheckHeader("apiserver", "#include <openssl/ssl.h>\n"),
              ElementsAre(Complains(5, "openssl/ssl.h")));
  EXPECT_THAT(CheckHeader("net", "#include <rocksdb/db.h>\n#include <grpcpp/grpcpp.h>\n"),
              ElementsAre(Complains(5, "rocksdb"), Complains(6, "grpc")));
  EXPECT_THAT(CheckHeader("cluster", "#include <libssh/libssh.h>\n"),
              ElementsAre(Complains(5, "libssh")));
  EXPECT_THAT(CheckHeader("net", "#include <nghttp2/nghttp2.h>\n"), IsEmpty());
  EXPECT_THAT(CheckSource("store", "#include <rocksdb/db.h>\n"), IsEmpty());
}

TEST(CheckerTest, RefusesThrowOutsideCommentsAndStrings) {
  EXPECT_THAT(CheckSource("base", "\nvoid F() { throw 1; }\n"),
              ElementsAre(Complains(2, "throws")));
  EXPECT_THAT(CheckSource("base", "// We never throw.\nauto s = \"throw\"; int throwaway;\n"),
              IsEmpty());
  EXPECT_THAT(CheckSource("base", "auto s = R\"x(\nthrow \" )\n)x\";\nthrow 1;\n"),
              ElementsAre(Complains(4, "throws")));
  EXPECT_THAT(CheckFile({"kubexms/base/check.cc", "throw 1;\n"}), IsEmpty());
}

TEST(CheckerTest, RefusesPrintingInLibraries) {
  EXPECT_THAT(CheckSource("api", "std::cout << 1;\n"), ElementsAre(Complains(1, "std::cout")));
  EXPECT_THAT(CheckSource("api", "std::printf(\"x\");\n"), ElementsAre(Complains(1, "printf")));
  EXPECT_THAT(CheckSource("api", "std::snprintf(b, 1, \"x\");\n"), IsEmpty());
  EXPECT_THAT(CheckFile({"kubexms/cli/main.cc", "Run(std::cout);\n"}), IsEmpty());
}

TEST(CheckerTest, RefusesWhatIsToBeDone) {
  const std::string word = std::string("TO") + "DO";
  EXPECT_THAT(CheckSource("base", "// " + word + ": more\n"), ElementsAre(Complains(1, "do it")));
  EXPECT_THAT(CheckFile({"docs/x.md", "Words.\n" + word + "\n"}),
              ElementsAre(Complains(2, "do it")));
}

TEST(CheckerTest, RefusesLongLinesCountingCharacters) {
  std::string umlauts;
  for (int i = 0; i < 97; ++i) umlauts += "ü";
  EXPECT_THAT(CheckSource("base", "// " + umlauts + "\n"), IsEmpty());
  EXPECT_THAT(CheckSource("base", "//  " + umlauts + "\n"),
              ElementsAre(Complains(1, "100 columns")));
  EXPECT_THAT(CheckFile({"docs/x.md", umlauts + umlauts + "\n"}), IsEmpty());
  EXPECT_THAT(CheckSource("base", "auto s = R\"(\n    " + umlauts + ")\";\n"), IsEmpty());
}

TEST(CheckerTest, RefusesTabsAndTrailingWhiteSpace) {
  EXPECT_THAT(CheckFile({"docs/x.md", "a\tb\nc \n"}),
              ElementsAre(Complains(1, "tab"), Complains(2, "white space")));
  EXPECT_THAT(CheckFile({"docs/x.md", "a"}), ElementsAre(Complains(0, "line break")));
}

TEST(CheckerTest, RefusesOtherFileNames) {
  EXPECT_THAT(CheckFile({"kubexms/base/JsonReader.cc", "\n"}),
              ElementsAre(Complains(0, "like_this")));
  EXPECT_THAT(CheckFile({"kubexms/base/json-reader.cc", "\n"}),
              ElementsAre(Complains(0, "like_this")));
}

TEST(CheckerTest, RefusesASourceThatDoesNotIncludeItsOwnHeaderFirst) {
  const File header{"kubexms/base/x.h", std::string(kGoodHeader)};
  const std::string good = "#include \"kubexms/base/x.h\"\n#include <string>\n";
  const std::string bad = "#include <string>\n#include \"kubexms/base/x.h\"\n";
  EXPECT_THAT(CheckOwnHeaders({header,
                               {"kubexms/base/x.cc", good},
                               {"kubexms/base/x_test.cc", good},
                               {"kubexms/base/other.cc", bad}}),
              IsEmpty());
  EXPECT_THAT(
      CheckOwnHeaders({header, {"kubexms/base/x.cc", bad}, {"kubexms/base/x_test.cc", bad}}),
      ElementsAre(Complains(0, "x.h"), Complains(0, "x.h")));
}

TEST(CheckerTest, RefusesALibraryWithoutALineInTheReadme) {
  const std::string good(kGoodHeader);
  const std::vector<File> files = {{"kubexms/base/x.h", good}, {"kubexms/net/y.h", good}};
  const auto readme = [](std::string text) { return File{"kubexms/README.md", std::move(text)}; };
  EXPECT_THAT(CheckReadme(files, readme("[x.h](base/x.h) [y.h](net/y.h)")), IsEmpty());
  EXPECT_THAT(CheckReadme(files, readme("[x.h](base/x.h)")),
              ElementsAre(Complains(0, "no line for net")));
  EXPECT_THAT(CheckReadme({{"kubexms/base/x.h", "#pragma once\n\n#include <string>\n"}},
                          readme("[x.h](base/x.h)")),
              ElementsAre(Complains(3, "comment")));
  EXPECT_THAT(CheckReadme(files, readme("[x.h](base/x.h) [z.h](net/z.h)")),
              ElementsAre(Complains(0, "kubexms/net/z.h, which is not there")));
}

std::string Strip(std::string_view text) { return StripCommentsAndStrings(text).code; }

TEST(CheckerTest, StripsCommentsAndLiteralsButKeepsLines) {
  EXPECT_EQ(Strip("a /* b\nc */ d // e\nf"), "a \n d \nf");
  EXPECT_EQ(Strip(R"(x = "a\"b" + 'c' + 1'000;)"), "x =  +  + 1'000;");
  EXPECT_EQ(Strip("x = R\"(a \" ' //)\";"), "x = ;");
}

}  // namespace
}  // namespace kubexms::tidy
