#include "tests/tidy/rooms.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kubexms::tidy {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

auto Complains(const std::string& what) { return Field(&Complaint::what, HasSubstr(what)); }

TEST(RoomsTest, AllowsIncludesDownwardAndInTheSameRoom) {
  EXPECT_THAT(CheckRooms({{"kubexms/net/server/x.cc",
                           "#include \"kubexms/net/http/http.h\"\n"
                           "#include \"kubexms/net/server/limits.h\"\n"}}),
              IsEmpty());
}

TEST(RoomsTest, RefusesIncludesUpward) {
  EXPECT_THAT(CheckRooms({{"kubexms/net/http/x.h", "#include \"kubexms/net/server/server.h\"\n"}}),
              ElementsAre(Complains("of a room above \"http\"")));
}

TEST(RoomsTest, TestsMayIncludeEveryRoom) {
  EXPECT_THAT(
      CheckRooms({{"kubexms/net/http/x_test.cc", "#include \"kubexms/net/server/server.h\"\n"}}),
      IsEmpty());
}

TEST(RoomsTest, RefusesRoomsThatAreNotInTheTable) {
  EXPECT_THAT(CheckRooms({{"kubexms/net/attic/x.h", ""}, {"kubexms/store/attic/x.h", ""}}),
              ElementsAre(Complains("table of net"), Complains("table of store")));
}

TEST(RoomsTest, RefusesFoldersWithTooManyFiles) {
  std::vector<File> files;
  for (size_t i = 0; i <= kMaxFilesInFolder; ++i) {
    files.push_back({"kubexms/base/" + std::to_string(i) + ".h", ""});
  }
  EXPECT_THAT(CheckFolderSizes(files), ElementsAre(Complains("has 46 files")));
  files.pop_back();
  EXPECT_THAT(CheckFolderSizes(files), IsEmpty());
}

TEST(RoomsTest, PublicHeadersIncludeOnlyListedOnes) {
  const std::vector<File> files = {
      {"kubexms/base/a.h", "#include \"kubexms/base/b.h\"\n"},
      {"kubexms/base/b.h", "#include \"kubexms/base/c.h\"\n"},
      {"kubexms/base/c.h", ""},
      {"kubexms/base/d.h", ""},
  };
  const std::string needed = "# needed by the headers above\n";
  const std::string b = "kubexms/base/b.h\n";
  const std::string c = "kubexms/base/c.h\n";
  const auto check = [&](const std::string& list) {
    return CheckPublicHeaders(files, {"list", list}, {});
  };
  EXPECT_THAT(check("kubexms/base/a.h\n" + needed + b + c), IsEmpty());
  EXPECT_THAT(check("kubexms/base/a.h\n" + needed + b), ElementsAre(Complains("c.h is missing")));
  EXPECT_THAT(check("kubexms/base/a.h\n" + needed + b + c + "kubexms/base/d.h\n"),
              ElementsAre(Complains("d.h is included by no public header")));
  EXPECT_THAT(check("kubexms/base/none.h\n"), ElementsAre(Complains("none.h does not exist")));
}

TEST(RoomsTest, UsersIncludePublicHeadersOnly) {
  const std::vector<File> files = {{"kubexms/base/a.h", ""}, {"kubexms/base/b.h", ""}};
  const File list{"list", "kubexms/base/a.h\n"};
  EXPECT_THAT(CheckPublicHeaders(files, list, {{"docs/x.md", "    #include <kubexms/base/a.h>\n"}}),
              IsEmpty());
  EXPECT_THAT(CheckPublicHeaders(files, list, {{"docs/x.md", "#include <kubexms/base/b.h>\n"}}),
              ElementsAre(Complains("b.h, which is not public")));
}

}  // namespace
}  // namespace kubexms::tidy
