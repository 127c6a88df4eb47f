//! A balancer: which backend each request goes to, by health, by load, by chance; and failover from one group of backends to the
//! next.
//!
//! # What is kept, and why that is exact
//!
//! A proxy needs to remember no request: the way back travels with it ([`Path`](super::Path)). Requests under way to each
//! backend are kept only where something depends on them (least loaded, outlier detection), as counts by label; those whose
//! client has given up are counted no longer, and are told to the outlier detection as timeouts.
//!
//! # Health
//!
//! A backend is used if its health checks say so and it is not ejected. A group is up while a share of its backends is usable
//! ([`Balancer::group_up`]); requests go to the first group that is up. Back to an earlier group the balancer goes only after
//! that has been up for a while ([`Balancer::failback`]). If no group is up, it stays with the one it had, and the panic
//! threshold decides whether its backends are used all the same.
//!
//! Health checks have their own timeout and their own intervals, so what is believed of a backend lags behind what it is.

use super::bag::Bag;
use super::msg::{Answer, Control, Msg, Request, less_one};
use super::turn::{Ask, Component, Inbox, Pick, Turn};
use crate::actor::Ageing;
use crate::component_actor;
use crate::model::refuse;
use crate::policy::{
    HealthCheck, HealthState, Outcome, OutlierDetection, OutlierState, PanicThreshold, Policy, Ratio,
    Routing, Ticks,
};
use stateright::actor::Id;
use std::fmt;

/// Which of the usable backends a request goes to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Balance {
    /// Each in turn.
    #[default]
    RoundRobin,
    /// Any: every distribution of the requests of a tick is explored.
    Random,
    /// The one with the fewest requests under way; of several, the first.
    LeastLoaded,
}

/// A balancer.
#[derive(Clone, Debug)]
pub struct Balancer {
    groups: Vec<Vec<Id>>,
    balance: Balance,
    health: Option<HealthCheck>,
    outliers: Option<OutlierDetection>,
    panic: PanicThreshold,
    group_up: Ratio,
    failback: u16,
    returns_through: bool,
    pick: Pick,
}

/// What a balancer knows of a backend.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Backend {
    /// By its health checks; healthy, if there are none.
    pub health: HealthState,
    /// Ticks until the next check.
    until_check: u16,
    /// Ticks, this one included, in which the check under way may still be answered; 0: none is under way.
    check: u16,
    /// Requests under way, where something depends on them.
    pub in_flight: Bag<Request>,
}

impl fmt::Debug for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct(if self.health.healthy { "Healthy" } else { "Unhealthy" });
        if self.health.against > 0 {
            shown.field("checks_against", &self.health.against);
        }
        if self.until_check > 0 {
            shown.field("next_check", &self.until_check);
        }
        if !self.in_flight.is_empty() {
            shown.field("in_flight", &self.in_flight);
        }
        shown.finish()
    }
}

/// How a balancer has been told to choose between its groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// By health.
    ByHealth,
    /// All to this group.
    Direct(u8),
    /// This many percent to the second group.
    Split(u8),
}

/// The state of a balancer.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Balancing {
    /// The group that requests go to, by health.
    pub group: usize,
    /// For how many ticks an earlier group has been up again.
    pub calm: u16,
    /// What operators have told it.
    pub mode: Mode,
    /// The backends, group by group.
    pub backends: Vec<Backend>,
    /// Outlier detection.
    pub outliers: Option<OutlierState>,
    /// Whose turn is next, in each group.
    turns: Vec<usize>,
}

impl Balancing {
    /// How many backends are ejected.
    #[must_use]
    pub fn ejected(&self) -> u32 {
        self.outliers.as_ref().map_or(0, OutlierState::ejected)
    }

    /// Whether backend number `at`, counted over all groups, is used.
    #[must_use]
    pub fn usable(&self, at: usize) -> bool {
        let ejected = self.outliers.as_ref().is_some_and(|outliers| outliers.is_ejected(at));
        self.backends.get(at).is_some_and(|backend| backend.health.healthy) && !ejected
    }
}

