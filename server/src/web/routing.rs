//! Method routes with boxed handlers.
//!
//! axum instantiates about a hundred generic functions for each handler type, and the compiler proves at each that the
//! handler's future is `Send`. [`BoxedHandler`] is one type for all handlers, so this happens once.

use std::sync::Arc;

use axum::{
    extract::Request,
    handler::Handler,
    response::Response,
    routing::{self, MethodFilter, MethodRouter},
};
use futures::future::{BoxFuture, FutureExt as _};

use crate::app_state::AppState;

/// A handler of any type behind a pointer.
#[derive(Clone)]
pub struct BoxedHandler(Arc<dyn Fn(Request, AppState) -> BoxFuture<'static, Response> + Send + Sync>);

impl BoxedHandler {
    pub fn new<T: 'static>(handler: impl Handler<T, AppState>) -> Self {
        Self(Arc::new(move |request, state| handler.clone().call(request, state).boxed()))
    }
}

impl Handler<(), AppState> for BoxedHandler {
    type Future = BoxFuture<'static, Response>;

    fn call(self, request: Request, state: AppState) -> Self::Future {
        (self.0)(request, state)
    }
}

/// Routes GET and HEAD requests to a handler.
pub fn get<T: 'static>(handler: impl Handler<T, AppState>) -> MethodRouter<AppState> {
    routing::get(BoxedHandler::new(handler))
}

pub fn post<T: 'static>(handler: impl Handler<T, AppState>) -> MethodRouter<AppState> {
    routing::post(BoxedHandler::new(handler))
}

pub fn any<T: 'static>(handler: impl Handler<T, AppState>) -> MethodRouter<AppState> {
    routing::any(BoxedHandler::new(handler))
}

/// Routes GET to the handler that shows a form, and POST to the one that takes it.
pub fn form<S: 'static, T: 'static>(
    show: impl Handler<S, AppState>,
    submit: impl Handler<T, AppState>,
) -> MethodRouter<AppState> {
    get(show).on(MethodFilter::POST, BoxedHandler::new(submit))
}
