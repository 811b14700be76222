"""The template: read, and expanded as the transform AWS::Serverless expands it."""

import copy
import logging
from pathlib import Path

import yaml
from samtranslator.translator.transform import transform

# The translator counts for itself, and complains that nobody collects it.
logging.getLogger("samtranslator").setLevel(logging.ERROR)

ROOT = Path(__file__).resolve().parents[2]
# Properties that name a file or directory of this repository until it is packaged.
LOCAL = ("CodeUri", "ContentUri")


class Loader(yaml.SafeLoader):
    """YAML with CloudFormation's short forms."""


def _short(loader, suffix, node):
    if isinstance(node, yaml.ScalarNode):
        value = loader.construct_scalar(node)
    elif isinstance(node, yaml.SequenceNode):
        value = loader.construct_sequence(node, deep=True)
    else:
        value = loader.construct_mapping(node, deep=True)
    if suffix in ("Ref", "Condition"):
        return {suffix: value}
    if suffix == "GetAtt" and isinstance(value, str):
        value = value.split(".", 1)
    return {f"Fn::{suffix}": value}


Loader.add_multi_constructor("!", _short)


def load():
    """`template.yaml` with every function in its long form."""
    return yaml.load((ROOT / "template.yaml").read_text(), Loader)


def expand(template, artefact):
    """As the transform has it, where `artefact(path)` is the S3 URI of what a local path was packaged as. What is refused there is an error here.

    The region is that of AWS_DEFAULT_REGION: an account is not asked for anything."""
    template = copy.deepcopy(template)
    for resource in template["Resources"].values():
        properties = resource.get("Properties", {})
        properties.update({name: artefact(properties[name]) for name in LOCAL if name in properties})
    return transform(template, {}, _NoManagedPolicies())


class _NoManagedPolicies:
    """The template names none, so that nobody has to be asked for them."""

    def load(self):
        return {}
