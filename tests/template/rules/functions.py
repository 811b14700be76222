"""Functions: all are there, with exactly the variables that their code reads, and within their limits."""

import re

import sources
from stack import DEPLOYMENTS, crates, of_type, resolve, target

# Variables that nobody sets, and why.
LEFT_OUT = {
    "SINK_BROKERS": "kafka is outside the default build",
    "SINK_TOPIC": "kafka is outside the default build",
    "CA_BUNDLE": "a constant: AWS_CA_BUNDLE is for other endpoints than AWS's",
    "DECIDE_ONCE_LOCAL_CLOCK": "only in builds with the feature local",
    "DECIDE_ONCE_LOCAL_CLOCK_AHEAD_MS": "only in builds with the feature local",
}
# Read where logging begins, in every function: shared/service/src/logging.rs, metrics/emf.rs.
OF_LIBRARIES = {"RUST_LOG", "METRICS_NAMESPACE"}
# The variable that a kind of sink does not start without.
OF_SINKS = {"eventbridge": "SINK_EVENT_BUS", "sqs": "SINK_QUEUE_URL", "sns": "SINK_TOPIC_ARN", "http": "SINK_URL"}
# Functions whose timeout the local stack has a constant for.
LOCAL = {"evaluate", "publish", "sweep"}
# Parameters that may be any text: none is asked for, or it is somebody else's name.
MAY_BE_ANYTHING = {"WriteScope", "ReadScope"}
# API Gateway waits no longer for an integration (HTTP APIs).
GATEWAY_SECONDS = 30


def every_crate_is_deployed(template):
    """Each crate under functions/ is a function, built of its own binary."""
    said = []
    built = crates(template)
    for crate in sorted({p.parent.name for p in (sources.ROOT / "functions").glob("*/Cargo.toml")} - set(built.values())):
        said.append(f"functions/{crate} is not deployed: give it a function")
    for name, crate in built.items():
        resource = template["Resources"][name]
        if resource.get("Metadata") != {"BuildMethod": "rust-cargolambda", "BuildProperties": {"Binary": crate}}:
            said.append(f"{name} is not built by rust-cargolambda of the binary {crate}")
    return said


def sinks_by_themselves(template):
    """`sam build` builds each function alone, where no other one's features help: who sends has every kind of sink that may be chosen."""
    said = []
    kinds = set(template["Parameters"]["Sink"]["AllowedValues"]) - {"http"}
    for name, crate in crates(template).items():
        manifest = (sources.ROOT / "functions" / crate / "Cargo.toml").read_text()
        if "decide-once-sinks.workspace" in manifest:
            default = "".join(re.findall(r"^default = (.*)$", manifest, re.M))
            missing = {kind for kind in kinds if f'"{kind}"' not in default or f'{kind} = ["decide-once-sinks/{kind}"]' not in manifest}
            said += [f"{name}, built by itself, cannot send to {kind}: make it a default feature of functions/{crate}" for kind in sorted(missing)]
    return said


def page(template):
    """docs/variables.md has each variable that the code reads, of the functions that read it, and whether they start without."""
    rows = re.findall(r"^\| `(\w+)` \| ([\w, ]+) \| ([^|]+) \| [^|]+ \|$", (sources.ROOT / "docs/variables.md").read_text(), re.M)
    known = {crate: sources.variables(crate) for crate in crates(template).values()}
    said = []
    for name, functions, default in rows:
        readers = {crate for crate, (read, _) in known.items() if name in read} or (set(known) if name in OF_LIBRARIES else set())
        listed = set(known) if functions == "all" else set(functions.split(", "))
        if readers != listed:
            said.append(f"docs/variables.md: {name} is read by {sorted(readers)}, not by {sorted(listed)}")
        if any(name in needed for _, needed in known.values()) != default.startswith("needed"):
            said.append(f"docs/variables.md: {name} is {default}, and the code has it otherwise")
    every = set().union(*(read for read, _ in known.values())) | OF_LIBRARIES
    of_builds = {name for name in LEFT_OUT if name.startswith("DECIDE_ONCE_LOCAL") or name == "CA_BUNDLE"}
    said += [f"docs/variables.md lacks {name}" for name in sorted(every - {name for name, _, _ in rows} - of_builds)]
    return said