impl fmt::Debug for Balancing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Balancing");
        shown.field("group", &self.group);
        if self.calm > 0 {
            shown.field("calm", &self.calm);
        }
        if self.mode != Mode::ByHealth {
            shown.field("mode", &self.mode);
        }
        shown.field("backends", &self.backends);
        if let Some(outliers) = &self.outliers {
            shown.field("outliers", outliers);
        }
        shown.finish()
    }
}

impl Balancer {
    /// A balancer over one group of backends, each in turn, that believes all of them healthy.
    #[must_use]
    pub fn new<I: Into<Id>>(backends: impl IntoIterator<Item = I>) -> Self {
        Self {
            groups: vec![backends.into_iter().map(Into::into).collect()],
            balance: Balance::RoundRobin,
            health: None,
            outliers: None,
            panic: PanicThreshold { threshold: Ratio::ZERO, fail_traffic: false },
            group_up: Ratio::ZERO,
            failback: 1,
            returns_through: true,
            pick: Pick::Any,
        }
    }

    /// Another group, used when none of those before it is up: a remote site.
    #[must_use]
    pub fn or_else<I: Into<Id>>(mut self, backends: impl IntoIterator<Item = I>) -> Self {
        self.groups.push(backends.into_iter().map(Into::into).collect());
        self
    }

    /// Which usable backend of a group a request goes to. Default: each in turn.
    #[must_use]
    pub fn balance(mut self, balance: Balance) -> Self {
        self.balance = balance;
        self
    }

    /// Checks the health of each backend. The timeout must be shorter than the interval. Default: none is checked, all are healthy.
    #[must_use]
    pub fn health_checks(mut self, check: HealthCheck) -> Self {
        self.health = Some(check);
        self
    }

    /// Ejects backends whose requests fail. Backends are numbered over all groups. Default: none is ejected.
    #[must_use]
    pub fn outlier_detection(mut self, outliers: OutlierDetection) -> Self {
        self.outliers = Some(outliers);
        self
    }

    /// Below which share of usable backends in its group health is not believed. Default: never.
    #[must_use]
    pub fn panic_threshold(mut self, panic: PanicThreshold) -> Self {
        self.panic = panic;
        self
    }

    /// The share of usable backends from which on a group is up; one of them at least. Default: one.
    #[must_use]
    pub fn group_up(mut self, share: Ratio) -> Self {
        self.group_up = share;
        self
    }

    /// For how many ticks in a row an earlier group must be up before requests go back to it; [`NEVER`](super::NEVER): they do not
    /// while the group that they go to is up. Default: 1.
    #[must_use]
    pub fn failback(mut self, ticks: u16) -> Self {
        self.failback = ticks;
        self
    }

    /// Answers go straight back to where the request came from, and not through the balancer (a DNS balancer, direct server return).
    /// Then nothing may depend on requests under way. Default: through the balancer, a tick each way.
    #[must_use]
    pub fn returning_directly(mut self) -> Self {
        self.returns_through = false;
        self
    }

    /// How requests are picked for a backend. Default: [`Pick::Any`].
    #[must_use]
    pub fn pick(mut self, pick: Pick) -> Self {
        self.pick = pick;
        self
    }

    fn tracks(&self) -> bool {
        self.balance == Balance::LeastLoaded || self.outliers.is_some()
    }

    fn ids(&self) -> impl Iterator<Item = Id> {
        self.groups.iter().flatten().copied()
    }

    /// The numbers of a group's backends.
    fn members(&self, group: usize) -> std::ops::Range<usize> {
        let before = self.groups.iter().take(group).map(Vec::len).sum();
        before..before + self.groups.get(group).map_or(0, Vec::len)
    }

    fn is_up(&self, state: &Balancing, group: usize) -> bool {
        let members = self.members(group);
        let (all, usable) = (members.len(), members.filter(|at| state.usable(*at)).count());
        usable > 0 && self.group_up.is_reached_by(usable as u32, all as u32)
    }

