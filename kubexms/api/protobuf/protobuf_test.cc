#include "kubexms/api/protobuf/protobuf.h"

#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "kubexms/api/builtin/builtin_kinds.h"
#include "kubexms/api/meta_v1.h"
#include "kubexms/api/protobuf/protobuf_writer_test.h"
#include "kubexms/api/schema/schema_test.h"
#include "kubexms/base/text/base64.h"

namespace kubexms {
namespace {

using testing::Enveloped;
using testing::J;
using testing::WireWriter;

// Bodies that kubectl 1.32 sent, with the JSON that it prints for the same command (-o json),
// without nulls.
struct Sent {
  std::string_view command;
  std::string_view base64;
  std::string_view json;
};

constexpr Sent kSent[] = {
    {"create configmap settings --from-literal=color=blue --from-literal=empty=",
     "azhzAAoPCgJ2MRIJQ29uZmlnTWFwEjQKGAoIc2V0dGluZ3MSABoAIgAqADIAOABCABINCgVjb2xvchIEYmx1ZRIJCg"
     "VlbXB0eRIAGgAiAA==",
     R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"settings"},"data":{
          "color":"blue","empty":""}})"},
    {"create configmap files --from-file=bin.dat",
     "azhzAAoPCgJ2MRIJQ29uZmlnTWFwEikKFQoFZmlsZXMSABoAIgAqADIAOABCABoQCgdiaW4uZGF0EgX/AGJpbhoAIg"
     "A=",
     R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"files"},"binaryData":{
          "bin.dat":"/wBiaW4="}})"},
    {"create secret generic login --from-literal=user=admin --from-literal=password=s3cret",
     "azhzAAoMCgJ2MRIGU2VjcmV0EjwKFQoFbG9naW4SABoAIgAqADIAOABCABISCghwYXNzd29yZBIGczNjcmV0Eg0KBH"
     "VzZXISBWFkbWluGgAaACIA",
     R"({"kind":"Secret","apiVersion":"v1","metadata":{"name":"login"},"data":{
          "password":"czNjcmV0","user":"YWRtaW4="}})"},
    {"create deployment web --image=nginx:1.27 --replicas=2 --port=80",
     "azhzAAoVCgdhcHBzL3YxEgpEZXBsb3ltZW50Er0BCh8KA3dlYhIAGgAiACoAMgA4AEIAWgoKA2FwcBIDd2ViEosBCA"
     "ISDAoKCgNhcHASA3dlYhpxChwKABIAGgAiACoAMgA4AEIAWgoKA2FwcBIDd2ViElESMwoFbmdpbngSCm5naW54OjEu"
     "MjcqADIKCgAQABhQIgAqAEIAagByAIABAIgBAJABAKIBABoAMgBCAEoAUgBYAGAAaACCAQCKAQCaAQDCAQAiAgoAKA"
     "A4ABoMCAAQABgAIAAoADgAGgAiAA==",
     R"({"kind":"Deployment","apiVersion":"apps/v1","metadata":{"name":"web","labels":{
          "app":"web"}},"spec":{"replicas":2,"selector":{"matchLabels":{"app":"web"}},
          "template":{"metadata":{"labels":{"app":"web"}},"spec":{"containers":[{
          "name":"nginx","image":"nginx:1.27","ports":[{"containerPort":80}],"resources":{
          }}]}},"strategy":{}},"status":{}})"},
    {"create service nodeport web --tcp=80:8080 --node-port=30080",
     "azhzAAoNCgJ2MRIHU2VydmljZRJqCh8KA3dlYhIAGgAiACoAMgA4AEIAWgoKA2FwcBIDd2ViEkMKHQoHODAtODA4MB"
     "IDVENQGFAiBwgAEJA/GgAogOsBEgoKA2FwcBIDd2ViGgAiCE5vZGVQb3J0OgBCAFIAWgBgAGgAGgIKABoAIgA=",
     R"({"kind":"Service","apiVersion":"v1","metadata":{"name":"web","labels":{
          "app":"web"}},"spec":{"ports":[{"name":"80-8080","protocol":"TCP","port":80,
          "targetPort":8080,"nodePort":30080}],"selector":{"app":"web"},"type":"NodePort"},
          "status":{"loadBalancer":{}}})"},
    {"create service clusterip head --clusterip=None",
     "azhzAAoNCgJ2MRIHU2VydmljZRJTCiEKBGhlYWQSABoAIgAqADIAOABCAFoLCgNhcHASBGhlYWQSKhILCgNhcHASBG"
     "hlYWQaBE5vbmUiCUNsdXN0ZXJJUDoAQgBSAFoAYABoABoCCgAaACIA",
     R"({"kind":"Service","apiVersion":"v1","metadata":{"name":"head","labels":{
          "app":"head"}},"spec":{"selector":{"app":"head"},"clusterIP":"None",
          "type":"ClusterIP"},"status":{"loadBalancer":{}}})"},
    {"create job once --image=busybox -- sh -c echo hi",
     "azhzAAoPCghiYXRjaC92MRIDSm9iEo8BChQKBG9uY2USABoAIgAqADIAOABCABJtMmsKEAoAEgAaACIAKgAyADgAQg"
     "ASVxI0CgRvbmNlEgdidXN5Ym94GgJzaBoCLWMaB2VjaG8gaGkqAEIAagByAIABAIgBAJABAKIBABoFTmV2ZXIyAEIA"
     "SgBSAFgAYABoAIIBAIoBAJoBAMIBABoIIAAoADAAOgAaACIA",
     R"({"kind":"Job","apiVersion":"batch/v1","metadata":{"name":"once"},"spec":{
          "template":{"metadata":{},"spec":{"containers":[{"name":"once","image":"busybox",
          "command":["sh","-c","echo hi"],"resources":{}}],"restartPolicy":"Never"}}},
          "status":{}})"},
    {"create cronjob tick --image=busybox --schedule=*/5 * * * * --restart=OnFailure -- date",
     "azhzAAoTCghiYXRjaC92MRIHQ3JvbkpvYhKqAQoUCgR0aWNrEgAaACIAKgAyADgAQgASjwEKCyovNSAqICogKiAqGg"
     "AqfgoUCgR0aWNrEgAaACIAKgAyADgAQgASZjJkChAKABIAGgAiACoAMgA4AEIAElASKQoEdGljaxIHYnVzeWJveBoE"
     "ZGF0ZSoAQgBqAHIAgAEAiAEAkAEAogEAGglPbkZhaWx1cmUyAEIASgBSAFgAYABoAIIBAIoBAJoBAMIBABoAGgAiAA"
     "==",
     R"({"kind":"CronJob","apiVersion":"batch/v1","metadata":{"name":"tick"},"spec":{
          "schedule":"*/5 * * * *","jobTemplate":{"metadata":{"name":"tick"},"spec":{
          "template":{"metadata":{},"spec":{"containers":[{"name":"tick","image":"busybox",
          "command":["date"],"resources":{}}],"restartPolicy":"OnFailure"}}}}},"status":{}})"},
    {"create namespace team",
     "azhzAAoPCgJ2MRIJTmFtZXNwYWNlEhwKFAoEdGVhbRIAGgAiACoAMgA4AEIAEgAaAgoAGgAiAA==",
     R"({"kind":"Namespace","apiVersion":"v1","metadata":{"name":"team"},"spec":{},
          "status":{}})"},
    {"create serviceaccount robot",
     "azhzAAoUCgJ2MRIOU2VydmljZUFjY291bnQSFwoVCgVyb2JvdBIAGgAiACoAMgA4AEIAGgAiAA==",
     R"({"kind":"ServiceAccount","apiVersion":"v1","metadata":{"name":"robot"}})"},
    {"create role reader --verb=get,list --resource=pods,deployments.apps --resource-name=a",
     "azhzAAokChxyYmFjLmF1dGhvcml6YXRpb24uazhzLmlvL3YxEgRSb2xlElMKFgoGcmVhZGVyEgAaACIAKgAyADgAQg"
     "ASFgoDZ2V0CgRsaXN0EgAaBHBvZHMiAWESIQoDZ2V0CgRsaXN0EgRhcHBzGgtkZXBsb3ltZW50cyIBYRoAIgA=",
     R"({"apiVersion":"rbac.authorization.k8s.io/v1","kind":"Role","metadata":{
          "name":"reader"},"rules":[{"verbs":["get","list"],"apiGroups":[""],"resources":[
          "pods"],"resourceNames":["a"]},{"verbs":["get","list"],"apiGroups":["apps"],
          "resources":["deployments"],"resourceNames":["a"]}]})"},
    {"create rolebinding readers --role=reader --user=jane --group=dev --serviceaccount=team:robot",
     "azhzAAorChxyYmFjLmF1dGhvcml6YXRpb24uazhzLmlvL3YxEgtSb2xlQmluZGluZxK7AQoXCgdyZWFkZXJzEgAaAC"
     "IAKgAyADgAQgASKQoEVXNlchIZcmJhYy5hdXRob3JpemF0aW9uLms4cy5pbxoEamFuZSIAEikKBUdyb3VwEhlyYmFj"
     "LmF1dGhvcml6YXRpb24uazhzLmlvGgNkZXYiABIfCg5TZXJ2aWNlQWNjb3VudBIAGgVyb2JvdCIEdGVhbRopChlyYm"
     "FjLmF1dGhvcml6YXRpb24uazhzLmlvEgRSb2xlGgZyZWFkZXIaACIA",
     R"({"kind":"RoleBinding","apiVersion":"rbac.authorization.k8s.io/v1","metadata":{
          "name":"readers"},"subjects":[{"kind":"User","apiGroup":"rbac.authorization.k8s.io",
          "name":"jane"},{"kind":"Group","apiGroup":"rbac.authorization.k8s.io","name":"dev"},
          {"kind":"ServiceAccount","name":"robot","namespace":"team"}],"roleRef":{
          "apiGroup":"rbac.authorization.k8s.io","kind":"Role","name":"reader"}})"},
    {"create clusterrole agg --aggregation-rule=rbac.example.com/aggregate=true",
     "azhzAAorChxyYmFjLmF1dGhvcml6YXRpb24uazhzLmlvL3YxEgtDbHVzdGVyUm9sZRI9ChMKA2FnZxIAGgAiACoAMg"
     "A4AEIAGiYKJAoiChpyYmFjLmV4YW1wbGUuY29tL2FnZ3JlZ2F0ZRIEdHJ1ZRoAIgA=",
     R"({"kind":"ClusterRole","apiVersion":"rbac.authorization.k8s.io/v1","metadata":{
          "name":"agg"},"aggregationRule":{"clusterRoleSelectors":[{"matchLabels":{
          "rbac.example.com/aggregate":"true"}}]}})"},
    {"create clusterrole urls --verb=get --non-resource-url=/healthz",
     "azhzAAorChxyYmFjLmF1dGhvcml6YXRpb24uazhzLmlvL3YxEgtDbHVzdGVyUm9sZRInChQKBHVybHMSABoAIgAqAD"
     "IAOABCABIPCgNnZXQqCC9oZWFsdGh6GgAiAA==",
     R"({"kind":"ClusterRole","apiVersion":"rbac.authorization.k8s.io/v1","metadata":{
          "name":"urls"},"rules":[{"verbs":["get"],"nonResourceURLs":["/healthz"]}]})"},
    {"create clusterrolebinding admins --clusterrole=cluster-admin --user=root",
     "azhzAAoyChxyYmFjLmF1dGhvcml6YXRpb24uazhzLmlvL3YxEhJDbHVzdGVyUm9sZUJpbmRpbmcSfAoWCgZhZG1pbn"
     "MSABoAIgAqADIAOABCABIpCgRVc2VyEhlyYmFjLmF1dGhvcml6YXRpb24uazhzLmlvGgRyb290IgAaNwoZcmJhYy5h"
     "dXRob3JpemF0aW9uLms4cy5pbxILQ2x1c3RlclJvbGUaDWNsdXN0ZXItYWRtaW4aACIA",
     R"({"kind":"ClusterRoleBinding","apiVersion":"rbac.authorization.k8s.io/v1",
          "metadata":{"name":"admins"},"subjects":[{"kind":"User",
          "apiGroup":"rbac.authorization.k8s.io","name":"root"}],"roleRef":{
          "apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"cluster-admin"}})"},
    {"create quota limits --hard=cpu=1500m,memory=1Gi,pods=10 --scopes=BestEffort",
     "azhzAAoTCgJ2MRINUmVzb3VyY2VRdW90YRJXChYKBmxpbWl0cxIAGgAiACoAMgA4AEIAEjsKDgoDY3B1EgcKBTE1MD"
     "BtCg8KBm1lbW9yeRIFCgMxR2kKDAoEcG9kcxIECgIxMBIKQmVzdEVmZm9ydBoAGgAiAA==",
     R"({"kind":"ResourceQuota","apiVersion":"v1","metadata":{"name":"limits"},"spec":{
          "hard":{"cpu":"1500m","memory":"1Gi","pods":"10"},"scopes":["BestEffort"]},
          "status":{}})"},
    {"create pdb guard --selector=app=web --min-available=50%",
     "azhzAAogCglwb2xpY3kvdjESE1BvZERpc3J1cHRpb25CdWRnZXQSPgoVCgVndWFyZBIAGgAiACoAMgA4AEIAEhkKCQ"
     "gBEAAaAzUwJRIMCgoKA2FwcBIDd2ViGgoIABgAIAAoADAAGgAiAA==",
     R"({"kind":"PodDisruptionBudget","apiVersion":"policy/v1","metadata":{"name":"guard"},
          "spec":{"minAvailable":"50%","selector":{"matchLabels":{"app":"web"}}},"status":{
          "disruptionsAllowed":0,"currentHealthy":0,"desiredHealthy":0,"expectedPods":0}})"},
    {"create pdb guard2 --selector=app=web --max-unavailable=1",
     "azhzAAogCglwb2xpY3kvdjESE1BvZERpc3J1cHRpb25CdWRnZXQSPAoWCgZndWFyZDISABoAIgAqADIAOABCABIWEg"
     "wKCgoDYXBwEgN3ZWIaBggAEAEaABoKCAAYACAAKAAwABoAIgA=",
     R"({"kind":"PodDisruptionBudget","apiVersion":"policy/v1","metadata":{"name":"guard2"},
          "spec":{"selector":{"matchLabels":{"app":"web"}},"maxUnavailable":1},"status":{
          "disruptionsAllowed":0,"currentHealthy":0,"desiredHealthy":0,"expectedPods":0}})"},
    {"create priorityclass high --value=1000 --global-default=false --preemption-policy=Never "
     "--description=urgent",
     "azhzAAolChRzY2hlZHVsaW5nLms4cy5pby92MRINUHJpb3JpdHlDbGFzcxIqChQKBGhpZ2gSABoAIgAqADIAOABCAB"
     "DoBxgAIgZ1cmdlbnQqBU5ldmVyGgAiAA==",
     R"({"kind":"PriorityClass","apiVersion":"scheduling.k8s.io/v1","metadata":{
          "name":"high"},"value":1000,"description":"urgent","preemptionPolicy":"Never"})"},
    {"create ingress site --rule=example.com/app*=web:8080,tls=cert --class=nginx "
     "--default-backend=fallback:http --annotation a=b",
     "azhzAAofChRuZXR3b3JraW5nLms4cy5pby92MRIHSW5ncmVzcxKLAQocCgRzaXRlEgAaACIAKgAyADgAQgBiBgoBYR"
     "IBYhJnChYiFAoIZmFsbGJhY2sSCAoEaHR0cBAAEhMKC2V4YW1wbGUuY29tEgRjZXJ0GjEKC2V4YW1wbGUuY29tEiIK"
     "IAoeCgQvYXBwEg4iDAoDd2ViEgUKABCQPxoGUHJlZml4IgVuZ2lueBoCCgAaACIA",
     R"({"kind":"Ingress","apiVersion":"networking.k8s.io/v1","metadata":{"name":"site",
          "annotations":{"a":"b"}},"spec":{"ingressClassName":"nginx","defaultBackend":{
          "service":{"name":"fallback","port":{"name":"http"}}},"tls":[{"hosts":[
          "example.com"],"secretName":"cert"}],"rules":[{"host":"example.com","http":{
          "paths":[{"path":"/app","pathType":"Prefix","backend":{"service":{"name":"web",
          "port":{"number":8080}}}}]}}]},"status":{"loadBalancer":{}}})"},
    {"create token robot --duration=10m --audience=api --bound-object-kind=Secret "
     "--bound-object-name=s --bound-object-uid=u1",
     "azhzAAooChhhdXRoZW50aWNhdGlvbi5rOHMuaW8vdjESDFRva2VuUmVxdWVzdBI3ChAKABIAGgAiACoAMgA4AEIAEh"
     "0KA2FwaRoTCgZTZWNyZXQSAnYxGgFzIgJ1MSDYBBoECgASABoAIgA=",
     R"({"apiVersion":"authentication.k8s.io/v1","kind":"TokenRequest","metadata":{},
          "spec":{"audiences":["api"],"boundObjectRef":{"kind":"Secret","apiVersion":"v1",
          "name":"s","uid":"u1"},"expirationSeconds":600},"status":{"token":""}})"},
    {"auth can-i get pods --subresource=log -n team",
     "azhzAAoyChdhdXRob3JpemF0aW9uLms4cy5pby92MRIXU2VsZlN1YmplY3RBY2Nlc3NSZXZpZXcSPAoQCgASABoAIg"
     "AqADIAOABCABIeChwKBHRlYW0SA2dldBoAIgAqBHBvZHMyA2xvZzoAGggIABIAGgAgABoAIgA=",
     R"({"apiVersion":"authorization.k8s.io/v1","kind":"SelfSubjectAccessReview",
          "metadata":{},"spec":{"resourceAttributes":{"namespace":"team","verb":"get",
          "resource":"pods","subresource":"log"}},"status":{"allowed":false}})"},
    {"auth can-i get /healthz",
     "azhzAAoyChdhdXRob3JpemF0aW9uLms4cy5pby92MRIXU2VsZlN1YmplY3RBY2Nlc3NSZXZpZXcSLwoQCgASABoAIg"
     "AqADIAOABCABIREg8KCC9oZWFsdGh6EgNnZXQaCAgAEgAaACAAGgAiAA==",
     R"({"apiVersion":"authorization.k8s.io/v1","kind":"SelfSubjectAccessReview",
          "metadata":{},"spec":{"nonResourceAttributes":{"path":"/healthz","verb":"get"}},
          "status":{"allowed":false}})"},
    {"auth can-i --list -n team",
     "azhzAAoxChdhdXRob3JpemF0aW9uLms4cy5pby92MRIWU2VsZlN1YmplY3RSdWxlc1JldmlldxIgChAKABIAGgAiAC"
     "oAMgA4AEIAEgYKBHRlYW0aBBgAIgAaACIA",
     R"({"apiVersion":"authorization.k8s.io/v1","kind":"SelfSubjectRulesReview","metadata":{
          },"spec":{"namespace":"team"},"status":{"incomplete":false}})"},
    {"auth whoami",
     "azhzAAotChhhdXRoZW50aWNhdGlvbi5rOHMuaW8vdjESEVNlbGZTdWJqZWN0UmV2aWV3EhoKEAoAEgAaACIAKgAyAD"
     "gAQgASBgoECgASABoAIgA=",
     R"({"apiVersion":"authentication.k8s.io/v1","kind":"SelfSubjectReview","metadata":{},
          "status":{"userInfo":{}}})"},
    {"drain n1 --force --disable-eviction --timeout=5s",
     "azhzAAoTCgJ2MRINRGVsZXRlT3B0aW9ucxIAGgAiAA==",
     R"({"apiVersion":"v1","kind":"DeleteOptions"})"},
};

