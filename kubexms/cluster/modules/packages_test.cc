#include "kubexms/cluster/modules/packages.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "kubexms/automation/engine/engine.h"
#include "kubexms/automation/hosts/checksum.h"
#include "kubexms/automation/hosts/dnf_host_test.h"
#include "kubexms/automation/hosts/simulated_fleet.h"
#include "kubexms/base/test_directory_test.h"
#include "kubexms/cluster/artifact/artifact.h"
#include "kubexms/cluster/modules/containerd/images.h"
#include "kubexms/cluster/modules/modules.h"

namespace kubexms::cluster {
namespace {

using namespace automation;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const std::vector<std::string> kNames = {"etcd-server", "etcd-client"};

// Hosts that know no packages but those that are sent to them.
class PackagesTest : public ::testing::Test {
 protected:
  ArtifactPackage PackageOf(const std::string& name, std::vector<std::string> depends) const {
    ArtifactPackage package;
    const std::string content = "files of " + name;
    package.name = name;
    package.version = "1.0";
    package.architecture = "amd64";
    package.file = fmt::format("packages/{}.deb", name);
    package.size = static_cast<int64_t>(content.size());
    package.sha256 = Sha256Of(content);
    package.control = fmt::format("Package: {}\nVersion: 1.0\n", name);
    if (!depends.empty()) package.control += fmt::format("Depends: {}\n", fmt::join(depends, ", "));
    package.dependencies = std::move(depends);
    directory_.Write(PackageFileName(package), content);
    return package;
  }

  template <class File>
  File Blob(const std::string& content) const {
    File file;
    file.sha256 = Sha256Of(content);
    file.file = "blobs/" + file.sha256;
    file.size = static_cast<int64_t>(content.size());
    directory_.Write(file.sha256, content);
    return file;
  }

  std::string WriteOne(const std::string& os = "debian-12",
                       const std::string& version = "1") const {
    ArtifactManifest manifest;
    manifest.os = os;
    ArtifactTarget& target = manifest.targets.emplace_back();
    target.architecture = "amd64";
    target.packages = {PackageOf("etcd-client", {}), PackageOf("etcd-server", {"libone"}),
                       PackageOf("libone", {"libtwo"}), PackageOf("libtwo", {}),
                       PackageOf("unrelated", {})};
    target.binaries.push_back(Blob<ArtifactBinary>("the tool"));
    target.binaries[0].name = "tool";
    for (const char* name : {"lab.test/one:1", "lab.test/two:1"}) {
      ArtifactImage& image = target.images.emplace_back();
      image.name = name;
      image.media_type = "application/vnd.oci.image.manifest.v1+json";
      const std::string config = fmt::format("config of {} {}", name, version);
      image.id = "sha256:" + Sha256Of(config);
      image.blobs = {Blob<ArtifactFile>(fmt::format("manifest of {} {}", name, version)),
                     Blob<ArtifactFile>(config), Blob<ArtifactFile>("the layer of both")};
    }
    const std::string path = directory_.File("artifact");
    EXPECT_TRUE(WriteArtifact(path, manifest, [&](const ArtifactFile& file) {
                  return FilePart(directory_.File(file.file.substr(file.file.rfind('/') + 1)));
                }).ok());
    return path;
  }

  Pipeline Use(SimulatedFleet& fleet, const ArtifactPtr& artifact) {
    std::vector<StepPtr> steps;
    if (artifact) steps.push_back(RequireInArtifact("artifact", kNames, artifact));
    steps.push_back(EnsurePackages("packages", kNames, artifact));
    return Use(fleet, std::move(steps));
  }
  Pipeline Use(SimulatedFleet& fleet, std::vector<StepPtr> steps) {
    RuntimeOptions options{.cluster = "lab",
                           .directory = directory_.path(),
                           .secrets = &secrets_,
                           .clock = &clock_,
                           .random = &random_};
    for (const auto& host : fleet.hosts()) options.hosts.push_back({.name = host->name()});
    for (size_t i = 0; i < fleet.size(); ++i) options.hosts[i].connector = fleet.hosts()[i];
    runtime_ = std::make_unique<Runtime>(std::move(options));
    return {.name = "install",
            .modules = {MakeModule("etcd", {{.name = "install",
                                             .steps = std::move(steps),
                                             .hosts = runtime_->AllHosts(),
                                             .retry = {.attempts = 1}}})}};
  }

