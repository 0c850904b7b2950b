//! Example goals, which teams of the built-in agents reach without a model.

/// A goal to start from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExampleGoal {
    pub title: &'static str,
    pub goal: &'static str,
}

pub const EXAMPLE_GOALS: [ExampleGoal; 3] = [
    ExampleGoal {
        title: "Convert a time and count words",
        goal: "Convert 3 hours 20 minutes to seconds, and count the words of “The tide comes in twice a day, and twice a day it \
               goes out.”",
    },
    ExampleGoal {
        title: "Chart a table",
        goal: "Make a table and a chart of these catches:\nmonth,herring,cod\nMay,120,45\nJune,180,38.5\nJuly,156,52\nAugust,94,61",
    },
    ExampleGoal {
        title: "Chart the words of a text",
        goal: "Find the most frequent words of “The sea gives and the sea takes. A boat needs the sea, and the sea needs no \
               boat.” Then draw a chart of them.",
    },
];