TEST(ProtobufTest, DecodesBodiesOfKubectl) {
  for (const Sent& sent : kSent) {
    const Result<Json> decoded = DecodeProtobuf(*DecodeBase64(sent.base64));
    ASSERT_TRUE(decoded.ok()) << sent.command << ": " << decoded.error().message();
    EXPECT_EQ(WriteJson(*decoded), WriteJson(J(sent.json))) << sent.command;
  }
}

// Every prefix of a body is decoded or refused.
TEST(ProtobufTest, DecodesOrRefusesTruncatedBodies) {
  for (const Sent& sent : kSent) {
    const std::string body = *DecodeBase64(sent.base64);
    for (size_t size = 0; size < body.size(); ++size) {
      const Result<Json> decoded = DecodeProtobuf(body.substr(0, size));
      EXPECT_TRUE(decoded.ok() || decoded.error().IsBadRequest());
    }
  }
}

// ---- The numbers. ----

void AddStructs(const TypeInfo& type, std::set<const TypeInfo*>& out) {
  if (type.element != nullptr) return AddStructs(*type.element, out);
  if (type.kind != TypeKind::kStruct || !out.insert(&type).second) return;
  for (const FieldInfo& field : type.fields) {
    if (field.type != nullptr) AddStructs(*field.type, out);
  }
}

