use std::time::Duration;

use plexus_app::view_models::{
    Form, Html,
    chat::*,
    chat_people::{
        ChatAgentRow, ChatPeoplePage, ChatPersonRow, JoinChatPage, ReceivedInvitationRow,
        ReceivedInvitationsPage, SentInvitationRow,
    },
    chat_search::{ChatSearchPage, FoundMessage},
    message::{Article, Author, FilePreview, PartView},
};
use plexus_domain::{
    ApprovalId, ChatId, ChatInvitationId, ImageSize, MessageId, PrincipalId, RunId,
    chat::{DailyLimit, DailyLimitUnit, RoomRole},
    form_question::{FormInput, FormQuestion, InputKind, InputOption},
    message::MessageState,
    run::Usage,
};
use serde_json::json;

use super::{agents, ago, now, shown, shown_after};

pub fn pages() -> Vec<(&'static str, String)> {
    vec![
        ("chat-new", shown("/chat", new(None))),
        ("chat-search", shown("/chat/search?q=tide", search("tide"))),
        (
            "chat-search-none",
            shown("/chat/search?q=x", ChatSearchPage { chats: vec![], messages: vec![], ..search("x") }),
        ),
        (
            "chat-archived",
            shown(
                "/chat/archived",
                ChatListPage {
                    sidebar: sidebar(),
                    scope: ChatScope::Archived,
                    chats: sidebar().chats,
                    older: None,
                },
            ),
        ),
        (
            "chat-all",
            shown(
                "/chat/all",
                ChatListPage {
                    sidebar: sidebar(),
                    scope: ChatScope::All,
                    chats: sidebar().chats,
                    older: Some("/chat/all?after=x".into()),
                },
            ),
        ),
        (
            "chat-folder-none",
            shown(
                "/chat/folder?name=Work",
                ChatListPage {
                    sidebar: sidebar(),
                    scope: ChatScope::Folder("Work & <b>more</b>".into()),
                    chats: vec![],
                    older: None,
                },
            ),
        ),
        (
            "chat-deleted",
            shown(
                "/chat/deleted",
                DeletedChatsPage {
                    sidebar: sidebar(),
                    chats: vec![DeletedChatItem {
                        id: chat(),
                        title: "Tides <i>and</i> lengths".into(),
                        until: now() + Duration::from_secs(80_000),
                    }],
                },
            ),
        ),
        (
            "chat-move",
            shown(
                "/chat/x/folder",
                MoveChatPage {
                    chat: chat(),
                    title: "Tides and lengths".into(),
                    folder: Some("Work".into()),
                    folders: vec!["Home".into(), "Work".into()],
                    form: Form::default(),
                },
            ),
        ),
        ("chat-people", shown("/chat/x/people", people(RoomRole::Owner))),
        ("chat-people-reader", shown("/chat/x/people", people(RoomRole::Reader))),
        (
            "chat-invitations",
            shown("/chat/invitations", ReceivedInvitationsPage { invitations: vec![invitation()] }),
        ),
        (
            "chat-join",
            shown(
                "/join/x",
                JoinChatPage {
                    token: "x".into(),
                    title: "Tides <i>and</i> lengths".into(),
                    role: RoomRole::Member,
                    invited_by: "ada".into(),
                    form: Form::default(),
                },
            ),
        ),
        (
            "chat-room",
            shown(
                "/chat/x",
                ThreadPage { room: Some(room()), exhausted: vec![exhausted()], ..thread(talk()) },
            ),
        ),
        (
            "chat-temporary",
            shown(
                "/chat/x",
                ThreadPage { temporary_hours: Some(24), folder: None, pinned: false, ..thread(talk()) },
            ),
        ),
        (
            "chat-temporary-new",
            shown(
                "/chat?to=@plexus/calc&temporary=yes",
                NewChatPage { temporary: TemporaryOffer { is_chosen: true, hours: 1 }, ..new(Some(calc())) },
            ),
        ),
        (
            "chat-temporary-delete",
            shown(
                "/chat/x/delete",
                ChatDialogPage {
                    chat: chat(),
                    title: "Temporary chat".into(),
                    action: ChatAction::Delete,
                    is_temporary: true,
                    form: Form::default(),
                },
            ),
        ),
        ("chat-new-to", shown("/chat?to=@plexus/calc", new(Some(calc())))),
        (
            "chat-new-first",
            shown(
                "/chat",
                NewChatPage {
                    sidebar: Sidebar::default(),
                    choice: AgentChoices::Suggested {
                        own: vec![],
                        recent: vec![],
                        starred: vec![],
                        hub: vec![agents::rows().remove(0)],
                    },
                    ..new(None)
                },
            ),
        ),
        ("chat", shown("/chat/x", thread(talk()))),
        ("chat-imported", shown("/chat/x", ThreadPage { to: None, ..thread(imported()) })),
        ("chat-streaming", shown("/chat/x", thread(streaming()))),
        (
            "chat-failed",
            shown_after(
                "/chat/x",
                "Chat renamed.",
                ThreadPage {
                    form: Form::filled([("text", "And in fathoms? </textarea><script>alert(1)</script>")])
                        .with_error(
                            "",
                            "Too many messages at once. Try again in 12 seconds; your text is kept.",
                        ),
                    ..thread(failed())
                },
            ),
        ),
        ("chat-parts", shown("/chat/x", thread(parts()))),
        (
            "chat-edit",
            shown(
                "/chat/x?edit=y",
                ThreadPage {
                    edits: Some(id(1)),
                    form: Form::filled([("text", "How far is Cuxhaven from Husum?")]),
                    ..thread(talk())
                },
            ),
        ),
        (
            "chat-retry",
            shown(
                "/chat/x/retry?message=y",
                RetryPage {
                    chat: chat(),
                    title: "Tides and lengths".into(),
                    message: id(2),
                    agents: agents::rows(),
                    is_comparison: false,
                    form: Form::filled([("to", "calc")])
                        .with_error("to", "Enter an address such as @owner/name."),
                },
            ),
        ),
        (
            "chat-compare",
            shown(
                "/chat/x/compare?message=y",
                RetryPage {
                    chat: chat(),
                    title: "Tides and lengths".into(),
                    message: id(2),
                    agents: agents::rows(),
                    is_comparison: true,
                    form: Form::default(),
                },
            ),
        ),
        ("chat-side-by-side", shown("/chat/x", thread(compared()))),
        (
            "chat-delete-message",
            shown(
                "/chat/x/delete-message?message=y",
                ChatDialogPage {
                    chat: chat(),
                    title: "Tides and lengths".into(),
                    action: ChatAction::DeleteMessage(id(2)),
                    is_temporary: false,
                    form: Form::default(),
                },
            ),
        ),
        (
            "chat-rename",
            shown(
                "/chat/x/rename",
                ChatDialogPage {
                    chat: chat(),
                    title: "Tides and lengths".into(),
                    action: ChatAction::Rename,
                    is_temporary: false,
                    form: Form::default(),
                },
            ),
        ),
        (
            "chat-delete",
            shown(
                "/chat/x/delete",
                ChatDialogPage {
                    chat: chat(),
                    title: "Tides and lengths".into(),
                    action: ChatAction::Delete,
                    is_temporary: false,
                    form: Form::default(),
                },
            ),
        ),
    ]
}

