"""Debian's python3-kubernetes against the server that KUBECONFIG names."""

from datetime import datetime

from kubernetes import client, config, watch
from kubernetes.client.rest import ApiException

NAMESPACE = 'default'


def code_of(call):
    """The code of the Status that a call is refused with."""
    try:
        call()
    except ApiException as error:
        return error.status
    raise AssertionError('the call succeeded')


def config_map(name, data=None, labels=None):
    return client.V1ConfigMap(metadata=client.V1ObjectMeta(name=name, labels=labels), data=data)


def typed_calls(core):
    created = core.create_namespaced_config_map(NAMESPACE, config_map('typed', {'color': 'red'}))
    assert isinstance(created.metadata.creation_timestamp, datetime)
    assert code_of(lambda: core.create_namespaced_config_map(NAMESPACE, config_map('typed'))) == 409

    read = core.read_namespaced_config_map('typed', NAMESPACE)
    read.data['color'] = 'green'
    core.replace_namespaced_config_map('typed', NAMESPACE, read)
    assert code_of(lambda: core.replace_namespaced_config_map('typed', NAMESPACE, read)) == 409

    patched = core.patch_namespaced_config_map('typed', NAMESPACE, {'data': {'size': '1'}})
    assert patched.data == {'color': 'green', 'size': '1'}, patched.data
    patched = core.patch_namespaced_config_map(
        'typed', NAMESPACE, [{'op': 'remove', 'path': '/data/color'}])
    assert patched.data == {'size': '1'}, patched.data

    core.delete_namespaced_config_map('typed', NAMESPACE)
    assert code_of(lambda: core.read_namespaced_config_map('typed', NAMESPACE)) == 404


def lists(core):
    for number in range(5):
        core.create_namespaced_config_map(NAMESPACE, config_map(f'l{number}', labels={'l': 'yes'}))
    names, token = [], None
    while True:
        page = core.list_namespaced_config_map(
            NAMESPACE, label_selector='l=yes', limit=2, _continue=token)
        names += [item.metadata.name for item in page.items]
        token = page.metadata._continue
        if not token:
            break
    assert names == ['l0', 'l1', 'l2', 'l3', 'l4'], names
    core.delete_collection_namespaced_config_map(NAMESPACE, label_selector='l=yes')
    assert not core.list_namespaced_config_map(NAMESPACE, label_selector='l=yes').items


def watches(core):
    version = core.list_namespaced_config_map(NAMESPACE).metadata.resource_version
    core.create_namespaced_config_map(NAMESPACE, config_map('watched'))
    core.patch_namespaced_config_map('watched', NAMESPACE, {'data': {'a': 'b'}})
    core.delete_namespaced_config_map('watched', NAMESPACE)
    seen = []
    stream = watch.Watch()
    for event in stream.stream(core.list_namespaced_config_map, NAMESPACE,
                               resource_version=version, timeout_seconds=30):
        seen.append((event['type'], event['object'].metadata.name))
        if event['type'] == 'DELETED':
            stream.stop()
    assert seen == [(kind, 'watched') for kind in ('ADDED', 'MODIFIED', 'DELETED')], seen


def workloads(apps):
    labels = {'app': 'web'}
    container = client.V1Container(
        name='web', image='nginx', resources=client.V1ResourceRequirements(limits={'cpu': '0.5'}))
    template = client.V1PodTemplateSpec(metadata=client.V1ObjectMeta(labels=labels),
                                        spec=client.V1PodSpec(containers=[container]))
    spec = client.V1DeploymentSpec(selector=client.V1LabelSelector(match_labels=labels),
                                   template=template)
    deployment = apps.create_namespaced_deployment(
        NAMESPACE, client.V1Deployment(metadata=client.V1ObjectMeta(name='web'), spec=spec))
    assert deployment.spec.replicas == 1
    assert deployment.spec.template.spec.containers[0].resources.limits == {'cpu': '500m'}
    apps.patch_namespaced_deployment_scale('web', NAMESPACE, {'spec': {'replicas': 3}})
    assert apps.read_namespaced_deployment_scale('web', NAMESPACE).spec.replicas == 3
    change = {'spec': {'template': {'spec': {'containers': [{'name': 'more', 'image': 'x'}]}}}}
    deployment = apps.patch_namespaced_deployment('web', NAMESPACE, change)
    assert len(deployment.spec.template.spec.containers) == 2


def custom_objects(definitions, custom):
    schema = client.V1JSONSchemaProps(type='object', x_kubernetes_preserve_unknown_fields=True)
    version = client.V1CustomResourceDefinitionVersion(
        name='v1', served=True, storage=True,
        schema=client.V1CustomResourceValidation(open_apiv3_schema=schema))
    names = client.V1CustomResourceDefinitionNames(plural='boats', singular='boat', kind='Boat')
    definitions.create_custom_resource_definition(client.V1CustomResourceDefinition(
        metadata=client.V1ObjectMeta(name='boats.example.com'),
        spec=client.V1CustomResourceDefinitionSpec(
            group='example.com', scope='Namespaced', names=names, versions=[version])))
    for event in watch.Watch().stream(definitions.list_custom_resource_definition,
                                      timeout_seconds=30):
        conditions = event['object'].status.conditions or []
        if any(c.type == 'Established' and c.status == 'True' for c in conditions):
            break
    boats = ('example.com', 'v1', NAMESPACE, 'boats')
    boat = {'apiVersion': 'example.com/v1', 'kind': 'Boat', 'metadata': {'name': 'ida'}, 'size': 7}
    custom.create_namespaced_custom_object(*boats, boat)
    assert custom.patch_namespaced_custom_object(*boats, 'ida', {'size': 8})['size'] == 8
    assert len(custom.list_namespaced_custom_object(*boats)['items']) == 1
    custom.delete_namespaced_custom_object(*boats, 'ida')


config.load_kube_config()
typed_calls(client.CoreV1Api())
lists(client.CoreV1Api())
watches(client.CoreV1Api())
workloads(client.AppsV1Api())
custom_objects(client.ApiextensionsV1Api(), client.CustomObjectsApi())
