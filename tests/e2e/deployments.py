"""A stack that is deployed again, and by LocalStack's hook."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import yaml
from emulator import ROOT
from world import credit, eventually


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


def the_hook_of_localstack_deploys_the_same(world):
    metadata = subprocess.run(["cargo", "metadata", "--locked", "--no-deps", "--format-version", "1"], cwd=ROOT, check=True, capture_output=True).stdout
    with tempfile.TemporaryDirectory() as built:
        for name in ("decide", "evaluate", "publish", "sweep", "consume", "intake"):
            (Path(built) / name).mkdir()
            (Path(built) / name / "bootstrap").symlink_to(Path(json.loads(metadata)["target_directory"]) / "release-check" / name)
        hook = ROOT / "localstack" / "init" / "ready.d" / "deploy.sh"
        environment = os.environ | {"DECIDE_ONCE": str(ROOT), "DECIDE_ONCE_BUILT": built, "DEPLOY_PYTHON": sys.executable}
        said = subprocess.run([hook], env=environment, check=True, stdout=subprocess.PIPE, text=True).stdout
    assert said.startswith("the stack decide-once is made") and "\nUrl http" in said, said
    world.cloudformation.delete_stack(StackName="decide-once")
    stacks = world.cloudformation.list_stacks
    eventually("the hook's stack is gone", lambda: not any(s["StackName"] == "decide-once" and s["StackStatus"] != "DELETE_COMPLETE" for s in stacks()["StackSummaries"]))


def localstack_is_on_loopback_only_and_is_given_the_hook(world):
    service = yaml.safe_load((ROOT / "localstack" / "compose.yaml").read_text())["services"]["localstack"]
    assert service["ports"] and all(port.startswith("127.0.0.1:") for port in service["ports"]), service["ports"]
    mounts = {mount.rsplit(":", 2)[1] if mount.endswith(":ro") else mount.rsplit(":", 1)[1]: mount for mount in service["volumes"]}
    assert mounts["/etc/localstack/init/ready.d"].startswith("./init/ready.d:") and mounts["/decide-once"].startswith("..:"), mounts
    assert "LOCALSTACK_AUTH_TOKEN" in service["environment"] and service["image"].startswith("${LOCALSTACK_IMAGE:-"), service