fn chat() -> ChatId {
    ChatId::new(now(), &[1; 10])
}

fn id(n: u8) -> MessageId {
    MessageId::new(now(), &[n; 10])
}

fn sidebar() -> Sidebar {
    let item = |n: u8, title: &str, seconds, running| ChatItem {
        id: ChatId::new(now(), &[n; 10]),
        title: title.into(),
        at: ago(seconds),
        running,
        waiting: n == 3,
        pinned: n == 1,
        folder: (n == 2).then(|| "Work".into()),
        is_room: n == 4,
        is_unread: n == 4,
    };
    Sidebar {
        chats: vec![
            item(1, "Tides and lengths", 90, false),
            item(2, "A sheet of 20,000 lines", 400, true),
            item(
                3,
                "What does “idempotent” mean, and why does every retry in this protocol need it?",
                9_000,
                false,
            ),
            item(4, "翻訳の用語集", 200_000, false),
        ],
        folders: vec![
            FolderItem { name: "Work".into(), chats: 1 },
            FolderItem { name: "翻訳".into(), chats: 0 },
        ],
        invitations: 1,
    }
}

fn calc() -> AgentChoice {
    AgentChoice {
        seed: "@plexus/calc".into(),
        name: "Calc".into(),
        address: "@plexus/calc".parse().unwrap(),
        summary: "Arithmetic with units: sums, conversions, percentages, dates.".into(),
        starters: vec![
            "6 ft 2 in to cm".into(),
            "17.5 % of 249 EUR".into(),
            "days from 2026-11-20 to 2027-03-01".into(),
        ],
        obstacle: None,
        accepts: Some(vec!["text/plain".into()]),
    }
}