std::set<const TypeInfo*> AllStructs() {
  std::set<const TypeInfo*> structs;
  for (const TypeInfo* type : BuiltinKinds()) AddStructs(*type, structs);
  AddStructs(TypeOf<DeleteOptions>(), structs);
  return structs;
}

// apiVersion and kind are in the envelope.
std::vector<const FieldInfo*> FieldsOfMessage(const TypeInfo& type) {
  std::vector<const FieldInfo*> fields;
  for (const FieldInfo& field : type.fields) {
    const bool in_envelope = field.name == "apiVersion" || field.name == "kind";
    const bool skipped = in_envelope && &type == &TypeOf<DeleteOptions>();
    if (field.type != nullptr && !skipped) fields.push_back(&field);
  }
  return fields;
}

TEST(ProtobufTest, EveryFieldOfEveryBuiltinKindHasANumber) {
  for (const TypeInfo* type : AllStructs()) {
    for (const FieldInfo* field : FieldsOfMessage(*type)) {
      EXPECT_TRUE(field->protobuf_number) << type->schema.definition << "." << field->name;
    }
  }
}

// The number of an inlined message is not the number of a field, either.
TEST(ProtobufTest, NoNumberIsUsedTwiceInAMessage) {
  for (const TypeInfo* type : AllStructs()) {
    for (const FieldInfo* a : FieldsOfMessage(*type)) {
      for (const FieldInfo* b : FieldsOfMessage(*type)) {
        const bool distinct = a == b || !a->protobuf_number.StartsWith(b->protobuf_number);
        EXPECT_TRUE(distinct) << type->schema.definition << ": " << a->name << ", " << b->name;
      }
    }
  }
}

