// A complete controller. It writes a ConfigMap with a greeting for every Hello, and restores the
// ConfigMap when it is changed or deleted.
//
//   hello --print-crds | kubectl apply -f -
//   hello &
//   printf 'apiVersion: example.io/v1\nkind: Hello\nmetadata: {name: world}\nspec: {}\n' |
//     kubectl apply -f -
//   kubectl get hello,configmap

#include "kubexms/api/kinds/core_v1/config.h"
#include "kubexms/controller.h"

using namespace kubexms;

struct HelloSpec : Struct {
  std::string greeting;

  static void Describe(Type<HelloSpec>& type) {
    type.Field("greeting", &HelloSpec::greeting, "Greeting to use.")
        .Default("Hello")
        .Column("Greeting");
  }
};

struct HelloStatus : Struct {
  std::string text;

  static void Describe(Type<HelloStatus>& type) {
    type.Field("text", &HelloStatus::text, "Greeting that was written.").Column("Text");
  }
};

struct Hello : Object<HelloSpec, HelloStatus> {
  static constexpr KindName kKind{.group = "example.io", .version = "v1", .kind = "Hello"};
};

Result<Outcome> Reconcile(ReconcileContext& context, const Hello& hello) {
  const std::string text = hello.spec.greeting + ", " + hello.metadata.name + "!";
  const auto greet = [&](corev1::ConfigMap& map) {
    map.data["text"] = text;
    return SetControllerReference(map.metadata, hello);
  };
  RETURN_IF_ERROR(CreateOrUpdate<corev1::ConfigMap>(context.client, context.key, greet));
  if (hello.status.text == text) return Outcome::Done();
  Hello changed = hello;
  changed.status.text = text;
  RETURN_IF_ERROR(context.client.UpdateStatus(changed));
  return Outcome::Done();
}

int main(int argc, char** argv) {
  return RunManagerProgram(argc, argv,
                           {.name = "hello-controller",
                            .description = "Run the controller of Hellos.",
                            .kinds = {&TypeOf<Hello>()},
                            .controllers = {ControllerFor<Hello>({.name = "hello"})
                                                .Owns<corev1::ConfigMap>()
                                                .Reconciles(Reconcile)}});
}
