//! What a function makes beside its start.

use std::ops::Deref;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, LazyLock};
use std::{fmt, thread};

/// A value that is made by a thread, beside what goes on. Who wants it waits for what is left of that. Cheap to clone.
///
/// It is for clients of the SDK: to make one, with the certificates that it reads, takes several times as long as all else that a function does
/// before it asks for its first event.
pub struct Ahead<T>(Arc<LazyLock<T, Make<T>>>);

type Make<T> = Box<dyn FnOnce() -> T + Send>;
type Job = Make<()>;

impl<T: Send + Sync + 'static> Ahead<T> {
    /// Has it made, after those that are to be made already. What can fail belongs before it: a function says what is wrong before it takes an
    /// event.
    pub fn begin(make: impl FnOnce() -> T + Send + 'static) -> Self {
        let begun = Self(Arc::new(LazyLock::new(Box::new(make))));
        let made = begun.clone();
        // Where there is no thread, the first who wants it makes it.
        let _ = MAKER.send(Box::new(move || {
            LazyLock::force(&made.0);
        }));
        begun
    }
}

/// One thread for all: two would be in each other's way, and in that of the start, on the two processors of a function.
static MAKER: LazyLock<Sender<Job>> = LazyLock::new(|| {
    let (maker, to_be_made) = channel::<Job>();
    let _ = thread::Builder::new()
        .name("ahead".to_owned())
        .spawn(move || {
            for make in to_be_made {
                make();
            }
        });
    maker
});

/// One that is there already.
impl<T: Send + 'static> From<T> for Ahead<T> {
    fn from(made: T) -> Self {
        Self(Arc::new(LazyLock::new(Box::new(move || made))))
    }
}

impl<T> Deref for Ahead<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> Clone for Ahead<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

/// Does not wait for it.
impl<T: fmt::Debug> fmt::Debug for Ahead<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Ahead").field(&*self.0).finish()
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
    use std::sync::mpsc::channel;
    use std::thread::{self, ThreadId};

    use super::*;

    #[test]
    fn it_is_made_without_being_asked_for_and_by_a_thread_of_its_own() {
        let (tell, told) = channel::<ThreadId>();
        let ahead = Ahead::begin(move || tell.send(thread::current().id()).unwrap());
        assert_ne!(told.recv().unwrap(), thread::current().id());
        drop(ahead);
    }

    #[test]
    fn who_wants_it_waits_for_it_and_all_have_the_same() {
        let (go_on, wait) = channel::<u32>();
        let ahead = Ahead::begin(move || wait.recv().unwrap());
        assert!(
            !format!("{ahead:?}").contains('7'),
            "telling it must not wait"
        );
        let other = ahead.clone();
        let wanted = thread::spawn(move || *other);
        go_on.send(7).unwrap();
        assert_eq!((wanted.join().unwrap(), *ahead), (7, 7));
    }

    #[test]
    fn one_that_is_there_is_what_it_was() {
        assert_eq!(*Ahead::from(7), 7);
    }
}
