#include <gtest/gtest.h>

#include "kubexms/apiserver/strategies/strategy_test.h"

namespace kubexms {
namespace {

std::string Job(std::string_view lines = "", std::string_view restart = "Never") {
  return "apiVersion: batch/v1\nkind: Job\nmetadata: {name: sum}\nspec:\n"
         "  template: {spec: {restartPolicy: " +
         std::string(restart) + ", containers: [{name: c, image: sum:1}]}}\n" + std::string(lines);
}

std::string CronJob(std::string_view schedule) {
  return "apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: nightly}\nspec:\n"
         "  schedule: '" +
         std::string(schedule) +
         "'\n  jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: "
         "c, image: sum:1}]}}}}\n";
}

TEST(JobTest, GetsDefaultsAndAGeneratedSelector) {
  ExpectCreated(Job(), R"(
apiVersion: batch/v1
kind: Job
metadata:
  name: sum
  labels: &labels
    batch.kubernetes.io/controller-uid: 0b6c6b0e-0000-4000-8000-000000000001
    batch.kubernetes.io/job-name: sum
    controller-uid: 0b6c6b0e-0000-4000-8000-000000000001
    job-name: sum
spec:
  parallelism: 1
  completions: 1
  backoffLimit: 6
  completionMode: NonIndexed
  suspend: false
  manualSelector: false
  podReplacementPolicy: TerminatingOrFailed
  selector:
    matchLabels:
      batch.kubernetes.io/controller-uid: 0b6c6b0e-0000-4000-8000-000000000001
  template:
    metadata:
      labels: *labels
    spec:
      containers:
      - name: c
        image: sum:1
        imagePullPolicy: IfNotPresent
        resources: {}
        terminationMessagePath: /dev/termination-log
        terminationMessagePolicy: File
      dnsPolicy: ClusterFirst
      restartPolicy: Never
      schedulerName: default-scheduler
      securityContext: {}
      terminationGracePeriodSeconds: 30
status: {}
)");
}

TEST(JobTest, CompletionsHaveNoDefaultWhenParallelismIsSet) {
  const Json job = Defaulted(Job("  parallelism: 3"));
  EXPECT_FALSE(job.at("spec").get_object().contains("completions"));
}

TEST(JobTest, RefusesRestartPolicyAlways) {
  EXPECT_EQ(ErrorsOfCreate(Job("", "Always")),
            "spec.template.spec.restartPolicy: Required value: valid values: \"OnFailure\", "
            "\"Never\"");
}

TEST(JobTest, IndexedJobRequiresCompletions) {
  EXPECT_EQ(ErrorsOfCreate(Job("  parallelism: 2\n  completionMode: Indexed")),
            "spec.completions: Required value: when completion mode is Indexed");
}

TEST(JobTest, TemplateIsImmutable) {
  const Json stored = Created(Job());
  Updated same = Update(stored, WriteYaml(stored));
  EXPECT_EQ(same.errors, "");
  Json changed = stored;
  changed.at("spec").at("template").at("spec").at("containers").at(0).as_object()["image"] = "x:2";
  EXPECT_TRUE(Update(stored, WriteYaml(changed)).errors.ends_with("field is immutable"));
}

TEST(CronJobTest, GetsDefaultsWithoutThoseOfItsJobs) {
  ExpectCreated(CronJob("0 3 * * *"), R"(
apiVersion: batch/v1
kind: CronJob
metadata: {name: nightly}
spec:
  schedule: 0 3 * * *
  concurrencyPolicy: Allow
  suspend: false
  successfulJobsHistoryLimit: 3
  failedJobsHistoryLimit: 1
  jobTemplate:
    metadata: {}
    spec:
      template:
        metadata: {}
        spec:
          containers:
          - name: c
            image: sum:1
            imagePullPolicy: IfNotPresent
            resources: {}
            terminationMessagePath: /dev/termination-log
            terminationMessagePolicy: File
          dnsPolicy: ClusterFirst
          restartPolicy: Never
          schedulerName: default-scheduler
          securityContext: {}
          terminationGracePeriodSeconds: 30
status: {}
)");
}

TEST(CronJobTest, RefusesAnInvalidSchedule) {
  EXPECT_EQ(ErrorsOfCreate(CronJob("at noon")),
            "spec.schedule: Invalid value: \"at noon\": expected exactly 5 fields, found 2: [at "
            "noon]");
}

TEST(CronJobTest, RefusesAnUnknownTimeZone) {
  const auto errors = [](std::string_view zone) {
    return ErrorsOfCreate(CronJob("0 3 * * *") + "  timeZone: " + std::string(zone) + "\n");
  };
  EXPECT_EQ(errors("Europe/Berlin"), "");
  EXPECT_EQ(errors("Mars/Olympus"),
            "spec.timeZone: Invalid value: \"Mars/Olympus\": unknown time zone Mars/Olympus");
  EXPECT_EQ(errors("''"),
            "spec.timeZone: Invalid value: \"\": timeZone must be nil or non-empty string");
}

TEST(CronJobTest, NameLeavesRoomForTheTime) {
  const Strategy* strategy = BuiltinStrategy("batch", "CronJob");
  EXPECT_TRUE(strategy->ValidateName(std::string(52, 'a')).empty());
  EXPECT_EQ(strategy->ValidateName(std::string(53, 'a')),
            Messages{"must be no more than 52 characters"});
}

}  // namespace
}  // namespace kubexms
