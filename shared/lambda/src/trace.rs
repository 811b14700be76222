//! Which trace an invocation belongs to.

use decide_once_protocol::trace::TraceParent;
use lambda_runtime::Context;

/// A trace from what a sender says of it, each as far as it is there: a W3C `traceparent`, then a tracing header of X-Ray; else from Lambda, which
/// traces invocations by itself; else one that begins here, under the invocation's id. Two lines of a header are no trace, as the W3C has it.
#[must_use]
pub fn of(traceparent: &[&str], x_ray: Option<&str>, context: &Context) -> Option<TraceParent> {
    let own = match traceparent {
        [one] => TraceParent::parse(one),
        _ => None,
    };
    let lambdas = || context.xray_trace_id.as_deref();
    own.or_else(|| x_ray.and_then(TraceParent::from_x_ray))
        .or_else(|| lambdas().and_then(TraceParent::from_x_ray))
        .or_else(|| TraceParent::beginning_with(&context.request_id))
}

/// Most traces that a line of a batch names: a line is for people, and for a search.
const MOST: usize = 100;

/// The ids of traces for the line of a batch, each once, apart by spaces; nothing where there are none.
#[must_use]
pub fn ids(traces: impl IntoIterator<Item = TraceParent>) -> Option<String> {
    let mut ids: Vec<_> = Vec::new();
    for id in traces.into_iter().map(|trace| trace.id()) {
        if ids.len() < MOST && !ids.contains(&id) {
            ids.push(id);
        }
    }
    (!ids.is_empty()).then(|| ids.join(" "))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use super::*;

    const W3C: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    const X_RAY: &str =
        "Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1";

    fn context(x_ray: Option<&str>) -> Context {
        let mut context = Context::default();
        context.request_id = "8476a536-e9f4-11e8-9739-2dfe598c3fcd".to_owned();
        context.xray_trace_id = x_ray.map(str::to_owned);
        context
    }

    fn id(traceparent: &[&str], x_ray: Option<&str>, lambdas: Option<&str>) -> String {
        of(traceparent, x_ray, &context(lambdas)).unwrap().id()
    }

    #[test]
    fn the_senders_trace_goes_before_lambdas_and_what_cannot_be_read_is_none() {
        let (w3c, x_ray, own) = (
            "4bf92f3577b34da6a3ce929d0e0e4736",
            "5759e988bd862e3fe1be46a994272793",
            "8476a536e9f411e897392dfe598c3fcd",
        );
        assert_eq!(id(&[W3C], Some(X_RAY), Some(X_RAY)), w3c);
        assert_eq!(id(&["00-abc"], Some(X_RAY), None), x_ray);
        assert_eq!(id(&[W3C, W3C], None, Some(X_RAY)), x_ray);
        assert_eq!(id(&[], Some("Root=?"), Some(X_RAY)), x_ray);
        assert_eq!(id(&[], None, Some("Root=?")), own);
        assert_eq!(of(&[], None, &Context::default()), None);
    }

    #[test]
    fn each_trace_of_a_batch_is_named_once() {
        let (one, other) = (TraceParent::parse(W3C), TraceParent::from_x_ray(X_RAY));
        let traces = [one, other, one].into_iter().flatten();
        let expected = "4bf92f3577b34da6a3ce929d0e0e4736 5759e988bd862e3fe1be46a994272793";
        assert_eq!(ids(traces).as_deref(), Some(expected));
        assert_eq!(ids([]), None);
    }
}
