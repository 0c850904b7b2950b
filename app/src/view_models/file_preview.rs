//! View model of the content of a text file or table.

/// Preview at `/blobs/{sha256}/preview`.
#[derive(Clone, Debug)]
pub struct FilePreviewPage {
    pub name: String,
    pub media_type: String,
    /// Bytes of the whole file.
    pub size: u64,
    /// URL of the download.
    pub href: String,
    pub content: FileContent,
    /// True if the file has more than is shown.
    pub is_cut: bool,
}

#[derive(Clone, Debug)]
pub enum FileContent {
    Text(String),
    Table { head: Vec<String>, rows: Vec<Vec<String>> },
}