    /// Answers: passed on, and told to the outlier detection.
    fn answers(&self, state: &mut Balancing, arrived: &Inbox, turn: &mut Turn) {
        for ((src, response), n) in arrived.responses.iter() {
            let at = self.ids().position(|id| usize::from(id) == *src);
            if let (Some(at), true) = (at, self.tracks()) {
                let label = response.request.via(turn.id());
                let known = state.backends[at].in_flight.remove(&label, n);
                self.record(state, at, response.answer.outcome(), known);
            }
            turn.answer(response.request, response.answer, n);
        }
        for at in 0..state.backends.len() {
            let (lost, others) = state.backends[at].in_flight.split(Request::expired);
            state.backends[at].in_flight = others;
            self.record(state, at, Outcome::Timeout, lost.total());
        }
    }

    fn record(&self, state: &mut Balancing, at: usize, outcome: Outcome, n: u32) {
        if let (Some(outliers), Some(memory)) = (&self.outliers, &mut state.outliers) {
            outliers.record(memory, at, outcome, n);
        }
    }

    /// Health checks: answers, timeouts, and the next ones.
    fn checks(&self, state: &mut Balancing, arrived: &Inbox, turn: &mut Turn) {
        let Some(check) = &self.health else { return };
        let whole = |ticks: Ticks| u16::try_from(ticks.0).unwrap_or(u16::MAX - 1);
        for (at, id) in self.ids().enumerate() {
            let backend = &mut state.backends[at];
            backend.check = less_one(backend.check);
            let pong = (usize::from(id), Msg::Pong(backend.check));
            if backend.check > 0 && arrived.probes.count(&pong) > 0 {
                backend.check = 0;
                let _ = check.checked(&mut backend.health, true);
            } else if backend.check == 1 {
                backend.check = 0;
                let _ = check.checked(&mut backend.health, false);
            }
            backend.until_check = backend.until_check.saturating_sub(1);
            if backend.until_check == 0 {
                backend.until_check = whole(check.interval);
                backend.check = whole(check.timeout) + 1;
                turn.send(id, Msg::Ping(backend.check), 1);
            }
        }
    }

    /// Failover at once, failback after a while.
    fn choose_group(&self, state: &mut Balancing) {
        let Some(first_up) = (0..self.groups.len()).find(|group| self.is_up(state, *group)) else {
            state.calm = 0;
            return;
        };
        if first_up >= state.group || !self.is_up(state, state.group) {
            (state.group, state.calm) = (first_up, 0);
            return;
        }
        if self.failback == super::NEVER {
            return;
        }
        state.calm += 1;
        if state.calm >= self.failback {
            (state.group, state.calm) = (first_up, 0);
        }
    }

    /// Sends requests to the backends of a group.
    fn forward(
        &self,
        state: &mut Balancing,
        group: usize,
        requests: &Bag<Request>,
        turn: &mut Turn,
    ) -> Result<(), Ask> {
        let members: Vec<usize> = self.members(group).collect();
        let usable: Vec<usize> = members.iter().copied().filter(|at| state.usable(*at)).collect();
        let used = match self.panic.routing(usable.len() as u32, members.len() as u32) {
            _ if state.mode != Mode::ByHealth => members,
            Routing::Healthy => usable,
            Routing::All => members,
            Routing::Nowhere => Vec::new(),
        };
        if used.is_empty() {
            requests.iter().for_each(|(request, n)| turn.answer(*request, Answer::Unreachable, n));
            return Ok(());
        }
        let shares = self.shares(state, group, &used, requests.total(), turn)?;
        let ids: Vec<Id> = self.ids().collect();
        let mut left = requests.clone();
        for (at, n) in used.iter().zip(shares) {
            let some = turn.draw_requests("requests", &left, n, self.pick)?;
            left.remove_all(&some);
            for (request, n) in some.iter() {
                let sent = if self.returns_through { request.via(turn.id()) } else { *request };
                turn.send(ids[*at], Msg::Request(sent), n);
                if self.tracks() {
                    state.backends[*at].in_flight.add(sent, n);
                }
            }
        }
        Ok(())
    }

