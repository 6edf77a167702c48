#include "kubexms/api/schema/field_error.h"

#include <gtest/gtest.h>

#include <type_traits>

namespace kubexms {
namespace {

TEST(FieldPathTest, WritesFieldsItemsAndKeys) {
  const FieldPath spec("spec");
  const FieldPath containers = spec.Child("containers");
  const FieldPath container = containers.Index(2);
  EXPECT_EQ(container.Child("image").ToString(), "spec.containers[2].image");
  const FieldPath labels("metadata.labels");
  EXPECT_EQ(labels.Key("a.b/c").ToString(), "metadata.labels[a.b/c]");
  EXPECT_EQ(FieldPath().ToString(), "");
}

template <class Path>
concept Extensible = requires(Path path) {
  static_cast<Path&&>(path).Child("x");
};

TEST(FieldPathTest, CannotBeExtendedFromATemporary) {
  static_assert(Extensible<const FieldPath&>);
  static_assert(!Extensible<FieldPath&&>);
}

TEST(FieldErrorTest, CreatesTheCausesOfKubernetes) {
  const FieldPath path("spec.x");
  EXPECT_EQ(Required(path), (ErrorCause{"FieldValueRequired", "Required value", "spec.x"}));
  EXPECT_EQ(Required(path, "for apply").message, "Required value: for apply");
  EXPECT_EQ(Invalid(path, Json(11), "too big"),
            (ErrorCause{"FieldValueInvalid", "Invalid value: 11: too big", "spec.x"}));
  EXPECT_EQ(TypeInvalid(path, Json("string"), "no").reason, "FieldValueTypeInvalid");
  EXPECT_EQ(
      NotSupported(path, Json("green"), {"red", "blue"}),
      (ErrorCause{"FieldValueNotSupported",
                  "Unsupported value: \"green\": supported values: \"red\", \"blue\"", "spec.x"}));
  EXPECT_EQ(Duplicate(path, Json("a")),
            (ErrorCause{"FieldValueDuplicate", "Duplicate value: \"a\"", "spec.x"}));
  EXPECT_EQ(NotFound(path, Json("a")).message, "Not found: \"a\"");
  EXPECT_EQ(Forbidden(path, "not now"),
            (ErrorCause{"FieldValueForbidden", "Forbidden: not now", "spec.x"}));
  EXPECT_EQ(TooLong(path, 5),
            (ErrorCause{"FieldValueTooLong", "Too long: may not be more than 5 bytes", "spec.x"}));
  EXPECT_EQ(TooMany(path, 3, 2),
            (ErrorCause{"FieldValueTooMany", "Too many: 3: must have at most 2 items", "spec.x"}));
  EXPECT_EQ(InternalError(path, "odd").message, "Internal error: odd");
}

TEST(FieldErrorTest, UsesTheSingularForOne) {
  EXPECT_EQ(TooLong(FieldPath("x"), 1).message, "Too long: may not be more than 1 byte");
  EXPECT_EQ(TooMany(FieldPath("x"), 2, 1).message, "Too many: 2: must have at most 1 item");
}

TEST(FieldErrorTest, WritesAnEmptyPathAsKubernetesDoes) {
  EXPECT_EQ(Invalid(FieldPath(), Json(""), "why").field, "<nil>");
}

TEST(FieldErrorTest, WritesValuesAsKubernetesDoes) {
  EXPECT_EQ(DescribeValue(Json("a\"b\n")), R"("a\"b\n")");
  EXPECT_EQ(DescribeValue(Json(nullptr)), "\"null\"");
  EXPECT_EQ(DescribeValue(Json(true)), "true");
  EXPECT_EQ(DescribeValue(Json(-5)), "-5");
  EXPECT_EQ(DescribeValue(Json({{"app", "d"}})), R"({"app":"d"})");
  EXPECT_EQ(DescribeValue(Json(0.5)), "0.5");
}

TEST(FieldErrorTest, WritesNumbersAsGoDoes) {
  EXPECT_EQ(DescribeNumber(10), "10");
  EXPECT_EQ(DescribeNumber(0), "0");
  EXPECT_EQ(DescribeNumber(-1.5), "-1.5");
  EXPECT_EQ(DescribeNumber(1e20), "100000000000000000000");
  EXPECT_EQ(DescribeNumber(1e21), "1e+21");
  EXPECT_EQ(DescribeNumber(0.0001), "0.0001");
  EXPECT_EQ(DescribeNumber(0.00001), "1e-05");
}

}  // namespace
}  // namespace kubexms
