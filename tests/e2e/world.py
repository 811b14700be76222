"""The deployed stack, as its callers and its neighbours see it."""

import http.client
import json
import time
import uuid

import boto3
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.config import Config
from botocore.credentials import Credentials

# How long something may take that nobody disturbs. An emulated invocation takes about 100 ms; a busy machine makes that seconds.
PATIENCE_S = 60


def eventually(what, look, seconds=PATIENCE_S):
    """What `look` returns once that is something."""
    until = time.monotonic() + seconds
    while True:
        found = look()
        if found:
            return found
        assert time.monotonic() < until, f"not within {seconds} s: {what}"
        time.sleep(0.2)


class Answer:
    """An answer of the API."""

    def __init__(self, response):
        self.status, self.bytes = response.status, response.read()
        self.headers = {name.lower(): value for name, value in response.getheaders()}

    def json(self):
        """Its body."""
        return json.loads(self.bytes)

    def __repr__(self):
        return f"{self.status} {self.headers} {self.bytes[:400]!r}"


class World:
    """The stack's API, its resources, and a queue of our own that gets every event of its bus."""

    def __init__(self, port, region, stack, outputs):
        self.port, self.region, self.stack, self.outputs = port, region, stack, outputs
        # To its own host name, which need not resolve here.
        self.host = outputs["Url"].partition("://")[2]
        self.owner = Credentials("test", "test")
        config = Config(retries={"total_max_attempts": 3})
        client = {name: boto3.client(name, region_name=region, config=config) for name in ("cloudformation", "dynamodb", "events", "iam", "lambda", "sqs")}
        self.cloudformation, self.dynamodb, self.events, self.iam, self.functions, self.sqs = client.values()
        resources = self.cloudformation.describe_stack_resources(StackName=stack)["StackResources"]
        self.resources = {resource["LogicalResourceId"]: resource["PhysicalResourceId"] for resource in resources}
        self.heard = []
        self.watch = self._watch()

    def call(self, method, path, body=None, caller="owner", **headers):
        """Asks the API, signed by `caller`; `None` signs nothing. Underscores in headers' names are hyphens."""
        data = b"" if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        sent = {name.replace("_", "-"): value for name, value in headers.items()} | {"Host": self.host}
        if body is not None:
            sent.setdefault("Content-Type", "application/json")
        if caller is not None:
            request = AWSRequest(method, f"http://{self.host}{path}", data=data, headers=dict(sent))
            SigV4Auth(self.owner if caller == "owner" else caller, "execute-api", self.region).add_auth(request)
            sent = dict(request.headers.items())
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=40)
        try:
            connection.request(method, path, body=data or None, headers=sent)
            return Answer(connection.getresponse())
        finally:
            connection.close()

    def decide(self, key, body, caller="owner", **headers):
        """`POST /v1/decisions`."""
        return self.call("POST", "/v1/decisions", body, caller, Idempotency_Key=key, **headers)

    def settled(self, location):
        """The status of an operation once it has succeeded; `None` before."""
        status = self.call("GET", location).json()
        return status if status["state"] == "SUCCEEDED" else None

    def another_caller(self):
        """Somebody else's credentials."""
        name = f"caller-{uuid.uuid4().hex[:8]}"
        self.iam.create_user(UserName=name)
        key = self.iam.create_access_key(UserName=name)["AccessKey"]
        return Credentials(key["AccessKeyId"], key["SecretAccessKey"])

    def items(self, table):
        """All items of a table, by the template's name of it; values as plain text."""
        found = self.dynamodb.scan(TableName=self.resources[table], ConsistentRead=True)["Items"]
        return [{name: next(iter(value.values())) for name, value in item.items()} for item in found]

    def balance(self, subject):
        """The consumer's item of a subject; `None` if there is none yet."""
        return next((item for item in self.items("Balances") if item["subject"] == subject), None)

    def events_of(self, subject):
        """What the bus has delivered so far of a subject: CloudEvents, duplicates included."""
        while messages := self.sqs.receive_message(QueueUrl=self.watch, MaxNumberOfMessages=10).get("Messages"):
            for message in messages:
                self.heard.append(json.loads(message["Body"])["detail"])
                self.sqs.delete_message(QueueUrl=self.watch, ReceiptHandle=message["ReceiptHandle"])
        return [event for event in self.heard if event["subject"] == subject]

    def waiting(self, queue):
        """How many messages a queue has, those in somebody's hands included."""
        names = ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"]
        return sum(int(n) for n in self.sqs.get_queue_attributes(QueueUrl=queue, AttributeNames=names)["Attributes"].values())

    def mapping(self, name, enabled):
        """Switches a stream's mapping on or off."""
        self.functions.update_event_source_mapping(UUID=self.resources[name], Enabled=enabled)
        state = "Enabled" if enabled else "Disabled"
        eventually(f"{name} is {state}", lambda: self.functions.get_event_source_mapping(UUID=self.resources[name])["State"] == state)

    def _watch(self):
        """A rule beside the stack's own."""
        url = self.sqs.create_queue(QueueName=f"watch-{uuid.uuid4().hex[:8]}")["QueueUrl"]
        arn = self.sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
        bus = self.outputs["EventBusName"]
        self.events.put_rule(Name="watch", EventBusName=bus, EventPattern=json.dumps({"source": ["decide-once"]}))
        self.events.put_targets(Rule="watch", EventBusName=bus, Targets=[{"Id": "watch", "Arn": arn}])
        return url


def credit(subject, amount=12500, **facts):
    """A request for credit."""
    return {"policy": "credit-limit", "subject": subject, "facts": {"amount": amount, "currency": "USD"} | facts}


def refund(subject, order, amount):
    """A request for a refund, which the shipped consumer adds up."""
    facts = {"orderId": order, "line": 1, "amount": amount, "paid": amount, "currency": "EUR", "purchasedAt": "2026-11-20T10:00:00Z", "reason": "damaged"}
    return {"policy": "refund-approval", "subject": subject, "facts": facts}
