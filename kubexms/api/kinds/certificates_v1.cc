#include "kubexms/api/kinds/certificates_v1.h"

namespace kubexms::certificatesv1 {

void CertificateSigningRequestSpec::Describe(Type<CertificateSigningRequestSpec>& type) {
  type.Name("io.k8s.api.certificates.v1.CertificateSigningRequestSpec")
      .Doc("The requested certificate, its signer, and the requester.");
  type.Field("expirationSeconds", 8, &CertificateSigningRequestSpec::expiration_seconds,
             "Wanted lifetime in seconds, at least 600; the signer may choose another. Absent "
             "leaves it to the signer.")
      .Minimum(600);
  type.Field("extra", 6, &CertificateSigningRequestSpec::extra,
             "Further attributes of the requester; filled in by the server.");
  type.Field("groups", 4, &CertificateSigningRequestSpec::groups,
             "Groups of the requester; filled in by the server.")
      .ListAtomic();
  type.Field("request", 1, &CertificateSigningRequestSpec::request,
             "PKCS#10 request in a PEM block of type CERTIFICATE REQUEST, base64-encoded.")
      .Required();
  type.Field("signerName", 7, &CertificateSigningRequestSpec::signer_name,
             "Who should sign, as domain and path, such as kubernetes.io/kubelet-serving.")
      .Required();
  type.Field("uid", 3, &CertificateSigningRequestSpec::uid,
             "Identity of the requester; filled in by the server.");
  type.Field("usages", 5, &CertificateSigningRequestSpec::usages,
             "Key usages wanted in the certificate, such as client auth or digital signature.")
      .ListAtomic();
  type.Field("username", 2, &CertificateSigningRequestSpec::username,
             "Name of the requester; filled in by the server.");
}

void CertificateSigningRequestCondition::Describe(Type<CertificateSigningRequestCondition>& type) {
  type.Name("io.k8s.api.certificates.v1.CertificateSigningRequestCondition")
      .Doc("A decision about a signing request.");
  type.Field("lastTransitionTime", 5, &CertificateSigningRequestCondition::last_transition_time,
             "When the status last changed; filled in by the server if absent.");
  type.Field("lastUpdateTime", 4, &CertificateSigningRequestCondition::last_update_time,
             "When the condition was last written.");
  type.Field("message", 3, &CertificateSigningRequestCondition::message,
             "Human-readable explanation.");
  type.Field("reason", 2, &CertificateSigningRequestCondition::reason,
             "Short explanation for programs.");
  type.Field("status", 6, &CertificateSigningRequestCondition::status,
             "Must be True for Approved, Denied and Failed.")
      .Required()
      .Enum({"True", "False", "Unknown"});
  type.Field("type", 1, &CertificateSigningRequestCondition::type,
             "Approved, Denied or Failed, or another; Approved and Denied exclude each other and "
             "cannot be revoked.")
      .Required();
}

void CertificateSigningRequestStatus::Describe(Type<CertificateSigningRequestStatus>& type) {
  type.Name("io.k8s.api.certificates.v1.CertificateSigningRequestStatus")
      .Doc("What became of a signing request.");
  type.Field(
      "certificate", 2, &CertificateSigningRequestStatus::certificate,
      "Issued certificate chain in PEM, leaf first; absent until signed, and then never changed.");
  type.Field("conditions", 1, &CertificateSigningRequestStatus::conditions,
             "Decisions so far; none means that the request is pending.")
      .ListMap({"type"});
}

void CertificateSigningRequest::Describe(Type<CertificateSigningRequest>& type) {
  type.Name("io.k8s.api.certificates.v1.CertificateSigningRequest");
  type.Field("metadata", 1, &CertificateSigningRequest::metadata);
  type.Field("spec", 2, &CertificateSigningRequest::spec, "The request; fixed at creation.")
      .Required();
  type.Field("status", 3, &CertificateSigningRequest::status, "Approval and certificate.");
}

}  // namespace kubexms::certificatesv1
