"""The HTTP API: never open, throttled, and silent about its callers."""

import re

import sources
from stack import of_type, target

# What an access log may name: nothing that a caller chose, nothing that says who it is.
LOGGED = {"requestId", "routeKey", "status", "responseLength", "responseLatency", "integrationLatency", "error.responseType"}


def _open():
    found = re.search(r"const OPEN: \[&str; \d+\] = \[([^\]]*)\]", sources.text("localstack/src/front/authorizer.rs"))
    return {f"GET {path}" for path in re.findall(r'"([^"]+)"', found.group(1))}


def authorised(template, resources, given):
    """Every route asks who calls, but those that the local front has open; the function takes the tenant from there."""
    said = []
    routes = {r["RouteKey"]: r for r in of_type(resources, "AWS::ApiGatewayV2::Route").values()}
    authorizers = of_type(resources, "AWS::ApiGatewayV2::Authorizer")
    wanted = "JWT" if given.get("JwtIssuer") else "AWS_IAM"
    said += [f"there is no route {key}" for key in sorted({"$default", "POST /v1/decisions"} | _open() - routes.keys()) if key not in routes]
    for key, route in routes.items():
        kind = route.get("AuthorizationType", "NONE")
        if key in _open():
            continue
        if kind != wanted:
            said.append(f"the route {key} is {kind}, not {wanted}: whoever finds it may call it")
        if kind == "JWT" and target(route.get("AuthorizerId")) not in authorizers:
            said.append(f"the route {key} names no authorizer")
    for name, authorizer in authorizers.items():
        jwt = authorizer.get("JwtConfiguration", {})
        if not (jwt.get("Issuer", "").startswith("https://") and any(jwt.get("Audience", []))):
            said.append(f"{name} takes tokens of any issuer or audience")
    decide = resources["Decide"]["Properties"]["Environment"]["Variables"]
    if decide.get("TENANT_FROM") != ("claim" if wanted == "JWT" else "iam"):
        said.append("Decide looks for the tenant where this authorizer does not put it")
    for name, integration in of_type(resources, "AWS::ApiGatewayV2::Integration").items():
        if integration.get("PayloadFormatVersion") != "2.0":
            said.append(f"{name} has another event than the function's fixtures")
    return said


def throttled(template, resources, given):
    """There is one stage, $default, whose name is not in the path; it has limits."""
    stages = list(of_type(resources, "AWS::ApiGatewayV2::Stage").values())
    if [stage.get("StageName") for stage in stages] != ["$default"]:
        return ["the API needs the stage $default: another one's name is in every path"]
    said = []
    settings = {"by default": stages[0].get("DefaultRouteSettings", {})} | stages[0].get("RouteSettings", {})
    for key, limits in settings.items():
        if not (float(limits.get("ThrottlingRateLimit", 0)) > 0 and float(limits.get("ThrottlingBurstLimit", 0)) > 0):
            said.append(f"the API is not throttled {key}")
    said += [f"the open route {key} has no limit of its own" for key in sorted(_open() - settings.keys())]
    return said


def access_logs(template, resources, given):
    """There are access logs, and they name nobody."""
    said = []
    for name, stage in of_type(resources, "AWS::ApiGatewayV2::Stage").items():
        form = stage.get("AccessLogSettings", {}).get("Format")
        if not form:
            said.append(f"{name} has no access logs")
            continue
        named = set(re.findall(r"\$context\.([\w.]+)", form))
        said += [f"the access log names {field}, which is the caller's" for field in sorted(named - LOGGED)]
    return said
