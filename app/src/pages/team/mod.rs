mod board;
mod launch;
mod page;
mod report;
mod step;
mod timeline;
mod tree;