  static RunReport Succeed(Result<RunReport> report) {
    EXPECT_TRUE(report.ok()) << report.error().message();
    if (!report.ok()) return {};
    EXPECT_TRUE(report->ok()) << (report->error ? report->error->message() : "");
    return *std::move(report);
  }
  static std::string Failure(const Result<RunReport>& report) {
    if (!report.ok()) return report.error().message();
    return report->error ? report->error->message() : "it succeeded";
  }
  static bool HasFiles(const SimulatedHost& host) {
    return host.ReadFile("/var/lib/kubexms/lab/packages/Packages").has_value();
  }

  TestDirectory directory_;
  SystemClock clock_;
  SystemRandom random_;
  SecretRegistry secrets_;
  std::unique_ptr<Runtime> runtime_;
};

TEST_F(PackagesTest, InstallsFromTheArtifactOnly) {
  const ArtifactPtr artifact = Artifact::Open(WriteOne()).value();
  SimulatedFleet fleet(2);
  const std::string before = fleet.Snapshot();
  const Pipeline offline = Use(fleet, nullptr);
  EXPECT_THAT(Failure(Engine(runtime_.get()).Run(offline)), HasSubstr("Unable to locate package"));

  const Pipeline pipeline = Use(fleet, artifact);
  const RunReport first = Succeed(Engine(runtime_.get()).Run(pipeline));
  for (const auto& host : fleet.hosts()) {
    EXPECT_THAT(host->Snapshot(),
                AllOf(HasSubstr("package etcd-server 1.0\n"), HasSubstr("package libtwo 1.0\n"),
                      Not(HasSubstr("unrelated"))));
    EXPECT_FALSE(HasFiles(*host));
  }
  const uint64_t changes = fleet.changes(), trips = fleet.round_trips();
  EXPECT_EQ(Succeed(Engine(runtime_.get()).Run(pipeline)).changed, 0u);
  EXPECT_EQ(fleet.changes(), changes);
  EXPECT_EQ(fleet.round_trips(), trips + fleet.size()) << "one for each host";
  Succeed(Engine(runtime_.get()).Rollback(first.run));
  EXPECT_EQ(fleet.Snapshot(), before);
}

TEST_F(PackagesTest, ResumesAndRollsBackFromEveryFailure) {
  const ArtifactPtr artifact = Artifact::Open(WriteOne()).value();
  SimulatedFleet reference(1);
  const Pipeline pipeline = Use(reference, artifact);
  Succeed(Engine(runtime_.get()).Run(pipeline));
  const auto changes = static_cast<int>(reference.changes());
  ASSERT_EQ(changes, 8);  // a directory, its index, four files, the installation, their removal
  for (const FaultKind kind : {FaultKind::kFails, FaultKind::kLostAfter}) {
    for (int at = 0; at < changes; ++at) {
      SimulatedFleet fleet(1);
      const std::string before = fleet.Snapshot();
      const Pipeline attempt = Use(fleet, artifact);
      Engine engine(runtime_.get());
      fleet.host(0).Inject({.kind = kind, .after_changes = at});
      const Result<RunReport> failed = engine.Run(attempt);
      ASSERT_TRUE(failed.ok());
      Succeed(engine.Resume(attempt, failed->run));
      EXPECT_EQ(fleet.Snapshot(), reference.Snapshot()) << "resumed after " << at;
      EXPECT_FALSE(HasFiles(fleet.host(0))) << "resumed after " << at;
      Succeed(engine.Rollback(failed->run));
      EXPECT_EQ(fleet.Snapshot(), before) << "rolled back after " << at;
      EXPECT_FALSE(HasFiles(fleet.host(0))) << "rolled back after " << at;
    }
  }
}

TEST_F(PackagesTest, RollbackRetainsEarlierAndRequiredPackages) {
  const ArtifactPtr artifact = Artifact::Open(WriteOne()).value();
  SimulatedFleet fleet(1, {{"etcd-client", {.version = "0.9"}},
                           {"admins", {.depends = {"libtwo"}}},
                           {"libtwo", {.version = "0.9"}}});
  ASSERT_TRUE(fleet.host(0).Perform({InstallPackages{"etcd-client"}}).ok());
  const Pipeline pipeline = Use(fleet, artifact);
  const Result<RunPlan> plan = Engine(runtime_.get()).Plan(pipeline);
  ASSERT_TRUE(plan.ok());
  EXPECT_THAT(plan->ToText(), HasSubstr("install etcd-server with libone libtwo from"));
  const RunReport report = Succeed(Engine(runtime_.get()).Run(pipeline));
  ASSERT_TRUE(fleet.host(0).Perform({InstallPackages{"admins"}}).ok());
  Succeed(Engine(runtime_.get()).Rollback(report.run));
  EXPECT_THAT(fleet.host(0).Snapshot(),
              AllOf(HasSubstr("package etcd-client 0.9\n"), HasSubstr("package libtwo 1.0\n"),
                    Not(HasSubstr("package etcd-server")), Not(HasSubstr("package libone"))));
}

TEST_F(PackagesTest, PreflightRefusesArtifactsForOtherHosts) {
  SimulatedFleet fleet(1);
  const std::string before = fleet.Snapshot();
  const auto failure = [&](const std::string& path) {
    const Pipeline pipeline = Use(fleet, Artifact::Open(path).value());
    return Failure(Engine(runtime_.get()).Run(pipeline));
  };
  EXPECT_THAT(failure(WriteOne("debian-13")),
              AllOf(HasSubstr("is for debian-13 amd64, and the host is debian-12 amd64"),
                    HasSubstr("--os debian-12 --arch amd64")));
  WriteOne();
  std::string bytes = directory_.Read("artifact");
  bytes[bytes.rfind("files of libtwo")] ^= 1;
  EXPECT_THAT(failure(directory_.Write("altered", bytes)),
              HasSubstr("packages/libtwo.deb was altered or is damaged"));
  bytes = directory_.Read("artifact");
  bytes[bytes.rfind("files of unrelated")] ^= 1;
  EXPECT_EQ(fleet.Snapshot(), before);
  EXPECT_EQ(failure(directory_.Write("altered", bytes)), "it succeeded") << "what is not used";
  EXPECT_EQ(failure(WriteOne()), "it succeeded");
}

TEST_F(PackagesTest, RequiresMissingPackagesInTheArtifact) {
  ArtifactManifest manifest;
  manifest.os = "debian-12";
  manifest.targets.emplace_back().architecture = "amd64";
  const std::string path = directory_.File("empty");
  ASSERT_TRUE(WriteArtifact(path, manifest, nullptr).ok());
  SimulatedFleet fleet(1, {{"etcd-client", {}}, {"etcd-server", {}}});
  const Pipeline pipeline = Use(fleet, Artifact::Open(path).value());
  EXPECT_THAT(Failure(Engine(runtime_.get()).Run(pipeline)),
              HasSubstr("empty lacks etcd-server, etcd-client; build it again"));
  ASSERT_TRUE(fleet.host(0).Perform({InstallPackages{"etcd-client etcd-server"}}).ok());
  EXPECT_EQ(Succeed(Engine(runtime_.get()).Run(pipeline)).changed, 0u);
}

// --- images

const std::vector<std::string> kImages = {"lab.test/one:1", "lab.test/two:1"};
constexpr const char* kRuntime = "/run/images";  // what the runtime has: "NAME ID" lines

std::map<std::string, std::string> ImagesOf(const SimulatedHost& host) {
  std::map<std::string, std::string> ids;
  std::istringstream lines(host.ReadFile(kRuntime).value_or(""));
  for (std::string name, id; lines >> name >> id;) ids[name] = id;
  return ids;
}

// A runtime whose images are a file.
CommandResult AnswerForImages(SimulatedHost& host, const std::string& script) {
  std::map<std::string, std::string> ids = ImagesOf(host);
  if (script.starts_with("# undo the import of images")) {
    std::istringstream lines(script);
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      std::string what, name, digest, former;
      words >> what >> name >> digest >> former;
      if (what == "remove") ids.erase(name);
      if (what == "restore") ids[name] = former;
    }
  } else if (script.starts_with("# import images")) {
    const std::string index =
        host.ReadFile("/var/lib/kubexms/lab/images/index.json").value_or("no index");
    for (const std::string& name : kImages) {
      if (index.find(name) == std::string::npos) continue;
      ids[name] = script.substr(script.rfind(name + " sha256:") + name.size() + 1, 71);
    }
  } else {
    std::erase_if(ids,
                  [&](const auto& image) { return script.find(image.first) == std::string::npos; });
    std::string said;
    for (const auto& [name, id] : ids) said += fmt::format("{} {}\n", name, id);
    return {.output = said};
  }
  std::string has;
  for (const auto& [name, id] : ids) has += fmt::format("{} {}\n", name, id);
  host.PutFile(kRuntime, has);
  return {};
}

class ImagesTest : public PackagesTest {
 protected:
  Pipeline UseImages(SimulatedFleet& fleet, const ArtifactPtr& artifact) {
    for (const auto& host : fleet.hosts()) host->SetScriptHandler(AnswerForImages);
    return Use(fleet, std::vector{RequireImages("artifact", kImages, artifact),
                                  EnsureImages("images", kImages, artifact)});
  }
  static bool HasLayout(const SimulatedHost& host) {
    return host.ReadFile("/var/lib/kubexms/lab/images/index.json").has_value();
  }
};

TEST_F(ImagesTest, AreImportedOnceAndRemovedByRollback) {
  const ArtifactPtr artifact = Artifact::Open(WriteOne()).value();
  SimulatedFleet fleet(2);
  const Pipeline pipeline = UseImages(fleet, artifact);
  fleet.host(1).PutFile(kRuntime, "lab.test/one:1 " + artifact->manifest().targets[0].images[0].id +
                                      "\nlab.test/other:1 sha256:1\n");
  const std::string before = fleet.Snapshot();
  const Result<RunPlan> plan = Engine(runtime_.get()).Plan(pipeline);
  EXPECT_EQ(fleet.Snapshot(), before);
  EXPECT_THAT(plan->ToText(), AllOf(HasSubstr("import lab.test/one:1, lab.test/two:1 from"),
                                    HasSubstr("import lab.test/two:1 from")));
  const RunReport first = Succeed(Engine(runtime_.get()).Run(pipeline));
  for (const auto& host : fleet.hosts()) {
    EXPECT_THAT(host->ReadFile(kRuntime).value_or(""),
                AllOf(HasSubstr("lab.test/one:1 sha256:"), HasSubstr("lab.test/two:1 sha256:")));
    EXPECT_FALSE(HasLayout(*host));
  }
  const uint64_t changes = fleet.changes();
  EXPECT_EQ(Succeed(Engine(runtime_.get()).Run(pipeline)).changed, 0u);
  EXPECT_EQ(fleet.changes(), changes);
  Succeed(Engine(runtime_.get()).Rollback(first.run));
  EXPECT_THAT(fleet.host(1).ReadFile(kRuntime).value_or(""),
              AllOf(HasSubstr("lab.test/one:1"), HasSubstr("lab.test/other:1"),
                    Not(HasSubstr("lab.test/two:1"))));
  EXPECT_EQ(fleet.host(0).ReadFile(kRuntime), "");
}

TEST_F(ImagesTest, RollbackRestoresThePreviousImageOfAName) {
  const ArtifactPtr artifact = Artifact::Open(WriteOne()).value();
  const std::string former = "sha256:" + Sha256Of("what was there before");
  SimulatedFleet reference(1);
  const Pipeline pipeline = UseImages(reference, artifact);
  Succeed(Engine(runtime_.get()).Run(pipeline));
  const auto changes = static_cast<int>(reference.changes());
  for (int at = 0; at <= changes; ++at) {
    SimulatedFleet fleet(1);
    const Pipeline attempt = UseImages(fleet, artifact);
    const std::string before = fmt::format("lab.test/one:1 {}\n", former);
    fleet.host(0).PutFile(kRuntime, before);
    Engine engine(runtime_.get());
    if (at < changes) fleet.host(0).Inject({.kind = FaultKind::kLostAfter, .after_changes = at});
    const Result<RunReport> run = engine.Run(attempt);
    ASSERT_TRUE(run.ok());
    if (!run->ok()) Succeed(engine.Resume(attempt, run->run));
    EXPECT_EQ(ImagesOf(fleet.host(0)), ImagesOf(reference.host(0))) << "resumed after " << at;
    Succeed(engine.Rollback(run->run));
    EXPECT_EQ(fleet.host(0).ReadFile(kRuntime), before) << "rolled back after " << at;
  }
}

TEST_F(ImagesTest, ImportResumesFromEveryFailure) {
  const ArtifactPtr artifact = Artifact::Open(WriteOne()).value();
  SimulatedFleet reference(1);
  const Pipeline pipeline = UseImages(reference, artifact);
  Succeed(Engine(runtime_.get()).Run(pipeline));
  const auto changes = static_cast<int>(reference.changes());
  ASSERT_EQ(changes, 12);  // three directories, two files, five blobs, the import, the removal
  for (const FaultKind kind : {FaultKind::kFails, FaultKind::kLostAfter}) {
    for (int at = 0; at < changes; ++at) {
      SimulatedFleet fleet(1);
      const Pipeline attempt = UseImages(fleet, artifact);
      Engine engine(runtime_.get());
      fleet.host(0).Inject({.kind = kind, .after_changes = at});
      const Result<RunReport> failed = engine.Run(attempt);
      ASSERT_TRUE(failed.ok());
      Succeed(engine.Resume(attempt, failed->run));
      EXPECT_EQ(fleet.Snapshot(), reference.Snapshot()) << "resumed after " << at;
      EXPECT_FALSE(HasLayout(fleet.host(0))) << "resumed after " << at;
      Succeed(engine.Rollback(failed->run));
      EXPECT_EQ(fleet.host(0).ReadFile(kRuntime), "") << "rolled back after " << at;
    }
  }
}

TEST_F(ImagesTest, PreflightRefusesMissingImages) {
  SimulatedFleet fleet(1);
  const std::string path = WriteOne();
  const auto failure = [&](const std::string& file, const std::vector<std::string>& names) {
    const ArtifactPtr artifact = Artifact::Open(file).value();
    for (const auto& host : fleet.hosts()) host->SetScriptHandler(AnswerForImages);
    const Pipeline pipeline = Use(fleet, std::vector{RequireImages("artifact", names, artifact)});
    return Failure(Engine(runtime_.get()).Run(pipeline));
  };
  EXPECT_THAT(failure(path, {"lab.test/three:1"}),
              HasSubstr("lacks the image lab.test/three:1 for amd64"));
  std::string bytes = directory_.Read("artifact");
  bytes[bytes.rfind("the layer of both")] ^= 1;
  EXPECT_THAT(failure(directory_.Write("altered", bytes), kImages),
              HasSubstr("was altered or is damaged"));
  EXPECT_THAT(failure(WriteOne("debian-13"), kImages), HasSubstr("--os debian-12 --arch amd64"));
}

// --- binaries

TEST_F(PackagesTest, InstallsBinariesAndRemovesThemByRollback) {
  const ArtifactPtr artifact = Artifact::Open(WriteOne()).value();
  SimulatedFleet fleet(2);
  fleet.host(1).PutFile("/opt/new/tool", "an older tool");
  const std::string before = fleet.Snapshot();
  Use(fleet, std::vector<StepPtr>());
  ClusterSpec spec;
  for (const auto& host : fleet.hosts()) spec.hosts.emplace_back().name = host->name();
  BinarySpec& binary = spec.binaries.emplace_back();
  binary.name = "tool";
  binary.path = "/opt/new/tool";
  binary.mode = "0755";
  const Pipeline pipeline{.name = "install",
                          .modules = {BinariesModule(spec, artifact, HostSelection())}};
  const RunReport report = Succeed(Engine(runtime_.get()).Run(pipeline));
  for (const auto& host : fleet.hosts()) {
    EXPECT_EQ(host->ReadFile("/opt/new/tool"), "the tool");
    EXPECT_THAT(host->Snapshot(), HasSubstr("/opt/new/tool file 0755 root:root"));
  }
  EXPECT_EQ(Succeed(Engine(runtime_.get()).Run(pipeline)).changed, 0u);
  Succeed(Engine(runtime_.get()).Rollback(report.run));
  EXPECT_EQ(fleet.Snapshot(), before);

  const auto failure = [&](const ArtifactPtr& from) {
    const Pipeline check = Use(fleet, std::vector{RequireBinary(binary, from)});
    return Failure(Engine(runtime_.get()).Run(check));
  };
  EXPECT_THAT(failure(nullptr), HasSubstr("the binary tool requires an artifact"));
  binary.name = "another";
  EXPECT_THAT(failure(artifact), HasSubstr("lacks the binary another for amd64"));
  binary.name = "tool";
  std::string bytes = directory_.Read("artifact");
  bytes[bytes.rfind("the tool")] ^= 1;
  EXPECT_THAT(failure(Artifact::Open(directory_.Write("altered", bytes)).value()),
              HasSubstr("was altered or is damaged"));
}

class AvailablePackageTest : public PackagesTest {
 protected:
  // What is known of `name` on a host.
  AvailablePackage OfferOf(Connector& host, const std::string& name,
                           const ArtifactPtr& artifact = nullptr) {
    const std::vector<std::string> names = {"absent", name};
    std::vector<Operation> queries = AvailablePackageQueries(names);
    queries.emplace_back(GetSystemFacts{});
    const Facts facts = Runner(&host, &clock_, {}).Gather(queries).value();
    EXPECT_EQ(FindAvailablePackage("absent", names, facts, artifact).version, "");
    return FindAvailablePackage(name, names, facts, artifact);
  }
};

TEST_F(AvailablePackageTest, PrefersInstalledThenArtifactThenSources) {
  const ArtifactPtr artifact = Artifact::Open(WriteOne()).value();
  SimulatedFleet fleet(1, {{"etcd-server", {.version = "2.0"}}});
  SimulatedHost& host = fleet.host(0);
  EXPECT_EQ(OfferOf(host, "etcd-server").version, "") << "the host does not know";
  host.SetScriptHandler([](SimulatedHost&, const std::string&) {
    return CommandResult{.output = "other=7\netcd-server=3.0\n"};
  });
  EXPECT_EQ(OfferOf(host, "etcd-server").version, "3.0");
  EXPECT_EQ(OfferOf(host, "etcd-server").from, "its package sources");
  EXPECT_EQ(OfferOf(host, "etcd-server", artifact).version, "1.0");
  EXPECT_EQ(OfferOf(host, "etcd-server", artifact).from, artifact->path());
  host.SetSystem({.os_version = "13"});
  EXPECT_EQ(OfferOf(host, "etcd-server", artifact).version, "") << "it is for another system";
  ASSERT_TRUE(host.Perform({InstallPackages{"etcd-server"}}).ok());
  EXPECT_EQ(OfferOf(host, "etcd-server", artifact).version, "2.0");
  EXPECT_EQ(OfferOf(host, "etcd-server", artifact).from, "");
}

TEST_F(AvailablePackageTest, ReadsCandidatesOfDnfWithoutADownload) {
  if (!DnfHost::IsPossible()) GTEST_SKIP() << DnfHost::kImpossible;
  DnfHost host;
  EXPECT_EQ(OfferOf(host.connector(), "tried").version, "");
  ASSERT_TRUE(host.connector().Exec({.script = "dnf -q makecache"}).value().ok());
  EXPECT_EQ(OfferOf(host.connector(), "tried").version, "2-7");
  ASSERT_TRUE(host.connector().Perform({InstallPackages{"tried=1-7"}}).ok());
  EXPECT_EQ(OfferOf(host.connector(), "tried").version, "1-7");
}

// A source of its own, beside those that this machine has.
TEST_F(AvailablePackageTest, ReadsCandidatesOfAptWithoutADownload) {
  directory_.Write("lists/partial/none", "");
  directory_.Write("source/Packages",
                   "Package: tried\nVersion: 1:2.5-3\nArchitecture: all\nFilename: ./none\n"
                   "Size: 1\nDescription: for a test\n");
  directory_.Write("sources.list",
                   fmt::format("deb [trusted=yes] file:{}/source ./\n", directory_.path()));
  const std::string config = directory_.Write(
      "apt.conf", fmt::format("Dir::Etc::sourcelist \"{0}/sources.list\";\n"
                              "Dir::Etc::sourceparts \"/dev/null\";\n"
                              "Dir::State::lists \"{0}/lists\";\nDir::Cache \"{0}/cache\";\n"
                              "APT::Sandbox::User \"root\";\n",
                              directory_.path()));
  const auto here = MakeLocalConnector({}, &random_);
  if (here->Exec({.script = "command -v apt-cache"}).value().exit_code != 0) {
    GTEST_SKIP() << "needs apt";
  }
  const std::string before = "mkdir -p " + directory_.File("cache/archives/partial") +
                             "; export APT_CONFIG=" + config + "\n";
  const CommandResult updated = here->Exec({.script = before + "apt-get -q update"}).value();
  ASSERT_TRUE(updated.ok()) << updated.output << updated.error_output;
  const std::string probe = std::get<Probe>(AvailablePackageQueries({"tried", "absent"})[1]).script;
  EXPECT_EQ(here->Exec({.script = before + probe}).value().output, "tried=1:2.5-3\n");
}

}  // namespace
}  // namespace kubexms::cluster
