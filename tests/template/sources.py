"""What the Rust sources say: which variables a function reads, which calls the adapters make, how the tables look.

Read as text, by the few patterns that this code base keeps to. A pattern that no longer finds anything is an error, never an empty answer.
"""

import re
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# `"NAME"` as variables are written.
NAME = re.compile(r'"([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*)"')
# What reads a variable (shared/service/src/variables.rs, std::env).
READS = re.compile(r"\b(?:required|optional|millis|env::var)\s*(?:::<[^>]*>)?\(")


def text(path):
    """A file, without the tests at its end."""
    return re.split(r"#\[cfg\(test\)\]\s*mod \w+ \{", (ROOT / path).read_text())[0]


def files(folder):
    """The sources of a crate, without files of tests."""
    found = sorted((ROOT / folder).rglob("*.rs"))
    return [p.relative_to(ROOT) for p in found if p.stem not in ("tests", "contract_table", "golden")]


def body(source, start):
    """The block that begins with the first brace after `start`."""
    begin = source.index("{", start)
    depth = 0
    for at in range(begin, len(source)):
        depth += {"{": 1, "}": -1}.get(source[at], 0)
        if depth == 0:
            return source[begin : at + 1]
    raise ValueError("a block without an end")


@cache
def functions_of(path):
    """`[(type or None, name, body)]` of a file."""
    source = text(path)
    impls = []
    for match in re.finditer(r"^impl(?:<[^{]*?>)? (?:[\w:]+(?:<[^{]*?>)? for )?(\w+)[^{;]*\{", source, re.M):
        block = body(source, match.start())
        impls.append((match.start(), match.start() + len(match.group(0)) + len(block), match.group(1)))
    found = []
    for match in re.finditer(r"\bfn (\w+)[^;{]*?(?=\{)", source):
        owner = next((name for begin, end, name in impls if begin < match.start() < end), None)
        found.append((owner, match.group(1), body(source, match.end())))
    return found


@cache
def readers():
    """Functions of the shared crates by how they are called: `Type::from_env` or `name`."""
    known = {}
    for crate in ("service", "sinks", "aws", "dynamodb", "lambda"):
        for path in files(f"shared/{crate}/src"):
            for owner, name, block in functions_of(path):
                if name.endswith("from_env") or READS.search(block):
                    known[f"{owner}::{name}" if owner else name] = block
    # What is handed a name is no reader of its own.
    for generic in ("required", "optional", "millis", "environment"):
        known.pop(generic, None)
    return known


def variables(function):
    """`(read, required)`: the variables that a function reads, and those without which it does not start."""
    blocks, todo, seen = [], [], set()
    for path in files(f"functions/{function}/src"):
        todo += [block for _, _, block in functions_of(path)]
        # A function's own readers are in its config.rs, also those to which a name is handed on.
        if path.name == "config.rs":
            blocks += [block for _, _, block in functions_of(path)]
    own = len(blocks)
    while todo:
        block = todo.pop()
        blocks.append(block)
        for name in re.findall(r"\b((?:\w+::)?\w+)\(", block):
            if name in readers() and name not in seen:
                seen.add(name)
                todo.append(readers()[name])
    blocks = blocks[:own] + [block for block in blocks[own:] if READS.search(block)]
    read = {name for block in blocks for name in NAME.findall(block)}
    required = {name for block in blocks for name in re.findall(r'\brequired(?:::<\w+>)?\(\s*"([A-Z_]+)"', block)}
    if not required:
        raise ValueError(f"functions/{function} needs no variable; has the way in which they are read changed?")
    return read, required


def metrics():
    """`{name: variant}` of what log lines measure (shared/service/src/metrics.rs)."""
    found = {name: variant for variant, name in re.findall(r'^    (\w+) = "(\w+)" in \w+,$', text("shared/service/src/metrics.rs"), re.M)}
    if not found:
        raise ValueError("shared/service/src/metrics.rs has no metrics that can be read")
    return found


def alarms(folders):
    """The words of the log lines that an operator is to be told of."""
    return {word for folder in folders for path in files(folder) for word in re.findall(r'\balarm = "([\w-]+)"', text(path))}


