//! The `aftercalm` command.

fn main() -> std::process::ExitCode {
    aftercalm::cli::main()
}
