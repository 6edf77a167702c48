#include "kubexms/platform/devbox_controller.h"

#include <cstdlib>
#include <fstream>

#include "kubexms/api/condition.h"
#include "kubexms/base/test_directory_test.h"
#include "kubexms/platform/devbox_objects.h"
#include "kubexms/platform/platform_fixture_test.h"
#include "kubexms/platform/ssh_key.h"

namespace kubexms::platform {
namespace {

using corev1::Pod;
using corev1::Secret;
using corev1::Service;
using devboxv1alpha2::Devbox;
using devboxv1alpha2::DevboxCommitRecord;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// A manifest of Sealos with the required fields only.
constexpr std::string_view kManifest = R"({
  "apiVersion": "devbox.sealos.io/v1alpha2", "kind": "Devbox",
  "metadata": {"name": "box", "namespace": "default"},
  "spec": {"state": "Running", "image": "example.io/go:1.22", "config": {},
           "network": {"type": "NodePort"}, "resource": {"cpu": "2", "memory": "4Gi"}}})";

// ---- Pure functions.

Devbox Fresh() {
  Devbox devbox = Decode<Devbox>(kManifest).value();
  devbox.metadata.uid = "6ba7b810-9dad-11d1-80b4-00c04fd430c8";
  StartContent(devbox, devbox.spec.image, Time());
  return devbox;
}

TEST(DevboxObjectsTest, PodRequestsATenthAndHasItsContent) {
  const Devbox devbox = Fresh();
  const Pod pod = DevboxPod(devbox).value();
  const corev1::Container& container = pod.spec.containers.at(0);
  EXPECT_EQ(container.image, "example.io/go:1.22");
  EXPECT_EQ(container.resources.limits.at("cpu").ToString(), "2");
  EXPECT_EQ(container.resources.requests.at("cpu").ToString(), "200m");
  EXPECT_EQ(container.resources.limits.at("ephemeral-storage").ToString(), "10Gi");
  // A tenth, in whole bytes.
  EXPECT_EQ(container.resources.requests.at("memory").ToString(), "429496729");
  EXPECT_EQ(pod.metadata.annotations.at("devbox.sealos.io/content-id"), devbox.status.content_id);
  EXPECT_FALSE(*pod.spec.automount_service_account_token);
}

TEST(DevboxObjectsTest, StorageLimitIsBounded) {
  Devbox devbox = Fresh();
  devbox.spec.storage_limit = "100Gi";
  EXPECT_EQ(
      DevboxPod(devbox)->spec.containers.at(0).resources.limits.at("ephemeral-storage").ToString(),
      "50Gi");
  devbox.spec.storage_limit = "much";
  EXPECT_THAT(DevboxPod(devbox).error().message(), HasSubstr("spec.storageLimit"));
}

TEST(DevboxObjectsTest, PodIsOutdatedForItsSpecAndNotForItsNode) {
  Devbox devbox = Fresh();
  const Pod pod = DevboxPod(devbox).value();
  CurrentContent(devbox)->node = "n1";
  EXPECT_FALSE(IsOutdated(pod, DevboxPod(devbox).value()));
  devbox.spec.resource["cpu"] = Quantity(4);
  EXPECT_TRUE(IsOutdated(pod, DevboxPod(devbox).value()));
}

TEST(DevboxObjectsTest, PodFollowsTheConfig) {
  Devbox devbox = Fresh();
  devbox.spec.runtime_class_name = "devbox-runtime";
  devbox.spec.node_selector = {{"disk", "fast"}};
  const Pod pod = DevboxPod(devbox).value();
  EXPECT_EQ(pod.spec.runtime_class_name, "devbox-runtime");
  EXPECT_EQ(pod.spec.node_selector, devbox.spec.node_selector);
  EXPECT_EQ(pod.spec.restart_policy, "Never");
}

// Manifests of Sealos list the application port both ways.
TEST(DevboxObjectsTest, PortsAreUnique) {
  Devbox devbox = Fresh();
  corev1::ContainerPort ssh;
  ssh.name = "devbox-ssh-port";
  ssh.container_port = 22;
  devbox.spec.config.ports = {ssh};
  devbox.spec.network.extra_ports.emplace_back().container_port = 8080;
  corev1::ServicePort app;
  app.name = "app";
  app.port = 8080;
  devbox.spec.config.app_ports = {app};
  corev1::ServiceSpec headless;
  SetHeadlessService(devbox, headless);
  ASSERT_EQ(headless.ports.size(), 2U);
  EXPECT_EQ(headless.ports[0].port, 22);
  EXPECT_EQ(headless.ports[1].port, 8080);
}

