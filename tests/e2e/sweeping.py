"""What the streams have missed, and the schedule finds."""

from world import credit, eventually

# The schedule is once a minute, and a row is the sweeper's once it is a minute old: it may take two sweeps, and the third is for a busy machine.
TWO_SWEEPS_S = 240


def what_no_stream_has_brought_is_decided_and_delivered_by_the_schedule(world):
    for mapping in ("EvaluateMapping", "PublishMapping"):
        world.mapping(mapping, enabled=False)
    decided = world.decide("swept-1", credit("acct-50"))
    queued = world.decide("swept-2", credit("acct-51"), Prefer="respond-async")
    assert (decided.status, queued.status) == (201, 202), (decided, queued)
    where = queued.headers["location"]
    assert world.call("GET", where).json()["state"] == "PROCESSING"
    eventually("the queued one is decided", lambda: world.settled(where), TWO_SWEEPS_S)
    arrived = eventually("the decided one's event is on the bus", lambda: world.events_of("acct-50"), TWO_SWEEPS_S)
    assert [event["id"] for event in arrived] == [event["id"] for event in decided.json()["events"]], arrived
    for mapping in ("EvaluateMapping", "PublishMapping"):
        world.mapping(mapping, enabled=True)
