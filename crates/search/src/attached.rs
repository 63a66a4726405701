//! Attachments that are files: archives, compressed files, and messages in base64.
//!
//! The decoded bytes of such a part are held: in memory up to a limit, and in an unnamed
//! temporary file beyond it. When the part ends they are read as a file on disk is: unpacked,
//! and each member is searched by a searcher of its own, whose visitor adds the message and
//! the part to what it finds. That searcher can meet attachments too, down to a limit.
//!
//! The cost is linear in the message: what is decompressed of a part, in all its layers, and of
//! all that is attached inside, has one limit, which is a multiple of its size.

use std::io;
use std::ops::ControlFlow;

use super::attachment::{Budget, Coded};
use super::decode::Decode;
use super::go_on;
use super::place::Place;
use super::waiting::{HeldNote, Waiting};
use super::{Line, Match, Message, Note, Searcher, Visitor};
use urlgrep_containers::{Coding, ReadAs, SNIFF};
use urlgrep_mail::mime::{MessageNoteKind, Role};
use urlgrep_unpack::{Event, Office, UnpackFault, Unpacker, utf16};

impl Decode<'_> {
    /// Searches the attachment that has ended, if it is a file.
    pub(super) fn search_attached(&mut self) {
        // Fast path: most parts are no files.
        if self.parts.attached.is_empty() {
            self.parts.attached.clear();
            return;
        }
        let file = match self.parts.attached.take_file() {
            Ok(Some(file)) => file,
            Ok(None) => return,
            Err(note) => return self.attached_note(note, b""),
        };
        let mut searcher = file.searcher;
        let Budget { limits, costs, .. } = file.budget;
        if let Some(coded) = file.coded {
            // What is packed in the body is an attachment of it.
            let limits = limits.depth(1);
            let unpacker = Unpacker::sharing(costs, file.source, Vec::new(), None, limits);
            if let Some(note) = self.search_coded(unpacker, &coded, &mut searcher) {
                self.attached_note(note, b"");
            }
            self.parts.attached.end_file(searcher);
            return;
        }
        let unpacker = Unpacker::sharing(costs, file.source, Vec::new(), Some(&file.path), limits);
        if let Some(note) = self.search_members(unpacker, &file.name, &mut searcher) {
            self.attached_note(note, b"");
        }
        self.parts.attached.end_file(searcher);
    }

    /// Searches the members of the attachment with this `name`. Returns a note if one was not
    /// searched to its end.
    fn search_members(
        &mut self,
        mut unpacker: Unpacker,
        name: &[u8],
        searcher: &mut Searcher,
    ) -> Option<MessageNoteKind> {
        let mut office = Office::default();
        let mut note = None;
        while !self.message.stopped
            && let Some(event) = unpacker.next()
        {
            if let Event::Fault(fault) = event {
                note.get_or_insert(self.parts.attached.keep(fault));
                continue;
            }
            let path = unpacker.path().filter(|path| *path != name);
            let member = path.map(<[u8]>::to_vec).unwrap_or_default();
            let head = unpacker.peek(SNIFF);
            if office.hides(&member, head) {
                continue;
            }
            let read = if utf16::is_marked(head) {
                self.search_member(searcher, utf16::reader(&mut unpacker), &member)
            } else if memchr::memchr(0, head).is_some() {
                self.attached_note(MessageNoteKind::UnknownPart, &member);
                continue;
            } else {
                self.search_member(searcher, &mut unpacker, &member)
            };
            if let Some(fault) = read.as_ref().err().and_then(UnpackFault::of) {
                note.get_or_insert(self.parts.attached.keep(fault.clone()));
            }
            if let Some(mut fault) = searcher.parts.attached.fault.take() {
                let outer = unpacker.path().unwrap_or_default();
                let inner = fault.path.map(|path| [outer, b"!", &path].concat());
                fault.path = inner.or_else(|| Some(outer.to_vec()));
                self.parts.attached.keep(fault);
            }
        }
        note
    }

    /// Searches a body of HTTP without its coding. Returns a note if it was not searched to its
    /// end.
    fn search_coded(
        &mut self,
        mut unpacker: Unpacker,
        coded: &Coded,
        searcher: &mut Searcher,
    ) -> Option<MessageNoteKind> {
        let mut note = None;
        unpacker.decode(coded.coding == Coding::Deflate);
        let found = {
            let mut inside = self.inside(b"");
            inside.is_body = true;
            searcher.search_decoded(&mut unpacker, coded, &mut inside)
        };
        self.message.stopped |= matches!(found, Ok(ControlFlow::Break(())));
        if let Some(fault) = found.as_ref().err().and_then(UnpackFault::of) {
            note.get_or_insert(self.parts.attached.keep(fault.clone()));
        }
        while let Some(event) = unpacker.next() {
            if let Event::Fault(fault) = event {
                note.get_or_insert(self.parts.attached.keep(fault));
            }
        }
        if let Some(fault) = searcher.parts.attached.fault.take() {
            self.parts.attached.keep(fault);
        }
        note
    }

    fn search_member(
        &mut self,
        searcher: &mut Searcher,
        member: impl io::Read,
        name: &[u8],
    ) -> io::Result<()> {
        let found = searcher.visit_reader(member, ReadAs::Auto, &mut self.inside(name));
        self.message.stopped |= matches!(found, Ok(ControlFlow::Break(())));
        found.map(|_| ())
    }

    /// The visitor of what is in the attachment, in the member `name`.
    fn inside<'i>(&'i mut self, name: &'i [u8]) -> Inside<'i> {
        let parts = &mut *self.parts;
        let (outer, line) = (&parts.text.place, parts.text.line);
        let line = parts.text.line_if_counted(line);
        Inside {
            visitor: self.visitor,
            waiting: &mut parts.waiting,
            holding: self.message.holding,
            message: self.message.at_hand(&parts.info),
            outer,
            line: (line > 0).then_some(line),
            role: parts.has_details.then_some(Role::Attachment),
            member: name,
            is_body: false,
            place: Place::default(),
        }
    }

    fn attached_note(&mut self, kind: MessageNoteKind, member: &[u8]) {
        let part = self.parts.text.place.part_number().to_owned();
        self.hold_note(kind, None, part, member);
    }
}

