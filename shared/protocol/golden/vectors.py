#!/usr/bin/env python3
"""Writes the golden vectors of canonical form v1 and fingerprint scheme v1.

A second implementation in another language, by the same description, so that the vectors are not merely what the
Rust code happens to do. Needs Python 3 and nothing else:  python3 golden/vectors.py
A committed vector never changes: what changes it is a new scheme, in files of its own.
"""

import base64
import hashlib
import json
import pathlib
from decimal import Decimal

HERE = pathlib.Path(__file__).parent
SHORT = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r"}


def string(text):
    return '"' + "".join(SHORT.get(c) or (f"\\u{ord(c):04x}" if c < " " else c) for c in text) + '"'


def number(value):
    """The layout of ECMAScript's Number::toString, for the exact decimal digits."""
    sign, digits, exponent = value.as_tuple()
    digits = "".join(map(str, digits)).lstrip("0")
    stripped = digits.rstrip("0")
    n, k = len(digits) + exponent, len(stripped)
    if not stripped:
        return "0"
    if k <= n <= 21:
        text = stripped + "0" * (n - k)
    elif 0 < n <= 21:
        text = stripped[:n] + "." + stripped[n:]
    elif -6 < n <= 0:
        text = "0." + "0" * -n + stripped
    else:
        text = stripped[0] + ("." + stripped[1:] if k > 1 else "") + f"e{n - 1:+d}"
    return ("-" if sign else "") + text


def canonical(value):
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Decimal):
        return number(value)
    if isinstance(value, str):
        return string(value)
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    names = sorted(value, key=lambda name: name.encode("utf-16-be"))
    return "{" + ",".join(string(name) + ":" + canonical(value[name]) for name in names) + "}"


def exactly(text):
    """Zero whatever its exponent, which Decimal would refuse when it is huge."""
    mantissa = text.lower().split("e")[0]
    return Decimal(text) if mantissa.strip("-0.") else Decimal(0)


def parse(text):
    return json.loads(text, parse_int=exactly, parse_float=exactly)


def sha256(domain, *parts):
    assert all(parts)
    framed = b"".join(len(part).to_bytes(8, "big") + part for part in (domain.encode(), *parts))
    return hashlib.sha256(framed).digest()


def version_part(version):
    return b"\x00" if version is None else b"\x01" + int(version).to_bytes(4, "big")


def fingerprint(kind, operation, policy, version, subject, facts):
    parts = (b"\x01", operation.encode(), policy.encode(), version_part(version), subject.encode(), canonical(facts).encode())
    return sha256(f"decide-once/fingerprint/{kind}", *parts).hex()


# --- canonical form ---------------------------------------------------------------------------------------------------

B0 = '{"policy":"credit-limit","subject":"acct-42","facts":{"amount":12500,"currency":"USD"}}'

ACCEPTED = {
    "c01 a request": B0,
    "c01 the same request in another order, with white space":
        '{ "subject": "acct-42",\n\t"facts" : { "currency" : "USD",\r\n "amount":12500 }, "policy":"credit-limit" }',
    "c01 arrays keep their order": "[2,1]",
    "c02 strings": '["a\\\\b/\\u00e9","\\u0061\\u005Cb\\/é"]',
    "c02 member names": '{"\\u0073ubject":1}',
    "c04 negative zero": "[0,-0,0.0,-0.0,0e5,-0E-5,0.000e+99]",
    "c06 more digits than a double": "[1.5777777777770001,0.1000000000000000055511151231257827021181583404541015625]",
    "c06 zero with a huge exponent": "[0e99999999999999999999,0e-99999999999999999999]",
    "c12 a line end after the value": '{"a":1}\n',
    "c16 beyond the BMP": '{"\\ue000":1,"\\ud83d\\ude00":2}',
    "c16 beyond the BMP, other order": '{"\\ud83d\\ude00":2,"\\ue000":1}',
    "a05 empty values": '[{},[],0,false,"",null]',
    "a07 spellings of one": "[1,1.0,1e0,10e-1,0.1E+1,100e-2]",
    "a07 beside 2^53": "[9007199254740992,9007199254740993,9007199254740992.0]",
    "a07 a number and a string": '[1,"1"]',
    "a07 case and order of names": '{"a":1,"A":2}',
    "where numbers change their layout":
        "[1e20,123456789012345678901,1e21,1234567890123456789012,1e-6,1e-7,0.0000012,0.00000012,123456789012345678901.5]",
    "the bounds of numbers": "[1e308,-1e308,1e-308,-1e-308,9.99e307]",
    "the most digits":
        "[1234567890123456789012345678901234567890123456789012345678901234,"
        "-0.001234567890123456789012345678901234567890123456789012345678901234,"
        "12345678901234567890123456789012345678901234567890123456789012340000]",
    "no Unicode normalisation": '["\\u00e9","e\\u0301","\\ufb01","fi"]',
    "control characters and DEL": '"\\u0000\\u0001\\b\\t\\n\\u000b\\f\\r\\u001f\\u007f\\u0080\\u2028"',
    "empty name": '{"":1,"a":2}',
    "a scalar alone": " true ",
    "RFC 8785 section 3.2.2": '{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],'
        '"string":"\\u20ac$\\u000F\\u000aA\'\\u0042\\u0022\\u005c\\\\\\"\\/","literals":[null,true,false]}',
    "RFC 8785 section 3.2.3": '{"\\u20ac":"Euro Sign","\\r":"Carriage Return","\\ufb33":"Hebrew Letter Dalet With Dagesh",'
        '"1":"One","\\ud83d\\ude00":"Emoji: Grinning Face","\\u0080":"Control","\\u00f6":"Latin Small Letter O With Diaeresis"}',
}