fn room() -> RoomHeader {
    let people = ["ada", "bob", "rita", "gus"].map(str::to_owned).to_vec();
    RoomHeader {
        viewer: "ada".into(),
        viewer_id: PrincipalId::new(now(), &[1; 10]),
        role: RoomRole::Owner,
        people,
    }
}

fn exhausted() -> ExhaustedAgent {
    let limit = DailyLimit::new(DailyLimitUnit::Tokens, 20_000).unwrap();
    ExhaustedAgent { address: "@ada/translator".parse().unwrap(), limit }
}

fn people(role: RoomRole) -> ChatPeoplePage {
    let row = |name: &str, role| ChatPersonRow { name: name.into(), role, joined: ago(4_000) };
    let sent = |n: u8, user: Option<&str>| SentInvitationRow {
        id: ChatInvitationId::new(now(), &[n; 10]),
        user: user.map(str::to_owned),
        role: RoomRole::Member,
        expires: now() + Duration::from_secs(80_000),
    };
    ChatPeoplePage {
        chat: chat(),
        title: "Tides <i>and</i> lengths".into(),
        viewer: if role == RoomRole::Owner { "ada".into() } else { "rita".into() },
        role,
        people: vec![
            row("ada", RoomRole::Owner),
            row("bob", RoomRole::Member),
            row("rita", RoomRole::Reader),
        ],
        agents: vec![
            ChatAgentRow {
                address: "@plexus/calc".parse().unwrap(),
                name: "Calc".into(),
                limit: DailyLimit::new(DailyLimitUnit::Answers, 20).ok(),
                answers: 3,
                tokens: 0,
            },
            ChatAgentRow {
                address: "@ada/translator".parse().unwrap(),
                name: "翻訳 <b>".into(),
                limit: None,
                answers: 1_200,
                tokens: 345_678,
            },
        ],
        invitations: if role == RoomRole::Owner { vec![sent(1, Some("gus")), sent(2, None)] } else { vec![] },
        created: (role == RoomRole::Owner).then(|| "https://hub.example/join/x".into()),
        form: Form::default(),
    }
}

fn invitation() -> ReceivedInvitationRow {
    ReceivedInvitationRow {
        id: ChatInvitationId::new(now(), &[3; 10]),
        title: "Tides <i>and</i> lengths".into(),
        role: RoomRole::Reader,
        invited_by: "ada".into(),
        expires: now() + Duration::from_secs(80_000),
    }
}

fn attachments() -> Attachments {
    Attachments { files: vec![], max_files: 10, max_bytes: 16 << 20 }
}

fn new(to: Option<AgentChoice>) -> NewChatPage {
    let mut agents = agents::rows();
    agents.remove(4);
    let starred = agents.split_off(2);
    let (own, recent) = (vec![], agents.split_off(1));
    let choice = AgentChoices::Suggested { own, recent, starred, hub: agents };
    NewChatPage {
        sidebar: sidebar(),
        to,
        choice,
        temporary: TemporaryOffer { is_chosen: false, hours: 24 },
        next_id: id(99),
        attachments: attachments(),
        form: Form::default(),
    }
}

fn search(words: &str) -> ChatSearchPage {
    let found = |n: u8, author: &str, snippet: &[(&str, bool)]| FoundMessage {
        href: format!("/chat/x?m={n}"),
        title: "Tides and lengths".into(),
        seed: "@plexus/calc".into(),
        author: author.into(),
        at: ago(90 * u64::from(n)),
        snippet: snippet.iter().map(|(text, is_match)| ((*text).to_owned(), *is_match)).collect(),
    };
    ChatSearchPage {
        sidebar: sidebar(),
        words: words.into(),
        chats: sidebar().chats.into_iter().take(1).collect(),
        messages: vec![
            found(1, "You, to Calc", &[("When is low ", false), ("tide", true), (" in Husum?", false)]),
            found(
                2,
                "Calc",
                &[
                    ("…the next high ", false),
                    ("tide", true),
                    (" is at 14:05, and the ", false),
                    ("tide", true),
                    ("s of the week are…", false),
                ],
            ),
        ],
        older: Some("/chat/search?q=tide&after=x".into()),
        error: None,
    }
}