TEST(DevboxObjectsTest, ShutdownAllowsRunningOnly) {
  const char* states[] = {"", kRunning, kPaused, kStopped, kShutdown};
  for (const char* from : states) {
    for (const char* to : {kRunning, kPaused, kStopped, kShutdown}) {
      Devbox devbox = Fresh();
      devbox.status.state = from;
      devbox.spec.state = to;
      const bool possible = !(from == kShutdown && (to == kPaused || to == kStopped));
      EXPECT_EQ(CheckTransition(devbox).ok(), possible) << from << " to " << to;
      EXPECT_EQ(TargetState(devbox), possible ? to : kShutdown);
    }
  }
}

TEST(DevboxObjectsTest, CommitRecordsAreBounded) {
  Devbox devbox = Fresh();
  for (int i = 0; i < 50; ++i) {
    const std::string before = devbox.status.content_id;
    StartContent(devbox, "image", Time(std::chrono::sys_seconds(std::chrono::seconds(i + 1))));
    EXPECT_NE(devbox.status.content_id, before);
    ASSERT_NE(CurrentContent(devbox), nullptr);
  }
  EXPECT_LE(devbox.status.commit_records.size(), 20U);
}

TEST(DevboxObjectsTest, PhaseFollowsStateAndPod) {
  Pod running;
  running.status.phase = "Running";
  Pod failed;
  failed.status.phase = "Failed";
  struct Case {
    const char* state;
    const Pod* pod;
    const char* node;  // of the content
    const char* phase;
  };
  const Case cases[] = {
      {"Running", nullptr, "", "Pending"},    {"Running", &running, "n", "Running"},
      {"Running", &failed, "n", "Error"},     {"Paused", &running, "n", "Pausing"},
      {"Paused", nullptr, "n", "Paused"},     {"Stopped", &running, "n", "Stopping"},
      {"Stopped", nullptr, "n", "Stopping"},  {"Stopped", nullptr, "", "Stopped"},
      {"Shutdown", nullptr, "n", "Shutting"}, {"Shutdown", nullptr, "", "Shutdown"}};
  for (const Case& c : cases) {
    Devbox devbox = Fresh();
    devbox.spec.state = c.state;
    CurrentContent(devbox)->node = c.node;
    EXPECT_EQ(DevboxPhase(devbox, c.pod), c.phase) << c.state;
  }
}

TEST(SshKeyTest, OpenSshAcceptsTheKeyPair) {
  SystemRandom random;
  const SshKeyPair keys = MakeSshKeyPair(random, "box@devbox").value();
  EXPECT_THAT(keys.public_key, StartsWith("ssh-ed25519 "));
  const TestDirectory directory;
  const std::string file = directory.path() + "/key";
  std::ofstream(file) << keys.private_key;
  std::ofstream(file + ".want") << keys.public_key << "\n";
  ASSERT_EQ(std::system(("chmod 600 " + file + " && ssh-keygen -y -f " + file + " > " + file +
                         ".have && cmp " + file + ".want " + file + ".have")
                            .c_str()),
            0);
}

// ---- With a server.

class DevboxControllerTest : public PlatformTest {
 protected:
  void Make(const std::string& network = "NodePort") {
    Devbox box = Decode<Devbox>(kManifest).value();
    box.spec.network.type = network;
    const auto made = client().Create(box);
    ASSERT_TRUE(made.ok()) << made.error().message();
  }
  void Change(const std::string& patch) {
    const auto changed = client().Patch<Devbox>({"default", "box"}, {.body = patch});
    ASSERT_TRUE(changed.ok()) << changed.error().message();
  }
  Devbox Box() {
    const auto box = client().Get<Devbox>({"default", "box"});
    return box.ok() ? *box : Devbox();
  }
  std::optional<Pod> BoxPod() {
    const auto pod = client().Get<Pod>({"default", "box"});
    if (!pod.ok()) return std::nullopt;
    return *pod;
  }
  bool HasPhase(const std::string& phase) {
    return Eventually([&] { return Box().status.phase == phase; });
  }
  std::string ConditionOf(const std::string& type) {
    const Devbox box = Box();
    const Condition* condition = FindCondition(box.status.conditions, type);
    if (condition == nullptr) return "none";
    return condition->status + " " + condition->reason + ": " + condition->message;
  }

  bool Says(const std::string& condition, const std::string& text) {
    return Eventually([&] { return ConditionOf(condition).find(text) != std::string::npos; });
  }

