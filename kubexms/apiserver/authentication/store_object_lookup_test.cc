#include "kubexms/apiserver/authentication/store_object_lookup.h"

#include <gtest/gtest.h>

#include "kubexms/apiserver/authentication/authentication.h"
#include "kubexms/apiserver/authentication/tokens_fixture_test.h"
#include "kubexms/store/memory_store.h"

namespace kubexms {
namespace {

constexpr std::string_view kAccountKey = "/registry/core/serviceaccounts/x/robot";

void Commit(store::Store& store, store::Transaction transaction) {
  ASSERT_TRUE(store.Commit(std::move(transaction)).ok());
}

TEST(StoreObjectLookupTest, FindsTheUidOfStoredObjects) {
  const std::unique_ptr<store::Store> store = store::MakeMemoryStore();
  StoreObjectLookup lookup(*store);
  EXPECT_EQ(lookup.Uid("", "nodes", "", "n").value(), std::nullopt);
  Commit(*store, store::Transaction().Put("/registry/core/nodes/n", R"({"metadata":{"uid":"7"}})"));
  EXPECT_EQ(lookup.Uid("", "nodes", "", "n").value(), "7");
  Commit(*store, store::Transaction().Put("/registry/core/nodes/n", "{}"));
  EXPECT_FALSE(lookup.Uid("", "nodes", "", "n").ok());
}

TEST(StoreObjectLookupTest, DeletingAServiceAccountRevokesItsTokensAtOnce) {
  const std::unique_ptr<store::Store> store = store::MakeMemoryStore();
  StoreObjectLookup lookup(*store);
  TokenFixture tokens;
  const Authenticator authenticator({.issuer = &tokens.issuer, .objects = &lookup});
  Commit(*store, store::Transaction().Put(std::string(kAccountKey),
                                          R"({"metadata":{"name":"robot","uid":"u1"}})"));
  const std::string token = tokens.issuer.Sign(tokens.Claims()).value();
  EXPECT_TRUE(authenticator.AuthenticateToken(token).ok());
  Commit(*store, store::Transaction().Delete(std::string(kAccountKey)));
  EXPECT_FALSE(authenticator.AuthenticateToken(token).ok());
  Commit(*store, store::Transaction().Put(std::string(kAccountKey),
                                          R"({"metadata":{"name":"robot","uid":"u2"}})"));
  EXPECT_FALSE(authenticator.AuthenticateToken(token).ok());
}

}  // namespace
}  // namespace kubexms
