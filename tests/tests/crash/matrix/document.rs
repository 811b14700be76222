//! The matrix as a page for an auditor.

use std::fmt::Write as _;

use decide_once_simulation::matrix::Moment;

use super::Row;

const HEAD: &str = "# Crash matrix

Generated, and compared with what happens by `cargo test --workspace the_crash_matrix`; `UPDATE_CRASH_MATRIX=1` writes it anew.

A process dies at each point at which it can make a difference, and the caller comes back, with the same key and the same request, at each moment that can make one. Each cell was
run twice: in the simulation (*memory*: a worker's future is dropped at the point), and with the real functions on the embedded engine that keeps its tables
in a file (*file*: the process is killed, as by SIGKILL).

## How to read a cell

`202, then 201 (1, 1, 1)`: the caller that came back was told 202; it did as that answer advises, came again half a minute later, and was told 201. In the end there is 1 decision
under its key, with 1 event, which had 1 effect at its consumer.

* **201** is the decision, made by this very call; **200** is the decision that was made before, the same bytes; **202** says that another worker may be at it, come again with the
  same key; **409 result-expired** says that it was decided, that the answer is no longer kept, and that the key is not free yet.
* What must hold in every cell: as many events and effects as decisions; **1** decision in every column but the last. **2** in the column *key free* is no double decision: the first
  operation was finished, its key's retention has ended, and the caller has begun another operation with it.
* An operation that had not been finished is finished by the return, also where its key is free: 1 decision.

| column | the caller comes back |
|---|---|
| at once | before any clock has moved |
| leased | 10 s later, within the lease of the worker that died (30 s) |
| lapsed | 31 s later, when others may take the operation over |
| result expired | past the time for which a result is kept |
| key free | past the key's retention and the margin for clocks that differ |

| function | dies at | what the store has then | the caller whose worker it was |
|---|---|---|---|
| decide | `after_reserve` | the record, PROCESSING under a lease | 502 |
| decide | `before_commit` | the same: evaluated, and nothing written of it | 502 |
| decide | `after_commit` | record, decision and event | 502 |
| evaluate | the same three | the same, with the request carried by the record until it is final | 202, before |
| publish | `after_send` | the event was sent; its row is undelivered | 201, before |
| publish | `after_mark` | the row is marked delivered; the stream has not heard of it | 201, before |
| consume | `before_effect` | neither effect nor mark | 201, before |
| consume | `after_effect` | effect and mark; the queue has not heard of it | 201, before |

Nobody sweeps while the caller is away, so that what finishes an operation is the return. With the sweeper, once a minute, an operation of *evaluate* is finished soon after its lease. Behind
the return the sweeper has its turn: a stream keeps records for 24 h, and what a publisher missed for longer is the sweeper's. The file engine's TTL goes by the
real time and so deletes nothing here: an expired record that is still there is as good as none.

## The matrix

";

/// The page of what happened.
pub(super) fn of(memory: &[Row], processes: &[Row]) -> String {
    let mut page = HEAD.to_owned();
    let moments: Vec<_> = Moment::ALL.iter().map(ToString::to_string).collect();
    writeln!(
        page,
        "| function | dies at | engine | {} |",
        moments.join(" | ")
    )
    .unwrap();
    writeln!(page, "|---|---|---|{}", "---|".repeat(moments.len())).unwrap();
    for ((crash, in_memory), (same, with_processes)) in memory.iter().zip(processes) {
        assert_eq!(crash, same);
        for (engine, cells) in [("memory", in_memory), ("file", with_processes)] {
            let cells: Vec<_> = cells.iter().map(ToString::to_string).collect();
            let (part, point) = (crash.part, crash.point);
            writeln!(
                page,
                "| {part} | `{point}` | {engine} | {} |",
                cells.join(" | ")
            )
            .unwrap();
        }
    }
    page
}
