//! A request from its route to its answer.

use std::time::{Duration, SystemTime};

use decide_once_protocol::ids::DecisionId;
use decide_once_protocol::request::{PolicyId, PolicyVersion};
use decide_once_protocol::scope::{OperationId, OperationName, Scope};
use decide_once_service::ports::{Clock, Ids, Mismatches, Store};
use decide_once_service::problem::{Kind, Problem};
use decide_once_service::profile::Profile;
use decide_once_service::{Budget, Call, Decider, policies, status};
use lambda_http::{Body, Error, Request, RequestExt as _, Response};

use crate::caller::{Access, Authority};
use crate::path::Resource;
use crate::{answer, body, prefer};

/// The name of the one operation of this endpoint: a part of every operation id.
const OPERATION: &str = decide_once_protocol::scope::DECIDE;

/// The function with all that it needs.
#[derive(Debug)]
pub(crate) struct App<S, C, I> {
    pub(crate) decider: Decider<S, C, I>,
    pub(crate) authority: Authority,
    pub(crate) profile: Profile,
}

impl<S: Store + Mismatches, C: Clock, I: Ids> App<S, C, I> {
    /// Answers a request. Refusals come in this order: route, method, query, caller, key, body; none of them stores anything.
    pub(crate) async fn handle(&self, request: Request) -> Result<Response<Body>, Error> {
        let Some(resource) = Resource::parse(request.raw_http_path()) else {
            let detail = "there is no such resource; see POST /v1/decisions";
            return answer::problem(&Problem::new(Kind::RouteUnknown, detail), self.profile);
        };
        if request.method().as_str() != resource.methods() {
            let detail = format!("this resource has the method {}", resource.methods());
            let problem = Problem::new(Kind::MethodNotAllowed, detail);
            return answer::not_allowed(&problem, resource.methods(), self.profile);
        }
        if request.uri().query().is_some_and(|query| !query.is_empty()) {
            let detail = "this resource takes no query string; put what you mean into the body";
            return answer::problem(&Problem::new(Kind::QueryInvalid, detail), self.profile);
        }
        let answered = match resource {
            Resource::OpenApi => return answer::openapi(),
            Resource::Health => return answer::health(),
            Resource::Decisions => self.post_decision(&request).await,
            Resource::Decision(id) => self.get_decision(&request, id).await,
            Resource::Operation(id) => self.get_operation(&request, id).await,
            Resource::Policies => self.get_policies(&request),
            Resource::Policy(named) => self.get_policy(&request, named),
        };
        answered.unwrap_or_else(|problem| answer::problem(&problem, self.profile))
    }

    async fn post_decision(&self, request: &Request) -> Answered {
        let tenant = self.authority.admit(request, Access::Write)?;
        let key = body::key(request.headers())?;
        let decision_request = body::request(request)?;
        let operation = OperationName::parse(OPERATION).map_err(|error| internal(&error))?;
        let call = Call {
            scope: Scope {
                tenant,
                operation,
                key,
            },
            request: decision_request,
        };
        let outcome = self.decider.decide(&call, self.budget(request)).await;
        crate::log::line(&call, &outcome);
        Ok(answer::reply(outcome.reply, self.profile))
    }

    async fn get_decision(&self, request: &Request, id: Option<DecisionId>) -> Answered {
        let tenant = self.authority.admit(request, Access::Read)?;
        let id = id.ok_or_else(|| Box::new(status::not_found("decision")))?;
        let now = self.decider.clock.now();
        let body = status::decision(&self.decider.store, &tenant, &id, now).await?;
        Ok(answer::decision(body))
    }

    async fn get_operation(&self, request: &Request, id: Option<OperationId>) -> Answered {
        let tenant = self.authority.admit(request, Access::Read)?;
        let id = id.ok_or_else(|| Box::new(status::not_found("operation")))?;
        let now = self.decider.clock.now();
        let status = status::status(&self.decider.store, &tenant, &id, now).await?;
        Ok(answer::status(&status))
    }

    fn get_policies(&self, request: &Request) -> Answered {
        self.authority.admit(request, Access::Read)?;
        Ok(answer::policy(policies::list(&self.decider.policies)))
    }

    fn get_policy(&self, request: &Request, named: Option<(PolicyId, PolicyVersion)>) -> Answered {
        self.authority.admit(request, Access::Read)?;
        let (id, version) = named.ok_or_else(|| Box::new(policies::not_found()))?;
        let body = policies::version(&self.decider.policies, &id, version)?;
        Ok(answer::policy(body))
    }

    /// The remaining time comes from Lambda's clock, the deadline is told in this worker's.
    fn budget(&self, request: &Request) -> Budget {
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
            wait: prefer::wait(request.headers()).unwrap_or(self.decider.settings.default_wait),
        }
    }
}

type Answered = Result<Result<Response<Body>, Error>, Box<Problem>>;

fn internal(error: &impl std::fmt::Display) -> Box<Problem> {
    Box::new(Problem::new(Kind::Unavailable, error.to_string()))
}
