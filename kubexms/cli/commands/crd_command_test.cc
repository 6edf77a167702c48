#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "kubexms/base/json/json.h"
#include "kubexms/cli/command_line.h"
#include "kubexms/cli/commands.h"

namespace kubexms {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// The output of `kubexms crd …`, or the error.
std::string Crd(std::vector<std::string> words) {
  words.insert(words.begin(), "crd");
  std::ostringstream out;
  std::ostringstream err;
  const ExitCode code = RunCommandLine(RootCommand(), words, out, err);
  return code == ExitCode::kDone ? out.str() : err.str();
}

size_t Count(const std::string& text, std::string_view part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(CrdCommandTest, PrintsOneDocumentForEachKind) {
  const std::string all = Crd({});
  EXPECT_THAT(all, StartsWith("---\napiVersion: apiextensions.k8s.io/v1\n"));
  EXPECT_GE(Count(all, "\nkind: CustomResourceDefinition\n"), 3u);
}

TEST(CrdCommandTest, AcceptsTheNamesThatKubectlAccepts) {
  const std::string user = Crd({"User"});
  EXPECT_THAT(user, HasSubstr("\n  name: users.user.sealos.io\n"));
  EXPECT_EQ(Count(user, "---\n"), 1u);
  for (const char* name : {"user", "users", "users.user.sealos.io"}) {
    EXPECT_EQ(Crd({name}), user) << name;
  }
  EXPECT_EQ(Count(Crd({"users", "deleterequest"}), "---\n"), 2u);
}

TEST(CrdCommandTest, PrintsAListForPrograms) {
  const auto list = ParseJson(Crd({"users", "-o", "json"}));
  ASSERT_TRUE(list.ok());
  EXPECT_EQ(FindString(*list, "kind"), "List");
  EXPECT_EQ(list->at("items").as_array().size(), 1u);
}

TEST(CrdCommandTest, ErrorListsTheKinds) {
  EXPECT_THAT(Crd({"usres"}), HasSubstr("unknown kind \"usres\"; the kinds are User, "));
}

}  // namespace
}  // namespace kubexms