// ---- Single cases. ----

std::string Decoded(std::string_view api_version, std::string_view kind, const WireWriter& object) {
  const Result<Json> decoded = DecodeProtobuf(Enveloped(api_version, kind, object.text()));
  return decoded.ok() ? WriteJson(*decoded) : decoded.error().message();
}

WireWriter Sub(uint32_t field, const WireWriter& message) {
  return WireWriter().Bytes(field, message.text());
}

TEST(ProtobufTest, SkipsUnknownFields) {
  const WireWriter object = WireWriter().Number(99, 7).Bytes(1000, "x").Double(77, 1.5).Bytes(
      1, WireWriter().Bytes(1, "a").Number(500, 1).text());
  EXPECT_EQ(Decoded("v1", "Namespace", object),
            R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"a"}})");
}

TEST(ProtobufTest, MergesMessagesAndUsesTheLastScalar) {
  const WireWriter object = WireWriter()
                                .Bytes(1, WireWriter().Bytes(1, "a").Bytes(3, "x").text())
                                .Bytes(1, WireWriter().Bytes(1, "b").text());
  EXPECT_EQ(Decoded("v1", "Namespace", object),
            R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"b","namespace":"x"}})");
}

TEST(ProtobufTest, RetainsAZeroOnlyWhereItDiffersFromAbsent) {
  const WireWriter deployment = Sub(2, WireWriter().Number(1, 0).Number(5, 0).Number(7, 0));
  EXPECT_EQ(Decoded("apps/v1", "Deployment", deployment),
            R"({"apiVersion":"apps/v1","kind":"Deployment","spec":{"replicas":0}})");
}

