"""Tables: the local engine's, kept, guarded, and spread over partitions (case D12)."""

import re

import sources
from stack import of_type

TTL = "TTL_ATTRIBUTE"


def _shape(table):
    keys = {k["KeyType"]: k["AttributeName"] for k in table["KeySchema"]}
    attributes = {a["AttributeName"]: a["AttributeType"] for a in table["AttributeDefinitions"]}
    indexes = {}
    for index in table.get("GlobalSecondaryIndexes", []):
        of = {k["KeyType"]: k["AttributeName"] for k in index["KeySchema"]}
        indexes[index["IndexName"]] = (of.get("HASH"), of.get("RANGE"))
    return keys.get("HASH") if len(keys) == 1 else keys, attributes, indexes, "StreamSpecification" in table


def as_the_engine_has_them(template, resources, given):
    """Keys, indexes, streams and TTL are those of localstack/src/engine/tables.rs, on which every test runs."""
    said = []
    ours = of_type(resources, "AWS::DynamoDB::Table")
    theirs = {name.capitalize(): table for name, table in sources.tables().items()}
    said += [f"the engine has a table {name}, the template has none" for name in sorted(theirs.keys() - ours.keys())]
    said += [f"the template has a table {name}, the engine has none" for name in sorted(ours.keys() - theirs.keys())]
    ttl = sources.constant(TTL, "localstack/src/engine")
    for name in sorted(theirs.keys() & ours.keys()):
        if _shape(ours[name]) != theirs[name]:
            said.append(f"{name} is {_shape(ours[name])} here and {theirs[name]} in the engine")
        if ours[name].get("TimeToLiveSpecification") != {"AttributeName": ttl, "Enabled": True}:
            said.append(f"{name} does not expire by {ttl}")
        if any(i["Projection"] != {"ProjectionType": "KEYS_ONLY"} for i in ours[name].get("GlobalSecondaryIndexes", [])):
            said.append(f"{name} copies more than keys into an index")
    return said


def kept_and_guarded(template, resources, given):
    """On demand, in one region, restorable, encrypted, and not deleted by accident."""
    said = []
    for name, resource in resources.items():
        if resource["Type"] == "AWS::DynamoDB::GlobalTable":
            said.append(f"{name} is a global table: two regions both win (case D11)")
        if resource["Type"] != "AWS::DynamoDB::Table":
            continue
        table = resource["Properties"]
        wanted = {
            "BillingMode": "PAY_PER_REQUEST",
            "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": True},
            "SSESpecification": {"SSEEnabled": True},
        }
        said += [f"{name}: {p} is {table.get(p)}, not {v}" for p, v in wanted.items() if table.get(p) != v]
        if str(table.get("DeletionProtectionEnabled")) not in ("true", "True"):
            said.append(f"{name} is not protected from deletion")
        if resource.get("DeletionPolicy") != "Retain" or resource.get("UpdateReplacePolicy") != "Retain":
            said.append(f"{name} goes with its stack")
    return said


def spread(template, resources, given):
    """No index has one partition: each partition key is a hash modulo several, computed by the code that writes it."""
    said = []
    writes = "\n".join(sources.text(p) for p in sources.files("shared/dynamodb/src/items"))
    protocol = "\n".join(sources.text(p) for p in sources.files("shared/protocol/src"))
    for function, shards in (("shard_of", "SHARDS"), ("lane", "LANES")):
        if not re.search(rf"fn {function}\([^)]*\) -> u8 \{{\s*Sha256::digest\([^;{{}}]*\)\[0\] % {shards}\s*\}}", protocol):
            said.append(f"protocol: {function} is not a hash modulo {shards}")
        if int(sources.constant(shards, "shared/protocol/src")) < 2:
            said.append(f"protocol: {shards} is less than two: one partition takes everything")
        if f"Laps::of({shards})" not in sources.text("shared/service/src/sweep/mod.rs"):
            said.append(f"sweep: not all of {shards} are visited")
    for name, table in of_type(resources, "AWS::DynamoDB::Table").items():
        for index in table.get("GlobalSecondaryIndexes", []):
            partition = next(k["AttributeName"] for k in index["KeySchema"] if k["KeyType"] == "HASH")
            constant = re.search(rf'const (\w+): &str = "{partition}";', writes)
            # The value of the attribute where an item is made: of the lane or the shard.
            made = constant and re.search(rf"\(\s*{constant.group(1)},\s*(?:text\(lane\.to_string\(\)\)|shard\(\))\s*\)", writes)
            if not made:
                said.append(f"{name}: the partition key {partition} of {index['IndexName']} is not known to be spread")
    return said
