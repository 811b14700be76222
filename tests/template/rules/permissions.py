"""What each function's role may do: the calls that its adapters make, on what they are made, and nothing else."""

import re

import sources
from stack import crates, key, of_type, target

# The store's methods that a function's use-cases call (shared/service/src/{decide,resume,publish,sweep}).
DECIDING = {"transition", "commit", "read_operation"}
ANSWERING = DECIDING | {"reserve", "read_decision", "add_mismatches"}
DELIVERING = {"mark_delivered", "quarantine"}
METHODS = {
    "decide": ANSWERING,
    "intake": ANSWERING,
    "evaluate": DECIDING,
    "publish": DELIVERING,
    "sweep": DECIDING | DELIVERING | {"due", "read_row", "undelivered"},
    "consume": set(),
}
# What each part of the use-cases calls, which METHODS was made from: a call that is added or goes is to be thought through there.
USES = {
    "decide.rs": ANSWERING - {"read_decision"},
    "publish/deliver.rs": DELIVERING,
    "render.rs": {"read_decision"},
    "resume/mod.rs": {"read_operation"},
    "status.rs": {"read_decision", "read_operation"},
    "sweep/mod.rs": {"due", "read_row", "undelivered"},
}
# Methods of the adapter that the operator's command calls, under a role of its own, and no deployed function.
NOT_DEPLOYED = {"check_tables", "quarantined", "redrive"}
# What an SDK call needs. A transaction needs what its items do.
ACTIONS = {
    "get_item": "dynamodb:GetItem",
    "put_item": "dynamodb:PutItem",
    "update_item": "dynamodb:UpdateItem",
    "delete_item": "dynamodb:DeleteItem",
    "query": "dynamodb:Query",
    "put_events": "events:PutEvents",
    "describe_event_bus": "events:DescribeEventBus",
    "publish_batch": "sns:Publish",
    "send_message": "sqs:SendMessage",
    "send_message_batch": "sqs:SendMessage",
}
SINKS = {"eventbridge": "EventBus", "sqs": "EventQueue", "sns": "EventTopic"}
# https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html
OF_QUEUES = ["sqs:DeleteMessage", "sqs:GetQueueAttributes", "sqs:ReceiveMessage"]
# https://docs.aws.amazon.com/lambda/latest/dg/with-ddb.html
OF_STREAMS = ["dynamodb:DescribeStream", "dynamodb:GetRecords", "dynamodb:GetShardIterator", "dynamodb:ListStreams"]


def _arn(name):
    return key({"Fn::GetAtt": [name, "Arn"]})


def _adapter():
    """`{method: {(action, resource)}}` of the store."""
    methods = {}
    for path in sources.files("shared/dynamodb/src"):
        for method, (calls, tables, indexes) in sources.calls(path, of="DynamoStore").items():
            needs = set()
            for call in calls - {"describe_table"}:
                if call == "transact_write_items":
                    needs |= {(f"dynamodb:{action}", _arn(table.capitalize())) for table, action in sources.transaction()}
                    continue
                for table in tables:
                    of = table.capitalize()
                    if call == "query":
                        needs |= {(ACTIONS[call], key({"Fn::Sub": f"${{{of}.Arn}}/index/{sources.constant(i, 'shared/dynamodb/src')}"})) for i in indexes}
                    else:
                        needs.add((ACTIONS[call], _arn(of)))
            methods[method] = needs
    return methods


def _consumer():
    """Of the shipped consumer: its marks, by every method of their adapter, and its effects, in the mark's transaction."""
    marks = sources.calls("shared/dynamodb/src/inbox.rs", of="DynamoInbox").values()
    needs = {(ACTIONS[call], _arn("Inbox")) for calls, _, _ in marks for call in calls - {"transact_write_items"}}
    needs |= {(f"dynamodb:{action}", _arn("Inbox")) for action in sources.builders("shared/dynamodb/src/expressions/inbox.rs")}
    effects = "functions/consume/src/balances.rs"
    needs |= {(ACTIONS[call], _arn("Balances")) for calls, _, _ in sources.calls(effects).values() for call in calls}
    return needs | {(f"dynamodb:{action}", _arn("Balances")) for action in sources.builders(effects)}


