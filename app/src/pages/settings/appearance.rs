use leptos::prelude::*;

use super::with_side;
use crate::{
    components::{
        button::{Button, Kind},
        field::{RadioOption, Radios},
    },
    pages::{Page, PageMeta},
    view_models::{Density, Form, Theme, settings::AppearancePage},
};

impl Page for AppearancePage {
    fn head(&self) -> PageMeta {
        PageMeta::private("Appearance")
    }

    fn body(self) -> AnyView {
        let form = Form::default();
        let themes = Theme::ALL.map(|theme| RadioOption::new(theme.as_str(), theme_name(theme)));
        let densities = Density::ALL.map(|density| {
            let (name, meaning) = density_name(density);
            RadioOption::new(density.as_str(), name).meaning(meaning)
        });
        let theme = Radios {
            name: "theme",
            legend: "Theme",
            default: self.theme.as_str().to_owned(),
            options: themes.into(),
        };
        let density = Radios {
            name: "density",
            legend: "Density",
            default: self.density.as_str().to_owned(),
            options: densities.into(),
        };
        let keys = Radios {
            name: "single_keys",
            legend: "Shortcuts of a single key",
            default: if self.single_keys { "on" } else { "off" }.to_owned(),
            options: vec![
                RadioOption::new("on", "On").meaning("A key such as n or ? acts outside text fields."),
                RadioOption::new("off", "Off").meaning("For speech input, and for keys pressed by accident."),
            ],
        };
        let content = view! {
            <h1>"Appearance"</h1>
            <p class="quiet">"Stored in this browser, so each of your devices can differ."</p>
            <form class="stack narrow" method="post" action="/settings/appearance">
                {theme.of(&form)}
                {density.of(&form)}
                {keys.of(&form)}
                <p><a href="/shortcuts">"Keyboard shortcuts"</a></p>
                <p class="actions"><Button label="Save" kind=Kind::Primary /></p>
            </form>
        };
        with_side("Appearance", content.into_any())
    }
}

const fn theme_name(theme: Theme) -> &'static str {
    match theme {
        Theme::System => "Same as the device",
        Theme::Light => "Light",
        Theme::Dark => "Dark",
    }
}

const fn density_name(density: Density) -> (&'static str, &'static str) {
    match density {
        Density::Comfortable => ("Comfortable", "More space between elements."),
        Density::Compact => ("Compact", "More content on one screen."),
    }
}
