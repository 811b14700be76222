"""Events: from the outbox's table by its stream to the bus, to the consumer's queue, to a balance."""

import json

from world import eventually, refund


def an_event_arrives_under_the_id_that_the_answer_names(world):
    decided = world.decide("refund-1", refund("acct-10", "A-10", 1999))
    assert decided.status == 201, decided
    told = decided.json()["events"]
    arrived = eventually("the event is on the bus", lambda: world.events_of("acct-10"))
    assert [(event["id"], event["type"]) for event in arrived] == [(event["id"], event["type"]) for event in told], arrived
    assert arrived[0]["specversion"] == "1.0" and arrived[0]["source"].startswith("urn:decide-once:"), arrived
    eventually("its row is marked", lambda: not any("undelivered" in row for row in world.items("Outbox")))


def a_replay_sends_no_event(world):
    assert world.decide("refund-1", refund("acct-10", "A-10", 1999)).status == 200
    # Whatever was sent after it has arrived, and nothing of it.
    assert world.decide("refund-2", refund("acct-11", "A-11", 500)).status == 201
    eventually("the next event is on the bus", lambda: world.events_of("acct-11"))
    assert len({event["id"] for event in world.events_of("acct-10")}) == 1


def a_balance_changes_once_though_its_event_is_delivered_three_times(world):
    queue = world.outputs["EventQueueUrl"]
    before = eventually("the balance has the refund", lambda: world.balance("acct-10"))
    assert "1999" in before.values(), before
    eventually("the queue is empty", lambda: world.waiting(queue) == 0)
    event = json.dumps(world.events_of("acct-10")[0])
    for _ in range(2):
        world.sqs.send_message(QueueUrl=queue, MessageBody=event)
    eventually("the duplicates are acknowledged", lambda: world.waiting(queue) == 0)
    assert world.waiting(world.resources["EventDeadLetters"]) == 0
    assert world.balance("acct-10") == before


def a_second_event_of_a_subject_adds_up(world):
    assert world.decide("refund-3", refund("acct-10", "A-12", 1)).status == 201
    eventually("the balance has both", lambda: "2000" in world.balance("acct-10").values())
