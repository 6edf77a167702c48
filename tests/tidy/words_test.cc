#include "tests/tidy/words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kubexms::tidy {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

auto Complains(int line, const std::string& what) {
  return AllOf(Field(&Complaint::line, line), Field(&Complaint::what, HasSubstr(what)));
}

TEST(WordsTest, NamesTheEstablishedTerm) {
  EXPECT_THAT(CheckWords({"docs/x.md", "A run.\nIt is taken back.\n"}),
              ElementsAre(Complains(2, "rolled back")));
  EXPECT_THAT(CheckWords({"kubexms/base/x.h", "// Somebody waits.\n"}),
              ElementsAre(Complains(1, "name the actor"), Complains(1, "the actor's name")));
}

TEST(WordsTest, FindsPartsOfIdentifiers) {
  EXPECT_THAT(CheckWords({"kubexms/base/x.cc", "int name_space_ = 0;\n"}),
              ElementsAre(Complains(1, "namespace_name")));
}

TEST(WordsTest, FindsWholeWordsOnly) {
  EXPECT_THAT(CheckWords({"kubexms/base/x.cc", "// A taskers' guild, discolouration.\n"}),
              IsEmpty());
}

TEST(WordsTest, LeavesTheGlossaryAlone) {
  EXPECT_THAT(CheckWords({"docs/glossary.md", "| requester | asker |\n"}), IsEmpty());
}

}  // namespace
}  // namespace kubexms::tidy
