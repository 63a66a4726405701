//! Which header fields are searched.

use urlgrep_base::named;
use urlgrep_containers::fields::Writer;

named! {
    /// The header fields that become parts.
    #[derive(Default)]
    pub enum HeaderPolicy {
        /// No field.
        None => "none",
        /// The fields that people write: Subject, Comments, Organization, X-Homepage and others.
        /// Every field except for those that programs write:
        ///
        /// * addresses: From, To, Cc, Reply-To, Sender, Followup-To and others
        /// * ids: Message-ID, In-Reply-To, References, Content-ID, Xref, `X-…-ID`
        /// * traces: Received, Path, `NNTP-…`, X-Trace, dates, status
        /// * signatures and keys: `DKIM-…`, `ARC-…`, Autocrypt, Cancel-Lock, Face
        /// * results of filters: `X-Spam-…`, `X-Virus-…`, `X-MS-…`, Authentication-Results
        /// * where to complain: X-Complaints-To, `X-Report-Abuse…`, Feedback-ID
        /// * the program that sent the message: User-Agent, X-Mailer
        /// * mailing lists: see [`HeaderPolicy::List`]
        ///
        /// `program_fields.txt` has all of them, with their sources.
        #[default]
        Written => "written",
        /// As `Written`, and the fields of mailing lists: `List-…`, Archived-At, X-BeenThere,
        /// `X-Mailman-…`, `X-…-Unsubscribe…` and others.
        List => "list",
        /// Every field.
        All => "all",
    }
}

impl HeaderPolicy {
    /// Whether a field is searched that `writer` writes.
    #[inline]
    pub(super) fn searches(self, writer: Writer) -> bool {
        match self {
            HeaderPolicy::None => false,
            HeaderPolicy::Written => writer == Writer::Person,
            HeaderPolicy::List => writer != Writer::Program,
            HeaderPolicy::All => true,
        }
    }
}
