"""Typical mistakes, each a change of the template as it was read, with a part of what must be said of it."""


def made(template, change):
    """The template with one mistake in it."""
    change(template, template["Resources"])
    return template


def properties(name, **changes):
    """Sets properties of a resource; `None` removes one."""

    def change(template, resources):
        for key, value in changes.items():
            if value is None:
                del resources[name]["Properties"][key]
            else:
                resources[name]["Properties"][key] = value

    return change


def statement(role, sid, **changes):
    """Changes a statement of a role."""

    def change(template, resources):
        document = resources[role]["Properties"]["Policies"][0]["PolicyDocument"]
        next(s for s in document["Statement"] if s.get("Sid") == sid).update(changes)

    return change


def variable(function, name, value):
    """Sets a variable; `None` forgets it."""

    def change(template, resources):
        variables = resources[function]["Properties"]["Environment"]["Variables"]
        if value is None:
            del variables[name]
        else:
            variables[name] = value

    return change


def filter_of(mapping, pattern):
    """Another filter."""
    return properties(mapping, FilterCriteria={"Filters": [{"Pattern": pattern}]})


def constant_partition(template, resources):
    """All queued operations in one partition, that of their state."""
    table = resources["Operations"]["Properties"]
    table["GlobalSecondaryIndexes"][0]["KeySchema"][0]["AttributeName"] = "state"
    table["AttributeDefinitions"][1]["AttributeName"] = "state"


def misspelt(template, resources):
    """A property that does not exist: for cfn-lint."""
    mapping = resources["PublishMapping"]["Properties"]
    mapping["ParallelisationFactor"] = 2


def schedule(expression):
    """Another default of the schedule."""

    def change(template, resources):
        template["Parameters"]["SweepSchedule"]["Default"] = expression

    return change


def unbounded(name, *bounds):
    """A parameter that takes what its function does not start with."""

    def change(template, resources):
        for bound in bounds:
            del template["Parameters"][name][bound]

    return change


def named_stage(template, resources):
    """A stage whose name is in every path."""
    resources["Stage"]["Properties"]["StageName"] = "prod"


def with_path_in_the_log(template, resources):
    """Paths name operations."""
    settings = resources["Stage"]["Properties"]["AccessLogSettings"]
    settings["Format"] = settings["Format"].replace('"status"', '"path":"$context.path","status"')


def global_table(template, resources):
    """A table that two regions write."""
    resources["Operations"]["Type"] = "AWS::DynamoDB::GlobalTable"


def any_audience(template, resources):
    """Tokens that were made for another service."""
    resources["Authorizer"]["Properties"]["JwtConfiguration"]["Audience"] = [""]


def unkept(template, resources):
    """A table that goes with its stack."""
    del resources["Decisions"]["DeletionPolicy"]


def unwatched(template, resources):
    """A metric that nobody emits."""
    resources["StaleWorkAlarm"]["Properties"]["MetricName"] = "Takeovers"


def forgotten(name):
    """A resource is not there."""

    def change(template, resources):
        del resources[name]

    return change


def widget(right, wrong):
    """The dashboard shows something else."""

    def change(template, resources):
        body = resources["Dashboard"]["Properties"]["DashboardBody"]
        body["Fn::Sub"] = body["Fn::Sub"].replace(right, wrong)

    return change


GET_AND_PUT = ["dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:UpdateItem"]
UNDELIVERED = '{"dynamodb":{"NewImage":{"undelivered":[{"exists":true}]}}}'

