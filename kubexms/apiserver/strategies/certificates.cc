#include "kubexms/net/tls/certificates.h"

#include "kubexms/apiserver/strategies/builtin.h"
#include "kubexms/apiserver/strategies/fields.h"
#include "kubexms/base/text/base64.h"

namespace kubexms {
namespace {

constexpr int64_t kShortestLifetime = 600;

// The error of a request; empty when it is a PKCS#10 request in PEM.
std::string CheckRequest(std::string_view base64) {
  const Result<std::string> pem = DecodeBase64(base64);
  if (!pem.ok()) return pem.error().message();
  if (pem->find("-----BEGIN CERTIFICATE REQUEST-----") == std::string::npos &&
      pem->find("-----BEGIN NEW CERTIFICATE REQUEST-----") == std::string::npos)
    return "PEM block type must be CERTIFICATE REQUEST";
  const Result<CertificateSubject> subject = InspectSigningRequest(*pem);
  return subject.ok() ? "" : subject.error().message();
}

void ValidateSignerName(const Field& name) {
  if (!name.MustBeSet()) return;
  const size_t slash = name.Text().find('/');
  if (slash == std::string_view::npos || slash + 1 == name.Text().size())
    return name.Invalid(
        "must be a fully qualified domain and path of the form 'example.com/signer-name'");
  const std::string_view domain = name.Text().substr(0, slash);
  for (const std::string& problem : ValidateDns1123Subdomain(domain))
    name.Invalid(Json(domain), "validating label \"" + std::string(domain) + "\": " + problem);
  if (domain.find('.') == std::string_view::npos)
    name.Invalid("should be a domain with at least two segments separated by dots");
}

void ValidateUsages(const Field& usages) {
  usages.MustBeSet();
  UniqueTexts seen;
  for (const Field& usage : usages.Items()) {
    usage.MustBeOneOf({"any",
                       "cert sign",
                       "client auth",
                       "code signing",
                       "content commitment",
                       "crl sign",
                       "data encipherment",
                       "decipher only",
                       "digital signature",
                       "email protection",
                       "encipher only",
                       "ipsec end system",
                       "ipsec tunnel",
                       "ipsec user",
                       "key agreement",
                       "key encipherment",
                       "microsoft sgc",
                       "netscape sgc",
                       "ocsp signing",
                       "s/mime",
                       "server auth",
                       "signing",
                       "timestamping"});
    seen.Add(usage);
  }
}

bool IsDecision(std::string_view type) {
  return type == "Approved" || type == "Denied" || type == "Failed";
}

bool HasCondition(const Field& conditions, std::string_view type) {
  for (const Field& condition : conditions.Items()) {
    const Field name = condition["type"];
    if (name.Text() == type) return true;
  }
  return false;
}

// Only the approval subresource may add decisions.
void ValidateNoNewDecisions(const Field& conditions, const Field& old_conditions) {
  for (const Field& condition : conditions.Items()) {
    const Field type = condition["type"];
    if (type.Text() != "Approved" && type.Text() != "Denied") continue;
    if (HasCondition(old_conditions, type.Text())) continue;
    conditions.Forbidden("updates may not add a condition of type \"" + std::string(type.Text()) +
                         "\"");
  }
}

// Decisions cannot be removed.
void ValidateDecisions(const Field& conditions, const Field& old_conditions) {
  for (const Field& condition : old_conditions.Items()) {
    const Field type = condition["type"];
    if (!IsDecision(type.Text()) || HasCondition(conditions, type.Text())) continue;
    conditions.Forbidden("updates may not remove a condition of type \"" +
                         std::string(type.Text()) + "\"");
  }
}

void ValidateConditions(const Field& conditions) {
  UniqueTexts types;
  bool approved = false;
  bool denied = false;
  for (const Field& condition : conditions.Items()) {
    const Field type = condition["type"];
    if (type.MustBeSet()) types.Add(type);
    approved = approved || type.Text() == "Approved";
    denied = denied || type.Text() == "Denied";
    const Field status = condition["status"];
    // Decisions cannot be changed.
    if (IsDecision(type.Text())) {
      status.SetAndOneOf({"True"});
    } else {
      status.SetAndOneOf({"False", "True", "Unknown"});
    }
  }
  if (approved && denied)
    conditions.Invalid(Json("Denied"), "Approved and Denied conditions are mutually exclusive");
}

std::vector<Json*> ConditionsOf(JsonObject& request, std::string_view type) {
  std::vector<Json*> found;
  JsonArray* conditions = FindArray(request, "status.conditions");
  if (conditions == nullptr) return found;
  for (Json& condition : *conditions) {
    if (FindString(condition, "type") == type) found.push_back(&condition);
  }
  return found;
}

// Restores the old conditions of a type if their number has not changed.
void RestoreConditions(JsonObject& request, const JsonObject& old, std::string_view type) {
  JsonObject before = old;
  const std::vector<Json*> old_conditions = ConditionsOf(before, type);
  const std::vector<Json*> conditions = ConditionsOf(request, type);
  if (conditions.size() != old_conditions.size()) return;
  for (size_t i = 0; i < conditions.size(); ++i) *conditions[i] = *old_conditions[i];
}

class SigningRequestStrategy : public KindStrategy {
 public:
  SigningRequestStrategy()
      : KindStrategy({.has_status = true, .validate_name = ValidatePathSegmentName}) {}

