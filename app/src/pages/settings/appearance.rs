use leptos::prelude::*;

use super::with_side;
use crate::{
    components::{
        button::{Button, Kind},
        field::{RadioOption, Radios},
    },
    pages::{Page, PageMeta},
    text,
    view_models::{Density, Form, Locale, Theme, settings::AppearancePage},
};

/// Value of the choice that leaves the language to the browser.
const AUTOMATIC: &str = "auto";

impl Page for AppearancePage {
    fn head(&self) -> PageMeta {
        PageMeta::private(text!("appearance"))
    }

    fn is_translated(&self) -> bool {
        true
    }

    fn body(self) -> AnyView {
        let form = Form::default();
        let themes = Theme::ALL.map(|theme| RadioOption::new(theme.as_str(), theme_name(theme)));
        let densities = Density::ALL.map(|density| {
            let (name, meaning) = density_name(density);
            RadioOption::new(density.as_str(), name).meaning(meaning)
        });
        let automatic = RadioOption::new(AUTOMATIC, text!("language-automatic"));
        let languages = Locale::ALL.map(|locale| RadioOption::new(locale.as_str(), locale.name()));
        let language = Radios {
            name: "language",
            legend: text!("language"),
            default: self.locale.map_or(AUTOMATIC, Locale::as_str).to_owned(),
            options: [automatic].into_iter().chain(languages).collect(),
        };
        let theme = Radios {
            name: "theme",
            legend: text!("theme"),
            default: self.theme.as_str().to_owned(),
            options: themes.into(),
        };
        let density = Radios {
            name: "density",
            legend: text!("density"),
            default: self.density.as_str().to_owned(),
            options: densities.into(),
        };
        let keys = Radios {
            name: "single_keys",
            legend: text!("single-keys"),
            default: if self.single_keys { "on" } else { "off" }.to_owned(),
            options: vec![
                RadioOption::new("on", text!("single-keys-on")).meaning(text!("single-keys-on-meaning")),
                RadioOption::new("off", text!("single-keys-off")).meaning(text!("single-keys-off-meaning")),
            ],
        };
        let content = view! {
            <h1>{text!("appearance")}</h1>
            <p class="quiet">{text!("appearance-lead")}</p>
            <form class="stack narrow" method="post" action="/settings/appearance">
                {language.of(&form)}
                {theme.of(&form)}
                {density.of(&form)}
                {keys.of(&form)}
                <p><a href="/shortcuts">{text!("keyboard-shortcuts")}</a></p>
                <p class="actions"><Button label=text!("save") kind=Kind::Primary /></p>
            </form>
        };
        with_side("/settings/appearance", content.into_any())
    }
}

fn theme_name(theme: Theme) -> String {
    match theme {
        Theme::System => text!("theme-system"),
        Theme::Light => text!("theme-light"),
        Theme::Dark => text!("theme-dark"),
    }
}

fn density_name(density: Density) -> (String, String) {
    match density {
        Density::Comfortable => (text!("density-comfortable"), text!("density-comfortable-meaning")),
        Density::Compact => (text!("density-compact"), text!("density-compact-meaning")),
    }
}