// Fields that are pointers in Go have a zero; others are absent when they are zero.
TEST(ProtobufTest, RetainsAnEmptyStringThatIsAPointerInGo) {
  const WireWriter options = WireWriter().Bytes(4, "");
  EXPECT_EQ(Decoded("v1", "DeleteOptions", options),
            R"({"apiVersion":"v1","kind":"DeleteOptions","propagationPolicy":""})");
  EXPECT_EQ(Decoded("v1", "Namespace", Sub(1, WireWriter().Bytes(1, ""))),
            R"({"apiVersion":"v1","kind":"Namespace","metadata":{}})");
}

TEST(ProtobufTest, DecodesDeleteOptionsOfEveryVersion) {
  const WireWriter options = WireWriter().Number(1, 0).Bytes(4, "Foreground");
  EXPECT_EQ(Decoded("example.com/v7", "DeleteOptions", options),
            R"({"apiVersion":"example.com/v7","gracePeriodSeconds":0,"kind":"DeleteOptions",)"
            R"("propagationPolicy":"Foreground"})");
}

TEST(ProtobufTest, DecodesMapsOfLists) {
  const WireWriter extra =
      WireWriter().Bytes(1, "k").Bytes(2, WireWriter().Bytes(1, "a").Bytes(1, "b").text());
  const WireWriter review = Sub(2, Sub(5, extra));
  EXPECT_EQ(Decoded("authorization.k8s.io/v1", "SubjectAccessReview", review),
            R"({"apiVersion":"authorization.k8s.io/v1","kind":"SubjectAccessReview",)"
            R"("spec":{"extra":{"k":["a","b"]}}})");
}

