//! Kinds of work that goals ask for by many names: a chart is also plotted, drawn or visualized.

/// A kind of work. The order is that in which one builds on the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WorkKind {
    /// A picture of numbers.
    Chart,
    /// A text about results.
    Report,
}

/// Stems of words for a kind, in English, German, French and Spanish, with and without accents, since the index has none.
/// A word counts if it is a stem with an [ending](ENDINGS).
const STEMS: [(WorkKind, &[&str]); 2] = [
    (
        WorkKind::Chart,
        &[
            "chart",
            "courbe",
            "curve",
            "diagram",
            "diagrama",
            "diagramm",
            "dessin",
            "dibuj",
            "draw",
            "figure",
            "grafik",
            "graph",
            "graphic",
            "graphiqu",
            "gráfic",
            "grafic",
            "illustrat",
            "illustr",
            "kurve",
            "plot",
            "schaubild",
            "visual",
            "visuali",
            "visualisier",
            "visualiz",
            "zeichn",
        ],
    ),
    (
        WorkKind::Report,
        &[
            "analy",
            "análisis",
            "analisis",
            "analiz",
            "auswert",
            "bericht",
            "compte-rendu",
            "essay",
            "informe",
            "memo",
            "rapport",
            "report",
            "reporte",
            "resumen",
            "resumir",
            "résum",
            "summar",
            "synthès",
            "synthes",
            "writeup",
            "zusammenfass",
        ],
    ),
];
/// Parts of words of languages without spaces, which are found within a clause, each with the word for the kind.
const UNSPACED: [(WorkKind, &[(&str, &str)]); 2] = [
    (
        WorkKind::Chart,
        &[
            ("图表", "图表"),
            ("圖表", "圖表"),
            ("绘图", "图表"),
            ("繪圖", "圖表"),
            ("画图", "图表"),
            ("畫圖", "圖表"),
            ("作图", "图表"),
            ("线图", "图表"),
            ("線圖", "圖表"),
            ("柱状图", "图表"),
            ("条形图", "图表"),
            ("饼图", "图表"),
            ("直方图", "图表"),
            ("趋势图", "图表"),
            ("趨勢圖", "圖表"),
            ("走势图", "图表"),
            ("示意图", "图表"),
            ("曲线", "图表"),
            ("的图", "图表"),
            ("的圖", "圖表"),
            ("一张图", "图表"),
            ("一幅图", "图表"),
            ("一个图", "图表"),
            ("可视化", "图表"),
            ("グラフ", "グラフ"),
            ("図表", "グラフ"),
            ("차트", "차트"),
            ("그래프", "그래프"),
        ],
    ),
    (
        WorkKind::Report,
        &[
            ("报告", "报告"),
            ("報告", "報告"),
            ("总结", "报告"),
            ("總結", "報告"),
            ("分析", "报告"),
            ("レポート", "レポート"),
            ("要約", "レポート"),
            ("보고서", "보고서"),
            ("요약", "보고서"),
        ],
    ),
];
/// Words that belong to no kind, although they have its stem: figures are numbers, and graphical is a property.
const OTHERS: [&str; 5] = ["drawer", "figures", "memory", "reporter", "visually"];
const ENDINGS: [&str; 57] = [
    "", "e", "s", "ed", "er", "es", "ic", "ics", "ing", "ion", "ions", "ise", "ised", "ises", "ising",
    "isation", "ize", "ized", "izes", "izing", "ization", "sation", "sis", "ses", "se", "sed", "sing", "ted",
    "y", "ze", "zed", "ies", "ings", "n", "zing", // German
    "en", "et", "ung", "ungen", "te", "sier", "siere", "sieren", "t", // French
    "ez", "é", "ée", "ement", "ser", "sez", // Spanish
    "a", "ar", "as", "o", "os", "ico", "ica",
];
/// Verbs whose object is what the work is about: "analyse the sales" needs the sales.
const ABOUT_OBJECT: [&str; 11] = [
    "analy",
    "analiz",
    "chart",
    "dibuj",
    "draw",
    "graph",
    "plot",
    "summar",
    "visual",
    "visualisier",
    "zeichn",
];

/// Returns the kind of work that a lower-case word names.
pub fn work_kind(word: &str) -> Option<WorkKind> {
    if OTHERS.contains(&word) {
        return None;
    }
    let names = |stems: &[&str]| stems.iter().any(|stem| has_stem(word, stem));
    let spaced = STEMS.iter().find(|(_, stems)| names(stems));
    let unspaced = || UNSPACED.iter().find(|(_, words)| words.iter().any(|(part, _)| word.contains(part)));
    spaced.map(|(kind, _)| *kind).or_else(|| unspaced().map(|(kind, _)| *kind))
}

/// Returns the word for the kind of work that a clause without spaces names.
pub(super) fn unspaced_kind_word(clause: &str) -> Option<&'static str> {
    let words = UNSPACED.iter().flat_map(|(_, words)| words.iter());
    words.filter(|(part, _)| clause.contains(part)).map(|(_, word)| *word).next()
}

/// Returns the parts of words for a kind of work in languages without spaces.
pub fn unspaced_words_of(kind: WorkKind) -> impl Iterator<Item = &'static str> {
    let words = UNSPACED.iter().filter(move |(other, _)| *other == kind).flat_map(|(_, words)| words.iter());
    words.map(|(part, _)| *part)
}

/// Returns the stems of the words for a kind of work, to look them up. A word with a stem may still be of another kind.
pub fn stems_of(kind: WorkKind) -> &'static [&'static str] {
    STEMS.iter().find(|(other, _)| *other == kind).map_or(&[], |(_, stems)| *stems)
}

/// Returns whether the object of a verb is what the work is about.
pub(super) fn takes_subject(verb: &str) -> bool {
    ABOUT_OBJECT.iter().any(|stem| has_stem(verb, stem))
}

fn has_stem(word: &str, stem: &str) -> bool {
    // A doubled consonant stands before an ending: "plotted".
    let rest = word.strip_prefix(stem);
    rest.is_some_and(|rest| {
        let single = stem.chars().last().and_then(|last| rest.strip_prefix(last));
        ENDINGS.contains(&rest) || single.is_some_and(|rest| !rest.is_empty() && ENDINGS.contains(&rest))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_kind_have_many_forms() {
        for word in [
            "plot",
            "plots",
            "plotted",
            "plotting",
            "chart",
            "graphs",
            "visualize",
            "visualisation",
            "figure",
        ] {
            assert_eq!(work_kind(word), Some(WorkKind::Chart), "{word}");
        }
        for word in
            ["report", "reports", "analysis", "analyse", "analyzing", "summary", "summarize", "summaries"]
        {
            assert_eq!(work_kind(word), Some(WorkKind::Report), "{word}");
        }
        for word in ["figures", "memory", "revenue", "plotter-x", "tax", "graphite", "analyst"] {
            assert_eq!(work_kind(word), None, "{word}");
        }
        assert!(takes_subject("analyze") && takes_subject("plot") && !takes_subject("write"));
    }
}