  void PrepareForCreate(JsonObject& request) const override { request["status"] = JsonObject(); }
  // The spec is immutable.
  void PrepareForUpdate(JsonObject& request, const JsonObject& old) const override {
    CopyMember(request, old, "spec");
  }
  void Validate(const JsonObject& object, FieldErrors& errors) const override {
    const Field root(object, errors);
    const Field spec = root["spec"];
    const Field request = spec["request"];
    const std::string problem = CheckRequest(request.Text());
    if (!problem.empty()) request.Invalid(problem);
    const Field usages = spec["usages"];
    ValidateUsages(usages);
    ValidateSignerName(spec["signerName"]);
    const Field lifetime = spec["expirationSeconds"];
    if (lifetime && lifetime.Int() < kShortestLifetime)
      lifetime.Invalid("may not specify a duration less than 600 seconds (10 minutes)");
    const Field conditions = root["status.conditions"];
    ValidateConditions(conditions);
  }
  // A status update issues certificates; it must not change decisions.
  void PrepareForStatusUpdate(JsonObject& request, const JsonObject& old) const override {
    RestoreConditions(request, old, "Approved");
    RestoreConditions(request, old, "Denied");
  }
  void ValidateStatusUpdate(const JsonObject& object, const JsonObject& old,
                            FieldErrors& errors) const override {
    const Field root(object, errors);
    const Field old_root(old, errors);
    const Field conditions = root["status.conditions"];
    const Field old_conditions = old_root["status.conditions"];
    ValidateDecisions(conditions, old_conditions);
    ValidateNoNewDecisions(conditions, old_conditions);
    const Field certificate = root["status.certificate"];
    const Field old_certificate = old_root["status.certificate"];
    if (!old_certificate.empty() && !certificate.SameAs(old_certificate))
      certificate.Forbidden("updates may not modify existing certificate content");
  }
  void ValidateSubresourceUpdate(std::string_view subresource, const JsonObject& object,
                                 const JsonObject& old, FieldErrors& errors) const override {
    if (subresource != "approval") return;
    const Field root(object, errors);
    const Field old_root(old, errors);
    const Field conditions = root["status.conditions"];
    const Field old_conditions = old_root["status.conditions"];
    ValidateDecisions(conditions, old_conditions);
  }
};

}  // namespace

void AddCertificateStrategies(StrategyTable& table) {
  table.Add("certificates.k8s.io", "CertificateSigningRequest",
            std::make_unique<SigningRequestStrategy>());
}

}  // namespace kubexms
