"""Rules that CloudFormation and cfn-lint do not know, each a function from what is deployed to a list of complaints."""

from . import api, costs, functions, permissions, observed, streams, tables

# Of the template as it is written.
OF_TEMPLATE = [functions.every_crate_is_deployed, functions.sinks_by_themselves, functions.variables, functions.parameters, functions.page, observed.metrics, observed.alarms, permissions.uses, costs.sums]
# Of the resources of each deployment.
OF_DEPLOYMENT = [
    functions.needed_variables,
    functions.limits,
    functions.logs,
    permissions.grants,
    streams.mappings,
    streams.queues,
    streams.schedule,
    tables.as_the_engine_has_them,
    tables.kept_and_guarded,
    tables.spread,
    api.authorised,
    api.throttled,
    api.access_logs,
]
