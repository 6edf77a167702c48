#include <fmt/format.h>

#include "kubexms/api/cron_schedule.h"
#include "kubexms/apiserver/strategies/builtin.h"
#include "kubexms/apiserver/strategies/pod.h"

namespace kubexms {
namespace {

constexpr int64_t kMaxInt32 = 2147483647;
constexpr int64_t kMaxIndexedParallelism = 100000;
constexpr std::string_view kUidLabel = "batch.kubernetes.io/controller-uid";
constexpr std::string_view kNameLabel = "batch.kubernetes.io/job-name";
constexpr std::string_view kOldUidLabel = "controller-uid";
constexpr std::string_view kOldNameLabel = "job-name";

void ValidateFailurePolicy(const Field& policy) {
  const Field rules = policy["rules"];
  if (rules.size() > 20) rules.TooMany(20);
  for (const Field& rule : rules.Items()) {
    rule["action"].SetAndOneOf({"Count", "FailIndex", "FailJob", "Ignore"});
    const Field codes = rule["onExitCodes"];
    const Field conditions = rule["onPodConditions"];
    if (codes && !conditions.empty())
      rule.Invalid("specifying both OnExitCodes and OnPodConditions is not supported");
    if (!codes && conditions.empty())
      rule.Invalid("specifying one of OnExitCodes and OnPodConditions is required");
    if (codes) codes["values"].MustBeSet("at least one value is required");
  }
}

// What holds for jobs and for the templates of cron jobs.
void ValidateJobSpec(const Field& spec) {
  for (std::string_view name :
       {"parallelism", "completions", "activeDeadlineSeconds", "backoffLimit",
        "ttlSecondsAfterFinished", "backoffLimitPerIndex", "maxFailedIndexes"})
    spec[name].AtLeast(0);
  const Field mode = spec["completionMode"];
  mode.OneOf({"NonIndexed", "Indexed"});
  const bool indexed = mode.Text() == "Indexed";
  if (indexed && !spec["completions"])
    spec["completions"].Required("when completion mode is Indexed");
  for (std::string_view name : {"backoffLimitPerIndex", "successPolicy"}) {
    if (!indexed && spec[name]) spec[name].Invalid("requires indexed completion mode");
  }
  if (indexed && spec["parallelism"].Int() > kMaxIndexedParallelism)
    spec["parallelism"].Invalid(
        fmt::format("must be less than or equal to {} when completion mode is Indexed",
                    kMaxIndexedParallelism));
  if (const Field policy = spec["podFailurePolicy"]) ValidateFailurePolicy(policy);
  spec["podReplacementPolicy"].OneOf({"Failed", "TerminatingOrFailed"});
  const Field pod_template = spec["template"];
  ValidatePodTemplate(pod_template);
  const Field restart = spec["template.spec.restartPolicy"];
  if (restart.empty() || restart.Text() == "Always") {
    restart.Required("valid values: \"OnFailure\", \"Never\"");
  } else if (restart.Text() != "OnFailure" && restart.Text() != "Never") {
    restart.NotSupported({"OnFailure", "Never"});
  } else if (spec["podFailurePolicy"] && restart.Text() != "Never") {
    restart.Invalid("only \"Never\" is supported when podFailurePolicy is specified");
  }
}

class JobStrategy : public KindStrategy {
 public:
  JobStrategy() : KindStrategy({.has_status = true, .counts_generations = true}) {}

  void SetDefaults(JsonObject& job) const override {
    SetPodTemplateDefaults(job, "spec.template");
    JsonObject* spec = FindObject(job, "spec");
    if (spec == nullptr) return;
    if (Find(*spec, "parallelism") == nullptr) SetDefault(*spec, "completions", 1);
    SetDefault(*spec, "parallelism", 1);
    const bool per_index = Find(*spec, "backoffLimitPerIndex") != nullptr;
    SetDefault(*spec, "backoffLimit", per_index ? kMaxInt32 : 6);
    SetDefault(*spec, "completionMode", "NonIndexed");
    SetDefault(*spec, "suspend", false);
    SetDefault(*spec, "manualSelector", false);
    const bool replace_failed = Find(*spec, "podFailurePolicy") != nullptr;
    SetDefault(*spec, "podReplacementPolicy", replace_failed ? "Failed" : "TerminatingOrFailed");
    TakeLabelsOfTemplate(job);
  }

