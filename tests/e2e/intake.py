"""Requests that come by a queue."""

import json

from world import credit, eventually


def _send(world, key, body):
    attributes = {"Idempotency-Key": {"DataType": "String", "StringValue": key}}
    world.sqs.send_message(QueueUrl=world.outputs["IntakeQueueUrl"], MessageBody=json.dumps(body), MessageAttributes=attributes)


def _drained(world):
    eventually("the intake queue is empty", lambda: world.waiting(world.outputs["IntakeQueueUrl"]) == 0)


def a_message_is_decided_once_though_it_is_sent_twice(world):
    for _ in range(2):
        _send(world, "file-1", credit("acct-20"))
    _drained(world)
    arrived = eventually("its event is on the bus", lambda: world.events_of("acct-20"))
    assert len({event["id"] for event in arrived}) == 1, arrived
    # The tenant is the deployment's, whatever a message says.
    assert arrived[0]["source"] == "urn:decide-once:intake", arrived
    eventually("its balance is there", lambda: world.balance("acct-20"))


def a_message_that_cannot_be_decided_is_set_aside_with_the_reason(world):
    _send(world, "file-2", credit("acct-21", amount=-1))
    aside = world.resources["IntakeDeadLetters"]
    message = eventually("it is set aside", lambda: world.sqs.receive_message(QueueUrl=aside, MessageAttributeNames=["All"]).get("Messages"))[0]
    assert message["MessageAttributes"]["Idempotency-Key"]["StringValue"] == "file-2", message
    assert "facts-invalid" in message["MessageAttributes"]["Problem"]["StringValue"], message
    world.sqs.delete_message(QueueUrl=aside, ReceiptHandle=message["ReceiptHandle"])
    _drained(world)
