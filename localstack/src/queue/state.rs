//! What is in a queue.

use std::{collections::VecDeque, io, time::Duration};

use serde::Serialize;

use super::{Delivered, Message, RETENTION, kept::Kept};

/// The messages of a queue, the oldest first.
#[derive(Debug, Default)]
pub(super) struct State {
    entries: VecDeque<Entry>,
    deliveries: u64,
    sent: u64,
    received: u64,
    deleted: u64,
    dead: u64,
    expired: u64,
    kept: Option<Kept>,
}

#[derive(Debug)]
struct Entry {
    message: Message,
    receives: u32,
    /// Nobody receives it before, in Unix milliseconds.
    visible_from: i64,
    /// Of the last delivery.
    receipt: String,
}

/// How a queue stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct QueueState {
    /// Messages that can be received now.
    pub visible: usize,
    /// Messages that somebody has received, and neither deleted nor let time out.
    pub in_flight: usize,
    /// Age of the oldest message, in milliseconds; 0 when there is none. AWS's metric `ApproximateAgeOfOldestMessage`.
    pub oldest_age_ms: i64,
    /// Messages sent since the start.
    pub sent: u64,
    /// Deliveries since the start.
    pub received: u64,
    /// Messages deleted since the start.
    pub deleted: u64,
    /// Messages that went to the dead-letter queue since the start.
    pub dead: u64,
    /// Messages that were older than the queue keeps any.
    pub expired: u64,
    /// The dead-letter queue.
    pub dead_letter_queue: Option<&'static str>,
}

impl State {
    pub(super) fn of(messages: Vec<Message>, kept: Kept) -> Self {
        Self {
            entries: messages.into_iter().map(Entry::new).collect(),
            kept: Some(kept),
            ..Self::default()
        }
    }

    pub(super) fn put(&mut self, message: Message) -> io::Result<()> {
        if let Some(kept) = &mut self.kept {
            kept.sent(&message)?;
        }
        self.entries.push_back(Entry::new(message));
        self.sent += 1;
        Ok(())
    }

    /// What is delivered, and what was delivered as often as is allowed: that stays, until it is [removed](Self::remove).
    pub(super) fn receive(
        &mut self,
        most: usize,
        now: i64,
        visibility: Duration,
        allowed: Option<u32>,
    ) -> (Vec<Delivered>, Vec<Message>) {
        self.expire(now);
        let hidden_until = now.saturating_add(millis(visibility));
        let (mut delivered, mut dead) = (Vec::new(), Vec::new());
        for entry in &mut self.entries {
            if delivered.len() >= most {
                break;
            }
            if entry.visible_from > now {
                continue;
            }
            if allowed.is_some_and(|allowed| entry.receives >= allowed) {
                dead.push(entry.message.clone());
                continue;
            }
            self.deliveries += 1;
            entry.receives += 1;
            entry.visible_from = hidden_until;
            entry.receipt = format!("{}#{}", entry.message.id, self.deliveries);
            delivered.push(entry.delivered());
        }
        self.received += u64::try_from(delivered.len()).unwrap_or(u64::MAX);
        self.dead += u64::try_from(dead.len()).unwrap_or(u64::MAX);
        (delivered, dead)
    }

    pub(super) fn delete(&mut self, receipt: &str) {
        let found = self
            .entries
            .iter()
            .position(|entry| entry.receipt == receipt);
        if let Some(index) = found {
            self.take(index);
            self.deleted += 1;
        }
    }

    pub(super) fn put_back(&mut self, receipt: &str) {
        let mut of_it = self.entries.iter_mut();
        if let Some(entry) = of_it.find(|entry| entry.receipt == receipt) {
            entry.receives = entry.receives.saturating_sub(1);
            entry.visible_from = 0;
        }
    }

    pub(super) fn remove(&mut self, id: &str) {
        let found = self.entries.iter().position(|entry| entry.message.id == id);
        if let Some(index) = found {
            self.take(index);
        }
    }

    pub(super) fn all(&self) -> Vec<Message> {
        let entries = self.entries.iter();
        entries.map(|entry| entry.message.clone()).collect()
    }

    pub(super) fn peek(&self) -> Vec<Delivered> {
        self.entries.iter().map(Entry::delivered).collect()
    }

    pub(super) fn shown(
        &mut self,
        now: i64,
        dead_letter_queue: Option<&'static str>,
    ) -> QueueState {
        self.expire(now);
        let visible = self
            .entries
            .iter()
            .filter(|entry| entry.visible_from <= now);
        let visible = visible.count();
        let oldest = self.entries.iter().map(|entry| entry.message.sent_ms).min();
        QueueState {
            visible,
            in_flight: self.entries.len() - visible,
            oldest_age_ms: oldest.map_or(0, |oldest| now.saturating_sub(oldest).max(0)),
            sent: self.sent,
            received: self.received,
            deleted: self.deleted,
            dead: self.dead,
            expired: self.expired,
            dead_letter_queue,
        }
    }

    fn expire(&mut self, now: i64) {
        let oldest_allowed = now.saturating_sub(millis(RETENTION));
        while let Some(index) = self
            .entries
            .iter()
            .position(|entry| entry.message.sent_ms <= oldest_allowed)
        {
            self.take(index);
            self.expired += 1;
        }
    }

    /// A line that cannot be written is a message that comes back after a restart: once more, as any other may.
    fn take(&mut self, index: usize) {
        let Some(entry) = self.entries.remove(index) else {
            return;
        };
        if let Some(kept) = &mut self.kept
            && let Err(error) = kept.gone(&entry.message.id)
        {
            tracing::warn!(%error, "a deleted message will be there again after a restart");
        }
    }
}

impl Entry {
    const fn new(message: Message) -> Self {
        Self {
            message,
            receives: 0,
            visible_from: 0,
            receipt: String::new(),
        }
    }

    fn delivered(&self) -> Delivered {
        Delivered {
            message: self.message.clone(),
            receipt: self.receipt.clone(),
            receives: self.receives,
        }
    }
}

fn millis(span: Duration) -> i64 {
    i64::try_from(span.as_millis()).unwrap_or(i64::MAX)
}