  // Acts as the scheduler and the kubelet for the Pod of the devbox.
  void RunPod() {
    ASSERT_TRUE(Eventually([&] { return BoxPod().has_value(); }));
    Pod pod = *BoxPod();
    corev1::Binding binding;
    binding.target.kind = "Node";
    binding.target.name = "n1";
    binding.metadata.namespace_name = "default";
    binding.metadata.name = "box";
    const auto bound =
        client().Do(Client::WriteRequest(Verb::kCreate, ResourceType::Of<Pod>(), binding.metadata,
                                         Encode(binding), {.subresource = "binding"}));
    ASSERT_TRUE(bound.ok()) << bound.error().message();
    SetPodPhase("Running");
  }
  void SetPodPhase(const std::string& phase) {
    const auto changed = client().Patch<Pod>({"default", "box"},
                                             {.body = R"({"status":{"phase":")" + phase + R"("}})"},
                                             {.subresource = "status"});
    ASSERT_TRUE(changed.ok()) << changed.error().message();
  }
  // The kubelet removes a Pod when its containers have terminated.
  bool PodEnds() {
    return Eventually([&] {
      const auto pod = BoxPod();
      if (!pod) return true;
      if (pod->metadata.deletion_timestamp.IsZero()) return false;
      DeleteOptions now;
      now.grace_period_seconds = 0;
      return client().Delete<Pod>({"default", "box"}, now).ok();
    });
  }
  // Acts as the kubelet for whatever is due.
  void BeKubelet() {
    const auto pod = BoxPod();
    if (pod && !pod->metadata.deletion_timestamp.IsZero()) {
      ASSERT_TRUE(PodEnds());
    } else if (pod && pod->spec.node_name.empty()) {
      RunPod();
    }
  }
  void DeleteBox() {
    if (!Exists<Devbox>({"default", "box"})) return;
    ASSERT_TRUE(client().Delete<Devbox>({"default", "box"}).ok());
    ASSERT_TRUE(PodEnds());
    ASSERT_TRUE(EventuallyDeleted<Devbox>({"default", "box"}));
  }
  void ExpectNothingLeft() {
    EXPECT_FALSE(BoxPod().has_value());
    EXPECT_FALSE(Exists<Secret>({"default", "box"}));
    const List<Service> all = client().List<Service>({.namespace_name = "default"}).value();
    for (const Service& service : all.items) {
      EXPECT_EQ(service.metadata.name, "kubernetes");
    }
  }
  void SetState(const std::string& state) { Change(R"({"spec":{"state":")" + state + R"("}})"); }
  void MakeRunning() {
    Start();
    Make();
    RunPod();
    ASSERT_TRUE(HasPhase("Running")) << ConditionOf("PodSynced");
  }
};

TEST_F(DevboxControllerTest, CreatesKeysNetworkAndPod) {
  MakeRunning();
  const Devbox box = Box();
  EXPECT_EQ(box.status.state, "Running");
  EXPECT_EQ(box.status.node, "n1");
  EXPECT_EQ(box.status.network.type, "NodePort");
  EXPECT_GE(box.status.network.node_port, 30000);
  const Service ssh = client().Get<Service>({"default", "box-svc"}).value();
  EXPECT_EQ(ssh.spec.ports.at(0).node_port, box.status.network.node_port);
  const Service headless = client().Get<Service>({"default", box.status.network.unique_id}).value();
  EXPECT_EQ(headless.spec.cluster_ip, "None");
  const Secret keys = client().Get<Secret>({"default", "box"}).value();
  EXPECT_THAT(keys.data.at("SEALOS_DEVBOX_PRIVATE_KEY").value, StartsWith("-----BEGIN OPENSSH"));
  EXPECT_EQ(ConditionOf("Ready"), "True Ready: ");
}

TEST_F(DevboxControllerTest, WritesNothingWithoutAChange) {
  MakeRunning();
  ASSERT_TRUE(Eventually([&] { return ConditionOf("Ready") == "True Ready: "; }));
  Stop();
  NeverCrash();
  Start();
  ASSERT_TRUE(Eventually([&] { return manager_->Readiness().ok(); }));
  Stop();  // drains the queue
  EXPECT_THAT(WritesAbout("box"), ::testing::IsEmpty());
}

