//! A request from its route to its answer.

use std::time::{Duration, SystemTime};

use decide_once_lambda::trace;
use decide_once_protocol::ids::DecisionId;
use decide_once_protocol::request::{PolicyId, PolicyVersion};
use decide_once_protocol::scope::{OperationId, OperationName, Scope, Tenant};
use decide_once_protocol::trace::TraceParent;
use decide_once_service::ports::{Clock, Ids, Mismatches, Store};
use decide_once_service::problem::{Kind, Problem};
use decide_once_service::profile::Profile;
use decide_once_service::{Budget, Call, Decider, Respond, policies, status};
use lambda_http::{Body, Error, Request, RequestExt as _, Response};

use crate::caller::{Access, Authority};
use crate::log::Line;
use crate::path::Resource;
use crate::{answer, body, prefer};

/// The name of the one operation of this endpoint: a part of every operation id.
const OPERATION: &str = decide_once_protocol::scope::DECIDE;

/// The function with all that it needs.
#[derive(Debug)]
pub struct App<S, C, I> {
    /// What decides, with its store, clock and policies.
    pub decider: Decider<S, C, I>,
    /// Who may call.
    pub authority: Authority,
    /// How answers are told.
    pub profile: Profile,
}

impl<S: Store + Mismatches, C: Clock, I: Ids> App<S, C, I> {
    /// Answers a request, and logs what came of it.
    pub(crate) async fn handle(&self, request: Request) -> Result<Response<Body>, Error> {
        let mut line = Line::begin(&request);
        line.of_trace(trace(&request));
        let answer = match self.answer(&request, &mut line).await {
            Ok(answer) => answer?,
            Err(problem) => {
                line.refused(&problem);
                answer::problem(&problem, self.profile)?
            }
        };
        line.answered(answer.status().as_u16());
        Ok(answer)
    }

    /// Refusals come in this order: route, method, query, caller, key, body; none of them stores anything.
    async fn answer(&self, request: &Request, line: &mut Line) -> Answered {
        let Some(resource) = Resource::parse(request.raw_http_path()) else {
            let detail = "there is no such resource; see POST /v1/decisions";
            return Err(Box::new(Problem::new(Kind::RouteUnknown, detail)));
        };
        line.of_resource(resource.template());
        if !resource.has(request.method()) {
            let detail = format!("this resource takes {}", resource.methods());
            let problem = Problem::new(Kind::MethodNotAllowed, detail);
            line.refused(&problem);
            return Ok(answer::not_allowed(
                &problem,
                resource.methods(),
                self.profile,
            ));
        }
        if request.uri().query().is_some_and(|query| !query.is_empty()) {
            let detail = "this resource takes no query string; put what you mean into the body";
            return Err(Box::new(Problem::new(Kind::QueryInvalid, detail)));
        }
        match resource {
            Resource::OpenApi => Ok(answer::openapi()),
            Resource::Health => Ok(answer::health()),
            Resource::Decisions => self.post_decision(request, line).await,
            Resource::Decision(id) => self.get_decision(request, id, line).await,
            Resource::Operation(id) => self.get_operation(request, id, line).await,
            Resource::Policies => self.get_policies(request, line),
            Resource::Policy(named) => self.get_policy(request, named, line),
        }
    }

    async fn post_decision(&self, request: &Request, line: &mut Line) -> Answered {
        let tenant = self.admit(request, Access::Write, line)?;
        let key = body::key(request.headers())?;
        line.of_key(&key);
        let decision_request = body::request(request)?;
        let operation = OperationName::parse(OPERATION).map_err(|error| internal(&error))?;
        let call = Call {
            scope: Scope {
                tenant,
                operation,
                key,
            },
            request: decision_request,
            respond: prefer::respond(request.headers()),
            trace: trace(request),
        };
        let budget = self.budget(request, call.respond);
        let outcome = self.decider.decide(&call, budget).await;
        line.decided(&outcome);
        Ok(answer::reply(outcome.reply, self.profile))
    }

    async fn get_decision(
        &self,
        request: &Request,
        id: Option<DecisionId>,
        line: &mut Line,
    ) -> Answered {
        let tenant = self.admit(request, Access::Read, line)?;
        let id = id.ok_or_else(|| Box::new(status::not_found("decision")))?;
        let now = self.decider.clock.now();
        let read = status::decision(&self.decider.store, &tenant, &id, now);
        let body = line.reading(read).await?;
        line.of_decision(&id);
        Ok(answer::decision(body))
    }

    async fn get_operation(
        &self,
        request: &Request,
        id: Option<OperationId>,
        line: &mut Line,
    ) -> Answered {
        let tenant = self.admit(request, Access::Read, line)?;
        let id = id.ok_or_else(|| Box::new(status::not_found("operation")))?;
        let now = self.decider.clock.now();
        let read = status::status(&self.decider.store, &tenant, &id, now);
        let status = line.reading(read).await?;
        line.of_operation(&id);
        Ok(answer::status(&status))
    }

    fn get_policies(&self, request: &Request, line: &mut Line) -> Answered {
        self.admit(request, Access::Read, line)?;
        Ok(answer::policy(policies::list(&self.decider.policies)))
    }

    fn get_policy(
        &self,
        request: &Request,
        named: Option<(PolicyId, PolicyVersion)>,
        line: &mut Line,
    ) -> Answered {
        self.admit(request, Access::Read, line)?;
        let (id, version) = named.ok_or_else(|| Box::new(policies::not_found()))?;
        let body = policies::version(&self.decider.policies, &id, version)?;
        Ok(answer::policy(body))
    }

    fn admit(
        &self,
        request: &Request,
        access: Access,
        line: &mut Line,
    ) -> Result<Tenant, Box<Problem>> {
        let tenant = self.authority.admit(request, access)?;
        line.of_tenant(&tenant);
        Ok(tenant)
    }

    /// The remaining time comes from Lambda's clock, the deadline is told in this worker's.
    fn budget(&self, request: &Request, respond: Respond) -> Budget {
        let remaining = request
            .lambda_context_ref()
            .map_or(Duration::ZERO, |context| {
                context
                    .deadline()
                    .duration_since(SystemTime::now())
                    .unwrap_or_default()
            });
        Budget {
            deadline: self.decider.clock.now().plus(remaining),
            wait: prefer::wait(request.headers()).unwrap_or(match respond {
                Respond::Now => self.decider.settings.default_wait,
                Respond::Later => Duration::ZERO,
            }),
        }
    }
}

/// The trace that a request came in.
fn trace(request: &Request) -> Option<TraceParent> {
    let lines = |name| request.headers().get_all(name).into_iter();
    let texts = |name| lines(name).filter_map(|line| line.to_str().ok());
    let traceparent: Vec<_> = texts("traceparent").collect();
    let context = request.lambda_context_ref()?;
    trace::of(&traceparent, texts("x-amzn-trace-id").next(), context)
}

type Answered = Result<Result<Response<Body>, Error>, Box<Problem>>;

fn internal(error: &impl std::fmt::Display) -> Box<Problem> {
    Box::new(Problem::new(Kind::Unavailable, error.to_string()))
}
