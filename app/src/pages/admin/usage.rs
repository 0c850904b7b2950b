use leptos::prelude::*;
use plexus_domain::money;

use super::with_side;
use crate::{
    components::{
        button::Button,
        definition_list::{fact, facts},
        field::Field,
        form_errors::form_errors,
        section::Section,
        usage_report::usage_report,
    },
    pages::{Page, PageMeta},
    text,
    view_models::{
        Form,
        model_usage::{AdminUsagePage, BudgetItem},
    },
};

impl Page for AdminUsagePage {
    fn head(&self) -> PageMeta {
        PageMeta::private(text!("settings-usage"))
    }

    fn is_translated(&self) -> bool {
        true
    }

    fn body(self) -> AnyView {
        let content = view! {
            <h1>{text!("settings-usage")}</h1>
            <p class="quiet">{text!("admin-usage-lead")}</p>
            {form_errors(&self.form, None)}
            {usage_report(&self.report, "/admin/usage")}
            {budget(&self.budget, &self.form, self.report.days)}
        };
        with_side("/admin/usage", content.into_any())
    }
}

fn budget(budget: &BudgetItem, form: &Form, days: u32) -> AnyView {
    let amount = budget.monthly_micro.map_or_else(|| text!("budget-none"), money::format_micros);
    let used = budget.used_percent.map(|percent| format!("{percent} %"));
    let state = facts(vec![
        (text!("budget"), fact(amount)),
        (text!("budget-cost"), fact(money::format_micros(budget.cost_micro))),
        (text!("budget-used"), used.and_then(fact)),
    ]);
    let fields = view! {
        {Field::text("amount", text!("budget")).optional().max(20).placeholder("50").hint(text!("budget-hint")).of(form)}
        {Field::text("alert_percents", text!("budget-thresholds")).optional().max(80).hint(text!("budget-thresholds-hint")).of(form)}
        {Field::choice("stops_models", text!("budget-exhausted"), stops()).default("no").of(form)}
    }
    .into_any();
    view! {
        <Section title=text!("budget-title") lead=text!("budget-lead")>
            {state}
            <form class="stack narrow" method="post" action=format!("/admin/usage?days={days}")>
                {fields}
                <p class="actions"><Button label=text!("budget-save") /></p>
            </form>
        </Section>
    }
    .into_any()
}

fn stops() -> Vec<(String, String)> {
    let options = [("no", text!("budget-continue")), ("yes", text!("budget-stop"))];
    options.map(|(value, label)| (value.to_owned(), label)).to_vec()
}
