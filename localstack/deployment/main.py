"""Deploys template.yaml to LocalStack, to the emulator without containers, or to AWS: build, package, expand, make or update, say where it is."""

import argparse
import json
import os
import sys
import urllib.error
import urllib.request
from pathlib import Path

import boto3
import bootstraps
from artefacts import Bucket, files
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError, EndpointConnectionError, NoCredentialsError, PartialCredentialsError, ProfileNotFound
from sam import expand, load
from stack import Stack
from trouble import Trouble

# Engines do not unpack layers (differences.md), so that there the policies are in each function's archive, from where functions run.
POLICIES_BESIDE = "policies"


def arguments():
    parser = argparse.ArgumentParser(prog="localstack/deploy", description=__doc__, epilog="AWS_ENDPOINT_URL says where; AWS_REGION and credentials as for any AWS tool.")
    parser.add_argument("--stack", default="decide-once", help="its name (decide-once)")
    parser.add_argument("--bucket", default=os.environ.get("ARTEFACTS_BUCKET"), help="where artefacts are put; also ARTEFACTS_BUCKET. On an engine one is made")
    parser.add_argument("--profile", help="cargo's; `release-check`, which is built quickly, for an engine, and `release` for AWS")
    parser.add_argument("--built", type=Path, metavar="DIR", help="a directory with NAME/bootstrap, as `cargo lambda build` leaves it, in place of a build")
    parser.add_argument("parameters", nargs="*", metavar="Parameter=value", help="of template.yaml; what is not named stays as it was")
    return parser.parse_args()


def given(pairs, known):
    """The parameters of the command line."""
    values = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals and name in known:
            raise Trouble(f"{name} has no value; write {name}=value")
        if name not in known:
            raise Trouble(f"{pair} is no parameter of template.yaml; write Parameter=value, with one of {', '.join(sorted(known))}")
        # CloudFormation's numbers may have fractions; no function starts with one.
        if known[name]["Type"] == "Number" and not value.isdecimal():
            raise Trouble(f"{name} is a whole number, and {value!r} is none; write {name}={known[name]['Default']}")
        values[name] = value
    return values


def engine(endpoint):
    """Whose endpoint it is: `aws`, `localstack` or `emulator`."""
    if not endpoint:
        return "aws"
    for name, path in (("emulator", "_ministack/health"), ("localstack", "_localstack/health")):
        try:
            urllib.request.urlopen(f"{endpoint.rstrip('/')}/{path}", timeout=5).close()
            return name
        except urllib.error.HTTPError:
            continue
        except (OSError, ValueError):
            break
    raise Trouble(f"nothing that is known answers at AWS_ENDPOINT_URL={endpoint}; start localstack/emulator or localstack/compose.yaml, or unset it to deploy to AWS")


def session(endpoint):
    """With a region, and credentials that are there."""
    region = os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION")
    try:
        found = boto3.session.Session(region_name=region)
        if not found.region_name:
            raise Trouble("there is no region; set AWS_REGION, as AWS_REGION=eu-central-1")
        if found.get_credentials() is None:
            raise NoCredentialsError
    except (NoCredentialsError, PartialCredentialsError):
        hint = "for an engine AWS_ACCESS_KEY_ID=test AWS_SECRET_ACCESS_KEY=test" if endpoint else "set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
        raise Trouble(f"there are no credentials; {hint}") from None
    # The transform asks for it.
    os.environ["AWS_DEFAULT_REGION"] = found.region_name
    return found


def deploy(options):
    """All of it. `(engine, what was done, outputs)`."""
    template = load()
    parameters = given(options.parameters, template["Parameters"])
    endpoint = os.environ.get("AWS_ENDPOINT_URL")
    where = engine(endpoint)
    aws = session(endpoint)
    local = where != "aws"
    if not options.bucket and not local:
        raise Trouble("there is no bucket for the artefacts; pass --bucket NAME, or set ARTEFACTS_BUCKET")

    bucket = Bucket(aws.client("s3", config=Config(s3={"addressing_style": "path"})), options.bucket or "decide-once-artefacts", level=1 if local else 9)
    bucket.there(make=local)

    binaries = bootstraps.names(template)
    paths = bootstraps.built(binaries.values(), options.built) if options.built else bootstraps.build(binaries.values(), options.profile or ("release-check" if local else "release"))
    programs = {name: Path(path).read_bytes() for name, path in paths.items()}
    architecture = bootstraps.architecture(programs, on_this_machine=where == "emulator")
    if parameters.setdefault("Architecture", architecture) != architecture:
        raise Trouble(f"the programs are of {architecture}; leave Architecture out, or pass --built with a directory of others")
    if local:
        parameters = {"MathAlarms": "false", "PoliciesDir": POLICIES_BESIDE, "DeletionProtection": "false"} | parameters

    def artefact(path):
        """Packages what a local path of the template stands for."""
        if path not in binaries:
            return bucket.uri(bucket.archived(path, files(path)))
        policies = {f"{POLICIES_BESIDE}/{name}": content for name, content in files("policies").items()} if local else {}
        name = binaries[path]
        return bucket.uri(bucket.archived(name, {"bootstrap": programs[name]} | policies))

    expanded = json.dumps(expand(template, artefact)).encode()
    stack = Stack(aws.client("cloudformation"), options.stack, pause_s=0.2 if where == "emulator" else 3)
    done = stack.deploy(bucket.url(bucket.template(expanded)), template["Parameters"], parameters)
    return where, done, stack.outputs()


def main():
    options = arguments()
    try:
        where, done, outputs = deploy(options)
    except Trouble as trouble:
        text = str(trouble)
    except EndpointConnectionError as error:
        text = f"{error}; is AWS_REGION right, and is there a network?"
    except ProfileNotFound as error:
        text = f"{error}; set AWS_PROFILE to one that there is"
    except ClientError as error:
        text = f"{error}; a refusal of rights or of a token is about the credentials in use, everything else about the template or the parameters"
    except BotoCoreError as error:
        text = f"{error}"
    else:
        print(f"the stack {options.stack} is {done} ({where})")
        for name, value in outputs.items():
            print(f"{name} {value}")
        return 0
    print(f"localstack/deploy: {text}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