def _sink(kind):
    if kind == "http":
        return set()
    calls = set().union(*(made for made, _, _ in sources.calls(f"shared/sinks/src/{kind}.rs").values()))
    calls |= set(re.findall(r"\.(describe_\w+)\(\)", sources.text(f"shared/sinks/src/{kind}.rs")))
    resource = key({"Ref": SINKS[kind]}) if kind == "sns" else _arn(SINKS[kind])
    if not calls:
        raise ValueError(f"the sink {kind} calls nothing; has the way in which it does changed?")
    return {(ACTIONS[call], resource) for call in calls}


def _needed(name, crate, resources, sink):
    adapter = _adapter()
    needs = set().union(*(adapter[method] for method in METHODS[crate]))
    function = resources[name]["Properties"]
    needs |= _consumer() if crate == "consume" else set()
    if crate == "intake":
        made = set().union(*(calls for calls, _, _ in sources.calls("functions/intake/src/dead_letters.rs").values()))
        needs |= {(ACTIONS[call], _arn(target(function["Environment"]["Variables"]["DEAD_LETTER_QUEUE_URL"]))) for call in made}
    group = _arn(target(function["LoggingConfig"]["LogGroup"]))
    needs |= {("logs:CreateLogStream", group), ("logs:PutLogEvents", group)}
    for mapping in of_type(resources, "AWS::Lambda::EventSourceMapping").values():
        if target(mapping["FunctionName"]) == name and target(mapping["EventSourceArn"]) in of_type(resources, "AWS::SQS::Queue"):
            needs |= {(action, key(mapping["EventSourceArn"])) for action in OF_QUEUES}
        if target(mapping["FunctionName"]) == name and mapping["EventSourceArn"].get("Fn::GetAtt", [None, None])[1] == "StreamArn":
            needs |= {(action, key(mapping["EventSourceArn"])) for action in OF_STREAMS}
            destination = mapping.get("DestinationConfig", {}).get("OnFailure", {}).get("Destination")
            needs |= {("sqs:SendMessage", key(destination))} if destination else set()
    if "AnySink" in sources.text(f"functions/{crate}/src/lib.rs"):
        needs |= _sink(sink)
    return needs


def uses(template):
    """The use-cases call what they are known to call: a role is made for that."""
    every = set().union(*METHODS.values()) | NOT_DEPLOYED
    for path in sources.files("shared/service/src"):
        part = path.relative_to("shared/service/src").as_posix()
        if part == "memory.rs" or part.startswith("memory/"):
            continue
        made, known = every & set(re.findall(r"\.\s*(\w+)\(", sources.text(path))), USES.get(part, set())
        for method in sorted(made ^ known):
            yield f"{part} calls {method} {'now' if method in made else 'no more'}: say so in USES, and in METHODS for the functions that it is a part of"


def _granted(name, role, said):
    granted = set()
    if role.get("ManagedPolicyArns"):
        said.append(f"{name} has a managed policy: say what it may do")
    for policy in role.get("Policies", []):
        for statement in policy["PolicyDocument"]["Statement"]:
            actions, resource = statement.get("Action"), statement.get("Resource")
            actions = actions if isinstance(actions, list) else [actions]
            if statement.get("Effect") != "Allow" or actions == [None] or resource is None:
                said.append(f"{name} has a statement that is not a plain permission")
                continue
            if any("*" in action for action in actions) or "*" in key(resource):
                said.append(f"{name} has a star: {actions} on {resource}")
            for one in resource if isinstance(resource, list) else [resource]:
                granted |= {(action, key(one)) for action in actions}
    return granted


def grants(template, resources, given):
    """Each action that the code needs is granted on what it needs it on, and no other."""
    said = []
    roles = of_type(resources, "AWS::IAM::Role")
    sink = given.get("Sink", template["Parameters"]["Sink"]["Default"])
    owners = {}
    for name, crate in crates(template).items():
        role = target(resources[name]["Properties"]["Role"])
        if role in owners:
            said.append(f"{name} and {owners[role]} share a role")
        owners[role] = name
        needed, granted = _needed(name, crate, resources, sink), _granted(name, roles[role], said)
        said += [f"{name} lacks {action} on {on}" for action, on in sorted(needed - granted)]
        said += [f"{name} may {action} on {on}, which its code never does" for action, on in sorted(granted - needed)]
    known = set().union(*METHODS.values()) | NOT_DEPLOYED
    said += [f"no function is known to call DynamoStore::{m}; say who does" for m in sorted(_adapter().keys() - known - {"mark"})]
    return said
