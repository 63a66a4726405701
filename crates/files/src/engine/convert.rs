//! Files and attachments that are converted before they are searched.

use std::fmt;
use std::fs::File;
use std::io::{self, Seek};
use std::path::Path;
use std::sync::{Arc, Mutex};

use super::{Control, Fault, Shared};
use crate::ranges::ReadAt;
use urlgrep_base::escape;
use urlgrep_search::{ConvertPart, FilePart};
use urlgrep_unpack::{FirstBytes, Limits, Spool, UnpackFault, UnpackFaultKind, lock};

/// Converts files, and attachments of messages. A worker has one of them at a time
/// converted, so that at most as many are converted at once as there are threads.
pub trait Convert: fmt::Debug + Send + Sync {
    /// True if the file is converted, or the attachment with this name. `content_type` is
    /// the type of an attachment in lower case. A file has none.
    fn wants(&self, path: &Path, content_type: Option<&str>) -> bool;

    /// Converts a file or an attachment, whose name has no folders and may be empty. The
    /// result is searched as its member `pre`, and the format is recognised. It ends
    /// early if the run is cancelled.
    ///
    /// # Errors
    ///
    /// If there is nothing to search. The error becomes a fault of the file.
    fn convert(
        &self,
        path: &Path,
        content_type: Option<&str>,
        input: File,
        control: &Control,
    ) -> io::Result<Converted>;
}

/// The result of a conversion.
#[derive(Debug)]
pub struct Converted {
    /// What is searched, from its beginning. A process that still writes to it must not share
    /// the position of this handle.
    pub output: File,
    /// The number of bytes that are searched. More may be written meanwhile.
    pub len: u64,
    /// Why the output may be incomplete. It becomes a fault of the file.
    pub fault: Option<io::Error>,
}

/// Has the attachments converted that one worker meets, and keeps the faults.
#[derive(Debug)]
pub(super) struct Attachments {
    convert: Option<Arc<dyn Convert>>,
    pub limits: Limits,
    control: Control,
    faults: Mutex<Vec<Fault>>,
}

impl Attachments {
    pub fn new(shared: &Shared) -> Arc<Attachments> {
        Arc::new(Attachments {
            convert: shared.convert.clone(),
            limits: shared.settings.limits,
            control: shared.control.clone(),
            faults: Mutex::default(),
        })
    }

    /// The faults since the last call, as faults of this file.
    pub fn faults(&self, path: Option<&[u8]>) -> Vec<Fault> {
        let mut faults = lock(&self.faults);
        for fault in &mut *faults {
            fault.path = path.map(<[u8]>::to_vec);
        }
        std::mem::take(&mut faults)
    }
}

impl ConvertPart for Attachments {
    fn wants(&self, content_type: &str, name: &[u8]) -> bool {
        let wants = |by: &Arc<dyn Convert>| by.wants(plain_name(name).as_ref(), Some(content_type));
        self.convert.as_ref().is_some_and(wants)
    }

    fn convert(&self, part: &FilePart, input: Spool) -> Option<FirstBytes> {
        let name = plain_name(&part.name);
        let kind = Some(&part.content_type[..]);
        let by = self.convert.as_ref()?;
        let made = input.into_file().and_then(|mut input| {
            input.rewind()?;
            by.convert(name.as_ref(), kind, input, &self.control)
        });
        let (output, error) = match made {
            Ok(Converted { output, len, fault }) => (Some(FirstBytes::new(output, len)), fault),
            Err(error) => (None, Some(error)),
        };
        if let Some(error) = error {
            let text = escape::system_error(&error);
            let fault = UnpackFault::new(UnpackFaultKind::Io(error.kind()), text);
            self.fail(part.locate(fault));
        }
        output
    }

    fn fail(&self, fault: UnpackFault) {
        let mut faults = lock(&self.faults);
        faults.push(fault.into());
    }
}

impl ReadAt for FirstBytes {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let left = self.after(offset).min(buffer.len() as u64);
        self.file().read_at(&mut buffer[..left as usize], offset)
    }

    fn size(&self) -> io::Result<Option<u64>> {
        let size = self.file().size()?;
        Ok(size.map(|size| size.min(self.end())))
    }
}

/// The name of an attachment without folders and control characters. The sender chose it,
/// and a program may take it for a path.
fn plain_name(name: &[u8]) -> String {
    let name = String::from_utf8_lossy(name);
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    last.chars().filter(|c| !c.is_control()).collect()
}