def calls(path, of=None):
    """`{method: (calls of an SDK client, tables, indexes)}` of an adapter's file, helpers of the same file included."""
    found = {}
    for owner, name, block in functions_of(path):
        if of and owner != of:
            continue
        # What a client is made of is no call.
        made = set(re.findall(r"\bclient\s*\.(\w+)\(\)", block)) - {"into"}
        tables = set(re.findall(r"&self\.tables\.(\w+)", block))
        # An adapter of one table only.
        tables |= {"table"} & set(re.findall(r"&self\.(table)\b", block))
        indexes = set(re.findall(r"\.index_name\((\w+)\)", block))
        helpers = set(re.findall(r"\bself\.(\w+)\(", block))
        found[name] = (made, tables, indexes, helpers)
    for name, (made, tables, indexes, helpers) in found.items():
        for helper in helpers & found.keys():
            for own, others in zip((made, tables, indexes), found[helper]):
                own |= others
    return {name: entry[:3] for name, entry in found.items() if any(entry[:3])}


def builders(path):
    """The actions of the items that a file makes for a transaction."""
    kinds = {"Put": "PutItem", "Update": "UpdateItem", "Delete": "DeleteItem", "ConditionCheck": "ConditionCheckItem"}
    return {kinds[kind] for kind in re.findall(r"\b(Put|Update|Delete|ConditionCheck)::builder\(\)", text(path))}


def transaction():
    """`{(table, action)}` of the one transaction (shared/dynamodb/src/expressions/commit.rs)."""
    items = set()
    for _, name, block in functions_of("shared/dynamodb/src/expressions/commit.rs"):
        items |= {(table, "PutItem") for table in re.findall(r"\bput\(\s*&tables\.(\w+)", block)}
        for table in re.findall(r"\.table_name\(&tables\.(\w+)\)", block):
            for kind, action in (("Put", "PutItem"), ("Update", "UpdateItem"), ("Delete", "DeleteItem"), ("ConditionCheck", "ConditionCheckItem")):
                if re.search(rf"\b{kind}::builder\(\)", block):
                    items.add((table, action))
    if len(items) < 3:
        raise ValueError("the transaction's items cannot be read from commit.rs")
    return items


def constant(name, folder):
    """The text or number of a constant, wherever in `folder` it is."""
    for path in files(folder):
        match = re.search(rf"\bconst {name}: [^=]+= (?:r#)?\"?([^\";#]+|\{{.*?\}})\"?#?;", text(path))
        if match:
            return match.group(1)
    raise ValueError(f"there is no constant {name} in {folder}")


def raw_constant(name, path):
    """The text of a constant that is written as `r#"…"#`."""
    match = re.search(rf'const {name}: &str = r#"(.*?)"#;', text(path))
    if not match:
        raise ValueError(f"there is no constant {name} in {path}")
    return match.group(1)


def seconds(name, path):
    """The seconds of a `Duration` constant."""
    match = re.search(rf"const {name}: Duration = Duration::from_secs\((\d+)\);", text(path))
    if not match:
        raise ValueError(f"there is no constant {name} in {path}")
    return int(match.group(1))


def tables():
    """`{name: (key, {attribute: type}, {index: (pk, sk)}, has a stream)}` as the local engine has them."""
    path = "localstack/src/engine/tables.rs"
    source = text(path)
    wrappers = {}
    for _, name, block in functions_of(path):
        if name.startswith("with_"):
            attributes = {n: "S" for n in re.findall(r'string\("(\w+)"\)', block)}
            attributes |= dict(re.findall(r'"AttributeName": "(\w+)", "AttributeType": "(\w)"', block))
            indexes = {constant(i, "localstack/src/engine"): (pk, sk) for i, pk, sk in re.findall(r'index\((\w+), "(\w+)", "(\w+)"\)', block)}
            wrappers[name] = (attributes, indexes, "StreamSpecification" in block)
    found = {}
    for before, name, key in re.findall(r'^\s*((?:with_\w+\()*)table\(&names\.(\w+), "(\w+)"\)', source, re.M):
        attributes, indexes, stream = {key: "S"}, {}, False
        for wrapper in re.findall(r"with_\w+", before):
            more, own, streams = wrappers[wrapper]
            attributes, indexes, stream = attributes | more, indexes | own, stream or streams
        found[name] = (key, attributes, indexes, stream)
    if not found:
        raise ValueError(f"{path} has no tables that can be read")
    return found