def _set(resources, name):
    return resources[name]["Properties"].get("Environment", {}).get("Variables", {})


def variables(template):
    """Every variable that the code reads is set for the function that reads it, in some deployment, and the reverse."""
    said = []
    deployments = [resolve(template, given) for given in DEPLOYMENTS.values()]
    for name, crate in crates(template).items():
        read = sources.variables(crate)[0] - LEFT_OUT.keys() | OF_LIBRARIES
        given = {variable for resources in deployments for variable in _set(resources, name)}
        said += [f"{name} is not given {variable}, which its code reads" for variable in sorted(read - given)]
        said += [f"{name} is given {variable}, which its code does not read" for variable in sorted(given - read)]
    return said


def needed_variables(template, resources, given):
    """What a function does not start without is there; a table's variable names that table."""
    said = []
    for name, crate in crates(template).items():
        have = _set(resources, name)
        needed = {v for v in sources.variables(crate)[1] if v not in OF_SINKS.values() and v not in LEFT_OUT}
        if any(v.startswith("SINK_B") for v in have):
            needed.add(OF_SINKS[given.get("Sink", template["Parameters"]["Sink"]["Default"])])
        said += [f"{name} does not start without {variable}" for variable in sorted(needed - have.keys())]
        if "HOME_REGION" not in have:
            said.append(f"{name} may write in any region (case D11)")
        for variable, value in have.items():
            table = variable.removesuffix("_TABLE")
            if table != variable and target(value) != table.capitalize():
                said.append(f"{name}: {variable} does not name {table.capitalize()}")
    return said


def parameters(template):
    """What a function would not start with is refused before anything is changed: each number has a least value, and each text that has to be something says so."""
    said = [f"{name} may be any number" for name, p in template["Parameters"].items() if p["Type"] == "Number" and not p.keys() & {"AllowedValues", "MinValue"}]
    of_forms = {name: p for name, p in template["Parameters"].items() if p["Type"] == "String" and p.get("Default") and not p.keys() & {"AllowedValues", "AllowedPattern", "MinLength"}}
    return said + [f"{name} may be empty, or anything" for name in of_forms if name not in MAY_BE_ANYTHING]


def limits(template, resources, given):
    """Timeouts as the local stack has them; the gateway's is longer than its function's; processors and runtime."""
    said = []
    functions = of_type(resources, "AWS::Lambda::Function")
    for name, crate in crates(template).items():
        function = functions[name]
        if function.get("Runtime") != "provided.al2023":
            said.append(f"{name} does not run on provided.al2023")
        if crate == "decide":
            if function["Timeout"] >= GATEWAY_SECONDS:
                said.append(f"{name} may take longer than the gateway waits")
        elif crate in LOCAL:
            local = sources.seconds(f"{crate.upper()}_TIMEOUT", "localstack/src/stack/functions.rs")
            if function["Timeout"] != local:
                said.append(f"{name} has a timeout of {function['Timeout']} s, {local} s in the local stack")
    for name, function in functions.items():
        if crates(template).get(name) == "sweep" and function.get("ReservedConcurrentExecutions") != 1:
            said.append(f"{name} may run twice at once")
    return said


def logs(template, resources, given):
    """Each function has a log group of its own, and no log group keeps for ever."""
    said = []
    groups = of_type(resources, "AWS::Logs::LogGroup")
    said += [f"{name} keeps its lines for ever" for name, group in groups.items() if not group.get("RetentionInDays")]
    used = [target(f.get("LoggingConfig", {}).get("LogGroup")) for f in of_type(resources, "AWS::Lambda::Function").values()]
    if None in used or len(set(used)) != len(used):
        said.append("a function has no log group of its own")
    return said