fn thread(messages: Vec<Article>) -> ThreadPage {
    ThreadPage {
        sidebar: sidebar(),
        chat: chat(),
        title: "Tides and lengths".into(),
        pinned: true,
        archived: false,
        folder: Some("Work".into()),
        usage: ThreadUsage { tokens: 4_212, cost_micro: 18_400, took_ms: 42_000 },
        current_message: messages.last().map(|message| message.id),
        messages,
        seq: 12,
        older: None,
        newer: None,
        room: None,
        to: Some(calc()),
        next_id: id(98),
        exhausted: vec![],
        read_only: None,
        temporary_hours: None,
        edits: None,
        attachments: attachments(),
        form: Form::default(),
    }
}

fn text(html: &str) -> PartView {
    PartView::Text { closed: Html::from_markup(html.into()), tail: String::new() }
}

fn article(n: u8, author: Author, parts: Vec<PartView>) -> Article {
    let agent = matches!(author, Author::Agent { .. });
    Article {
        is_own: false,
        mentioned: vec![],
        status: None,
        id: id(n),
        chat: chat(),
        parent: (n > 1).then(|| id(n - 1)),
        branch: i32::from(agent),
        author,
        at: ago(100 - u64::from(n)),
        state: MessageState::Done,
        parts,
        is_question: false,
        failure: None,
        run: agent.then(|| RunId::new(now(), &[n; 10])),
        run_caller: agent.then(|| PrincipalId::new(now(), &[2; 10])),
        is_own_run: false,
        alternatives: vec![id(n)],
        usage: agent.then_some(Usage { tokens_in: 40, tokens_out: 212, cost_micro: 0 }),
        took_ms: agent.then_some(3_240),
        rating: None,
    }
}

/// Answers of three agents side by side, of which one is still being written.
fn compared() -> Vec<Article> {
    let answer = |n: u8, branch: i32, name: &str, html: &str| Article {
        parent: Some(id(1)),
        branch,
        ..article(n, agent(name, &format!("@plexus/{name}")), vec![text(html)])
    };
    let open = Article {
        state: MessageState::Open,
        usage: None,
        took_ms: None,
        ..answer(4, 3, "guide", "<p>An agent for units is</p>")
    };
    vec![
        article(1, ada(), vec![text("<p>How far is Cuxhaven from Husum?</p>")]),
        answer(2, 1, "calc", "<p>By sea it is about <strong>96 km</strong>.</p>"),
        answer(3, 2, "text", "<p>Your question has 6 words.</p>"),
        open,
    ]
}

fn ada() -> Author {
    Author::Person { id: PrincipalId::new(now(), &[1; 10]), name: "ada".into() }
}

fn agent(name: &str, address: &str) -> Author {
    Author::Agent { seed: address.into(), name: name.into(), address: address.parse().unwrap() }
}

fn imported() -> Vec<Article> {
    let author = Author::Imported { label: "ChatGPT · gpt-4o <script>".into() };
    let answer = Article {
        branch: 1,
        alternatives: vec![id(2), id(3)],
        ..article(2, author, vec![text("<p>A mile.</p>")])
    };
    vec![article(1, ada(), vec![text("<p>How long is it?</p>")]), answer]
}

fn talk() -> Vec<Article> {
    let answer = "<p>A mark is two fathoms, and a fathom is six feet.</p><table><thead><tr><th>Length</th><th>in metres</th></tr></thead><tbody><tr><td>1 fathom</td><td>1.8288</td></tr><tr><td>2 fathoms</td><td>3.6576</td></tr></tbody></table><p>So the depth under the keel is <strong>1.86 m</strong>.</p><pre><code class=\"language-text\">2 fathoms − 1.8 m = 1.8576 m</code></pre>";
    let question =
        "<p>The leadsman calls “by the mark, two” and I draw 1.8 m. How much water is under the keel?</p>";
    vec![
        article(1, ada(), vec![text(question)]),
        Article {
            alternatives: vec![id(90), id(2), id(91)],
            ..article(2, agent("Calc", "@plexus/calc"), vec![text(answer)])
        },
        article(3, ada(), vec![text("<p>@ada/tide-clerk and when is high water at Brest tomorrow?</p>")]),
        article(
            4,
            agent("Tide clerk", "@ada/tide-clerk"),
            vec![text(
                "<p>High water at Brest on 21 November 2026: <strong>04:12</strong> (6.3 m) and <strong>16:38</strong> (6.0 m), UTC. Source: SHOM constants of 2024.</p><ul><li>Low water 10:22, 2.1 m</li><li>Low water 22:45, 2.3 m</li></ul>",
            )],
        ),
    ]
}

