//! The body of a request, and what identity is made of.

use decide_once_protocol::fingerprint::{self, Scheme};
use decide_once_protocol::members::{MAX_ENCODED_BYTES, Members};
use decide_once_protocol::record::{CARRIED_LIMIT, Carried};
use decide_once_protocol::request::DecisionRequest;
use decide_once_protocol::scope::OperationName;
use decide_once_tests::samples;

const SALT: &[u8] = b"salt";

/// * A request's canonical form is the same request, with the same fingerprint, and a fixpoint.
/// * Its members' digests survive being stored, name nothing of the request itself, and name what another request has more.
/// * What is carried is the request.
///
/// # Panics
/// One of these does not hold.
pub fn target(body: &[u8]) {
    let Ok(request) = DecisionRequest::parse(body) else {
        return;
    };
    let canonical = request.canonical();
    let again = DecisionRequest::parse(canonical.as_bytes()).unwrap();
    assert_eq!(again, request);
    assert_eq!(again.canonical(), canonical);
    assert_eq!(print(&again), print(&request));

    let members = Members::of(SALT, &request);
    let encoded = members.encode();
    assert!(encoded.len() <= MAX_ENCODED_BYTES, "{encoded}");
    assert_eq!(Members::decode(&encoded).as_ref(), Ok(&members));
    assert_eq!(members.differing(SALT, &again), [""]);
    with_one_more(&request, &members);

    match Carried::of(&samples::key(), &request) {
        Some(carried) => assert_eq!(carried.request().as_ref(), Ok(&request)),
        None => assert!(canonical.len() > CARRIED_LIMIT),
    }
}

fn with_one_more(request: &DecisionRequest, members: &Members) {
    let name = "a-member-of-this-name";
    let mut other = request.clone();
    if other.facts.insert(name, true).is_some() {
        return;
    }
    assert_ne!(print(&other), print(request), "another request");
    let pointers = members.differing(SALT, &other);
    let named = format!("/facts/{name}");
    assert!(
        pointers == [named] || pointers == ["/facts"],
        "{pointers:?} is not what differs"
    );
}

fn print(request: &DecisionRequest) -> fingerprint::Fingerprint {
    let operation = OperationName::parse("decide").unwrap();
    fingerprint::exact(Scheme::V1, &operation, request)
}
