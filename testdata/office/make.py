"""Writes the office documents of this folder, each with a link in every place that has one.

    pip install python-docx==1.2.0 openpyxl==3.1.5 python-pptx==1.0.2 odfpy==1.4.1
    python3 testdata/office/make.py testdata/office

The libraries write whole templates. Members without a link are left out, unless a reader needs
them to recognise the file.

Four files are by the smallest office programs of Debian 12, as these wrote them: AbiWord 3.0.5
(`abiword --to=docx`, `--to=odt`, from HTML with a link, bold text in a URL, and a table) and
Gnumeric 1.12.55 (`ssconvert`, from CSV with a URL, a URL in a formula, and one in the first of
two columns). We looked at LibreOffice too: its writer without windows is 84 MB to fetch. No file
was written by it or by Microsoft Office.
"""

import io
import struct
import sys
import zipfile
import zlib
from pathlib import Path

import docx.opc.constants
import odf.dc
import odf.office
import odf.opendocument
import odf.style
import odf.text
import openpyxl
import pptx
import pptx.util
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.cell.text import InlineFont
from openpyxl.comments import Comment


def picture():
    """A PNG with a URL in its metadata, which nobody follows."""

    def chunk(kind, data):
        crc = struct.pack(">I", zlib.crc32(kind + data))
        return struct.pack(">I", len(data)) + kind + data + crc

    head = chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0))
    text = chunk(b"tEXt", b"Source\0http://media.example/ ")
    pixels = chunk(b"IDAT", zlib.compress(b"\0\0"))
    return io.BytesIO(b"\x89PNG\r\n\x1a\n" + head + text + pixels + chunk(b"IEND", b""))


def word():
    document = docx.Document()
    linked = document.add_paragraph("In text http://docx.example/text and ")
    relation = linked.part.relate_to(
        "http://docx.example/link?a=1&b=2",
        docx.opc.constants.RELATIONSHIP_TYPE.HYPERLINK,
        is_external=True,
    )
    link = OxmlElement("w:hyperlink")
    link.set(qn("r:id"), relation)
    run, text = OxmlElement("w:r"), OxmlElement("w:t")
    text.text = "here"
    run.append(text)
    link.append(run)
    linked._p.append(link)
    runs = document.add_paragraph("split http://docx.")
    runs.add_run("example/runs").bold = True
    runs.add_run(" and more")
    field = document.add_paragraph().add_run()
    for kind in ("begin", "separate", "end"):
        mark = OxmlElement("w:fldChar")
        mark.set(qn("w:fldCharType"), kind)
        field._r.append(mark)
        if kind == "begin":
            code = OxmlElement("w:instrText")
            code.text = ' HYPERLINK "http://docx.example/field" '
            field._r.append(code)
    section = document.sections[0]
    section.header.paragraphs[0].text = "http://docx.example/header"
    section.footer.paragraphs[0].text = "http://docx.example/footer"
    document.add_table(1, 1).cell(0, 0).text = "http://docx.example/cell"
    document.add_comment(linked.runs, text="See http://docx.example/comment", author="A")
    document.core_properties.comments = "http://docx.example/property"
    document.add_picture(picture())
    return document


def sheet():
    book = openpyxl.Workbook()
    first = book.active
    first["A1"] = "text http://xlsx.example/text?a=1&b=2"
    first["A2"] = "link"
    first["A2"].hyperlink = "http://xlsx.example/link"
    first["A3"] = '=HYPERLINK("http://xlsx.example/formula","label")'
    first["A4"] = "comment"
    first["A4"].comment = Comment("http://xlsx.example/comment", "A")
    first["A5"], first["B5"] = "http://xlsx.example/one", "two"
    bold = TextBlock(InlineFont(b=True), "example/runs")
    first["A6"] = CellRichText("rich http://xlsx.", bold, " more")
    first.oddHeader.center.text = "http://xlsx.example/header"
    first.oddFooter.center.text = "http://xlsx.example/footer"
    book.create_sheet("b")["A1"] = "http://xlsx.example/second"
    return book


def slides():
    show = pptx.Presentation()
    slide = show.slides.add_slide(show.slide_layouts[5])
    slide.shapes.title.text = "http://pptx.example/title"
    inch = pptx.util.Inches(1)
    box = slide.shapes.add_textbox(0, 0, inch, inch)
    run = box.text_frame.paragraphs[0].add_run()
    run.text, run.hyperlink.address = "link", "http://pptx.example/link?a=1&b=2"
    runs = box.text_frame.add_paragraph()
    runs.add_run().text = "split http://pptx."
    run = runs.add_run()
    run.text, run.font.bold = "example/runs", True
    runs.add_run().text = " more"
    box.click_action.hyperlink.address = "http://pptx.example/click"
    slide.notes_slide.notes_text_frame.text = "http://pptx.example/notes"
    table = slide.shapes.add_table(1, 1, 0, 0, inch, inch).table
    table.cell(0, 0).text = "http://pptx.example/cell"
    return show


def open_document():
    document = odf.opendocument.OpenDocumentText()

    def paragraph(text, *children):
        result = odf.text.P(text=text)
        for child in children:
            result.addElement(child)
        return result

    url = "http://odt.example/link?a=1&b=2"
    link = odf.text.A(href=url, type="simple", text="here")
    document.text.addElement(paragraph("In text http://odt.example/text and ", link))
    bold = odf.style.Style(name="Bold", family="text")
    bold.addElement(odf.style.TextProperties(fontweight="bold"))
    document.automaticstyles.addElement(bold)
    runs = paragraph("split http://odt.", odf.text.Span(stylename=bold, text="example/runs"))
    runs.addText(" more")
    document.text.addElement(runs)
    body = odf.text.NoteBody()
    body.addElement(paragraph("http://odt.example/footnote"))
    note = odf.text.Note(id="n1", noteclass="footnote")
    note.addElement(odf.text.NoteCitation(text="1"))
    note.addElement(body)
    comment = odf.office.Annotation()
    comment.addElement(odf.dc.Creator(text="A"))
    comment.addElement(paragraph("http://odt.example/comment"))
    document.text.addElement(paragraph("notes", note, comment))
    layout = odf.style.PageLayout(name="layout")
    document.automaticstyles.addElement(layout)
    page = odf.style.MasterPage(name="Standard", pagelayoutname=layout)
    document.masterstyles.addElement(page)
    for part, place in ((odf.style.Header(), "header"), (odf.style.Footer(), "footer")):
        part.addElement(paragraph(f"http://odt.example/{place}"))
        page.addElement(part)
    return document


def write(document, path):
    whole = io.BytesIO()
    document.save(whole)
    needed = ("mimetype", "[Content_Types].xml", "docProps/app.xml")
    with zipfile.ZipFile(whole) as source, zipfile.ZipFile(path, "w") as target:
        for member in source.infolist():
            data = source.read(member)
            if b".example" in data or b"http://xlsx." in data or member.filename in needed:
                kind = zipfile.ZIP_STORED if member.filename == "mimetype" else zipfile.ZIP_DEFLATED
                target.writestr(member.filename, data, kind, 9)


folder = Path(sys.argv[1])
write(word(), folder / "links.docx")
write(sheet(), folder / "links.xlsx")
write(slides(), folder / "links.pptx")
write(open_document(), folder / "links.odt")
