"""Metrics, alarms and the dashboard: each refers to what somebody emits, and each alarm to what is to be done."""

import json
import re

import sources
from stack import crates, of_type, target

# What AWS emits, by itself: https://docs.aws.amazon.com/{lambda,apigateway,amazondynamodb,AWSSimpleQueueService} "metrics".
EMITTED = {
    "AWS/Lambda": {"Errors", "Throttles", "Duration", "IteratorAge", "Invocations"},
    "AWS/SQS": {"ApproximateNumberOfMessagesVisible", "ApproximateAgeOfOldestMessage"},
    "AWS/ApiGateway": {"Count", "4xx", "5xx", "Latency"},
    "AWS/DynamoDB": {"WriteThrottleEvents", "ReadThrottleEvents", "TransactionConflict", "ConsumedWriteCapacityUnits"},
}
OWN = "DecideOnce/"
# What each section of the runbook answers.
LEADS = ("**Means.**", "**Look.**", "**Do.**", "**It worked when**")
# Crates whose lines are in each function's log.
CRATES = ["shared/service/src", "shared/dynamodb/src", "shared/sinks/src"]
# The metric that counts lines with an `alarm`, and its dimension.
ALARMS, ALARM = "alarms", "alarm"
FUNCTION = "function"


def _folders(template):
    return [*(f"functions/{crate}/src" for crate in crates(template).values()), *CRATES]


def metrics(template):
    """What log lines can measure is measured somewhere; and all functions measure in the namespace that the alarms watch."""
    said = []
    source = "\n".join(sources.text(path) for folder in _folders(template) for path in sources.files(folder))
    for name, variant in sources.metrics().items():
        if f"Metric::{variant}" not in source:
            said.append(f"the metric {name} is never measured")
    watched = {json.dumps(a["Namespace"]) for a in of_type(template["Resources"], "AWS::CloudWatch::Alarm").values() if _is_own(a.get("Namespace"))}
    for name, function in of_type(template["Resources"], "AWS::Serverless::Function").items():
        namespace = function["Environment"]["Variables"].get("METRICS_NAMESPACE")
        if {json.dumps(namespace)} != watched:
            said.append(f"{name} measures in another namespace than the one that the alarms watch")
    return said


def _is_own(namespace):
    return (namespace.get("Fn::Sub", "") if isinstance(namespace, dict) else namespace or "").startswith(OWN)


def _unknown(namespace, metric, dimensions, template):
    """Why nobody emits a metric, if so."""
    if not _is_own(namespace):
        return None if metric in EMITTED.get(namespace, set()) else f"{metric}, which nobody emits"
    if metric not in sources.metrics():
        return f"{metric}, which nobody emits"
    if metric == ALARMS:
        word = dimensions.get(ALARM)
        return None if word in sources.alarms(_folders(template)) else f"the alarm {word}, which nobody says"
    if dimensions.keys() - {FUNCTION} or not set(dimensions.values()) <= set(crates(template).values()):
        return f"{metric} by {dimensions}, by which nobody measures it"
    return None


def _sections():
    runbook = (sources.ROOT / "docs/runbook.md").read_text()
    parts = re.split(r"^### (.+)$", runbook, flags=re.M)[1:]
    slug = lambda title: re.sub(r"[^a-z0-9 -]", "", title.lower()).replace(" ", "-")
    return {slug(title): part.split("\n## ")[0] for title, part in zip(parts[::2], parts[1::2])}


def alarms(template):
    """Alarms and dashboard refer to metrics that exist, alarms to sections of the runbook, and each section to an alarm."""
    said, named = [], set()
    sections, watched = _sections(), set()
    for name, alarm in of_type(template["Resources"], "AWS::CloudWatch::Alarm").items():
        metrics = [m["MetricStat"]["Metric"] for m in alarm.get("Metrics", []) if "MetricStat" in m] or [alarm]
        for metric in metrics:
            dimensions = {d["Name"]: d["Value"] for d in metric.get("Dimensions", [])}
            unknown = _unknown(metric["Namespace"], metric["MetricName"], dimensions, template)
            said += [f"{name} watches {unknown}"] if unknown else []
            watched |= {(metric["MetricName"], value if isinstance(value, str) else target(value)) for value in dimensions.values()}
        section = re.search(r"docs/runbook\.md#([\w-]+)$", alarm.get("AlarmDescription", ""))
        if not section or section.group(1) not in sections:
            said.append(f"{name} says not what to do: it names no section of docs/runbook.md")
        else:
            named.add(section.group(1))
    said += [f"docs/runbook.md#{section} is of no alarm" for section in sorted(sections.keys() - named)]
    for section, part in sections.items():
        said += [f"docs/runbook.md#{section} has no {lead}" for lead in LEADS if lead not in part]
    said += [f"nobody is told of errors of {name}" for name in crates(template) if ("Errors", name) not in watched]
    said += _of_invocations(template, watched)
    words = sources.alarms(_folders(template))
    said += [f"nobody is told of {word}" for word in sorted(words) if (ALARMS, word) not in watched]
    for name, dashboard in of_type(template["Resources"], "AWS::CloudWatch::Dashboard").items():
        said += [f"{name}: {complaint}" for complaint in _widgets(dashboard["DashboardBody"]["Fn::Sub"], template)]
    return said


def _of_invocations(template, watched):
    """Somebody is told of functions that are refused, or come near to their timeout, while they still have time left."""
    thresholds = {}
    for alarm in of_type(template["Resources"], "AWS::CloudWatch::Alarm").values():
        if alarm.get("MetricName") == "Duration":
            thresholds |= {target(d["Value"]): alarm["Threshold"] for d in alarm["Dimensions"]}
    for name in crates(template):
        function = template["Resources"][name]["Properties"]
        # One that runs alone is refused by design: its schedule comes again.
        if function.get("ReservedConcurrentExecutions") != 1 and ("Throttles", name) not in watched:
            yield f"nobody is told of throttles of {name}"
        if not 0 < thresholds.get(name, 0) < 1000 * function["Timeout"]:
            yield f"nobody is told before {name} runs out of time"


def _widgets(body, template):
    for reference in set(re.findall(r"\$\{(\w+)[.}]", body)) - template["Resources"].keys():
        yield f"{reference} is nothing of this template"
    try:
        widgets = json.loads(body)["widgets"]
    except ValueError as error:
        yield f"the body is not JSON: {error}"
        return
    for widget in widgets:
        before = []
        for metric in widget["properties"]["metrics"]:
            names = [m for m in metric if isinstance(m, str)]
            names = [before[at] if name == "." else name for at, name in enumerate(names)]
            before = names
            unknown = _unknown(names[0], names[1], dict(zip(names[2::2], names[3::2])), template)
            if unknown:
                yield f"it shows {unknown}"
