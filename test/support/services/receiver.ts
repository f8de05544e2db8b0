import type { Outgoing, Send, Sent } from '../../../src/ledger/world/send.ts'
import { ok } from './requests.ts'
import type { TestService } from './service.ts'

/** A receiver that answers as set and remembers what it was sent. */
export interface Receiver {
  readonly send: Send
  readonly sent: Outgoing[]
  /** What it answers from now on. */
  answer: Sent | ((outgoing: Outgoing) => Promise<Sent>)
}

export const TAKEN: Sent = { status: 204, text: '' }

export function makeReceiver(answer: Receiver['answer'] = TAKEN): Receiver {
  const receiver: Receiver = {
    sent: [],
    answer,
    send: async outgoing => {
      receiver.sent.push(outgoing)
      return typeof receiver.answer === 'function' ? receiver.answer(outgoing) : receiver.answer
    },
  }
  return receiver
}

export const ALL_EVENTS = [
  'promote.succeeded',
  'promote.blocked',
  'promotion.requested',
  'rollback.succeeded',
] as const

/** Adds a webhook, and returns the answer with its secret. */
export function subscribe(
  service: TestService,
  more: Readonly<Record<string, unknown>> = {},
): Promise<{ webhook_id: string; secret: string }> {
  return ok(
    service.call('POST /v1/webhooks', {
      body: { url: 'https://hooks.example.com/releases', events: ALL_EVENTS, ...more },
    }),
  )
}

// oxlint-disable-next-line typescript/no-explicit-any -- tests look into payloads freely
export function payloadOf(outgoing: Outgoing | undefined): any {
  return JSON.parse(outgoing!.body)
}

/** The deliveries of a service, newest first. */
export async function deliveriesOf(
  service: TestService,
  query: Record<string, string | number> = {},
): Promise<Record<string, unknown>[]> {
  return (await ok(service.call('GET /v1/webhook-deliveries', { query }))).deliveries
}