TEST(ProtobufTest, KeysAndValuesOfMapsMayBeAbsent) {
  EXPECT_EQ(Decoded("v1", "ConfigMap", WireWriter().Bytes(2, "").Bytes(3, "")),
            R"({"apiVersion":"v1","binaryData":{"":""},"data":{"":""},"kind":"ConfigMap"})");
}

// spec.tolerations[0].tolerationSeconds: a number is wanted, text is given.
TEST(ProtobufTest, ErrorsNameTheField) {
  const WireWriter pod = Sub(2, Sub(22, WireWriter().Bytes(1, "key").Bytes(5, "soon")));
  EXPECT_EQ(Decoded("v1", "Pod", pod),
            "protobuf body: spec.tolerations[0].tolerationSeconds: must be a number or a boolean");
}

TEST(ProtobufTest, RefusesMalformedBodies) {
  const auto name = [](const WireWriter& metadata) {
    return Decoded("v1", "Namespace", Sub(1, metadata));
  };
  EXPECT_EQ(name(WireWriter().Bytes(1, "\xFF")),
            "protobuf body: metadata.name: is not valid UTF-8");
  EXPECT_EQ(name(WireWriter().Number(1, 3)),
            "protobuf body: metadata.name: must be a string, bytes or a message");
  EXPECT_EQ(name(WireWriter().Raw(1 << 3 | 2).Raw(1000)),
            "protobuf body: metadata: unexpected end");
  EXPECT_EQ(name(WireWriter().Raw(1 << 3 | 2).Raw(std::numeric_limits<uint64_t>::max())),
            "protobuf body: metadata: unexpected end");
  EXPECT_EQ(name(WireWriter().Raw(1 << 3 | 3)), "protobuf body: metadata: unexpected wire type 3");
  EXPECT_EQ(name(WireWriter().Raw(2)), "protobuf body: metadata: impossible field number 0");
  EXPECT_EQ(name(Sub(8, WireWriter().Number(1, int64_t{1} << 50))),
            "protobuf body: metadata.creationTimestamp: must be a time in the years 0 to 9999");
  EXPECT_EQ(name(Sub(11, WireWriter().Bytes(1, "\xC0").Bytes(2, "x"))),
            "protobuf body: metadata.labels: a map key is not valid UTF-8");
}

