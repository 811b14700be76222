"""A stack that is deployed again."""

from world import credit


def to_deploy_again_changes_nothing(world):
    said, outputs = world.deploy()
    assert "up to date" in said, said
    assert outputs == world.outputs


def a_changed_parameter_is_an_update_and_what_was_decided_stays(world):
    body = credit("acct-40")
    first = world.decide("kept", body)
    said, outputs = world.deploy("DefaultWaitMs=0", "ContractProfile=ietf")
    assert "updated" in said and outputs == world.outputs, (said, outputs)
    # In this profile a replay has the original status.
    again = world.decide("kept", body)
    assert again.status == 201 and again.bytes == first.bytes and again.headers["idempotent-replayed"] == "true", again
    # A parameter that is not named keeps its value.
    assert "up to date" in world.deploy()[0]
