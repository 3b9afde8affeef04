// SPDX-License-Identifier: GPL-2.0
//! The events of a test, one step in each second.

use super::{Fake, Inner};
use consumer::wait::{Event, Waiter};
use std::collections::VecDeque;
use std::fs::File;

/// The events of one second.
pub type Act = Box<dyn FnMut(&mut Inner)>;

/// The events while the consumer sleeps: one step in each second, then ^C.
pub struct Steps {
    pub fake: Fake,
    pub steps: VecDeque<Act>,
    pub epitaphs: Option<Vec<String>>,
    clock: u64,
}

impl Steps {
    pub fn new(fake: &Fake) -> Self {
        Self { fake: fake.clone(), steps: VecDeque::new(), epitaphs: None, clock: 0 }
    }

    pub fn then(mut self, step: impl FnMut(&mut Inner) + 'static) -> Self {
        self.steps.push_back(Box::new(step));
        self
    }
}

impl Waiter for Steps {
    fn now(&self) -> u64 {
        self.clock
    }

    fn wait(&mut self, ns: u64, _bell: Option<&File>) -> Event {
        self.clock += ns;
        match self.steps.pop_front() {
            Some(mut step) => {
                step(&mut self.fake.0.borrow_mut());
                Event::Timeout
            }
            None => self.epitaphs.take().map_or(Event::Interrupt, Event::TargetsGone),
        }
    }
}
