"""The template: read, expanded as AWS expands it, and resolved for the parameters of one deployment."""

import json
import sys

from samtranslator.validator.validator import SamTemplateValidator  # noqa: F401  (its schemas are loaded once)

from sources import ROOT

# As it is read and expanded where it is deployed.
sys.path.append(str(ROOT / "localstack" / "deployment"))
import sam  # noqa: E402
from sam import load  # noqa: E402, F401

REGION = "eu-central-1"
# What a local path becomes when the stack is packaged.
ARTEFACT = "s3://artefacts/artefact.zip"
GONE = object()

# Deployments that together take every branch of the template.
DEPLOYMENTS = {
    "eventbridge, IAM": {},
    "eventbridge, JWT": {"JwtIssuer": "https://issuer.example", "JwtAudience": "decide-once", "RatePerSecond": "50", "IntakeKeyPointer": "/orderId", "AlarmTopicArn": "arn:aws:sns:eu-central-1:000000000000:alarms"},
    "sqs, with a review desk": {"Sink": "sqs", "ReviewDeskUrl": "https://desk.example/"},
    "sns": {"Sink": "sns", "MathAlarms": "false"},
    "http": {"Sink": "http", "SinkUrl": "https://receiver.example/", "WebhookSecretsArn": "arn:aws:secretsmanager:eu-central-1:000000000000:secret:x"},
}


def expand(template):
    """As the transform AWS::Serverless has it. What is refused there is an error here."""
    return sam.expand(template, lambda path: ARTEFACT)


def resolve(template, given):
    """The resources of one deployment: conditions and parameters are taken in, references to resources stay."""
    values = {name: p.get("Default") for name, p in template["Parameters"].items()} | given
    conditions = template.get("Conditions", {})

    def holds(node):
        if isinstance(node, str):
            return holds(conditions[node])
        ((kind, operands),) = node.items()
        if kind == "Condition":
            return holds(conditions[operands])
        if kind == "Fn::Equals":
            left, right = (walk(operand) for operand in operands)
            return str(left) == str(right)
        if kind == "Fn::Not":
            return not holds(operands[0])
        if kind == "Fn::And":
            return all(holds(operand) for operand in operands)
        if kind == "Fn::Or":
            return any(holds(operand) for operand in operands)
        raise ValueError(f"a condition of an unknown kind: {kind}")

    def walk(node):
        if isinstance(node, dict):
            if node == {"Ref": "AWS::NoValue"}:
                return GONE
            if len(node) == 1:
                ((kind, operands),) = node.items()
                if kind == "Fn::If":
                    return walk(operands[1] if holds(operands[0]) else operands[2])
                if kind == "Ref" and operands in values:
                    return values[operands]
            walked = {key: walk(value) for key, value in node.items()}
            return {key: value for key, value in walked.items() if value is not GONE}
        if isinstance(node, list):
            return [value for value in map(walk, node) if value is not GONE]
        return node

    return {
        name: walk({key: value for key, value in resource.items() if key != "Condition"})
        for name, resource in template["Resources"].items()
        if "Condition" not in resource or holds(resource["Condition"])
    }


def of_type(resources, kind):
    """`{logical id: properties}`."""
    return {name: r.get("Properties", {}) for name, r in resources.items() if r["Type"] == kind}


def target(reference):
    """The logical id that a reference names, whatever of it."""
    if isinstance(reference, dict) and "Ref" in reference:
        return reference["Ref"]
    if isinstance(reference, dict) and "Fn::GetAtt" in reference:
        return reference["Fn::GetAtt"][0]
    return None


def key(value):
    """Something comparable."""
    return json.dumps(value, sort_keys=True)


def crates(template):
    """`{logical id: crate}` of the functions, by where their code is."""
    functions = of_type(template["Resources"], "AWS::Serverless::Function")
    return {name: f["CodeUri"].removeprefix("functions/") for name, f in functions.items()}
