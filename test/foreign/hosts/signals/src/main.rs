//! Receives security events with easyssf, unpatched, and prints each as a line of JSON; with the argument `sign` it signs
//! those of its test transmitter instead. What its operator does comes by HTTP, because no stdin is there.
use std::env;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{Path, State};
use axum::routing::post;
use easyssf_core::caep::SsfCaepEvent;
use easyssf_core::risc::SsfRiscEvent;
use easyssf_receiver::event::SsfEventContext;
use easyssf_receiver::stream::SsfStreamClient;
use easyssf_receiver::transmitter::SsfTransmitter;
use easyssf_receiver::{BoxError, SsfReceiver};
use easyssf_receiver_axum::push_router_for;
use easyssf_test::TestTransmitter;
use serde_json::{Map, Value, json};

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    if env::args().nth(1).as_deref() == Some("sign") {
        sign()
    } else {
        receive().await
    }
}

/// Prints the key set of a transmitter, and the tokens that CLAIMS has: each by the event, the subject and other claims.
fn sign() -> Result<(), BoxError> {
    let transmitter = TestTransmitter::new();
    let given: Vec<(String, Map<String, Value>, Map<String, Value>)> = serde_json::from_str(&env::var("CLAIMS")?)?;
    let sets = given.into_iter().map(|(event, subject, more)| {
        let mut claims = transmitter.set_claims(&event, Some(subject));
        claims.extend(more);
        transmitter.sign_set(&claims)
    });
    let sets: Vec<String> = sets.collect();
    println!("{}", json!({ "jwks": transmitter.jwk_set(), "issuer": transmitter.issuer(), "sets": sets }));
    Ok(())
}

async fn receive() -> Result<(), BoxError> {
    let receiver = SsfReceiver::builder(serde_json::from_str(&env::var("CONFIG")?)?)
        .handler(|context: SsfEventContext| async move {
            println!("{}", seen(&context));
            Ok(())
        })
        .build()?;
    let transmitter = receiver.transmitters().primary().expect("one is configured").clone();
    let operator = Router::new()
        .route("/operator/{verb}", post(operate))
        .with_state(transmitter);
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", env::var("PORT")?.parse()?)).await?;
    receiver.start();
    axum::serve(listener, operator.merge(push_router_for(&receiver)))
        .with_graceful_shutdown(async {
            let mut terminate = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()).unwrap();
            terminate.recv().await;
        })
        .await?;
    receiver.shutdown().await;
    Ok(())
}

/// What the library reads of a token.
fn seen(context: &SsfEventContext) -> Value {
    let token = context.event_token();
    let subject = context.subject();
    let caep: Vec<Value> = SsfCaepEvent::in_token(token)
        .iter()
        .map(|event| {
            json!({
                "kind": format!("{:?}", event.kind()),
                "is_timed": event.event_timestamp().is_some(),
                "initiating_entity": event.initiating_entity(),
                "reason_admin": event.reason_admin(),
                "credential_type": event.credential_type(),
                "change_type": event.change_type(),
            })
        })
        .collect();
    let risc: Vec<String> = SsfRiscEvent::in_token(token)
        .iter()
        .map(|event| format!("{:?}", event.kind()))
        .collect();
    json!({
        "events": context.event_types(),
        "by": context.delivery_method().uri(),
        "jti": token.jti(),
        "iss": subject.issuer(),
        "sub": subject.subject(),
        "session": subject.session_id(),
        "is_complex": subject.is_complex(),
        "caep": caep,
        "risc": risc,
    })
}

/// Does what an operator asks for, with the client of the library, and answers with what came of it.
async fn operate(
    State(transmitter): State<Arc<SsfTransmitter>>,
    Path(verb): Path<String>,
    body: String,
) -> Result<String, String> {
    while transmitter.receiver_stream().stream_id().is_none() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let id = transmitter.receiver_stream().stream_id().unwrap_or_default();
    let client = transmitter.stream_client().expect("streams are managed");
    let answer = answer_to(&verb, &body, &transmitter, client, &id).await;
    answer.map(|value| value.to_string()).map_err(|error| error.to_string())
}

async fn answer_to(
    verb: &str,
    body: &str,
    transmitter: &SsfTransmitter,
    client: &SsfStreamClient,
    id: &str,
) -> Result<Value, BoxError> {
    Ok(match verb {
        "stream" => json!(client.stream(id).await?.claims()),
        "verify" => {
            transmitter.stream_verification().request_verification(client, id).await?;
            Value::Null
        }
        "is-verified" => json!(!transmitter.stream_verification().is_pending()),
        "status" => json!(client.status(id).await?.status),
        "change-status" => json!(client.update_status(id, body, Some("As its operator wants.")).await?.status),
        "remove-subject" => json!(client.remove_subject(id, &serde_json::from_str(body)?).await?),
        "add-subject" => json!(client.add_subject(id, &serde_json::from_str(body)?, true).await?),
        _ => return Err("an unknown verb".into()),
    })
}
