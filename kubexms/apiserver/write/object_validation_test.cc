#include "kubexms/apiserver/write/object_validation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kubexms {
namespace {

using testing::ElementsAre;

// An object whose `spec.taints` have an `effect` of one value.
struct TaintSchema {
  TaintSchema() {
    text.type = SchemaType::kString;
    text.enum_values = {"NoSchedule"};
    taint.type = SchemaType::kObject;
    taint.properties = {{"effect", &text}};
    taints.type = SchemaType::kArray;
    taints.items = &taint;
    spec.type = SchemaType::kObject;
    spec.properties = {{"taints", &taints}};
    root.type = SchemaType::kObject;
    root.properties = {{"spec", &spec}};
  }

  Schema text, taint, taints, spec, root;
};

std::vector<std::string> FieldsOf(const FieldErrors& errors) {
  std::vector<std::string> fields;
  for (const ErrorCause& error : errors) fields.push_back(error.field);
  return fields;
}

// The fields of all errors when the strategy has reported these.
std::vector<std::string> FieldsAfter(const FieldErrors& reported) {
  const TaintSchema schema;
  const Json object = ParseJson(R"({"spec":{"taints":[{"effect":"Go"},{"effect":"Go"}]}})").value();
  FieldErrors errors = reported;
  AddSchemaErrors(object, schema.root, errors);
  return FieldsOf(errors);
}

constexpr std::string_view kNotSupported = "FieldValueNotSupported";

ErrorCause Reported(std::string field, std::string_view reason = kNotSupported) {
  return {.reason = std::string(reason), .message = "", .field = std::move(field)};
}

TEST(ObjectValidationTest, AddsErrorsThatTheStrategyHasNotReported) {
  EXPECT_THAT(FieldsAfter({}), ElementsAre("spec.taints[0].effect", "spec.taints[1].effect"));
  EXPECT_THAT(FieldsAfter({Reported("spec.effect")}),
              ElementsAre("spec.effect", "spec.taints[0].effect", "spec.taints[1].effect"));
  EXPECT_THAT(FieldsAfter({Reported("spec.taint")}),
              ElementsAre("spec.taint", "spec.taints[0].effect", "spec.taints[1].effect"));
}

TEST(ObjectValidationTest, OmitsErrorsAboutReportedFields) {
  EXPECT_THAT(FieldsAfter({Reported("spec.taints[0].effect", "FieldValueInvalid")}),
              ElementsAre("spec.taints[0].effect", "spec.taints[1].effect"));
  EXPECT_THAT(FieldsAfter({Reported("spec.taints", "FieldValueInvalid")}),
              ElementsAre("spec.taints"));
}

// Some rules of Kubernetes name the list where they mean an item.
TEST(ObjectValidationTest, OmitsErrorsReportedForTheListOfTheField) {
  EXPECT_THAT(FieldsAfter({Reported("spec.taints.effect")}), ElementsAre("spec.taints.effect"));
}

// Kubernetes reports the taints of a Node below `metadata`.
TEST(ObjectValidationTest, OmitsErrorsReportedBelowAnotherRoot) {
  EXPECT_THAT(FieldsAfter({Reported("metadata.taints[0].effect")}),
              ElementsAre("metadata.taints[0].effect", "spec.taints[1].effect"));
}

}  // namespace
}  // namespace kubexms
