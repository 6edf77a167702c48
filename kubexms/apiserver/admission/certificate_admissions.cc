#include "kubexms/apiserver/admission/certificate_admissions.h"

#include <fmt/format.h>

#include <algorithm>

#include "kubexms/api/values/quote.h"
#include "kubexms/apiserver/resources/metadata.h"
#include "kubexms/base/text/base64.h"
#include "kubexms/net/tls/certificates.h"

namespace kubexms {
namespace {

using Operation = AdmissionRequest::Operation;

constexpr std::string_view kGroup = "certificates.k8s.io";
constexpr std::string_view kClientSigner = "kubernetes.io/kube-apiserver-client";

bool IsSigningRequest(const Resource& resource) {
  return resource.Is(kGroup, "certificatesigningrequests");
}

std::string_view SpecString(const Json& request, std::string_view key) {
  return FindString(MemberOrNull(request, "spec"), key);
}

Error ForbiddenRequest(const Resource& resource, const Json& object, std::string_view why) {
  return Error::Forbidden(resource.qualified_name(), NameOf(object), why);
}

class SignerPermissionsAdmission final : public Admission {
 public:
  explicit SignerPermissionsAdmission(RbacAuthorizer& authorizer) : authorizer_(authorizer) {}

  Result<void> Validate(const AdmissionRequest& request, const Json& object) override {
    if (request.operation != Operation::kUpdate || !IsSigningRequest(request.resource)) return {};
    if (request.subresource == "approval") return Check("approve", request, object);
    if (request.subresource == "status" && Signs(*request.old, object)) {
      return Check("sign", request, object);
    }
    return {};
  }

 private:
  static bool Signs(const Json& old, const Json& object) {
    const Json& before = MemberOrNull(old, "status");
    const Json& now = MemberOrNull(object, "status");
    return FindString(before, "certificate") != FindString(now, "certificate") ||
           !JsonEqual(MemberOrNull(before, "conditions"), MemberOrNull(now, "conditions"));
  }

  Result<void> Check(std::string_view verb, const AdmissionRequest& request, const Json& object) {
    const std::string_view signer = SpecString(*request.old, "signerName");
    const std::string of_domain = fmt::format("{}/*", signer.substr(0, signer.find('/')));
    for (const std::string_view name : {signer, std::string_view(of_domain)}) {
      ASSIGN_OR_RETURN(const Decision decision,
                       authorizer_.Authorize(request.user, {.verb = std::string(verb),
                                                            .group = std::string(kGroup),
                                                            .version = "*",
                                                            .resource = "signers",
                                                            .name = std::string(name)}));
      if (decision.allowed) return {};
    }
    return ForbiddenRequest(
        request.resource, object,
        fmt::format("user not permitted to {} requests with signerName {}", verb, Quoted(signer)));
  }

  RbacAuthorizer& authorizer_;
};

class SubjectRestrictionAdmission final : public Admission {
 public:
  Result<void> Validate(const AdmissionRequest& request, const Json& object) override {
    if (request.operation != Operation::kCreate || !IsSigningRequest(request.resource)) return {};
    if (SpecString(object, "signerName") != kClientSigner) return {};
    const Result<CertificateSubject> subject = SubjectOf(object);
    if (!subject.ok()) {
      return ForbiddenRequest(request.resource, object,
                              "failed to parse CSR: " + subject.error().message());
    }
    if (std::ranges::count(subject->organizations, kMastersGroup) == 0) return {};
    return ForbiddenRequest(
        request.resource, object,
        fmt::format("use of {} signer with {} group is not allowed", kClientSigner, kMastersGroup));
  }

 private:
  static Result<CertificateSubject> SubjectOf(const Json& object) {
    ASSIGN_OR_RETURN(const std::string pem, DecodeBase64(SpecString(object, "request")));
    return InspectSigningRequest(pem);
  }
};

}  // namespace

std::unique_ptr<Admission> SignerPermissions(RbacAuthorizer& authorizer) {
  return std::make_unique<SignerPermissionsAdmission>(authorizer);
}

std::unique_ptr<Admission> CertificateSubjectRestriction() {
  return std::make_unique<SubjectRestrictionAdmission>();
}

}  // namespace kubexms
