// Operationrequests and Deleterequests, created by the users themselves.

#include "kubexms/controller/requests/creator_trust.h"
#include "kubexms/platform/platform_fixture_test.h"
#include "kubexms/platform/user_objects.h"

namespace kubexms::platform {
namespace {

using corev1::ConfigMap;
using corev1::Namespace;
using rbacv1::RoleBinding;
using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::SizeIs;
using userv1::Deleterequest;
using userv1::Operationrequest;
using userv1::User;

ConfigMap MapIn(const std::string& namespace_name, const std::string& name) {
  ConfigMap map;
  map.metadata.namespace_name = namespace_name;
  map.metadata.name = name;
  return map;
}

class RequestsTest : public PlatformTest {
 protected:
  // Interrupted executions are retried soon.
  RequestsTest() {
    options_.operation_requests.times.retry_after = std::chrono::milliseconds(50);
    options_.delete_requests.times.retry_after = std::chrono::milliseconds(50);
  }

  void StartWithAliceAndBob() {
    Start();
    for (const char* name : {"alice", "bob"}) CreateUser(name);
    for (const char* name : {"alice", "bob"}) ASSERT_TRUE(BecomesActive(name));
    alice_ = ClientOfUser("alice");
    bob_ = ClientOfUser("bob");
  }

  // For bob in the workspace of alice, which is also the namespace of the request.
  Operationrequest Request(const std::string& action, const std::string& role) {
    Operationrequest request;
    request.metadata.namespace_name = "ns-alice";
    request.metadata.generate_name = "request-";
    request.spec.action = action;
    request.spec.namespace_name = "ns-alice";
    request.spec.user = "bob";
    request.spec.role = role;
    return request;
  }
  RequestStatus Ask(const std::string& action, const std::string& role) {
    return CreateAndFinish(*alice_, Request(action, role));
  }
  std::string RoleOfBob() {
    const auto binding = client().Get<RoleBinding>({"ns-alice", "rb-bob"});
    return binding.ok() ? binding->role_ref.name : "none";
  }
  // The owner from the annotation.
  std::string OwnerOfNsAlice() { return UserNamed("alice").metadata.annotations[kOwner]; }
  // The names of the roles of all bindings that bob has in the workspace.
  std::vector<std::string> RolesOfBob() {
    std::vector<std::string> roles;
    const List<RoleBinding> all =
        client().List<RoleBinding>({.namespace_name = "ns-alice"}).value();
    for (const RoleBinding& binding : all.items) {
      if (binding.subjects.at(0).name == "bob") roles.push_back(binding.role_ref.name);
    }
    return roles;
  }

  // Created by the administrator.
  void BobHas(const std::vector<std::string>& roles) {
    for (const char* name : {"rb-bob", "rb-bob:update"}) {
      (void)client().Delete<RoleBinding>({"ns-alice", name}).ok();
    }
    for (const std::string& role : roles) {
      Operationrequest request = Request("Grant", role);
      ASSERT_EQ(CreateAndFinish(client(), request).phase, "Completed");
    }
    ASSERT_EQ(RolesOfBob(), roles);
  }

  template <Kind T>
  RequestStatus StatusOf(const ObjectKey& key) {
    const auto request = client().Get<T>(key);
    return request.ok() ? request->status : RequestStatus();
  }
  // Stops the controllers, so that no reconcile runs. A crash between the record and the status
  // leads to a second record of the same request.
  template <Kind T>
  void ExpectCompletedOnce(const ObjectKey& key) {
    Stop();
    const T request = client().Get<T>(key).value();
    EXPECT_EQ(request.status.phase, "Completed") << request.status.message;
    EXPECT_EQ(TimesFinished(key.name), 1);
    std::vector<std::string> results;
    for (const AuditRecord& record : audit_.records()) {
      if (record.id == request.metadata.uid) results.push_back(record.result);
    }
    EXPECT_THAT(results, AnyOf(ElementsAre("Completed"), ElementsAre("Completed", "Completed")));
  }
  Deleterequest RequestDeletion(const std::string& user) {
    Deleterequest request;
    request.metadata.generate_name = "delete-";
    request.spec.user = user;
    return request;
  }

