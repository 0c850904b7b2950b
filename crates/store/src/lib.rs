//! The store: SQLite and Postgres from one SQL text.
