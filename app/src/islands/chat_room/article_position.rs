//! Position of an article that arrives while the page is open.

/// An article on the page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShownArticle {
    pub id: String,
    pub parent: Option<String>,
    pub branch: i32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArticlePosition {
    /// Not shown: it belongs to another branch of the chat.
    Elsewhere,
    /// Replaces the article with the same id.
    Same,
    /// Inserted after this one, which is the last answer to the same message.
    After { answer: String },
    /// Appended at the end, after these articles are removed.
    End { instead_of: Vec<String> },
}

/// Decides the position of `new` on a page that shows `shown`, in this order.
///
/// A new alternative replaces the old one in its branch and everything after it, except answers in other branches. An
/// answer in a new branch is beside the other answers, also if the chat has continued below them.
pub fn place(shown: &[ShownArticle], new: &ShownArticle) -> ArticlePosition {
    if shown.iter().any(|it| it.id == new.id) {
        return ArticlePosition::Same;
    }
    if let Some(parent) = &new.parent
        && !shown.iter().any(|it| it.id == *parent)
    {
        return ArticlePosition::Elsewhere;
    }
    // An alternative to the first message of the chat, which is on an older page.
    if new.parent.is_none() && shown.first().is_some_and(|first| first.parent.is_some()) {
        return ArticlePosition::Elsewhere;
    }
    let alternative = |it: &ShownArticle| it.parent == new.parent && it.branch == new.branch;
    let Some(at) = shown.iter().position(alternative) else {
        let beside = |it: &ShownArticle| it.parent.is_some() && it.parent == new.parent && it.branch > 0;
        let last = shown.iter().rposition(beside).filter(|_| new.branch > 0);
        return match last.filter(|last| last + 1 < shown.len()) {
            Some(last) => ArticlePosition::After { answer: shown[last].id.clone() },
            None => ArticlePosition::End { instead_of: Vec::new() },
        };
    };
    let gone =
        |(index, it): &(usize, &ShownArticle)| *index == at || (*index > at && it.parent != new.parent);
    let instead_of = shown.iter().enumerate().filter(gone).map(|(_, it)| it.id.clone()).collect();
    ArticlePosition::End { instead_of }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(id: &str, parent: Option<&str>, branch: i32) -> ShownArticle {
        ShownArticle { id: id.into(), parent: parent.map(Into::into), branch }
    }

    fn end(instead_of: &[&str]) -> ArticlePosition {
        ArticlePosition::End { instead_of: instead_of.iter().map(|&id| id.into()).collect() }
    }

    #[test]
    fn answers_follow_their_question() {
        let page = [shown("q", None, 0)];
        assert_eq!(place(&page, &shown("a", Some("q"), 1)), end(&[]));
        assert_eq!(place(&[], &shown("q", None, 0)), end(&[]));
        assert_eq!(place(&page, &shown("q", None, 0)), ArticlePosition::Same);
        assert_eq!(place(&page, &shown("x", Some("not here"), 1)), ArticlePosition::Elsewhere);
    }

    #[test]
    fn a_retry_takes_the_place_of_the_answer_and_of_what_followed() {
        let page = [
            shown("q", None, 0),
            shown("a", Some("q"), 1),
            shown("b", Some("q"), 2),
            shown("next", Some("a"), 0),
            shown("answer", Some("next"), 1),
        ];
        assert_eq!(place(&page, &shown("a2", Some("q"), 1)), end(&["a", "next", "answer"]));
        assert_eq!(place(&page, &shown("b2", Some("q"), 2)), end(&["b", "next", "answer"]));
    }

    #[test]
    fn an_answer_to_compare_is_beside_the_others() {
        let mut page = vec![shown("q", None, 0), shown("a", Some("q"), 1)];
        assert_eq!(place(&page, &shown("b", Some("q"), 2)), end(&[]));
        page.push(shown("next", Some("a"), 0));
        let after = ArticlePosition::After { answer: "a".into() };
        assert_eq!(place(&page, &shown("b", Some("q"), 2)), after);
        // Another branch of the chat.
        assert_eq!(place(&page, &shown("other", Some("q"), 0)), end(&[]));
    }

    #[test]
    fn an_article_is_replaced_even_where_its_parent_is_on_an_older_page() {
        let page = [shown("a", Some("older"), 1)];
        assert_eq!(place(&page, &shown("a", Some("older"), 1)), ArticlePosition::Same);
        assert_eq!(place(&page, &shown("first", None, 0)), ArticlePosition::Elsewhere);
    }
}