TEST_F(DevboxControllerTest, PausedDevboxIsResumedWithItsContent) {
  MakeRunning();
  const std::string content = Box().status.content_id;
  SetState("Paused");
  EXPECT_TRUE(HasPhase("Pausing"));
  ASSERT_TRUE(PodEnds());
  EXPECT_TRUE(HasPhase("Paused"));
  EXPECT_TRUE(Eventually([&] { return Box().status.state == "Paused"; }));
  EXPECT_EQ(Box().status.content_id, content);
  EXPECT_NE(Box().status.network.node_port, 0);
  SetState("Running");
  RunPod();
  EXPECT_TRUE(HasPhase("Running"));
  EXPECT_EQ(Box().status.content_id, content);
}

TEST_F(DevboxControllerTest, ShutdownReleasesThePortAndStartsNewContent) {
  MakeRunning();
  const std::string content = Box().status.content_id;
  SetState("Shutdown");
  EXPECT_TRUE(HasPhase("Shutting"));
  ASSERT_TRUE(PodEnds());
  EXPECT_TRUE(HasPhase("Shutdown"));
  EXPECT_EQ(Box().status.network.node_port, 0);
  EXPECT_FALSE(Exists<Service>({"default", "box-svc"}));
  EXPECT_NE(Box().status.content_id, content);
  // An invalid transition is reported and changes nothing.
  SetState("Stopped");
  EXPECT_TRUE(Says("StateSynced", "set Running first"));
  EXPECT_EQ(Box().status.state, "Shutdown");
  SetState("Running");
  RunPod();
  EXPECT_TRUE(HasPhase("Running"));
}

TEST_F(DevboxControllerTest, WaitsForTheNodeAgentToCommit) {
  options_.devboxes.wait_for_commits = true;
  MakeRunning();
  const std::string content = Box().status.content_id;
  SetState("Stopped");
  ASSERT_TRUE(PodEnds());
  ASSERT_TRUE(Eventually(
      [&] { return Box().status.commit_records.at(content).commit_status == "Committing"; }));
  EXPECT_EQ(Box().status.phase, "Stopping");
  // Acts as the node agent.
  const Json saved = JsonObject{
      {"status",
       JsonObject{{"commitRecords",
                   JsonObject{{content, JsonObject{{"commitStatus", "Success"},
                                                   {"commitImage", "example.io/box:saved"}}}}}}}};
  ASSERT_TRUE(
      client()
          .Patch<Devbox>({"default", "box"}, {.body = WriteJson(saved)}, {.subresource = "status"})
          .ok());
  EXPECT_TRUE(HasPhase("Stopped"));
  const Devbox box = Box();
  ASSERT_NE(CurrentContent(box), nullptr);
  EXPECT_EQ(CurrentContent(box)->base_image, "example.io/box:saved");
}

TEST_F(DevboxControllerTest, RefusesInvalidTransitions) {
  MakeRunning();
  struct Step {
    const char* state;
    bool new_content;
    bool has_port;
  };
  const Step steps[] = {{"Paused", false, true},    {"Stopped", true, true},
                        {"Running", false, true},   {"Stopped", true, true},
                        {"Shutdown", false, false}, {"Running", false, true}};
  for (const Step& step : steps) {
    SCOPED_TRACE(step.state);
    const std::string content = Box().status.content_id;
    SetState(step.state);
    ASSERT_TRUE(Eventually([&] {
      BeKubelet();
      const Devbox box = Box();
      return box.status.state == step.state && box.status.phase == step.state;
    }));
    EXPECT_EQ(Box().status.content_id != content, step.new_content);
    EXPECT_EQ(Box().status.network.node_port != 0, step.has_port);
    EXPECT_EQ(Exists<Service>({"default", "box-svc"}), step.has_port);
  }
}

TEST_F(DevboxControllerTest, ReportsUnconfiguredNetworks) {
  Start();
  Make("Tailnet");
  EXPECT_TRUE(Says("NetworkSynced", "Tailnet needs a tailnet")) << ConditionOf("NetworkSynced");
  EXPECT_TRUE(EventuallyRecorded("box", "TailnetFailed"));
  Change(R"({"spec":{"network":{"type":"SSHGate"}}})");
  EXPECT_TRUE(Says("NetworkSynced", "SSHGate needs an SSH gate")) << ConditionOf("NetworkSynced");
  EXPECT_EQ(ConditionOf("TailnetSynced"), "none");
  EXPECT_FALSE(BoxPod().has_value());
  Change(R"({"spec":{"network":{"type":"NodePort"}}})");
  RunPod();
  EXPECT_TRUE(HasPhase("Running"));
}

