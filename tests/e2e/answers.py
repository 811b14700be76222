"""What callers are told."""

from concurrent.futures import ThreadPoolExecutor

from world import credit


def health_and_description_need_no_signature_and_nothing_else_goes_without(world):
    assert world.call("GET", "/health", caller=None).status == 200
    description = world.call("GET", "/openapi.json", caller=None)
    assert description.status == 200 and "/v1/decisions" in description.json()["paths"], description
    for answer in (world.decide("unsigned", credit("acct-unsigned"), caller=None), world.call("GET", "/v1/policies", caller=None)):
        assert answer.status in (401, 403), answer


def the_first_request_is_decided_and_a_retry_gets_its_bytes(world):
    body = credit("acct-1")
    first = world.decide("order-1", body)
    assert first.status == 201 and first.headers["idempotent-replayed"] == "false", first
    assert first.json()["outcome"] == {"decision": "approve", "limit": 25000, "currency": "USD"}, first
    again = world.decide("order-1", body)
    assert again.status == 200 and again.headers["idempotent-replayed"] == "true", again
    assert again.bytes == first.bytes
    for header in ("content-digest", "location", "content-type"):
        assert again.headers[header] == first.headers[header], (header, again, first)


def another_request_under_the_key_is_refused_with_where_it_differs(world):
    answer = world.decide("order-1", credit("acct-other"))
    assert answer.status == 409 and answer.json()["type"].endswith("key-reused"), answer
    assert "/subject" in answer.bytes.decode() and b"acct-other" not in answer.bytes, answer


def invalid_facts_leave_the_key_free(world):
    refused = world.decide("order-2", credit("acct-2", amount=-1))
    assert refused.status == 422 and refused.json()["type"].endswith("facts-invalid"), refused
    assert world.decide("order-2", credit("acct-2")).status == 201


def a_decision_and_its_operation_can_be_read(world):
    decided = world.decide("order-3", credit("acct-3"))
    read = world.call("GET", decided.headers["location"])
    assert read.status == 200 and read.json()["decisionId"] == decided.json()["decisionId"], read
    status = world.call("GET", f"/v1/operations/{decided.json()['operationId']}")
    assert status.status == 200 and status.headers["cache-control"] == "no-store", status


def the_policies_are_those_of_this_repository(world):
    answer = world.call("GET", "/v1/policies")
    assert answer.status == 200 and "credit-limit" in answer.bytes.decode(), answer


def a_race_has_one_decision(world):
    body = credit("acct-race")
    with ThreadPoolExecutor(8) as callers:
        answers = list(callers.map(lambda _: world.decide("race", body), range(8)))
    assert {answer.status for answer in answers} <= {200, 201, 202}, answers
    assert sum(answer.status == 201 for answer in answers) == 1, answers
    assert len({answer.json()["decisionId"] for answer in answers if answer.status != 202}) == 1, answers


def another_caller_is_another_tenant(world):
    first = world.decide("shared-key", credit("acct-4"))
    assert first.status == 201, first
    other = world.another_caller()
    second = world.decide("shared-key", credit("acct-5"), caller=other)
    assert second.status == 201 and second.json()["operationId"] != first.json()["operationId"], second
    assert world.call("GET", first.headers["location"], caller=other).status == 404


def what_is_not_there_is_a_problem(world):
    missing = world.call("GET", "/v1/nothing")
    assert missing.status == 404 and missing.headers["content-type"] == "application/problem+json", missing
    method = world.call("DELETE", "/v1/decisions")
    assert method.status == 405 and method.headers["allow"], method