/// Gives the hits of a member to the visitor of the message.
struct Inside<'i> {
    visitor: &'i mut dyn Visitor,
    waiting: &'i mut Waiting,
    holding: bool,
    message: Message<'i>,
    /// The place of the attachment.
    outer: &'i Place,
    /// The line on which it begins.
    line: Option<u64>,
    role: Option<Role>,
    member: &'i [u8],
    /// It is the attachment itself without its coding, and no file in it.
    is_body: bool,
    place: Place,
}

impl Visitor for Inside<'_> {
    fn hit(&mut self, found: &Match<'_>) -> ControlFlow<()> {
        self.place.clone_from(found.place);
        self.place
            .attach(self.outer, self.line, self.member, self.is_body);
        if !self.is_body {
            self.place.role = self.role;
        }
        let found = Match {
            hit: found.hit,
            place: &self.place,
            message: Some(self.message),
        };
        let wants_more = self.waiting.give(&found, self.holding, None, self.visitor);
        go_on(wants_more)
    }

    fn wants_lines(&mut self, found: &Match<'_>) -> bool {
        self.visitor.wants_lines(found)
    }

    fn goes_on(&mut self) -> ControlFlow<()> {
        self.visitor.goes_on()
    }

    fn line(&mut self, line: &Line<'_>) {
        self.visitor.line(line);
    }

    fn note(&mut self, note: &Note<'_>) {
        self.waiting.note(HeldNote {
            kind: note.kind,
            at: None,
            message: self.message.number,
            part: Some(self.outer.part_number().to_owned()),
            member: match (self.member, note.member) {
                (b"", member) => member.unwrap_or_default().to_vec(),
                (outer, Some(member)) => [outer, b"!", member].concat(),
                (outer, None) => outer.to_vec(),
            },
        });
        if self.waiting.has_many_notes() {
            self.waiting.give_notes(self.holding, self.visitor);
        }
    }
}