  void PrepareForCreate(JsonObject& job) const override {
    job["status"] = JsonObject();
    if (TrueAt(job, "spec.manualSelector") || FindObject(job, "spec") == nullptr) return;
    const Json uid(TextAt(job, "metadata.uid"));
    const Json name(TextAt(job, "metadata.name"));
    // A job without labels of its own shows those of its template, the generated ones too.
    const bool shares_labels =
        SemanticEqual(Find(job, "metadata.labels"), Find(job, "spec.template.metadata.labels"));
    JsonObject& labels = EnsureObject(job, "spec.template.metadata.labels");
    // Labels that are there already stay, and are refused when they are those of another job.
    SetDefault(labels, kUidLabel, uid);
    SetDefault(labels, kOldUidLabel, uid);
    SetDefault(labels, kNameLabel, name);
    SetDefault(labels, kOldNameLabel, name);
    SetDefault(EnsureObject(job, "spec.selector.matchLabels"), kUidLabel, uid);
    if (shares_labels) EnsureObject(job, "metadata")["labels"] = JsonObject(labels);
  }

  void Validate(const JsonObject& object, FieldErrors& errors) const override {
    const Field root(object, errors);
    const Field spec = root["spec"];
    if (!spec["manualSelector"].IsTrue()) ValidateGeneratedSelector(root);
    ValidateJobSpec(spec);
    const Field selector = spec["selector"];
    if (!selector) return selector.Required();
    ValidateLabelSelector(selector);
    const Field labels = spec["template.metadata.labels"];
    if (!SelectorMatches(selector, TextMap(labels.value())))
      labels.Invalid(labels ? labels.ToJson() : Json(JsonObject()),
                     "`selector` does not match template `labels`");
  }

  void ValidateUpdate(const JsonObject& object, const JsonObject& old_object,
                      FieldErrors& errors) const override {
    FieldErrors ignored;
    const Field root(object, errors);
    const Field old_root(old_object, ignored);
    const Field spec = root["spec"];
    const Field old = old_root["spec"];
    ValidateCompletionsUpdate(spec, old);
    spec["selector"].Immutable(old["selector"]);
    if (!SameTemplates(object, old_object)) spec["template"].Invalid("field is immutable");
    spec.ImmutableMembers(old, {"completionMode", "podFailurePolicy", "backoffLimitPerIndex",
                                "managedBy", "successPolicy"});
  }

 private:
  // The pods of a job are told from others by labels that the server makes.
  static void ValidateGeneratedSelector(const Field& job) {
    const Field selector = job["spec.selector"];
    if (!selector) return;
    const std::string uid(job["metadata.uid"].Text());
    const std::string name(job["metadata.name"].Text());
    const StringMap expected{{std::string(kOldUidLabel), uid},
                             {std::string(kOldNameLabel), name},
                             {std::string(kUidLabel), uid},
                             {std::string(kNameLabel), name}};
    const Field labels = job["spec.template.metadata.labels"];
    for (std::string_view key : {kOldUidLabel, kOldNameLabel, kUidLabel, kNameLabel}) {
      const Field label = labels.Entry(key);
      const std::string& wanted = expected.at(std::string(key));
      const std::string rule = fmt::format("must be '{}'", wanted);
      if (!label) {
        label.Required(rule);
      } else if (label.Text() != wanted) {
        label.Invalid(labels.ToJson(), rule);
      }
    }
    if (!SelectorMatches(selector, expected)) selector.Invalid("`selector` not auto-generated");
  }

  static void TakeLabelsOfTemplate(JsonObject& job) {
    const JsonObject* labels = FindObject(std::as_const(job), "spec.template.metadata.labels");
    if (labels == nullptr || labels->empty()) return;
    const JsonObject copy = *labels;
    JsonObject& own = EnsureObject(job, "metadata.labels");
    if (own.empty()) own = copy;
  }

  // An indexed job may grow and shrink, with both numbers together.
  static void ValidateCompletionsUpdate(const Field& spec, const Field& old) {
    const Field completions = spec["completions"];
    if (completions.SameAs(old["completions"])) return;
    const bool elastic = spec["completionMode"].Text() == "Indexed" &&
                         spec["completions"].Int() == spec["parallelism"].Int();
    if (elastic) return;
    if (spec["completionMode"].Text() == "Indexed") {
      completions.Invalid("can only be modified in tandem with .spec.parallelism");
    } else {
      completions.Invalid("field is immutable");
    }
  }