MISTAKES = [
    ("publish may write decisions", statement("PublishRole", "Outbox", Resource=[{"Fn::GetAtt": ["Outbox", "Arn"]}, {"Fn::GetAtt": ["Decisions", "Arn"]}]), "Publish may dynamodb:UpdateItem on"),
    ("decide may delete", statement("DecideRole", "Operations", Action=[*GET_AND_PUT, "dynamodb:DeleteItem"]), "Decide may dynamodb:DeleteItem"),
    ("a star", statement("SweepRole", "Operations", Resource="*"), "Sweep has a star"),
    ("sweep cannot read its index", statement("SweepRole", "UndeliveredIndex", Resource={"Fn::GetAtt": ["Outbox", "Arn"]}), "Sweep lacks dynamodb:Query"),
    ("a variable is forgotten", variable("Evaluate", "DECISIONS_TABLE", None), "Evaluate is not given DECISIONS_TABLE"),
    ("a variable is misspelt", variable("Sweep", "SWEEP_MARGIN", "60000"), "Sweep is given SWEEP_MARGIN, which"),
    ("a variable names another table", variable("Publish", "OUTBOX_TABLE", {"Ref": "Inbox"}), "OUTBOX_TABLE does not name Outbox"),
    ("partial failures are successes", properties("EvaluateMapping", FunctionResponseTypes=None), "EvaluateMapping takes every answer for a success"),
    ("retries without end", properties("PublishMapping", MaximumRetryAttempts=-1), "PublishMapping retries without end"),
    ("a batch is given up without a trace", properties("PublishMapping", DestinationConfig=None), "PublishMapping gives up batches without a trace"),
    ("a filter tests no leaf", filter_of("PublishMapping", UNDELIVERED), "which is not a leaf"),
    ("a filter is not JSON", filter_of("EvaluateMapping", "{dynamodb: {}}"), "the filter is not JSON"),
    ("a queue shows a message too early", properties("IntakeQueue", VisibilityTimeout=60), "IntakeQueue shows a message again before six timeouts"),
    ("a queue without dead letters", properties("IntakeQueue", RedrivePolicy=None), "IntakeQueue has no dead letters"),
    ("consume cannot let go of a claim", statement("ConsumeRole", "Inbox", Action=GET_AND_PUT), "Consume lacks dynamodb:DeleteItem"),
    ("a schedule's plural", schedule("rate(5 minute)"), "is no schedule"),
    ("two sweeps at once", properties("Sweep", ReservedConcurrentExecutions=None), "Sweep may run twice at once"),
    ("an open route", properties("DefaultRoute", AuthorizationType="NONE", AuthorizerId=None), "the route $default is NONE"),
    ("tokens for others", any_audience, "takes tokens of any issuer or audience"),
    ("an API without limits", properties("Stage", DefaultRouteSettings={}), "is not throttled by default"),
    ("a stage in the path", named_stage, "needs the stage $default"),
    ("the access log has paths", with_path_in_the_log, "the access log names path"),
    ("an index with one partition", constant_partition, "is not known to be spread"),
    ("a table in two regions", global_table, "Operations is a global table"),
    ("a function that decides in any region", variable("Evaluate", "HOME_REGION", None), "Evaluate may write in any region"),
    ("a stream without the old image", properties("Outbox", StreamSpecification={"StreamViewType": "NEW_IMAGE"}), "PublishMapping has not both images"),
    ("another TTL attribute", properties("Decisions", TimeToLiveSpecification={"AttributeName": "ttl", "Enabled": True}), "Decisions does not expire by ttlSec"),
    ("a table goes with its stack", unkept, "Decisions goes with its stack"),
    ("logs for ever", properties("PublishLogs", RetentionInDays=None), "PublishLogs keeps its lines for ever"),
    ("an alarm on what nobody emits", unwatched, "StaleWorkAlarm watches Takeovers"),
    ("an alarm without instructions", properties("PanicsAlarm", AlarmDescription="It panicked"), "PanicsAlarm says not what to do"),
    ("an alarm on a word that nobody says", properties("PanicsAlarm", Dimensions=[{"Name": "alarm", "Value": "panics"}]), "PanicsAlarm watches the alarm panics, which nobody says"),
    ("nobody is told of a word", forgotten("UnreadableBalancesAlarm"), "nobody is told of balance-unreadable"),
    ("nobody is told of throttles", forgotten("IntakeThrottlesAlarm"), "nobody is told of throttles of Intake"),
    ("an alarm behind the timeout", properties("DecideDurationAlarm", Threshold=29000), "nobody is told before Decide runs out of time"),
    ("metrics where no alarm looks", variable("Publish", "METRICS_NAMESPACE", "DecideOnce"), "Publish measures in another namespace"),
    ("a widget that stays empty", widget('"oldest_due_seconds"', '"oldest_queued"'), "it shows oldest_queued, which nobody emits"),
    ("a number that a function does not start with", unbounded("DefaultWaitMs", "MinValue", "MaxValue"), "DefaultWaitMs may be any number"),
    ("a text that a function does not start with", unbounded("EventBridgeSource", "AllowedPattern"), "EventBridgeSource may be empty, or anything"),
    ("a property that does not exist", misspelt, "ParallelisationFactor"),
]
