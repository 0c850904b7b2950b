//! Stop words: function words, which say little about a text however frequent they are.

/// Function words of English.
const ENGLISH: [&str; 118] = [
    "a", "about", "after", "again", "all", "also", "am", "an", "and", "any", "are", "as", "at", "be",
    "because", "been", "before", "being", "both", "but", "by", "can", "could", "did", "do", "does", "down",
    "each", "for", "from", "had", "has", "have", "he", "her", "here", "him", "his", "how", "i", "if", "in",
    "into", "is", "it", "it's", "its", "it’s", "just", "let", "may", "me", "more", "most", "must", "my",
    "no", "nor", "not", "of", "off", "on", "once", "only", "or", "other", "our", "out", "over", "own",
    "same", "shall", "she", "should", "so", "some", "such", "than", "that", "the", "their", "them", "then",
    "there", "these", "they", "this", "those", "through", "to", "too", "under", "until", "up", "upon", "us",
    "very", "was", "we", "were", "what", "when", "where", "which", "while", "who", "whom", "whose", "why",
    "will", "with", "within", "without", "would", "yet", "you", "your", "yours",
];
/// Function words of Chinese and particles of Japanese. Japanese words of one kana are particles as well.
const CHINESE_AND_JAPANESE: [&str; 43] = [
    "的", "了", "是", "在", "和", "也", "都", "就", "不", "与", "與", "及", "或", "而", "把", "被", "让",
    "很", "这", "這", "那", "我", "你", "他", "她", "它", "我们", "我們", "你们", "他们", "一个", "一個",
    "です", "ます", "した", "する", "から", "まで", "この", "その", "これ", "それ", "こと",
];

/// Returns whether a lower-case word is a stop word.
pub(super) fn is_stop_word(word: &str) -> bool {
    let mut chars = word.chars();
    let is_kana = |c: char| ('\u{3041}'..='\u{309f}').contains(&c);
    let is_particle = chars.next().is_some_and(is_kana) && chars.next().is_none();
    is_particle || ENGLISH.contains(&word) || CHINESE_AND_JAPANESE.contains(&word)
}