fn streaming() -> Vec<Article> {
    let open = PartView::Text {
        closed: Html::from_markup("<p>High water comes twice a day, about 12 h 25 min apart.</p>".into()),
        tail: "The next one at Brest is at 04:12, and the water then stands at".into(),
    };
    vec![
        article(1, ada(), vec![text("<p>When is high water at Brest tomorrow?</p>")]),
        Article {
            state: MessageState::Open,
            usage: None,
            took_ms: None,
            ..article(2, agent("Tide clerk", "@ada/tide-clerk"), vec![open, berth_question()])
        },
    ]
}

fn failed() -> Vec<Article> {
    vec![
        article(1, ada(), vec![text("<p>When is high water at Brest tomorrow?</p>")]),
        Article {
            state: MessageState::Failed,
            failure: Some("Tide clerk could not be reached: tides.example.org refused the connection. It was tried three times in 20 seconds.".into()),
            usage: None,
            ..article(2, agent("Tide clerk", "@ada/tide-clerk"), vec![])
        },
        article(3, ada(), vec![text("<p>1 nautical mile in cables?</p>")]),
        Article { state: MessageState::Stopped, ..article(4, agent("Calc", "@plexus/calc"), vec![text("<p>A nautical mile is ten cables, and</p>")]) },
    ]
}

fn parts() -> Vec<Article> {
    let approval = ApprovalId::new(now(), &[3; 10]);
    let parts = vec![
        PartView::Reasoning {
            html: Html::from_markup(
                "<p>The person wants a table. I will look up the harbour first.</p>".into(),
            ),
        },
        PartView::Tool {
            tool: "harbours.lookup".into(),
            arguments: json!({"name": "Brest"}),
            result: Some(json!({"id": 3, "zone": "Europe/Paris"})),
            took_ms: Some(182),
        },
        text("<p>Here is what I found.</p>"),
        PartView::Data {
            name: Some("tides.json".into()),
            value: json!({"harbour": "Brest", "high": ["04:12", "16:38"], "note": "</script><script>alert(1)</script>"}),
        },
        PartView::File {
            name: "tides-brest.csv".into(),
            media_type: "text/csv".into(),
            size: 18_220,
            preview: FilePreview::Page,
            href: Some("/blobs/x".into()),
        },
        PartView::File {
            name: "brest.png".into(),
            media_type: "image/png".into(),
            size: 18_220,
            preview: FilePreview::Image(Some(ImageSize { width: 640, height: 400 })),
            href: Some("/blobs/y".into()),
        },
        PartView::Link { name: Some("Harbour page".into()), url: "https://tides.example.org/brest".into() },
        PartView::Link { name: Some("A link that is none".into()), url: "javascript:alert(1)".into() },
        PartView::Approval {
            id: approval,
            tool: "mail.send".into(),
            arguments: json!({"to": "ada@example.org", "subject": "Tides"}),
            decision: None,
        },
        berth_question(),
        PartView::ContinueWith {
            seed: "@plexus/calc".into(),
            name: "Calc".into(),
            address: "@plexus/calc".parse().unwrap(),
            summary: "Arithmetic with units.".into(),
            text: "6.3 m in feet".into(),
        },
    ];
    vec![
        article(1, ada(), vec![text("<p>Tides for Brest, as a table, and mail it to me.</p>")]),
        article(2, agent("Guide", "@plexus/guide"), parts),
    ]
}

fn input(name: &str, title: &str, kind: InputKind) -> FormInput {
    FormInput {
        name: name.to_owned(),
        title: title.to_owned(),
        description: None,
        kind,
        is_required: true,
        default: None,
    }
}

fn berth_question() -> PartView {
    PartView::Question {
        id: ApprovalId::new(now(), &[4; 10]),
        tool: "harbour.example/book_berth".into(),
        question: FormQuestion {
            message: "Two berths are free on Friday. Which one do you want?".into(),
            inputs: vec![
                input(
                    "berth",
                    "Berth",
                    InputKind::Choice {
                        options: vec![
                            InputOption { value: "a4".into(), title: "A 4, sheltered".into() },
                            InputOption { value: "c9".into(), title: "C 9, at the fuel dock".into() },
                        ],
                    },
                ),
                input(
                    "nights",
                    "Nights",
                    InputKind::Number { is_integer: true, min: Some(1.0), max: Some(30.0) },
                ),
                input("power", "Shore power", InputKind::Switch),
            ],
        },
        answer: None,
    }
}
