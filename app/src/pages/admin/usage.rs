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
    view_models::{
        Form,
        model_usage::{AdminUsagePage, BudgetItem},
    },
};

impl Page for AdminUsagePage {
    fn head(&self) -> PageMeta {
        PageMeta::private("Usage")
    }

    fn body(self) -> AnyView {
        let content = view! {
            <h1>"Usage"</h1>
            <p class="quiet">"Tokens and cost of the models that agents of this hub run on. Days begin at 00:00 UTC."</p>
            {form_errors(&self.form, None)}
            {usage_report(&self.report, "/admin/usage")}
            {budget(&self.budget, &self.form, self.report.days)}
        };
        with_side("Usage", content.into_any())
    }
}

fn budget(budget: &BudgetItem, form: &Form, days: u32) -> AnyView {
    let amount = budget.monthly_micro.map_or_else(|| "None".to_owned(), money::format_micros);
    let used = budget.used_percent.map(|percent| format!("{percent} %"));
    let state = facts(vec![
        ("Budget", fact(amount)),
        ("Cost this month", fact(money::format_micros(budget.cost_micro))),
        ("Used", used.and_then(fact)),
    ]);
    let fields = view! {
        {Field::text("amount", "Budget").optional().max(20).placeholder("50").hint("Empty means no budget.").of(form)}
        {Field::text("alert_percents", "Thresholds").optional().max(80).hint("Percentages of the budget, separated by commas.").of(form)}
        {Field::choice("stops_models", "When the budget is used up", stops()).default("no").of(form)}
    }
    .into_any();
    view! {
        <Section title="Monthly budget" lead="In the currency of the model prices. Administrators see a notice when the cost reaches a threshold.">
            {state}
            <form class="stack narrow" method="post" action=format!("/admin/usage?days={days}")>
                {fields}
                <p class="actions"><Button label="Save budget" /></p>
            </form>
        </Section>
    }
    .into_any()
}

fn stops() -> Vec<(String, String)> {
    let options = [("no", "Models keep answering"), ("yes", "Models with a price stop until the next month")];
    options.map(|(value, label)| (value.to_owned(), label.to_owned())).to_vec()
}
