mod board;
mod launch;
mod team;
