#include "tests/tidy/docs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kubexms::tidy {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;

TEST(DocsTest, FindsLinksAndPathsInCode) {
  EXPECT_THAT(PathsIn({"docs/x.md",
                       "[a](../kubexms/a.h#L1), [b](b.md), [c](https://example.org), [d](#d)\n"
                       "`tests/tidy/docs.h`, `kubexms/<library>/x.h`, `/etc/x.yaml`, `a.yaml`\n"}),
              ElementsAre("kubexms/a.h", "docs/b.md", "tests/tidy/docs.h"));
}

TEST(DocsTest, NamesFilesThatDoNotExist) {
  const File file{"README.md", "[a](docs/a.md), [b](docs/b.md), [c](docs/)"};
  EXPECT_THAT(CheckPaths(file, {"docs", "docs/a.md"}),
              ElementsAre(Field(&Complaint::what, HasSubstr("docs/b.md"))));
}

}  // namespace
}  // namespace kubexms::tidy
