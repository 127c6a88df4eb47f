//! The timed actor runtime.
