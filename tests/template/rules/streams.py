"""Streams, queues and the schedule: what is handed to functions, how often, and where it ends if they cannot do it."""

import json
import re

import sources
from stack import crates, of_type, target

MAPPING = "localstack/src/stack/mapping.rs"
# The local stack's filter of each function that is behind a stream.
FILTERS = {"evaluate": "QUEUED", "publish": "UNDELIVERED"}
# https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html
VISIBILITY = 6
RATE = re.compile(r"rate\((?:1 (?:minute|hour|day)|(?:[2-9]|[1-9]\d+) (?:minutes|hours|days))\)")
CRON = re.compile(r"cron\((?:\S+ ){5}\S+\)")
VALUES = ("S", "N", "B", "BOOL", "NULL", "SS", "NS", "BS", "L", "M")


def _leaves(node, path=()):
    """Complaints about a filter: rules are lists, and stand under an attribute's type."""
    if isinstance(node, list):
        if not path or path[0] not in ("dynamodb", "eventName"):
            return ["a filter tests what no record has"]
        if path[0] == "dynamodb" and (len(path) < 4 or path[-1] not in VALUES):
            return [f"a filter tests {'.'.join(path)}, which is not a leaf"]
        return []
    if isinstance(node, dict) and node:
        return [said for name, below in node.items() for said in _leaves(below, (*path, name))]
    return [f"a filter has something else than rules at {'.'.join(path)}"]


def _filter(name, crate, mapping):
    patterns = [f["Pattern"] for f in mapping.get("FilterCriteria", {}).get("Filters", [])]
    if len(patterns) != 1:
        return [f"{name} needs one filter, else it is woken by what it wrote itself"]
    try:
        pattern = json.loads(patterns[0])
    except ValueError as error:
        return [f"{name}: the filter is not JSON: {error}"]
    said = [f"{name}: {complaint}" for complaint in _leaves(pattern)]
    if crate in FILTERS and pattern != json.loads(sources.raw_constant(FILTERS[crate], MAPPING)):
        said.append(f"{name}: the filter is not the local stack's")
    return said


def mappings(template, resources, given):
    """Each function behind a stream has one mapping, which reports partial batches and ends somewhere."""
    said, behind = [], set()
    tables = of_type(resources, "AWS::DynamoDB::Table")
    for name, mapping in of_type(resources, "AWS::Lambda::EventSourceMapping").items():
        function = target(mapping["FunctionName"])
        crate = crates(template).get(function)
        if mapping.get("FunctionResponseTypes") != ["ReportBatchItemFailures"]:
            said.append(f"{name} takes every answer for a success: it needs ReportBatchItemFailures")
        if target(mapping["EventSourceArn"]) not in tables:
            continue
        behind.add(crate)
        said += _filter(name, crate, mapping)
        if not mapping.get("BisectBatchOnFunctionError"):
            said.append(f"{name} does not bisect: a poison record takes its batch along")
        if not 0 < mapping.get("MaximumRetryAttempts", -1) <= 10000:
            said.append(f"{name} retries without end, and blocks its shard")
        if not 60 <= mapping.get("MaximumRecordAgeInSeconds", -1) <= 86400:
            said.append(f"{name} keeps records until the stream forgets them")
        if mapping.get("StartingPosition") != "TRIM_HORIZON":
            said.append(f"{name} passes over what is in the stream when it begins")
        if mapping.get("BatchSize") != int(sources.constant("BATCH_SIZE", "localstack/src/stack")):
            said.append(f"{name} has another batch size than the local stack")
        queue = target(mapping.get("DestinationConfig", {}).get("OnFailure", {}).get("Destination"))
        if queue not in of_type(resources, "AWS::SQS::Queue"):
            said.append(f"{name} gives up batches without a trace: it needs an on-failure queue")
        elif not _has_alarm(resources, queue):
            said.append(f"nobody is told what is in {queue}")
        view = tables[target(mapping["EventSourceArn"])].get("StreamSpecification", {}).get("StreamViewType")
        if view != "NEW_AND_OLD_IMAGES":
            said.append(f"{name} has not both images, without which a new marker cannot be told from an old one")
    said += [f"no stream is handed to {crate}" for crate in sorted(FILTERS.keys() - behind)]
    return said


def _has_alarm(resources, queue):
    return any(
        target(d["Value"]) == queue
        for alarm in of_type(resources, "AWS::CloudWatch::Alarm").values()
        for d in alarm.get("Dimensions", [])
    )


def queues(template, resources, given):
    """A queue hides a message for six timeouts of its function, and has dead letters that somebody is told of."""
    said = []
    all_queues = of_type(resources, "AWS::SQS::Queue")
    functions = of_type(resources, "AWS::Lambda::Function")
    for name, mapping in of_type(resources, "AWS::Lambda::EventSourceMapping").items():
        queue = target(mapping["EventSourceArn"])
        if queue not in all_queues:
            continue
        timeout = functions[target(mapping["FunctionName"])]["Timeout"]
        if all_queues[queue].get("VisibilityTimeout", 30) < VISIBILITY * timeout:
            said.append(f"{name}: {queue} shows a message again before six timeouts of its function are over")
        if "RedrivePolicy" not in all_queues[queue]:
            said.append(f"{name}: {queue} has no dead letters")
    for name, queue in all_queues.items():
        letters = target(queue.get("RedrivePolicy", {}).get("deadLetterTargetArn"))
        if letters and not _has_alarm(resources, letters):
            said.append(f"nobody is told what is in {letters}")
        if not (queue.get("SqsManagedSseEnabled") or queue.get("KmsMasterKeyId")):
            said.append(f"{name} is not encrypted")
    return said


def schedule(template, resources, given):
    """Sweeps come by a rule that CloudWatch takes, and one that fails is not started beside the next."""
    said, swept = [], False
    for name, rule in of_type(resources, "AWS::Events::Rule").items():
        if "EventPattern" in rule:
            continue
        expression = rule.get("ScheduleExpression", "")
        if not (RATE.fullmatch(expression) or CRON.fullmatch(expression)):
            said.append(f"{name}: {expression!r} is no schedule; it is rate(1 minute), but rate(2 minutes)")
        for aim in rule.get("Targets", []):
            swept |= crates(template).get(target(aim["Arn"])) == "sweep"
            if aim.get("RetryPolicy", {}).get("MaximumRetryAttempts") != 0:
                said.append(f"{name} starts a sweep again that could not start, beside the next one")
    if not swept:
        said.append("nobody sweeps")
    retries = [c.get("MaximumRetryAttempts") for c in of_type(resources, "AWS::Lambda::EventInvokeConfig").values()]
    if retries != [0]:
        said.append("a sweep that fails is started again beside the next one")
    return said
