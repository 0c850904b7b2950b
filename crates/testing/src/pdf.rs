//! PDF files for tests: valid, damaged and hostile ones.

use flate2::{Compress, Compression, FlushCompress};

/// Number of the first object of a page. Each page has two: itself and its content.
const FIRST_PAGE: usize = 4;

/// Returns a PDF file with a page for each text, whose lines become lines of the page.
pub fn pdf(pages: &[&str]) -> Vec<u8> {
    write_pdf(&pages.iter().map(|page| stream("", content(page).as_bytes())).collect::<Vec<_>>(), &[], "")
}

/// Returns a PDF file that opens only with a password (ISO 32000-1 section 7.6.3).
pub fn pdf_with_password(page: &str) -> Vec<u8> {
    let key = "<0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef>";
    let encryption = format!("<< /Filter /Standard /V 1 /R 2 /O {key} /U {key} /P -4 >>");
    let trailer = format!("/ID [{key} {key}] /Encrypt {} 0 R ", FIRST_PAGE + 2);
    write_pdf(&[stream("", content(page).as_bytes())], &[encryption.into_bytes()], &trailer)
}

/// Returns a PDF file whose pages are drawings.
pub fn pdf_without_text() -> Vec<u8> {
    write_pdf(&[stream("", b"10 10 100 100 re f")], &[], "")
}

/// Returns a PDF file of about a megabyte, whose page expands to a gibibyte (decompression bomb).
pub fn pdf_bomb() -> Vec<u8> {
    const PIECE: usize = 1 << 20;
    let mut piece = Vec::with_capacity(PIECE);
    let spaces = vec![b' '; PIECE];
    let mut compress = Compress::new(Compression::best(), false);
    let packing = compress.compress_vec(&spaces, &mut piece, FlushCompress::Full);
    assert!(packing.is_ok() && compress.total_in() == PIECE as u64, "the output has room");
    let mut packed = vec![0x78, 0xda];
    for _ in 0..1_024 {
        packed.extend_from_slice(&piece);
    }
    write_pdf(&[stream("/Filter /FlateDecode ", &packed)], &[], "")
}

/// Returns a PDF file whose page draws a form that draws itself.
pub fn pdf_with_endless_recursion() -> Vec<u8> {
    let form = format!(
        "/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X {} 0 R >> >> ",
        FIRST_PAGE + 2
    );
    write_pdf(&[stream("", b"/X Do")], &[stream(&form, b"/X Do")], "")
}

fn content(text: &str) -> String {
    let mut content = String::from("BT /F1 12 Tf 14 TL 72 720 Td\n");
    for line in text.lines() {
        let line = line.replace('\\', "\\\\").replace('(', "\\(").replace(')', "\\)");
        content.push_str(&format!("({line}) Tj T*\n"));
    }
    content.push_str("ET");
    content
}

fn stream(entries: &str, bytes: &[u8]) -> Vec<u8> {
    let head = format!("<< {entries}/Length {} >>\nstream\n", bytes.len());
    [head.as_bytes(), bytes, b"\nendstream"].concat()
}

/// Writes objects 1 (catalog), 2 (page tree), 3 (font), the pages with their content, and `more`, which the pages know as
/// `/X`.
fn write_pdf(contents: &[Vec<u8>], more: &[Vec<u8>], trailer: &str) -> Vec<u8> {
    let page = |index: usize| FIRST_PAGE + 2 * index;
    let kids: String = (0..contents.len()).map(|index| format!("{} 0 R ", page(index))).collect();
    let mut objects = vec![
        b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(),
        format!("<< /Type /Pages /Kids [{kids}] /Count {} /MediaBox [0 0 612 792] >>", contents.len())
            .into_bytes(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>".to_vec(),
    ];
    let first_more = page(contents.len());
    let forms = if more.is_empty() { String::new() } else { format!("/XObject << /X {first_more} 0 R >> ") };
    for (index, content) in contents.iter().enumerate() {
        let resources = format!("<< /Font << /F1 3 0 R >> {forms}>>");
        let contents = page(index) + 1;
        objects.push(
            format!("<< /Type /Page /Parent 2 0 R /Resources {resources} /Contents {contents} 0 R >>")
                .into_bytes(),
        );
        objects.push(content.clone());
    }
    objects.extend_from_slice(more);
    let mut file = b"%PDF-1.4\n".to_vec();
    let mut table = format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1);
    for (index, object) in objects.iter().enumerate() {
        table.push_str(&format!("{:010} 00000 n \n", file.len()));
        file.extend_from_slice(format!("{} 0 obj\n", index + 1).as_bytes());
        file.extend_from_slice(object);
        file.extend_from_slice(b"\nendobj\n");
    }
    let start = file.len();
    let size = objects.len() + 1;
    let end = format!("{table}trailer\n<< /Size {size} /Root 1 0 R {trailer}>>\nstartxref\n{start}\n%%EOF\n");
    file.extend_from_slice(end.as_bytes());
    file
}
