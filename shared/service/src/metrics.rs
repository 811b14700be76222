//! Metrics: what a log line measures, in CloudWatch's embedded metric format, as members of that very line.
//!
//! A line has at most one [`Meter`]: `tracing::info!(…, metrics = %meter, "request")`. Each of its metrics is a member of the line, under the name
//! that it has in CloudWatch and in docs/operations.md, and `_aws` says that it is one ([`emf`]). So there is one line for each request or
//! batch, and no second writer. Dimensions are the function's name and, of alarms, their word: both are constants of this code base, never
//! anything that a caller has chosen.

pub mod emf;
mod meter;

pub use emf::Origin;
pub use meter::Meter;

/// What a value is counted in
/// (<https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_MetricDatum.html>).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// A number.
    Count,
    /// Time.
    Seconds,
    /// Time.
    Milliseconds,
    /// Time.
    Microseconds,
}

impl Unit {
    /// CloudWatch's word for it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Count => "Count",
            Self::Seconds => "Seconds",
            Self::Milliseconds => "Milliseconds",
            Self::Microseconds => "Microseconds",
        }
    }
}

macro_rules! metrics {
    ($($(#[doc = $doc:literal])+ $metric:ident = $name:literal in $unit:ident,)+) => {
        /// Everything that is measured.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Metric {
            $($(#[doc = $doc])+ $metric,)+
        }

        impl Metric {
            /// All of them.
            pub const EVERY: &[Self] = &[$(Self::$metric,)+];

            /// Its name: in CloudWatch, and of the member of the line.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$metric => $name,)+
                }
            }

            /// What it is counted in.
            #[must_use]
            pub const fn unit(self) -> Unit {
                match self {
                    $(Self::$metric => Unit::$unit,)+
                }
            }
        }
    };
}

// One line each: `tests/template/sources.py` reads them.
metrics! {
    // What a request, a message or a queued operation ended with; one of these for each.
    /// Decided and recorded by this call.
    Decided = "decided" in Count,
    /// The recorded answer, read from the store; that of a final failure too.
    Replayed = "replayed" in Count,
    /// The recorded answer, remembered by the instance.
    ReplayedCached = "replayed_cached" in Count,
    /// Queued for later, as its caller wanted.
    Queued = "queued" in Count,
    /// Another worker is at it.
    InProgress = "in_progress" in Count,
    /// The key belongs to another request (409, 429).
    KeyReused = "key_reused" in Count,
    /// The result is gone, the key not yet free.
    ResultExpired = "result_expired" in Count,
    /// A final failure, recorded by this call.
    FailedFinal = "failed_final" in Count,
    /// The caller was told 503.
    Unavailable = "unavailable" in Count,
    /// Refused otherwise; nothing is stored.
    Refused = "refused" in Count,
    /// Read: an operation, a decision, a policy, a description.
    Read = "read" in Count,

    // What it met on its way.
    /// An attempt was given up for now, and the record says so.
    FailedRetryable = "failed_retryable" in Count,
    /// Operations taken over from a worker that died, stalled or gave up.
    TakenOver = "taken_over" in Count,
    /// Since when nothing had been heard of what was taken over.
    TakenOverAge = "taken_over_age_ms" in Milliseconds,
    /// How long a queued operation waited until a worker took it up.
    QueuedAge = "queued_age_ms" in Milliseconds,
    /// Commits and releases that were refused, because the operation had gone on without this worker.
    Fenced = "fenced" in Count,
    /// Writes whose outcome the store did not tell.
    OutcomesUnknown = "outcomes_unknown" in Count,
    /// Of those, how many a strong read has made out.
    OutcomesResolved = "outcomes_resolved" in Count,
    /// Writes that met another one on the same record.
    Conflicts = "conflicts" in Count,
    /// Writes that the store throttled until the SDK gave up.
    Throttled = "throttled" in Count,

    // What it took.
    /// Calls to the store.
    RoundTrips = "round_trips" in Count,
    /// All of it.
    Total = "total_us" in Microseconds,
    /// Waiting for the store.
    Store = "store_us" in Microseconds,
    /// In the policy.
    Evaluate = "evaluate_us" in Microseconds,

    // Delivery: publish and sweep.
    /// Events that the sink acknowledged, and whose rows say so.
    Delivered = "delivered" in Count,
    /// From an event's commit, or its redrive, until its row was known to be delivered; each.
    DeliveryLag = "delivery_lag_ms" in Milliseconds,
    /// Sent, and somebody else had marked the row meanwhile: the sink has a duplicate.
    Overtaken = "overtaken" in Count,
    /// Events that the sink refuses for good.
    Quarantined = "quarantined" in Count,
    /// Sends that were not acknowledged, or not marked; they are sent again.
    NotDelivered = "not_delivered" in Count,
    /// How long the oldest undelivered event waits.
    OldestUndelivered = "oldest_undelivered_seconds" in Seconds,
    /// How long the oldest operation waits that somebody should go on with.
    OldestDue = "oldest_due_seconds" in Seconds,
    /// Events and operations that a sweep has finished: the streams had missed them.
    Recovered = "recovered" in Count,

    // The other ends: consume and intake.
    /// Events that had their effect.
    Applied = "applied" in Count,
    /// Events that had had it before.
    Duplicates = "duplicates" in Count,
    /// Events that can never have one.
    Poison = "poison" in Count,
    /// Events and messages that are to come again.
    NotYet = "not_yet" in Count,
    /// Refused messages that were set aside.
    DeadLettered = "dead_lettered" in Count,

    // What needs a person.
    /// Lines with an `alarm`, by its word.
    Alarms = "alarms" in Count,
}