    /// How many of `n` requests each of the used backends gets.
    fn shares(
        &self,
        state: &mut Balancing,
        group: usize,
        used: &[usize],
        n: u32,
        turn: &mut Turn,
    ) -> Result<Vec<u32>, Ask> {
        let mut shares = vec![0; used.len()];
        match self.balance {
            Balance::RoundRobin => {
                for i in 0..n as usize {
                    shares[(state.turns[group] + i) % used.len()] += 1;
                }
                state.turns[group] = (state.turns[group] + n as usize) % used.len();
            }
            Balance::Random => {
                let each: Bag<usize> = (0..used.len()).map(|at| (at, n)).collect();
                let drawn = turn.draw("backends", &each, n, Pick::Any)?;
                drawn.iter().for_each(|(at, n)| shares[*at] = n);
            }
            Balance::LeastLoaded => {
                for _ in 0..n {
                    let load = |at: &usize| state.backends[used[*at]].in_flight.total() + shares[*at];
                    let least = (0..used.len()).min_by_key(load).unwrap_or(0);
                    shares[least] += 1;
                }
            }
        }
        Ok(shares)
    }
}

impl Component for Balancer {
    type Memory = Balancing;

    fn start(&self) -> Balancing {
        if self.tracks() && !self.returns_through {
            refuse("a balancer that answers bypass cannot go by requests under way".to_owned());
        }
        if let Some(error) = self.health.as_ref().and_then(|check| check.validate().err()) {
            refuse(error.to_string());
        }
        if self.health.as_ref().is_some_and(|check| check.timeout >= check.interval) {
            refuse("the timeout of a health check must be shorter than the interval between two".to_owned());
        }
        if self.groups.iter().any(Vec::is_empty) {
            refuse("a balancer needs at least one backend in each group".to_owned());
        }
        let backend = Backend {
            health: HealthState { healthy: true, against: 0 },
            until_check: 0,
            check: 0,
            in_flight: Bag::new(),
        };
        Balancing {
            group: 0,
            calm: 0,
            mode: Mode::ByHealth,
            backends: self.ids().map(|_| backend.clone()).collect(),
            outliers: self.outliers.as_ref().map(Policy::start),
            turns: vec![0; self.groups.len()],
        }
    }

    fn control(&self, state: &mut Balancing, control: Control) {
        state.mode = match control {
            Control::Direct(group) if usize::from(group) < self.groups.len() => Mode::Direct(group),
            Control::Split(percent) if self.groups.len() > 1 => Mode::Split(percent.min(100)),
            Control::ByHealth => Mode::ByHealth,
            _ => return,
        };
    }

    fn act(&self, state: &mut Balancing, arrived: &Inbox, turn: &mut Turn) -> Result<(), Ask> {
        if let (Some(policy), Some(outliers)) = (&self.outliers, &mut state.outliers) {
            policy.tick(outliers);
        }
        for backend in &mut state.backends {
            backend.in_flight = backend.in_flight.map(|request| request.aged().unwrap_or(*request));
        }
        self.answers(state, arrived, turn);
        self.checks(state, arrived, turn);
        super::probe::answer(arrived, turn);
        self.choose_group(state);
        match state.mode {
            Mode::ByHealth => self.forward(state, state.group, &arrived.requests, turn),
            Mode::Direct(group) => self.forward(state, usize::from(group), &arrived.requests, turn),
            Mode::Split(percent) => {
                let n = arrived.requests.total();
                let share = n * u32::from(percent);
                let second = turn.number("second group", share / 100..=share.div_ceil(100))?;
                let second = turn.draw_requests("second group", &arrived.requests, second, self.pick)?;
                let mut first = arrived.requests.clone();
                first.remove_all(&second);
                self.forward(state, 0, &first, turn)?;
                self.forward(state, 1, &second, turn)
            }
        }
    }
}

component_actor!(Balancer);
