#pragma once

// For tests: objects written through an ObjectWriter into a store in memory.

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>

#include "kubexms/apiserver/decoding/body.h"
#include "kubexms/apiserver/resources/builtin_resources.h"
#include "kubexms/apiserver/resources/metadata.h"
#include "kubexms/apiserver/resources/resource_registry.h"
#include "kubexms/apiserver/services/service_addresses.h"
#include "kubexms/apiserver/write/object_writer.h"
#include "kubexms/base/clock.h"
#include "kubexms/base/random.h"
#include "kubexms/store/memory_store.h"

namespace kubexms {

class WrittenObjects : public testing::Test {
 protected:
  explicit WrittenObjects(const ServiceAddressOptions& options = {})
      : addresses_(ServiceAddresses::Create(options, *store_, random_).value()) {
    EXPECT_TRUE(Create("", "namespaces", R"({"metadata":{"name":"default"}})").ok());
  }

  const Resource& Find(std::string_view group, std::string_view plural) const {
    return **resources_.Find(group, "v1", plural);
  }

  WriteAttributes Attributes(const Resource& resource, std::string_view name = "") const {
    return {.resource = resource,
            .subresource = "",
            .namespace_name = resource.namespaced ? "default" : "",
            .name = name,
            .user = user_,
            .manager = "test"};
  }

  Result<Json> Create(std::string_view group, std::string_view plural, std::string_view text) {
    const Resource& resource = Find(group, plural);
    Json document = ParseJson(text).value();
    document.get_object()["apiVersion"] = resource.api_version();
    document.get_object()["kind"] = resource.kind;
    RETURN_IF_ERROR(FillDefaults(document, resource));
    ASSIGN_OR_RETURN(const Written written,
                     writer_.Create(Attributes(resource), std::move(document)));
    return ParseJson(written.object);
  }

  // Changes an object by a function of its document.
  template <class Change>
  Result<Written> Update(std::string_view group, std::string_view plural, std::string_view name,
                         Change change) {
    return writer_.Update(Attributes(Find(group, plural), name),
                          [&](const Json& old) -> Result<ObjectWriter::Change> {
                            Json document = old;
                            change(document);
                            return ObjectWriter::Change{std::move(document)};
                          });
  }

  Result<Deleted> Delete(std::string_view group, std::string_view plural, std::string_view name,
                         const DeleteQuery& options = {}) {
    return writer_.Delete(Attributes(Find(group, plural), name), options);
  }

  const UserInfo user_{.name = "tester"};
  std::unique_ptr<store::Store> store_ = store::MakeMemoryStore();
  ManualClock clock_;
  SeededRandom random_{1};
  AdmissionChain admissions_;
  ServiceAddresses addresses_;
  ResourceSet resources_{BuiltinResources()};
  ObjectWriter writer_{{*store_, clock_, random_, admissions_, {&addresses_}}};
};

}  // namespace kubexms
