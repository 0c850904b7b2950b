use leptos::prelude::*;

use super::{narrowed_href, with_side};
use crate::{
    components::{
        button::Button,
        empty::Empty,
        field::Field,
        pager::pager,
        table::Table,
        time::{Ago, Date},
    },
    pages::{Page, PageMeta},
    text,
    view_models::{
        Form,
        admin::{AdminAudit, AuditRow},
    },
};

impl Page for AdminAudit {
    fn head(&self) -> PageMeta {
        PageMeta::private(text!("audit-title"))
    }

    fn is_translated(&self) -> bool {
        true
    }

    fn body(self) -> AnyView {
        let (actor, action) = (self.actor.clone(), self.action.clone());
        let list = if self.rows.is_empty() {
            nothing(actor.is_empty() && action.is_empty())
        } else {
            let rows = self.rows.into_iter().map(row).collect();
            view! { <Table caption=text!("admin-audit") heads=vec![text!("audit-time"), text!("audit-actor"), text!("audit-action"), text!("audit-target"), text!("admin-change"), text!("audit-request")] rows /> }.into_any()
        };
        let content = view! {
            <h1>{text!("admin-audit")}</h1>
            <p class="quiet">{text!("audit-lead")}</p>
            {narrow(&self.actor, &self.action, self.actions)}
            {list}
            {pager(self.pager, |page| narrowed_href("/admin/audit", page, &[("actor", &actor), ("action", &action)]))}
        };
        with_side("/admin/audit", content.into_any())
    }
}

fn nothing(of_all: bool) -> AnyView {
    if of_all {
        return view! { <Empty title=text!("audit-none")><p>{text!("audit-none-why")}</p></Empty> }
            .into_any();
    }
    view! { <Empty title=text!("audit-no-match")><p>{text!("audit-no-match-next")}</p><p><a href="/admin/audit">{text!("audit-all")}</a></p></Empty> }
        .into_any()
}

fn narrow(actor: &str, action: &str, actions: Vec<String>) -> AnyView {
    let options = [(String::new(), text!("audit-all-actions"))].into_iter();
    let options = options.chain(actions.into_iter().map(|action| (action.clone(), action))).collect();
    let form = Form::default();
    view! {
        <form class="stack narrow" role="search" action="/admin/audit" aria-label=text!("audit-filter")>
            {Field::text("actor", text!("audit-actor")).optional().max(80).mono().placeholder("@name").default(actor).of(&form)}
            {Field::choice("action", text!("audit-action"), options).default(action).of(&form)}
            <p class="actions"><Button label=text!("audit-apply") /></p>
        </form>
    }
    .into_any()
}

fn row(row: AuditRow) -> AnyView {
    let change = row.change.into_iter().map(|(name, value)| {
        view! { <div><span class="quiet">{name}": "</span>{value}</div> }
    });
    view! {
        <tr>
            <th scope="row"><Date at=row.at /> " " <span class="quiet"><Ago at=row.at /></span></th>
            <td class="text">{row.actor}</td>
            <td><code>{row.action}</code></td>
            <td class="text"><code>{row.target}</code></td>
            <td class="text">{change.collect_view()}</td>
            <td><code class="quiet">{row.request}</code></td>
        </tr>
    }
    .into_any()
}
