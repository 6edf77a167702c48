#pragma once

// certificates.k8s.io/v1: requests for signed certificates.

#include <string>
#include <vector>

#include "kubexms/api/meta_v1.h"
#include "kubexms/api/schema/scalars.h"
#include "kubexms/api/schema/type.h"

namespace kubexms::certificatesv1 {

struct CertificateSigningRequestSpec : Struct {
  Optional<int32_t> expiration_seconds;
  StringKeyed<std::vector<std::string>> extra;
  std::vector<std::string> groups;
  Bytes request;
  std::string signer_name;
  std::string uid;
  std::vector<std::string> usages;
  std::string username;

  static void Describe(Type<CertificateSigningRequestSpec>& type);
};

struct CertificateSigningRequestCondition : Struct {
  Time last_transition_time;
  Time last_update_time;
  std::string message;
  std::string reason;
  std::string status;
  std::string type;

  static void Describe(Type<CertificateSigningRequestCondition>& type);
};

struct CertificateSigningRequestStatus : Struct {
  Bytes certificate;
  std::vector<CertificateSigningRequestCondition> conditions;

  static void Describe(Type<CertificateSigningRequestStatus>& type);
};

struct CertificateSigningRequest : Struct {
  static constexpr KindName kKind{
      .group = "certificates.k8s.io",
      .version = "v1",
      .kind = "CertificateSigningRequest",
      .scope = Scope::kCluster,
      .doc = "Asks a signer for an X.509 certificate, to be approved before it is issued.",
      .short_names = "csr"};

  ObjectMeta metadata;
  CertificateSigningRequestSpec spec;
  CertificateSigningRequestStatus status;

  static void Describe(Type<CertificateSigningRequest>& type);
};

}  // namespace kubexms::certificatesv1
