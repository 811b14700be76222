"""Requests that nobody waits for."""

from world import credit, eventually


def a_queued_request_is_decided_from_the_stream(world):
    body = credit("acct-30")
    queued = world.decide("later-1", body, Prefer="respond-async")
    assert queued.status == 202 and queued.headers["preference-applied"] == "respond-async", queued
    where = queued.headers["location"]
    status = eventually("it is decided", lambda: world.settled(where))
    again = world.decide("later-1", body)
    assert again.status == 200 and again.headers["location"] == status["decision"], (again, status)
    eventually("its event is on the bus", lambda: world.events_of("acct-30"))
