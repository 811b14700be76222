//! One line for each request, when it is over: ids, outcome and effort; never the key, facts, outcome or token, nor anything else that a caller may have chosen.

use std::time::Instant;

use decide_once_protocol::ids::DecisionId;
use decide_once_protocol::key::IdempotencyKey;
use decide_once_protocol::scope::{OperationId, Tenant};
use decide_once_protocol::trace::TraceParent;
use decide_once_service::Effort;
use decide_once_service::metrics::{Meter, Metric};
use decide_once_service::problem::Problem;
use decide_once_service::reply::{Outcome, Reply};
use lambda_http::request::RequestContext;
use lambda_http::{Request, RequestExt as _};

/// What the line will say. It is written when this is dropped, so that a request whose handler panics has its line as well.
#[derive(Debug)]
pub(crate) struct Line {
    begun: Instant,
    /// The API's id of the request, as its caller has it.
    request: Option<String>,
    /// Lambda's, as its own lines have it.
    invocation: Option<String>,
    /// The trace that the request came in, or that began with it.
    trace: Option<TraceParent>,
    resource: Option<&'static str>,
    /// `interrupted` until there is an answer.
    outcome: &'static str,
    /// What it counts as, once there is an answer.
    ended: Option<Metric>,
    status: Option<u16>,
    tenant: Option<String>,
    key: Option<String>,
    operation: Option<OperationId>,
    decision: Option<DecisionId>,
    attempt: Option<u32>,
    cached: Option<bool>,
    effort: Effort,
}

impl Line {
    pub(crate) fn begin(request: &Request) -> Self {
        Self {
            begun: Instant::now(),
            request: request.request_context_ref().and_then(gateways_id),
            invocation: request
                .lambda_context_ref()
                .map(|context| context.request_id.clone()),
            trace: None,
            resource: None,
            outcome: "interrupted",
            ended: None,
            status: None,
            tenant: None,
            key: None,
            operation: None,
            decision: None,
            attempt: None,
            cached: None,
            effort: Effort::default(),
        }
    }

    /// What was asked for, as the API's description names it.
    pub(crate) const fn of_resource(&mut self, template: &'static str) {
        self.resource = Some(template);
    }

    /// In which trace.
    pub(crate) const fn of_trace(&mut self, trace: Option<TraceParent>) {
        self.trace = trace;
    }

    /// Who asks.
    pub(crate) fn of_tenant(&mut self, tenant: &Tenant) {
        self.tenant = Some(tenant.log_hash());
    }

    /// Under which key.
    pub(crate) fn of_key(&mut self, key: &IdempotencyKey) {
        self.key = Some(key.log_hash());
    }

    /// A decision was asked for, with this end.
    pub(crate) fn decided(&mut self, outcome: &Outcome) {
        self.operation = Some(outcome.operation.clone());
        self.attempt = outcome.attempt;
        self.effort = outcome.effort;
        self.cached = outcome.recalled.then_some(true);
        match &outcome.reply {
            Reply::Decided {
                decision, replayed, ..
            } => {
                self.outcome = match (replayed, outcome.recalled) {
                    (true, true) => "replay-cached",
                    (true, false) => "replayed",
                    (false, _) => "decided",
                };
                self.decision = Some(decision.clone());
            }
            Reply::InProgress { accepted, .. } => {
                self.outcome = if *accepted { "queued" } else { "in-progress" };
            }
            Reply::Problem(problem) => self.refused(problem),
        }
        self.ended = Some(outcome.metric());
    }

    /// Reads: one call to the store.
    pub(crate) async fn reading<T>(&mut self, read: impl Future<Output = T>) -> T {
        self.effort.ask(read).await
    }

    /// The operation that was read. Not one that was asked for in vain: that is whatever the caller made up.
    pub(crate) fn of_operation(&mut self, operation: &OperationId) {
        self.operation = Some(operation.clone());
    }

    /// The decision that was read.
    pub(crate) fn of_decision(&mut self, decision: &DecisionId) {
        self.decision = Some(decision.clone());
    }

    /// The answer is a problem.
    pub(crate) fn refused(&mut self, problem: &Problem) {
        self.outcome = problem.kind.code();
        self.ended = Some(problem.metric());
        self.decision = problem.decision.clone();
        if let Some(operation) = &problem.operation {
            self.operation = Some(operation.clone());
        }
    }

    /// There is an answer; without anything more special it is that what was asked for was read.
    pub(crate) fn answered(&mut self, status: u16) {
        self.status = Some(status);
        if self.outcome == "interrupted" {
            self.outcome = "read";
            self.ended = Some(Metric::Read);
        }
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        let ended = self.ended.into_iter();
        let ended = ended.fold(Meter::default(), |meter, metric| meter.count(metric, 1));
        let metrics = ended.with(self.effort.meter(self.begun.elapsed()));
        tracing::info!(
            outcome = self.outcome,
            resource = self.resource,
            status = self.status,
            operation = self.operation.as_ref().map(tracing::field::display),
            decision = self.decision.as_ref().map(tracing::field::display),
            tenant = self.tenant,
            key = self.key,
            attempt = self.attempt,
            trace = self.trace.map(|trace| trace.id()),
            cached = self.cached,
            %metrics,
            request = self.request,
            invocation = self.invocation,
            "request"
        );
    }
}

/// A REST API takes its `requestId` from the caller, if there is one
/// (<https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-variables-for-access-logging.html>).
fn gateways_id(context: &RequestContext) -> Option<String> {
    match context {
        RequestContext::ApiGatewayV2(context) => context.request_id.clone(),
        _ => None,
    }
}
