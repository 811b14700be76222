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
# Members of every line (tracing-subscriber's JSON).
OF_LINES = {"message", "level"}
# Crates whose lines are in each function's log.
CRATES = ["shared/service/src", "shared/dynamodb/src", "shared/sinks/src"]


def _said(crate):
    paths = [path for folder in [f"functions/{crate}/src", *CRATES] for path in sources.files(folder)]
    return "\n".join(sources.text(path) for path in paths)


def _lines(source):
    """The log lines of some sources: the arguments of tracing's macros."""
    return re.findall(r"tracing::(?:error|warn|info|debug)!\((.*?)\);", source, re.S)


def _own(template):
    filters = of_type(template["Resources"], "AWS::Logs::MetricFilter").values()
    return {t["MetricName"] for f in filters for t in f["MetricTransformations"]}


def metrics(template):
    """A metric filter reads fields and texts that its function's log lines have."""
    said = []
    groups = {target(f["LoggingConfig"]["LogGroup"]): name for name, f in of_type(template["Resources"], "AWS::Serverless::Function").items()}
    for name, one in of_type(template["Resources"], "AWS::Logs::MetricFilter").items():
        source = _said(crates(template)[groups[target(one["LogGroupName"])]])
        lines = _lines(source)
        values = [t["MetricValue"] for t in one["MetricTransformations"] if t["MetricValue"] != "1"]
        fields = set(re.findall(r"\$\.(\w+)", " ".join([one["FilterPattern"], *values]))) - OF_LINES
        for field in sorted(fields):
            if not any(re.search(rf"(?:^|[\s,(]){field}\s*(?:=|,)", line) for line in lines):
                said.append(f"{name} reads {field}, which no line of its function has")
        for literal in re.findall(r'= "([^"]+)"', one["FilterPattern"]):
            if f'"{literal}"' not in source:
                said.append(f"{name} looks for {literal!r}, which its function never says")
    return said


def _known(namespace, metric, own):
    if isinstance(namespace, dict):
        namespace = namespace["Fn::Sub"]
    return metric in own if namespace.startswith(OWN) else metric in EMITTED.get(namespace, set())


def _sections():
    runbook = (sources.ROOT / "docs/runbook.md").read_text()
    parts = re.split(r"^### (.+)$", runbook, flags=re.M)[1:]
    slug = lambda title: re.sub(r"[^a-z0-9 -]", "", title.lower()).replace(" ", "-")
    return {slug(title): part.split("\n## ")[0] for title, part in zip(parts[::2], parts[1::2])}


def alarms(template):
    """Alarms and dashboard refer to metrics that exist, alarms to sections of the runbook, and each section to an alarm."""
    said, named = [], set()
    own, sections, watched = _own(template), _sections(), set()
    for name, alarm in of_type(template["Resources"], "AWS::CloudWatch::Alarm").items():
        metrics = [m["MetricStat"]["Metric"] for m in alarm.get("Metrics", []) if "MetricStat" in m] or [alarm]
        for metric in metrics:
            if not _known(metric["Namespace"], metric["MetricName"], own):
                said.append(f"{name} watches {metric['MetricName']}, which nobody emits")
            watched |= {(metric["MetricName"], target(d["Value"])) for d in metric.get("Dimensions", [])}
        section = re.search(r"docs/runbook\.md#([\w-]+)$", alarm.get("AlarmDescription", ""))
        if not section or section.group(1) not in sections:
            said.append(f"{name} says not what to do: it names no section of docs/runbook.md")
        else:
            named.add(section.group(1))
    said += [f"docs/runbook.md#{section} is of no alarm" for section in sorted(sections.keys() - named)]
    for section, part in sections.items():
        said += [f"docs/runbook.md#{section} has no {lead}" for lead in LEADS if lead not in part]
    said += [f"nobody is told of errors of {name}" for name in crates(template) if ("Errors", name) not in watched]
    for name, dashboard in of_type(template["Resources"], "AWS::CloudWatch::Dashboard").items():
        said += [f"{name}: {complaint}" for complaint in _widgets(dashboard["DashboardBody"]["Fn::Sub"], template, own)]
    return said


def _widgets(body, template, own):
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
            if not _known(names[0], names[1], own):
                yield f"{names[1]} of {names[0]} is shown, which nobody emits"