TEST_F(DevboxControllerTest, SupportsTailnetAndSshGate) {
  options_.devboxes.tailnet = "tail.example.com";
  options_.devboxes.ssh_gate = "gate.example.com";
  Start();
  Make("Tailnet");
  RunPod();
  ASSERT_TRUE(HasPhase("Running"));
  EXPECT_EQ(Box().status.network.type, "Tailnet");
  EXPECT_EQ(Box().status.network.tailnet, DevboxUniqueId(Box()) + ".tail.example.com");
  EXPECT_FALSE(Exists<Service>({"default", "box-svc"}));
  Change(R"({"spec":{"network":{"type":"SSHGate"}}})");
  EXPECT_TRUE(Says("SSHGateSynced", "True Succeeded: reached through gate.example.com"));
  EXPECT_EQ(Box().status.network.type, "SSHGate");
  EXPECT_EQ(Box().status.network.tailnet, "");
}

TEST_F(DevboxControllerTest, ReplacesThePodOfAChangedSpec) {
  MakeRunning();
  const std::string uid = BoxPod()->metadata.uid;
  Change(R"({"spec":{"resource":{"cpu":"4"}}})");
  ASSERT_TRUE(Eventually([&] {
    const auto pod = BoxPod();
    return pod && !pod->metadata.deletion_timestamp.IsZero();
  }));
  ASSERT_TRUE(PodEnds());
  EXPECT_TRUE(Eventually([&] {
    const auto pod = BoxPod();
    return pod && pod->metadata.uid != uid;
  }));
}

TEST_F(DevboxControllerTest, DeletionRemovesAllObjects) {
  MakeRunning();
  ASSERT_TRUE(client().Delete<Devbox>({"default", "box"}).ok());
  ASSERT_TRUE(PodEnds());
  EXPECT_TRUE(EventuallyDeleted<Devbox>({"default", "box"}));
  ExpectNothingLeft();
}

TEST_F(DevboxControllerTest, IsCleanedUpInOrder) {
  MakeRunning();
  NeverCrash();
  ASSERT_TRUE(client().Delete<Devbox>({"default", "box"}).ok());
  ASSERT_TRUE(PodEnds());
  ASSERT_TRUE(EventuallyDeleted<Devbox>({"default", "box"}));
  Stop();
  EXPECT_THAT(DeletedKinds(), ::testing::ElementsAre("pods", "services", "secrets"));
  EXPECT_THAT(WritesAbout("box").back(), ::testing::EndsWith("/devboxes/box"));
}

TEST_F(DevboxControllerTest, CreationSurvivesACrashAtAnyWrite) {
  CrashAtEveryWrite({.prepare = [&](const std::string&) { DeleteBox(); },
                     .trigger = [&](const std::string&) { Make(); },
                     .is_done =
                         [&](const std::string&) {
                           BeKubelet();
                           return ConditionOf("Ready") == "True Ready: ";
                         },
                     .check_done =
                         [&](const std::string&) {
                           EXPECT_EQ(Box().status.phase, "Running");
                           EXPECT_EQ(Box().status.commit_records.size(), 1U);
                         }});
}

TEST_F(DevboxControllerTest, ShutdownSurvivesACrashAtAnyWrite) {
  CrashAtEveryWrite({.prepare =
                         [&](const std::string&) {
                           DeleteBox();
                           Make();
                           RunPod();
                           ASSERT_TRUE(HasPhase("Running"));
                         },
                     .trigger = [&](const std::string&) { SetState("Shutdown"); },
                     .is_done =
                         [&](const std::string&) {
                           BeKubelet();
                           return Box().status.state == "Shutdown";
                         },
                     .check_done =
                         [&](const std::string&) {
                           EXPECT_EQ(Box().status.phase, "Shutdown");
                           EXPECT_FALSE(Exists<Service>({"default", "box-svc"}));
                           // One content was left, once.
                           EXPECT_EQ(Box().status.commit_records.size(), 2U);
                         }});
}

TEST_F(DevboxControllerTest, DeletionSurvivesACrashAtAnyWrite) {
  CrashAtEveryWrite({.prepare =
                         [&](const std::string&) {
                           Make();
                           RunPod();
                           ASSERT_TRUE(HasPhase("Running"));
                         },
                     .trigger =
                         [&](const std::string&) {
                           ASSERT_TRUE(client().Delete<Devbox>({"default", "box"}).ok());
                         },
                     .is_done =
                         [&](const std::string&) {
                           BeKubelet();
                           return !Exists<Devbox>({"default", "box"});
                         },
                     .check_done = [&](const std::string&) { ExpectNothingLeft(); }});
}

}  // namespace
}  // namespace kubexms::platform
