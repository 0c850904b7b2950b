mod board;
mod launch;
mod page;
