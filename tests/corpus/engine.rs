//! The engines: every way in which a system can be explored. Each case is decided by each of them, with each number of threads.

use aftercalm::check::{CheckError, Limits, Outcome, check};
use aftercalm::model::Checkable;
use aftercalm::property::System;

/// Makes the list from one line for each engine: its name, the numbers of threads to try, and how it is run.
macro_rules! engines {
    ($($name:ident on $threads:expr => $run:expr;)+) => {
        /// A search.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Search { $($name),+ }

        /// Each search with the numbers of threads that it is run with.
        const SEARCHES: &[(Search, &[usize])] = &[$((Search::$name, $threads)),+];

        impl Engine {
            /// Decides the claims of the system.
            pub fn check<M: Checkable>(self, system: &System<M>, limits: &Limits) -> Result<Outcome<M>, CheckError> {
                match self.search {
                    $(Search::$name => {
                        let run: fn(&System<M>, &Limits, usize) -> Result<Outcome<M>, CheckError> = $run;
                        run(system, limits, self.threads)
                    })+
                }
            }
        }
    };
}

/// One way of exploring a system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Engine {
    search: Search,
    threads: usize,
}

engines! {
    Generic on &[1] => |system, limits, _threads| {
        check(system, &Limits { engine: aftercalm::check::Engine::Generic, ..limits.clone() })
    };
    Product on &[1, 2, 4] => |system, limits, threads| {
        let engine = aftercalm::check::Engine::Product;
        check(system, &Limits { engine, threads: Some(threads), block_edges: 64, ..limits.clone() })
    };
}

/// All engines, each with each number of threads.
pub fn engines() -> impl Iterator<Item = Engine> {
    SEARCHES.iter().flat_map(|(search, threads)| {
        threads.iter().map(|threads| Engine { search: *search, threads: *threads })
    })
}
