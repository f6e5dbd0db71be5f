import { createHmac } from 'node:crypto'

const PREFIX = 'whsec_'

/** What a message to a webhook is signed over (Standard Webhooks 1.0, "Signature scheme"). */
export interface SignedMessage {
  readonly id: string
  /** Seconds since 1970. */
  readonly timestamp: number
  readonly body: string
}

/** Returns the headers of a message to a webhook. @param secret AUDIT_WEBHOOK_SECRET */
export function webhookHeaders(
  secret: string,
  { id, timestamp, body }: SignedMessage,
): Record<string, string> {
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': `v1,${signature}`,
  }
}