# Name, bytes, and the error's name in Rust.
REFUSED = [
    ("c06 exponent bomb", b"1e1000000000", "NumberTooLarge"),
    ("c06 exponent bomb beyond 64 bits", b"-1e99999999999999999999", "NumberTooLarge"),
    ("c06 not silently zero", b"1e-400", "NumberTooSmall"),
    ("c06 just over the bound", b"1.0000001e308", "NumberTooLarge"),
    ("c06 just under the bound", b"9.99e-309", "NumberTooSmall"),
    ("c06 65 digits", b"12345678901234567890123456789012345678901234567890123456789012345", "TooManyDigits"),
    ("c07 the last would win", b'{"amount":1,"amount":999999}', "DuplicateMember"),
    ("c07 nested", b'{"facts":{"amount":1,"amount":1}}', "DuplicateMember"),
    ("c07 spelled differently", b'{"amount":1,"\\u0061mount":2}', "DuplicateMember"),
    ("c09 not UTF-8", b'"a\xffb"', "NotUtf8"),
    ("c09 overlong", b'"\xc0\xaf"', "NotUtf8"),
    ("c09 a surrogate in UTF-8", b'"\xed\xa0\xbd"', "NotUtf8"),
    ("c11 byte order mark", b"\xef\xbb\xbf" + B0.encode(), "ByteOrderMark"),
    ("c12 junk after the value", B0.encode() + b"}}}} junk", "TrailingData"),
    ("c12 a second value", B0.encode() * 2, "TrailingData"),
    ("c12 NUL after the value", B0.encode() + b"\0", "TrailingData"),
    ("a lone high surrogate", b'"\\ud83d"', "LoneSurrogate"),
    ("a lone low surrogate", b'"\\ude00"', "LoneSurrogate"),
    ("two high surrogates", b'"\\ud83d\\ud83d\\ude00"', "LoneSurrogate"),
    ("a lone surrogate in a name", b'{"\\ud83d\\u0041":1}', "LoneSurrogate"),
    ("65 levels", b"[" * 65 + b"]" * 65, "TooDeep"),
    ("nothing", b"", "Empty"),
    ("white space only", b" \n", "Empty"),
    ("cut off", b'{"a":1', "UnexpectedEnd"),
    ("leading zero", b"[01]", "Unexpected"),
    ("plus sign", b"+1", "Unexpected"),
    ("no digit after the point", b"[1.]", "Unexpected"),
    ("NaN", b"NaN", "Unexpected"),
    ("trailing comma", b"[1,]", "Unexpected"),
    ("single quotes", b"{'a':1}", "Unexpected"),
    ("a comment", b"/**/1", "Unexpected"),
    ("a raw line end in a string", b'"a\nb"', "ControlCharacter"),
    ("an escape that JSON does not have", b'"\\x41"', "BadEscape"),
    ("an escape cut short", b'"\\u00e"', "BadEscape"),
]