  std::unique_ptr<Client> alice_;
  std::unique_ptr<Client> bob_;
};

TEST_F(RequestsTest, OwnerGrantsARole) {
  StartWithAliceAndBob();
  ASSERT_TRUE(alice_->Create(MapIn("ns-alice", "m")).ok());
  EXPECT_TRUE(bob_->Get<ConfigMap>({"ns-alice", "m"}).error().IsForbidden());

  EXPECT_EQ(Ask("Grant", "Developer").phase, "Completed");
  EXPECT_TRUE(Eventually([&] { return bob_->Get<ConfigMap>({"ns-alice", "m"}).ok(); }));
  EXPECT_TRUE(bob_->Create(MapIn("ns-alice", "n")).error().IsForbidden());

  EXPECT_EQ(Ask("Update", "Manager").phase, "Completed");
  EXPECT_TRUE(Eventually([&] { return bob_->Create(MapIn("ns-alice", "n")).ok(); }));
  EXPECT_THAT(RolesOfBob(), ElementsAre("Manager"));
  // The binding is deleted with bob.
  const RoleBinding binding = client().Get<RoleBinding>({"ns-alice", "rb-bob"}).value();
  EXPECT_TRUE(IsControlledBy(binding.metadata, UserNamed("bob").metadata.uid));

  EXPECT_EQ(Ask("Deprive", "Manager").phase, "Completed");
  EXPECT_TRUE(Eventually([&] { return !bob_->Get<ConfigMap>({"ns-alice", "m"}).ok(); }));
  EXPECT_THAT(RolesOfBob(), SizeIs(0));
}

TEST_F(RequestsTest, RefusesToGrantAnotherRole) {
  StartWithAliceAndBob();
  ASSERT_EQ(Ask("Grant", "Developer").phase, "Completed");
  EXPECT_EQ(Ask("Grant", "Developer").phase, "Completed");
  const RequestStatus refused = Ask("Grant", "Manager");
  EXPECT_EQ(refused.phase, "Failed");
  EXPECT_THAT(refused.message, HasSubstr("bob has the role Developer in ns-alice"));
  EXPECT_THAT(refused.message, HasSubstr("Update"));
  EXPECT_EQ(RoleOfBob(), "Developer");
  // A failed request does not block others.
  EXPECT_EQ(Ask("Update", "Manager").phase, "Completed");
}

TEST_F(RequestsTest, RefusesRequestersWithoutBindPermission) {
  StartWithAliceAndBob();
  // In bob's own workspace, where he may create any request.
  Operationrequest theft = Request("Grant", "Owner");
  theft.metadata.namespace_name = "ns-bob";
  const RequestStatus refused = CreateAndFinish(*bob_, theft);
  EXPECT_EQ(refused.phase, "Failed");
  EXPECT_THAT(refused.message, HasSubstr("may not bind"));
  EXPECT_EQ(RoleOfBob(), "none");
  // Nor with a forged requester.
  theft.metadata.annotations["kubexms.io/creator"] = "kubernetes-admin";
  theft.metadata.annotations["kubexms.io/creator-groups"] = R"(["system:masters"])";
  EXPECT_EQ(CreateAndFinish(*bob_, theft).phase, "Failed");
  EXPECT_EQ(RoleOfBob(), "none");
  // A developer cannot escalate to another role.
  ASSERT_EQ(Ask("Grant", "Developer").phase, "Completed");
  theft.spec.action = "Update";
  EXPECT_EQ(CreateAndFinish(*bob_, theft).phase, "Failed");
  EXPECT_EQ(RoleOfBob(), "Developer");
}

TEST_F(RequestsTest, UsersMayGiveUpTheirRole) {
  StartWithAliceAndBob();
  ASSERT_EQ(Ask("Grant", "Developer").phase, "Completed");
  Operationrequest leave = Request("Deprive", "");
  leave.metadata.namespace_name = "ns-bob";
  EXPECT_EQ(CreateAndFinish(*bob_, leave).phase, "Completed");
  EXPECT_EQ(RoleOfBob(), "none");
}

TEST_F(RequestsTest, AdministratorMayRequestAnything) {
  StartWithAliceAndBob();
  Operationrequest request = Request("Grant", "Owner");
  request.metadata.namespace_name = kSystemNamespace;
  EXPECT_EQ(CreateAndFinish(client(), request).phase, "Completed");
  EXPECT_EQ(RoleOfBob(), "Owner");
  EXPECT_EQ(OwnerOfNsAlice(), "bob");
}

// As on a server other than kubexms.
TEST_F(RequestsTest, WithoutRecordedRequesterOnlySystemRequestsAreExecuted) {
  intercepted_.SetPath([](Client&, std::string_view) -> Result<SharedBytes> {
    return SharedBytes(std::string(R"({"gitVersion":"v1.34.0"})"));
  });
  StartWithAliceAndBob();
  const RequestStatus refused = Ask("Grant", "Developer");
  EXPECT_EQ(refused.phase, "Failed");
  EXPECT_THAT(refused.message, HasSubstr("create the request in the namespace user-system"));
  Operationrequest request = Request("Grant", "Developer");
  request.metadata.namespace_name = kSystemNamespace;
  EXPECT_TRUE(alice_->Create(request).error().IsForbidden());
  EXPECT_EQ(CreateAndFinish(client(), request).phase, "Completed");
  EXPECT_EQ(RoleOfBob(), "Developer");
  // In the records the requester is unknown; the one in the objects is only claimed.
  for (const AuditRecord& record : audit_.records()) EXPECT_EQ(record.requester.user, "");
}

// As on a server that is not kubexms, which checks who creates a request.
TEST_F(RequestsTest, WhereAPolicyChecksTheCreatorTheyMayDoWhatTheCreatorMay) {
  intercepted_.SetPath([](Client&, std::string_view) -> Result<SharedBytes> {
    return SharedBytes(std::string(R"({"gitVersion":"v1.34.0"})"));
  });
  ManualClock waiting;
  std::jthread installer([&] { EXPECT_TRUE(Install(intercepted_, waiting, {}).ok()); });
  waiting.WaitForSleepers(1);
  waiting.Advance(kCreatorPolicyDelay);
  installer.join();
  StartWithAliceAndBob();
  // Created before the policy was in force, as far as anybody knows.
  EXPECT_THAT(Ask("Grant", "Developer").message, HasSubstr("kubexms.io/creator"));
  const auto later = [](Client& server, const ClientRequest& request) -> Result<SharedBytes> {
    Result<SharedBytes> answer = server.Do(request);
    const bool about_policy = request.resource.plural.starts_with("validatingadmissionpolic");
    if (!answer.ok() || !about_policy) return answer;
    Json policy = ParseJson(answer->view()).value();
    policy.at("metadata").as_object()["creationTimestamp"] = "2020-01-01T00:00:00Z";
    return SharedBytes(WriteJson(policy));
  };
  Stop();
  intercepted_.Set(later);
  Start();
  EXPECT_EQ(Ask("Grant", "Developer").phase, "Completed");
  EXPECT_EQ(RoleOfBob(), "Developer");
  Operationrequest refused = Request("Update", "Owner");
  refused.metadata.namespace_name = "ns-bob";
  EXPECT_THAT(CreateAndFinish(*bob_, refused).message, HasSubstr("may not bind"));
}

TEST_F(RequestsTest, HaveTheUserAsALabel) {
  StartWithAliceAndBob();
  Operationrequest request = Request("Grant", "Developer");
  request.metadata.labels = {{kOwner, "another-user"}, {"my", "label"}};
  EXPECT_EQ(CreateAndFinish(*alice_, request).phase, "Completed");
  Operationrequest refused = Request("Grant", "Owner");
  refused.metadata.namespace_name = "ns-bob";
  EXPECT_EQ(CreateAndFinish(*bob_, refused).phase, "Failed");
  const auto found = client().List<Operationrequest>(
      {.label_selector = Selector::FromLabels({{"user.sealos.io/owner", "bob"}})});
  ASSERT_THAT(found->items, SizeIs(2));
  EXPECT_THAT(found->items.front().metadata.labels, Contains(Pair("my", "label")));
  // An invalid label value is omitted.
  request.spec.user = std::string(100, 'a');
  request.spec.namespace_name = "default";
  EXPECT_THAT(CreateAndFinish(client(), request).message, HasSubstr("spec.namespace"));
}

TEST_F(RequestsTest, ReportTheirPhase) {
  options_.operation_requests.times.retry_after = std::chrono::milliseconds(50);
  StartWithAliceAndBob();
  Stop();
  Operationrequest first = Request("Grant", "Developer");
  first.metadata.name = "1";
  EXPECT_EQ(alice_->Create(first)->status.phase, "Pending");
  Operationrequest second = Request("Update", "Manager");
  second.metadata.name = "2";
  EXPECT_EQ(alice_->Create(second)->status.phase, "Pending");
  const auto shows = [&](const char* name, std::string_view phase, std::string_view message) {
    return Eventually([&] {
      const RequestStatus status = StatusOf<Operationrequest>({"ns-alice", name});
      return status.phase == phase && status.message.find(message) != std::string::npos;
    });
  };
  intercepted_.Set([&](Client& server, const ClientRequest& request) -> Result<SharedBytes> {
    const bool binds = IsWrite(request.verb) && request.resource.plural == "rolebindings";
    if (binds) return Error::ServiceUnavailable("not now");
    return server.Do(request);
  });
  Start();
  EXPECT_TRUE(shows("1", "Processing", "retrying: not now"));
  EXPECT_TRUE(shows("2", "Pending", "waiting for earlier requests"));
  intercepted_.Set({});
  EXPECT_TRUE(shows("1", "Completed", ""));
  EXPECT_TRUE(shows("2", "Completed", "bob has the role Manager"));
}

TEST_F(RequestsTest, SpecIsImmutable) {
  StartWithAliceAndBob();
  Operationrequest request = Request("Grant", "Developer");
  request.metadata.name = "fixed";
  ASSERT_EQ(CreateAndFinish(*alice_, request).phase, "Completed");
  const kubexms::Patch patch{.body = R"({"spec":{"role":"Owner"}})"};
  EXPECT_TRUE(alice_->Patch<Operationrequest>({"ns-alice", "fixed"}, patch).error().IsForbidden());
  const auto changed = client().Patch<Operationrequest>({"ns-alice", "fixed"}, patch);
  ASSERT_FALSE(changed.ok());
  EXPECT_THAT(changed.error().message(), HasSubstr("cannot be changed after creation"));
}

// By a user who may write the status of requests, which no role of a workspace allows.
TEST_F(RequestsTest, ForgedStatusNeitherGrantsNorBlocksRevocation) {
  StartWithAliceAndBob();
  const auto forge = [&](const std::function<void(RequestStatus&)>& change) {
    Operationrequest request = client().Get<Operationrequest>({"ns-alice", "forged"}).value();
    change(request.status);
    const auto forged = client().UpdateStatus(request);
    ASSERT_TRUE(forged.ok()) << forged.error().message();
  };
  ASSERT_EQ(Ask("Grant", "Developer").phase, "Completed");
  // As if a Grant had been executed without a record.
  Stop();
  Operationrequest grant = Request("Grant", "Owner");
  grant.metadata.name = "forged";
  ASSERT_TRUE(client().Create(grant).ok());
  forge([](RequestStatus& status) {
    status.phase = "Processing";
    RequestResult& ending = status.pending_result.emplace();
    ending.phase = "Completed";
    ending.message = "bob has the role Owner";
  });
  Start();
  ASSERT_TRUE(Eventually([&] {
    return StatusOf<Operationrequest>({"ns-alice", "forged"}).phase == "Failed";
  }));
  EXPECT_EQ(RoleOfBob(), "Developer");
  EXPECT_EQ(audit_.records().back().result, "Failed");
  // As if an execution never finished.
  forge([](RequestStatus& status) { status.phase = "Processing"; });
  EXPECT_EQ(Ask("Deprive", "Developer").phase, "Completed");
  EXPECT_EQ(RoleOfBob(), "none");
  // Only the platform may read and write its records.
  for (const auto& user : {alice_.get(), bob_.get()}) {
    EXPECT_TRUE(user->List<ConfigMap>({.namespace_name = "user-system"}).error().IsForbidden());
    EXPECT_TRUE(user->Create(MapIn("user-system", "m")).error().IsForbidden());
  }
}

TEST_F(RequestsTest, RequireAUser) {
  const auto refused = [&](const ResourceType& type, const std::string& spec) {
    const Json json =
        ParseJson(R"({"metadata":{"name":"r","namespace":"default"},"spec":)" + spec + "}").value();
    DynamicObject object = DynamicObject::FromJson(json).value();
    if (!type.namespaced) object.metadata.namespace_name.clear();
    const auto created = client().Create(type, object);
    return created.ok() ? "none" : created.error().message();
  };
  const ResourceType deletion = ResourceType::Of<Deleterequest>();
  EXPECT_EQ(deletion.kind, "Deleterequest");
  EXPECT_THAT(refused(deletion, "{}"), HasSubstr("spec.user: Required value"));
  EXPECT_THAT(refused(deletion, R"({"user":""})"), HasSubstr("spec.user"));
  const ResourceType operation = ResourceType::Of<Operationrequest>();
  EXPECT_THAT(refused(operation, R"({"action":"Deprive","namespace":"ns-a"})"),
              HasSubstr("spec.user: Required value"));
  EXPECT_THAT(refused(operation, R"({"action":"Deprive","user":"a"})"),
              HasSubstr("spec.namespace: Required value"));
  EXPECT_THAT(refused(operation, R"({"namespace":"ns-a","user":"a"})"),
              HasSubstr("spec.action: Required value"));
}

TEST_F(RequestsTest, IgnoresOtherNamespacesThanTheWatchedOne) {
  options_.operation_requests.watch_namespace = kSystemNamespace;
  StartWithAliceAndBob();
  Operationrequest elsewhere = Request("Grant", "Manager");
  elsewhere.metadata.name = "elsewhere";
  ASSERT_TRUE(client().Create(elsewhere).ok());
  Operationrequest watched = Request("Grant", "Developer");
  watched.metadata.namespace_name = kSystemNamespace;
  EXPECT_EQ(CreateAndFinish(client(), watched).phase, "Completed");
  EXPECT_EQ(StatusOf<Operationrequest>({"ns-alice", "elsewhere"}).phase, "Pending");
  EXPECT_EQ(RoleOfBob(), "Developer");
}

TEST_F(RequestsTest, ReportsInvalidFields) {
  StartWithAliceAndBob();
  Operationrequest request = Request("Grant", "Developer");
  request.spec.namespace_name = "default";
  EXPECT_THAT(CreateAndFinish(client(), request).message,
              HasSubstr("spec.namespace: must be a workspace"));
  request = Request("Grant", "");
  EXPECT_THAT(CreateAndFinish(client(), request).message, HasSubstr("spec.role: must be"));
  request = Request("Grant", "Developer");
  request.spec.user = "alice";
  EXPECT_THAT(CreateAndFinish(client(), request).message, HasSubstr("owns this workspace"));
}

// "rb-<user>" is the binding of a guest, and "<user>" that of the owner.
TEST_F(RequestsTest, UserNamesCannotCollideWithBindings) {
  Start();
  for (const char* name : {"alice", "bob", "bob-update", "rb-bob"}) CreateUser(name);
  for (const char* name : {"alice", "bob", "bob-update", "rb-bob"}) {
    ASSERT_TRUE(BecomesActive(name));
  }
  Operationrequest request = Request("Grant", "Manager");
  request.spec.user = "bob-update";
  ASSERT_EQ(CreateAndFinish(client(), request).phase, "Completed");
  ASSERT_EQ(CreateAndFinish(client(), Request("Grant", "Developer")).phase, "Completed");
  EXPECT_THAT(RolesOfBob(), ElementsAre("Developer"));
  EXPECT_EQ(client().Get<RoleBinding>({"ns-alice", "rb-bob-update"})->role_ref.name, "Manager");
  request = Request("Deprive", "");
  request.spec.namespace_name = "ns-rb-bob";
  EXPECT_THAT(CreateAndFinish(client(), request).message,
              HasSubstr("cannot be a guest in ns-rb-bob"));
  EXPECT_TRUE(Exists<RoleBinding>({"ns-rb-bob", "rb-bob"}));
}

// The controllers crash after any number of writes and are restarted: at every time bob has the old
// or the new role, and never none during the change.
TEST_F(RequestsTest, RoleChangesSurviveACrashAtAnyWrite) {
  StartWithAliceAndBob();
  Stop();
  using Roles = std::vector<std::string>;
  struct Case {
    const char* action;
    const char* role;
    Roles before;
    std::vector<Roles> meanwhile;
    Roles after;
  };
  const Case cases[] = {
      {"Grant", "Developer", {}, {{}, {"Developer"}}, {"Developer"}},
      {"Grant", "Owner", {}, {{}, {"Owner"}}, {"Owner"}},
      {"Update",
       "Manager",
       {"Developer"},
       {{"Developer"}, {"Developer", "Manager"}, {"Manager"}, {"Manager", "Manager"}},
       {"Manager"}},
      {"Deprive", "", {"Developer"}, {{"Developer"}, {}}, {}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.action);
    const auto request_of = [&](const std::string& name) {
      return ObjectKey{"ns-alice", fmt::format("{}-{}", &c - cases, name)};
    };
    CrashAtEveryWrite(
        {.prepare = [&](const std::string&) { BobHas(c.before); },
         .trigger =
             [&](const std::string& name) {
               Operationrequest request = Request(c.action, c.role);
               request.metadata.name = request_of(name).name;
               ASSERT_TRUE(alice_->Create(request).ok());
             },
         .is_done =
             [&](const std::string& name) {
               return StatusOf<Operationrequest>(request_of(name)).IsFinished();
             },
         .check_crashed =
             [&](const std::string&) { EXPECT_THAT(c.meanwhile, Contains(RolesOfBob())); },
         .check_done =
             [&](const std::string& name) {
               EXPECT_EQ(RolesOfBob(), c.after);
               if (c.after == Roles{"Owner"}) {
                 EXPECT_EQ(OwnerOfNsAlice(), "bob");
               }
               ExpectCompletedOnce<Operationrequest>(request_of(name));
             }});
  }
}

// The request fails in the middle: its last write is refused until the request has expired.
TEST_F(RequestsTest, FailedUpdateLeavesOneRole) {
  options_.operation_requests.times.retry_after = std::chrono::milliseconds(50);
  options_.operation_requests.times.expires_after = std::chrono::seconds(2);
  StartWithAliceAndBob();
  ASSERT_EQ(Ask("Grant", "Developer").phase, "Completed");
  std::atomic<bool> broken = true;
  intercepted_.Set([&](Client& server, const ClientRequest& request) -> Result<SharedBytes> {
    const bool old_goes = request.verb == Verb::kDelete && request.name == "rb-bob";
    if (old_goes && broken) return Error::ServiceUnavailable("not now");
    return server.Do(request);
  });
  const RequestStatus status = Ask("Update", "Manager");
  EXPECT_EQ(status.phase, "Failed");
  EXPECT_THAT(RolesOfBob(), ElementsAre("Developer"));
  intercepted_.Set({});
}

// Deleting a request during its execution does not avoid its record.
TEST_F(RequestsTest, DeletedUpdateLeavesOneRoleAndARecord) {
  StartWithAliceAndBob();
  ASSERT_EQ(Ask("Grant", "Developer").phase, "Completed");
  intercepted_.Set([&](Client& server, const ClientRequest& request) -> Result<SharedBytes> {
    const bool old_goes = request.verb == Verb::kDelete && request.name == "rb-bob";
    if (old_goes) return Error::ServiceUnavailable("not now");
    return server.Do(request);
  });
  Operationrequest request = Request("Update", "Manager");
  request.metadata.name = "regretted";
  ASSERT_TRUE(alice_->Create(request).ok());
  const ObjectKey key{"ns-alice", "regretted"};
  ASSERT_TRUE(Eventually(
      [&] { return !client().Get<Operationrequest>(key)->metadata.finalizers.empty(); }));
  EXPECT_THAT(RolesOfBob(), ElementsAre("Developer", "Manager"));
  ASSERT_TRUE(client().Delete<Operationrequest>(key).ok());
  EXPECT_TRUE(Eventually([&] { return !Exists<Operationrequest>(key); }));
  EXPECT_THAT(RolesOfBob(), ElementsAre("Developer"));
  const auto records = audit_.records();
  ASSERT_THAT(records, SizeIs(2));
  EXPECT_EQ(records[1].result, "Canceled");
  EXPECT_EQ(records[1].requester.user, "system:serviceaccount:user-system:alice");
  intercepted_.Set({});
}

TEST_F(RequestsTest, AuditsFinishedRequestsWithRequester) {
  StartWithAliceAndBob();
  ASSERT_EQ(Ask("Grant", "Developer").phase, "Completed");
  const auto records = audit_.records();
  ASSERT_THAT(records, SizeIs(1));
  EXPECT_EQ(records[0].requester.user, "system:serviceaccount:user-system:alice");
  EXPECT_EQ(records[0].result, "Completed");
  EXPECT_THAT(records[0].spec, HasSubstr(R"("role":"Developer")"));
}

TEST_F(RequestsTest, DeletesAUserWithTheWorkspace) {
  StartWithAliceAndBob();
  ASSERT_EQ(Ask("Grant", "Developer").phase, "Completed");
  const RequestStatus status = CreateAndFinish(client(), RequestDeletion("bob"));
  EXPECT_EQ(status.phase, "Completed");
  EXPECT_EQ(status.message, "bob deleted");
  EXPECT_FALSE(Exists<User>({"", "bob"}));
  EXPECT_FALSE(Exists<Namespace>({"", "ns-bob"}));
  EXPECT_THAT(RolesOfBob(), SizeIs(0));
  // A repetition is not an error.
  const RequestStatus again = CreateAndFinish(client(), RequestDeletion("bob"));
  EXPECT_EQ(again.phase, "Completed");
  EXPECT_EQ(again.message, "bob does not exist");
}

TEST_F(RequestsTest, SlowDeletionIsProcessing) {
  options_.delete_requests.poll_interval = std::chrono::milliseconds(20);
  StartWithAliceAndBob();
  ConfigMap held = MapIn("ns-bob", "m");
  held.metadata.finalizers = {"example.com/held"};
  ASSERT_TRUE(client().Create(held).ok());
  Deleterequest request = RequestDeletion("bob");
  request.metadata.name = "bob-leaves";
  EXPECT_EQ(client().Create(request)->status.phase, "Pending");
  const auto shows = [&](std::string_view phase, std::string_view message) {
    return Eventually([&] {
      const RequestStatus status = StatusOf<Deleterequest>({"", "bob-leaves"});
      return status.phase == phase && status.message == message;
    });
  };
  EXPECT_TRUE(shows("Processing", "bob is being deleted"));
  ASSERT_TRUE(
      client()
          .Patch<ConfigMap>({"ns-bob", "m"}, {.body = R"({"metadata":{"finalizers":null}})"})
          .ok());
  EXPECT_TRUE(shows("Completed", "bob deleted"));
}

TEST_F(RequestsTest, RetainsTheWorkspaceOnRequest) {
  StartWithAliceAndBob();
  ASSERT_TRUE(bob_->Create(MapIn("ns-bob", "m")).ok());
  Deleterequest request = RequestDeletion("bob");
  request.spec.delete_dependents = false;
  const RequestStatus status = CreateAndFinish(client(), request);
  EXPECT_EQ(status.phase, "Completed");
  EXPECT_EQ(status.message, "bob deleted; workspace ns-bob retained");
  EXPECT_FALSE(Exists<User>({"", "bob"}));
  EXPECT_TRUE(Exists<ConfigMap>({"ns-bob", "m"}));
  const Namespace kept = client().Get<Namespace>({"", "ns-bob"}).value();
  EXPECT_TRUE(kept.metadata.deletion_timestamp.IsZero());
  EXPECT_THAT(kept.metadata.owner_references, SizeIs(0));
  EXPECT_FALSE(Exists<RoleBinding>({"ns-bob", "bob"}));
  // A later request may delete the workspace.
  EXPECT_EQ(CreateAndFinish(client(), RequestDeletion("bob")).phase, "Completed");
  EXPECT_FALSE(Exists<Namespace>({"", "ns-bob"}));
}

TEST_F(RequestsTest, UserDeletionSurvivesACrashAtAnyWrite) {
  options_.delete_requests.poll_interval = std::chrono::milliseconds(20);
  for (const bool dependents : {true, false}) {
    SCOPED_TRACE(dependents ? "with the workspace" : "without the workspace");
    const auto request_of = [&](const std::string& name) {
      return ObjectKey{"", (dependents ? "all-of-" : "only-") + name};
    };
    const auto check_workspace = [&](const std::string& name) {
      const auto workspace = client().Get<Namespace>({"", "ns-" + name});
      EXPECT_TRUE(workspace.ok() && workspace->metadata.deletion_timestamp.IsZero());
      EXPECT_TRUE(Exists<ConfigMap>({"ns-" + name, "m"}));
    };
    CrashAtEveryWrite({.prepare =
                           [&](const std::string& name) {
                             (void)client().Delete<Namespace>({"", "ns-" + name}).ok();
                             ASSERT_TRUE(EventuallyDeleted<Namespace>({"", "ns-" + name}));
                             CreateUser(name);
                             ASSERT_TRUE(BecomesActive(name));
                             ASSERT_TRUE(client().Create(MapIn("ns-" + name, "m")).ok());
                           },
                       .trigger =
                           [&](const std::string& name) {
                             Deleterequest request = RequestDeletion(name);
                             request.metadata.name = request_of(name).name;
                             request.spec.delete_dependents = dependents;
                             ASSERT_TRUE(client().Create(request).ok());
                           },
                       .is_done =
                           [&](const std::string& name) {
                             return StatusOf<Deleterequest>(request_of(name)).IsFinished();
                           },
                       .check_crashed =
                           [&](const std::string& name) {
                             if (!dependents) check_workspace(name);
                           },
                       .check_done =
                           [&](const std::string& name) {
                             EXPECT_FALSE(Exists<User>({"", name}));
                             if (!dependents) check_workspace(name);
                             EXPECT_EQ(Exists<Namespace>({"", "ns-" + name}), !dependents);
                             ExpectCompletedOnce<Deleterequest>(request_of(name));
                           }});
  }
}

TEST_F(RequestsTest, RefusesToDeleteProtectedUsers) {
  StartWithAliceAndBob();
  CreateUser("admin");
  ASSERT_TRUE(BecomesActive("admin"));
  const RequestStatus status = CreateAndFinish(client(), RequestDeletion("admin"));
  EXPECT_EQ(status.phase, "Failed");
  EXPECT_THAT(status.message, HasSubstr("protected"));
  EXPECT_TRUE(Exists<User>({"", "admin"}));
}

TEST_F(RequestsTest, RefusesRequestersWithoutDeletePermission) {
  StartWithAliceAndBob();
  // The user may create such requests, and nothing else.
  const auto clerk = server_.NewClient({.name = "clerk", .groups = {"system:authenticated"}});
  rbacv1::ClusterRole role;
  role.metadata.name = "clerk";
  rbacv1::PolicyRule& rule = role.rules.emplace_back();
  rule.api_groups = {"user.sealos.io"};
  rule.resources = {"deleterequests"};
  rule.verbs = {"create"};
  ASSERT_TRUE(client().Create(role).ok());
  rbacv1::ClusterRoleBinding binding;
  binding.metadata.name = "clerk";
  binding.role_ref = RoleNamed("ClusterRole", "clerk");
  rbacv1::Subject& subject = binding.subjects.emplace_back();
  subject.api_group = "rbac.authorization.k8s.io";
  subject.kind = "User";
  subject.name = "clerk";
  ASSERT_TRUE(client().Create(binding).ok());
  const RequestStatus status = CreateAndFinish(*clerk, RequestDeletion("bob"));
  EXPECT_EQ(status.phase, "Failed");
  EXPECT_THAT(status.message, HasSubstr("clerk may not delete"));
  EXPECT_TRUE(Exists<User>({"", "bob"}));
}

class RequestTimesTest : public TimedPlatformTest {
 protected:
  template <Kind T>
  RequestStatus Await(const T& request) {
    EXPECT_TRUE(client().Create(request).ok());
    RequestStatus status;
    EXPECT_TRUE(EventuallyInTime([&] {
      status = client().Get<T>(ObjectKey::Of(request.metadata))->status;
      return status.IsFinished();
    }));
    return status;
  }
  template <Kind T>
  bool IsGone(const T& request) {
    return EventuallyInTime([&] { return !Exists<T>(ObjectKey::Of(request.metadata)); });
  }
};

TEST_F(RequestTimesTest, DeletesFinishedRequestsAfterAnHour) {
  Start();
  Operationrequest completed;
  completed.metadata = MapIn("default", "completed").metadata;
  completed.spec.action = "Deprive";
  completed.spec.namespace_name = "ns-alice";
  completed.spec.user = "bob";
  Operationrequest failed = completed;
  failed.metadata.name = "failed";
  failed.spec.namespace_name = "default";
  Deleterequest deleted;
  deleted.metadata.name = "deleted";
  deleted.spec.user = "bob";
  EXPECT_EQ(Await(completed).phase, "Completed");
  EXPECT_EQ(Await(failed).phase, "Failed");
  EXPECT_EQ(Await(deleted).phase, "Completed");
  AdvanceTime(std::chrono::minutes(59));
  EXPECT_TRUE(Exists<Operationrequest>({"default", "completed"}));
  EXPECT_TRUE(Exists<Operationrequest>({"default", "failed"}));
  EXPECT_TRUE(Exists<Deleterequest>({"", "deleted"}));
  AdvanceTime(std::chrono::minutes(1));
  EXPECT_TRUE(IsGone(completed));
  EXPECT_TRUE(IsGone(failed));
  EXPECT_TRUE(IsGone(deleted));
  // Their records are retained.
  EXPECT_THAT(audit_.records(), SizeIs(3));
}

TEST_F(RequestTimesTest, RetriesTransientErrorsAfterThirtySeconds) {
  Start();
  std::atomic<int> attempts = 0;
  intercepted_.Set([&](Client& server, const ClientRequest& request) -> Result<SharedBytes> {
    if (request.resource.plural != "subjectaccessreviews") return server.Do(request);
    ++attempts;
    return Error::ServiceUnavailable("not now");
  });
  Operationrequest request;
  request.metadata = MapIn("default", "again").metadata;
  request.spec.action = "Deprive";
  request.spec.namespace_name = "ns-alice";
  request.spec.user = "bob";
  ASSERT_TRUE(client().Create(request).ok());
  ASSERT_TRUE(EventuallyInTime([&] { return attempts == 1; }));
  AdvanceTime(std::chrono::seconds(29));
  ASSERT_TRUE(AwaitIdle(*manager_));
  EXPECT_EQ(attempts, 1);
  AdvanceTime(std::chrono::seconds(1));
  EXPECT_TRUE(EventuallyInTime([&] { return attempts == 2; }));
  intercepted_.Set({});
}

TEST_F(RequestTimesTest, FailsAfterItsExpiration) {
  Start();
  Operationrequest request;
  request.metadata = MapIn("default", "early").metadata;
  request.spec.action = "Grant";
  request.spec.namespace_name = "ns-alice";
  request.spec.user = "bob";
  request.spec.role = "Developer";
  ASSERT_TRUE(client().Create(request).ok());
  const auto status = [&] { return client().Get<Operationrequest>({"default", "early"})->status; };
  ASSERT_TRUE(EventuallyInTime(
      [&] { return status().message == "waiting for the user alice to be created"; }));
  EXPECT_EQ(status().phase, "Processing");
  AdvanceTime(std::chrono::minutes(3));
  EXPECT_TRUE(EventuallyInTime([&] { return status().phase == "Failed"; }));
  EXPECT_THAT(status().message, HasSubstr("not finished within 3m0s"));
}

}  // namespace
}  // namespace kubexms::platform
