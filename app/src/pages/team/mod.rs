mod assignment_board;
mod index;
mod page;
mod replay_step;
mod report;
mod timeline;
mod tree;