# RFC 8785, appendix B: the bits of a double, and its text; null where the magnitude is not within 10^-308 to 10^308.
DOUBLES = [
    ("0000000000000000", "0"), ("8000000000000000", "0"), ("0000000000000001", None), ("7fefffffffffffff", None),
    ("4340000000000000", "9007199254740992"), ("c340000000000000", "-9007199254740992"),
    ("4430000000000000", "295147905179352830000"), ("44b52d02c7e14af5", "9.999999999999997e+22"),
    ("44b52d02c7e14af6", "1e+23"), ("44b52d02c7e14af7", "1.0000000000000001e+23"),
    ("444b1ae4d6e2ef4e", "999999999999999700000"), ("444b1ae4d6e2ef4f", "999999999999999900000"),
    ("444b1ae4d6e2ef50", "1e+21"), ("3eb0c6f7a0b5ed8c", "9.999999999999997e-7"), ("3eb0c6f7a0b5ed8d", "0.000001"),
    ("41b3de4355555553", "333333333.3333332"), ("41b3de4355555554", "333333333.33333325"),
    ("41b3de4355555555", "333333333.3333333"), ("41b3de4355555556", "333333333.3333334"),
    ("41b3de4355555557", "333333333.33333343"), ("becbf647612f3696", "-0.0000033333333333333333"),
    ("43143ff3c1cb0959", "1424953923781206.2"), ("7fffffffffffffff", None), ("7ff0000000000000", None),
]

# --- fingerprints -----------------------------------------------------------------------------------------------------

REQUESTS = {
    "B0": B0,
    "c01 B0 in another order": '{ "facts" : { "currency" : "USD",\n "amount":12500 }, "subject":"acct-42","policy":"credit-limit" }',
    "c02 B0 with escapes": '{"\\u0070olicy":"credit\\u002dlimit","subject":"\\u0061cct-42","facts":{"\\u0061mount":12500,"currency":"\\u0055SD"}}',
    "a07 B0 with another spelling of the amount": B0.replace("12500", "1.25e4"),
    "B0 with a pinned version": B0.replace('"subject"', '"version":3,"subject"'),
    "c13 B0 with a null member": B0.replace('"USD"', '"USD","memo":null'),
    "c04 amount 0": B0.replace("12500", "0"),
    "c04 amount -0.0": B0.replace("12500", "-0.0"),
    "c06 a long amount": B0.replace("12500", "1.5777777777770001"),
    "c16 names beyond the BMP": '{"policy":"p","subject":"s","facts":{"\\ue000":1,"\\ud83d\\ude00":2}}',
    "a05 empty values": '{"policy":"p","subject":"s","facts":{"a":{},"b":[],"c":0,"d":false,"e":"","f":null}}',
    "no facts": '{"policy":"p","version":4294967295,"subject":"s","facts":{}}',
}

SCOPES = [
    ("t-alpha", "decisions", "7b6f0c1e-2f5a-4a57-9f0e-0a4d1c9b6e11"),
    ("t-beta", "decisions", "7b6f0c1e-2f5a-4a57-9f0e-0a4d1c9b6e11"),
    ("t-alpha", "decisions", "a b"),
    ("ab", "c", "d"), ("a", "bc", "d"), ("a", "b", "cd"),
]


def operation_id(tenant, operation, key):
    digest = sha256("decide-once/operation-id", b"v1", tenant.encode(), operation.encode(), key.encode())
    return base64.b32encode(digest).decode().lower().rstrip("=")


def request_vector(name, body):
    request = parse(body)
    policy, version, subject, facts = request["policy"], request.get("version"), request["subject"], request["facts"]
    return {
        "name": name,
        "body": body,
        "exact": fingerprint("exact", "decisions", policy, version, subject, facts),
        # As if the policy's schema changed nothing, under the version pinned or 7.
        "normalised": fingerprint("normalised", "decisions", policy, version or 7, subject, facts),
    }


def write(name, content):
    text = json.dumps(content, indent=1, ensure_ascii=True) + "\n"
    (HERE / name).write_text(text, encoding="ascii")


write("canonical-v1.json", {
    "accepted": [{"name": n, "input": i, "canonical": canonical(parse(i))} for n, i in ACCEPTED.items()],
    "refused": [{"name": n, "inputHex": i.hex(), "error": e} for n, i, e in REFUSED],
    "doubles": [{"bits": bits, "text": text} for bits, text in DOUBLES],
})
write("fingerprint-v1.json", {
    "scheme": 1,
    "operation": "decisions",
    "pinnedWhereAbsent": 7,
    "requests": [request_vector(n, b) for n, b in REQUESTS.items()],
    "operationIds": [
        {"tenant": t, "operation": o, "key": k, "operationId": operation_id(t, o, k)} for t, o, k in SCOPES
    ],
})
