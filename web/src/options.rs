//! The options of a search, as lines of `name=value`.

use urlgrep_containers::{Container, Position, ReadAs, sniff};
use urlgrep_find::{Extractor, ExtractorBuilder, Form};
use urlgrep_mail::HeaderPolicy;
use urlgrep_rows::record::{Field, json};
use urlgrep_search::{Searcher, Visitor};
use urlgrep_url::Profile;

/// The options of a search. Their names and values are those of the command.
#[derive(Clone, Debug)]
pub struct Options {
    extractor: ExtractorBuilder,
    headers: HeaderPolicy,
    read_as: ReadAs,
    /// The keys of a row. Empty for all.
    fields: Vec<Field>,
    /// Whether faults that were tolerated in messages are rows too.
    pub notes: bool,
}

impl Options {
    /// Reads options.
    ///
    /// # Errors
    ///
    /// A sentence for the programmer, if there is no such option or value.
    pub fn parse(lines: &[u8]) -> Result<Options, String> {
        let mut options = Options {
            extractor: Extractor::builder(),
            headers: HeaderPolicy::Written,
            read_as: ReadAs::Auto,
            fields: Vec::new(),
            notes: false,
        };
        let mut finds_suffix = false;
        let lines = str::from_utf8(lines).map_err(|_| "The options are not UTF-8.")?;
        for line in lines.lines() {
            let (name, value) = line.split_once('=').unwrap_or((line, ""));
            let wrong = || format!("The option {name} has no value \"{value}\".");
            let extractor = options.extractor;
            match name {
                "profile" => {
                    let profile = Profile::from_name(value).ok_or_else(wrong)?;
                    options.extractor = extractor.profile(profile);
                }
                "join" => options.extractor = extractor.join(flag(value).ok_or_else(wrong)?),
                "rejects" => options.extractor = extractor.rejects(flag(value).ok_or_else(wrong)?),
                "refang" => {
                    options.extractor = extractor.refang(flag(value).ok_or_else(wrong)?);
                }
                "unwrap" => {
                    let unwrap = flag(value).ok_or_else(wrong)?;
                    options.extractor = extractor.unwrap_links(unwrap);
                }
                "www" => finds_suffix = flag(value).ok_or_else(wrong)?,
                "headers" => {
                    options.headers = HeaderPolicy::from_name(value).ok_or_else(wrong)?;
                }
                "as" => options.read_as = ReadAs::from_name(value).ok_or_else(wrong)?,
                "notes" => options.notes = flag(value).ok_or_else(wrong)?,
                "fields" => {
                    let fields = value.split(',').map(Field::from_name);
                    options.fields = fields.collect::<Option<_>>().ok_or_else(wrong)?;
                }
                _ => return Err(format!("There is no option \"{name}\".")),
            }
        }
        let is_wanted = |form: &Form| finds_suffix || *form != Form::Suffix;
        let forms = Form::ALL.iter().copied().filter(is_wanted);
        options.extractor = options.extractor.forms(forms);
        Ok(options)
    }

    /// A searcher with these options. A host without a file system cannot hold a large
    /// attachment in a temporary file, so attachments are held in memory.
    #[must_use]
    pub fn searcher(&self) -> Searcher {
        let searcher = Searcher::builder()
            .extractor(self.extractor)
            .headers(self.headers)
            .message_ends(true)
            .columns(true);
        searcher.build()
    }

    /// A writer of rows with these keys.
    #[must_use]
    pub fn writer(&self) -> json::Writer {
        json::Writer::with_fields(self.fields.clone())
    }

    /// The name of the format in which `text` is read.
    #[must_use]
    pub fn read_as_name(&self, text: &[u8]) -> &'static str {
        self.container(text).name()
    }

    fn container(&self, text: &[u8]) -> Container {
        sniff(text, true, self.read_as)
    }

    /// Searches `text`.
    pub fn search<V: Visitor>(&self, searcher: &mut Searcher, text: &[u8], visitor: &mut V) {
        let _ = searcher.search(self.container(text), Position::START, text, visitor);
    }
}

fn flag(value: &str) -> Option<bool> {
    match value {
        "true" => Some(true),
        "false" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::find;

    fn rows(options: &str, text: &str) -> Result<String, String> {
        let mut rows = Vec::new();
        find(options.as_bytes(), text.as_bytes(), &mut rows)?;
        Ok(String::from_utf8(rows).unwrap())
    }

    #[test]
    fn each_option_changes_the_rows() {
        let text = "http://a.example/\nwww.b.example/ http://h_st/ http://c..example/";
        let url = "fields=url,profile\n";
        let plain = "{\"url\":\"http://a.example/\",\"profile\":\"iri\"}\n\
            {\"url\":\"http://h_st/\",\"profile\":\"iri\"}\n";
        assert_eq!(rows(url, text).unwrap(), plain);
        let old = rows(&[url, "profile=rfc1738\n"].concat(), text).unwrap();
        assert_eq!(
            old,
            "{\"url\":\"http://a.example/\",\"profile\":\"rfc1738\"}\n"
        );
        let suffix = rows(&[url, "www=true\n"].concat(), text).unwrap();
        assert!(suffix.contains("www.b.example"), "{suffix}");
        let rejects = rows(&["fields=rule\n", "rejects=true\n"].concat(), text).unwrap();
        assert!(rejects.contains("{\"rule\":\"reg-name\"}"), "{rejects}");
        let header = "From: a\nSubject: s\nList-Archive: <http://l.example/>\n\nText\n";
        assert_eq!(rows("fields=url", header).unwrap(), "");
        let all = rows("fields=url,read_as\nheaders=all", header).unwrap();
        assert_eq!(
            all,
            "{\"url\":\"http://l.example/\",\"read_as\":\"message\"}\n"
        );
        let as_text = rows("fields=read_as\nas=text", header).unwrap();
        assert_eq!(as_text, "{\"read_as\":\"text\"}\n");
        let cut = "From: a\nSubject: s\nContent-Type: multipart/mixed; boundary=x\n\n--x\n\nhttp://a.example/\n";
        assert!(!rows("", cut).unwrap().contains("missing-end"));
        let notes = rows("notes=true", cut).unwrap();
        assert!(notes.contains("\"note\":\"missing-end\""), "{notes}");
    }

    #[test]
    fn a_wrong_option_is_an_error() {
        for (options, message) in [
            ("nosuch=1", "There is no option \"nosuch\"."),
            (
                "profile=url-99",
                "The option profile has no value \"url-99\".",
            ),
            ("join=maybe", "The option join has no value \"maybe\"."),
            (
                "fields=url,nosuch",
                "The option fields has no value \"url,nosuch\".",
            ),
        ] {
            assert_eq!(rows(options, "http://a.example/").unwrap_err(), message);
        }
    }
}