TEST(ProtobufTest, RefusesNumbersThatAreTooLong) {
  std::string endless(11, '\xFF');
  endless.insert(0, "\x38");  // metadata.generation
  EXPECT_EQ(Decoded("v1", "Namespace", WireWriter().Bytes(1, endless)),
            "protobuf body: metadata: a number of more than ten bytes");
}

TEST(ProtobufTest, RefusesInvalidEmbeddedJson) {
  const WireWriter revision = Sub(2, WireWriter().Bytes(1, "{\"a\":"));
  EXPECT_EQ(Decoded("apps/v1", "ControllerRevision", revision).substr(0, 20),
            "protobuf body: data:");
}

// Schemas are the only messages that can hold themselves.
std::string DecodedSchema(const WireWriter& schema) {
  const WireWriter version = Sub(4, Sub(1, schema));
  return Decoded("apiextensions.k8s.io/v1", "CustomResourceDefinition", Sub(2, Sub(7, version)));
}

TEST(ProtobufTest, RefusesMessagesThatAreNestedTooDeep) {
  WireWriter schema = WireWriter().Bytes(5, "object");
  for (int i = 0; i < 90; ++i) schema = Sub(28, schema);
  EXPECT_TRUE(DecodedSchema(schema).starts_with("{"));
  for (int i = 0; i < 20; ++i) schema = Sub(28, schema);
  EXPECT_TRUE(DecodedSchema(schema).ends_with("nested too deep"));
  for (int i = 0; i < 2000; ++i) schema = Sub(24, Sub(1, schema));
  EXPECT_TRUE(DecodedSchema(schema).ends_with("nested too deep"));
}

TEST(ProtobufTest, RefusesOtherBodies) {
  EXPECT_EQ(DecodeProtobuf("{}").error().message(),
            "protobuf body: does not start with the magic number of Kubernetes' protobuf");
  EXPECT_EQ(Decoded("example.com/v1", "Widget", WireWriter()),
            "protobuf body: no built-in kind \"Widget\" in version \"example.com/v1\"; send other "
            "kinds as JSON");
  EXPECT_EQ(DecodeProtobuf("{}").error().code(), 400);
  const std::string zipped = std::string("k8s\0", 4) + WireWriter().Bytes(3, "gzip").text();
  EXPECT_EQ(
      DecodeProtobuf(zipped).error().message(),
      "protobuf body: has a content encoding, which is not supported; send the object without "
      "one");
}

}  // namespace
}  // namespace kubexms
