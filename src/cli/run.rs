//! Searches what was named, and prints what is found.

use std::io;
use std::sync::Arc;

use urlgrep::engine::Control;

use super::batch;
use super::config::Config;
use super::error::ConfigError;
use super::progress::Progress;
use super::search::Search;
use super::status::Status;
use super::write::Writer;

/// Searches what `config` says, and prints it on standard output.
///
/// # Errors
///
/// Threads that cannot be had. What goes wrong with paths or output is told on
/// standard error and in the status.
pub fn run(config: &Arc<Config>) -> Result<Status, ConfigError> {
    if let Some(framing) = config.batch {
        return Ok(batch::run(config, framing));
    }
    let mut writer = Writer::new(config, io::stdout().lock());
    if config.max_count == Some(0) {
        return Ok(writer.finish());
    }
    let control = Control::new();
    if config.progress {
        writer.set_progress(Progress::start(control.clone(), config.all_paths()));
    }
    let engine = config.engine().control(control).build();
    let make = {
        let config = Arc::clone(config);
        move || Search::new(&config)
    };
    engine
        .run(config.inputs(), make, |delivery| writer.take(delivery))
        .map_err(|e| ConfigError::new(format!("cannot start threads: {e}")))?;
    Ok(writer.finish())
}
