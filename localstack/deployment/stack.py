"""The stack: made or updated, and waited for."""

import time

from botocore.exceptions import ClientError
from trouble import Trouble

# What an update of a stack in one of these would be refused for.
STUCK = ("ROLLBACK_COMPLETE", "ROLLBACK_FAILED", "CREATE_FAILED", "DELETE_FAILED", "REVIEW_IN_PROGRESS")
# Tables, a function and an API are minutes; more is a stack that hangs.
PATIENCE_S = 1800


class Stack:
    """A stack of CloudFormation by its name."""

    def __init__(self, client, name, pause_s):
        self.client, self.name, self.pause_s = client, name, pause_s

    def described(self):
        """What is known of it; `None` if there is none."""
        try:
            stack = self.client.describe_stacks(StackName=self.name)["Stacks"][0]
        except ClientError as error:
            if "does not exist" in str(error):
                return None
            raise
        return None if stack["StackStatus"] == "DELETE_COMPLETE" else stack

    def deploy(self, template_url, known, given):
        """Makes it or updates it. `known` are the template's parameters; those that are not given keep what they have. Says what was done."""
        before = self.described()
        seen = self.events()
        parameters = [{"ParameterKey": name, "ParameterValue": value} for name, value in given.items()]
        request = {"StackName": self.name, "TemplateURL": template_url, "Capabilities": ["CAPABILITY_IAM"]}
        if before is None:
            self.client.create_stack(**request, Parameters=parameters)
            done = "made"
        else:
            self.ready(before["StackStatus"])
            kept = [p["ParameterKey"] for p in before.get("Parameters", []) if p["ParameterKey"] in known and p["ParameterKey"] not in given]
            parameters += [{"ParameterKey": name, "UsePreviousValue": True} for name in kept]
            try:
                self.client.update_stack(**request, Parameters=parameters)
            except ClientError as error:
                if "No updates are to be performed" in str(error):
                    return "up to date"
                raise
            done = "updated"
        self.wait(seen)
        return done

    def ready(self, status):
        """Whether it can be updated."""
        if status in STUCK:
            raise Trouble(f"the stack {self.name} is {status} and cannot be updated; delete it (`aws cloudformation delete-stack --stack-name {self.name}`) and deploy again")
        if status == "UPDATE_ROLLBACK_FAILED":
            raise Trouble(f"the stack {self.name} is {status}; end that first (`aws cloudformation continue-update-rollback --stack-name {self.name}`)")
        if status.endswith("_IN_PROGRESS"):
            raise Trouble(f"the stack {self.name} is {status}: somebody else deploys; wait for it and deploy again")

    def wait(self, seen):
        """Until it is complete. What failed is said."""
        until = time.monotonic() + PATIENCE_S
        while True:
            stack = self.described()
            status = stack["StackStatus"] if stack else "gone"
            if status in ("CREATE_COMPLETE", "UPDATE_COMPLETE"):
                return
            if not status.endswith("_IN_PROGRESS"):
                failed = [f"  {e['LogicalResourceId']}: {e.get('ResourceStatusReason', 'no reason')}" for e in self.events().values() if e["EventId"] not in seen and e["ResourceStatus"].endswith("_FAILED")]
                raise Trouble("\n".join([f"the stack {self.name} is {status}; mend what failed, and deploy again:", *failed]))
            if time.monotonic() > until:
                raise Trouble(f"the stack {self.name} is {status} for half an hour; look at its events")
            time.sleep(self.pause_s)

    def events(self):
        """`{id: event}`, the latest first."""
        try:
            return {event["EventId"]: event for event in self.client.describe_stack_events(StackName=self.name)["StackEvents"]}
        except ClientError:
            return {}

    def outputs(self):
        """`{name: value}`."""
        return {output["OutputKey"]: output["OutputValue"] for output in self.described().get("Outputs", [])}
