//! Searches the inputs, and prints the hits.

use std::sync::Arc;

use urlgrep_base::escape;
use urlgrep_files::engine::Control;

use super::batch;
use super::config::Config;
use super::error::ConfigError;
use super::progress::Progress;
use super::search::Search;
use super::status::Status;
use super::stdout::stdout;
use super::write::Writer;

/// Searches the inputs of `config`, and prints the hits on standard output.
///
/// # Errors
///
/// An error if threads cannot be started. Errors of paths and of the output are
/// printed on standard error, and set the status.
pub fn run(config: &Arc<Config>) -> Result<Status, ConfigError> {
    if let Some(framing) = config.args.other.batch {
        return Ok(batch::run(config, framing));
    }
    let mut writer = Writer::new(config, stdout());
    if config.args.filter.max_count == Some(0) {
        return Ok(writer.finish());
    }
    let control = Control::new();
    if config.screen.progress {
        writer.set_progress(Progress::start(control.clone(), config.all_paths()));
    }
    let engine = config.engine().control(control).build();
    let make = {
        let config = Arc::clone(config);
        move || Search::new(&config)
    };
    engine
        .run(config.inputs(), make, |delivery| writer.take(delivery))
        .map_err(|e| {
            let text = escape::system_error(&e);
            ConfigError::new(format!("cannot start threads: {text}"))
        })?;
    Ok(writer.finish())
}