  // While a job is suspended and has never started, where its pods go may still change.
  static bool SameTemplates(const JsonObject& job, const JsonObject& old_job) {
    const Json* after = Find(job, "spec.template");
    const Json* before = Find(old_job, "spec.template");
    const bool may_steer =
        TrueAt(old_job, "spec.suspend") && Find(old_job, "status.startTime") == nullptr;
    if (!may_steer || after == nullptr || before == nullptr || !before->is_object())
      return SemanticEqual(after, before);
    JsonObject changed = after->get_object();
    const JsonObject& old_template = before->get_object();
    for (std::string_view name : {"labels", "annotations"}) {
      if (const JsonObject* metadata = FindObject(old_template, "metadata"))
        CopyMember(EnsureObject(changed, "metadata"), *metadata, name);
    }
    for (std::string_view name : {"nodeSelector", "tolerations", "affinity", "schedulingGates"}) {
      if (const JsonObject* spec = FindObject(old_template, "spec"))
        CopyMember(EnsureObject(changed, "spec"), *spec, name);
    }
    const Json steered(std::move(changed));
    return SemanticEqual(&steered, before);
  }
};

class CronJobStrategy : public KindStrategy {
 public:
  CronJobStrategy() : KindStrategy({.has_status = true, .counts_generations = true}) {}

  Messages ValidateName(std::string_view name) const override {
    Messages problems = ValidateDns1123Subdomain(name);
    // The jobs get eleven more characters: a dash and the time.
    if (name.size() > 52) problems.push_back("must be no more than 52 characters");
    return problems;
  }
  void SetDefaults(JsonObject& job) const override {
    JsonObject* job_template = FindObject(job, "spec.jobTemplate");
    if (job_template == nullptr) return;
    SetDefault(*job_template, "metadata", JsonObject());
    SetPodTemplateDefaults(*job_template, "spec.template");
  }
  void PrepareForCreate(JsonObject& job) const override { job["status"] = JsonObject(); }

  void Validate(const JsonObject& object, FieldErrors& errors) const override {
    const Field root(object, errors);
    const Field spec = root["spec"];
    ValidateSchedule(spec);
    spec["startingDeadlineSeconds"].AtLeast(0);
    spec["concurrencyPolicy"].SetAndOneOf({"Allow", "Forbid", "Replace"});
    const Field job_spec = spec["jobTemplate.spec"];
    if (const Field selector = job_spec["selector"])
      selector.Invalid("`selector` will be auto-generated");
    if (const Field manual = job_spec["manualSelector"]; manual.IsTrue())
      manual.NotSupported({"nil", "false"});
    ValidateJobSpec(job_spec);
    spec["successfulJobsHistoryLimit"].AtLeast(0);
    spec["failedJobsHistoryLimit"].AtLeast(0);
  }

 private:
  static void ValidateSchedule(const Field& spec) {
    const Field schedule = spec["schedule"];
    const Field zone = spec["timeZone"];
    if (schedule.MustBeSet()) {
      const Result<CronSchedule> parsed = CronSchedule::Parse(schedule.Text());
      if (!parsed.ok()) schedule.Invalid(parsed.error().message());
      if (schedule.Text().find("TZ") != std::string_view::npos)
        schedule.Invalid(zone ? "cannot use both timeZone field and TZ or CRON_TZ in schedule"
                              : "cannot use TZ or CRON_TZ in schedule, use timeZone field instead");
    }
    if (zone) ValidateTimeZone(zone);
  }

  static void ValidateTimeZone(const Field& zone) {
    if (zone.empty()) return zone.Invalid("timeZone must be nil or non-empty string");
    if (zone.Text() == "Local" || zone.Text() == "local")
      zone.Invalid(
          "timeZone must be an explicit time zone as defined in "
          "https://www.iana.org/time-zones");
    if (const Result<TimeZone> known = TimeZone::Load(zone.Text()); !known.ok())
      zone.Invalid(known.error().message());
  }
};

}  // namespace

void AddBatchStrategies(StrategyTable& table) {
  table.Add("batch", "Job", std::make_unique<JobStrategy>());
  table.Add("batch", "CronJob", std::make_unique<CronJobStrategy>());
}

}  // namespace kubexms
