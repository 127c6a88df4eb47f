//! A quota enforcer: so many requests a tick for each class and for all together, before they go on.
//!
//! It may stand at the edge, one for each client, or in a shared front end where a rejection costs a slot as much as a request
//! that is passed on ([`QuotaEnforcer::front_end`]): then a class that is limited, and retries, can take the slots of the others.
//!
//! What is kept: the tokens of each bucket. Requests are passed on or answered in the tick in which they arrive.

use super::bag::Bag;
use super::msg::{Answer, Class, Control, Msg, Request};
use super::turn::{Ask, Component, Inbox, Pick, Turn};
use crate::component_actor;
use crate::policy::{BucketState, Policy, Ratio, TokenBucket};
use stateright::actor::Id;

/// A quota enforcer.
#[derive(Clone, Debug)]
pub struct QuotaEnforcer {
    target: Id,
    limits: Vec<(Class, TokenBucket)>,
    global: Option<TokenBucket>,
    front_end: Option<u32>,
    answer: Answer,
    overflow: Option<Answer>,
    pick: Pick,
}

/// The state of a quota enforcer.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Quotas {
    /// The limited classes, each with its bucket.
    pub limits: Vec<(Class, TokenBucket, BucketState)>,
    /// The bucket of all classes together.
    pub global: Option<BucketState>,
    /// Requests that the front end handles in a tick, if there is a limit.
    pub front_end: Option<u32>,
}

/// So many a tick, and no bursts.
fn per_tick(n: u32) -> TokenBucket {
    TokenBucket { burst: n, rate: Ratio::whole(n) }
}

impl QuotaEnforcer {
    /// An enforcer that passes everything on to `target`. Answers go straight back.
    #[must_use]
    pub fn new(target: impl Into<Id>) -> Self {
        Self {
            target: target.into(),
            limits: Vec::new(),
            global: None,
            front_end: None,
            answer: Answer::Rejected,
            overflow: Some(Answer::Error),
            pick: Pick::Any,
        }
    }

    /// A class may have `n` requests a tick.
    #[must_use]
    pub fn limit(self, class: impl Into<Class>, n: u32) -> Self {
        self.bucket(class, per_tick(n))
    }

    /// A class has a token bucket.
    #[must_use]
    pub fn bucket(mut self, class: impl Into<Class>, bucket: TokenBucket) -> Self {
        self.limits.push((class.into(), bucket));
        self
    }

    /// All classes together have a token bucket, too.
    #[must_use]
    pub fn global(mut self, bucket: TokenBucket) -> Self {
        self.global = Some(bucket);
        self
    }

    /// It handles at most `n` requests a tick, whether it passes them on or rejects them; what comes beyond that is answered with
    /// [`QuotaEnforcer::overflow`], whoever it comes from. Default: no limit.
    #[must_use]
    pub fn front_end(mut self, n: u32) -> Self {
        self.front_end = Some(n);
        self
    }

    /// What those are told who ask for more than their quota. Default: [`Answer::Rejected`].
    #[must_use]
    pub fn answering(mut self, answer: Answer) -> Self {
        self.answer = answer;
        self
    }

    /// What those are told for whom the front end has no slot; None: nothing. Default: [`Answer::Error`].
    #[must_use]
    pub fn overflow(mut self, answer: Option<Answer>) -> Self {
        self.overflow = answer;
        self
    }

    /// How requests are picked where not all are handled. Default: [`Pick::Any`].
    #[must_use]
    pub fn pick(mut self, pick: Pick) -> Self {
        self.pick = pick;
        self
    }
}

impl Component for QuotaEnforcer {
    type Memory = Quotas;

    fn start(&self) -> Quotas {
        let limits = self.limits.iter().map(|(class, bucket)| (*class, bucket.clone(), bucket.initial()));
        Quotas {
            limits: limits.collect(),
            global: self.global.as_ref().map(Policy::start),
            front_end: self.front_end,
        }
    }

    fn control(&self, state: &mut Quotas, control: Control) {
        match control {
            Control::SetLimit(class, n) => {
                state.limits.retain(|(c, ..)| *c != class);
                let bucket = per_tick(n);
                state.limits.push((class, bucket.clone(), bucket.initial()));
                state.limits.sort_by_key(|(class, ..)| *class);
            }
            Control::RemoveLimit(class) => state.limits.retain(|(c, ..)| *c != class),
            Control::SetCapacity(n) => state.front_end = Some(n),
            Control::AddCapacity(n) => state.front_end = state.front_end.map(|c| c + n),
            Control::ResetCapacity => state.front_end = self.front_end,
            _ => {}
        }
    }

    fn act(&self, state: &mut Quotas, arrived: &Inbox, turn: &mut Turn) -> Result<(), Ask> {
        super::probe::answer(arrived, turn);
        state.limits.iter_mut().for_each(|(_, bucket, tokens)| bucket.tick(tokens));
        if let (Some(bucket), Some(tokens)) = (&self.global, &mut state.global) {
            bucket.tick(tokens);
        }
        let slots = state.front_end.unwrap_or(u32::MAX);
        let handled = turn.draw_requests("handled", &arrived.requests, slots, self.pick)?;
        let mut beyond = arrived.requests.clone();
        beyond.remove_all(&handled);
        if let Some(answer) = self.overflow {
            beyond.iter().for_each(|(request, n)| turn.answer(*request, answer, n));
        }
        let mut passed: Bag<Request> = handled.clone();
        for (class, bucket, tokens) in &mut state.limits {
            let (of_class, others) = passed.split(|request| request.class == *class);
            let n = bucket.take(tokens, of_class.total());
            passed = turn.draw_requests("within the quota", &of_class, n, self.pick)?;
            passed.add_all(&others);
        }
        if let (Some(bucket), Some(tokens)) = (&self.global, &mut state.global) {
            let n = bucket.take(tokens, passed.total());
            passed = turn.draw_requests("within the quota", &passed, n, self.pick)?;
        }
        let mut rejected = handled;
        rejected.remove_all(&passed);
        rejected.iter().for_each(|(request, n)| turn.answer(*request, self.answer, n));
        passed.iter().for_each(|(request, n)| turn.send(self.target, Msg::Request(*request), n));
        Ok(())
    }
}

component_actor!(QuotaEnforcer);
