import type { Delivery } from '../../models/answers/webhook.ts'
import type { Call } from '../../sdk/call.ts'
import { callJson } from '../service/api.ts'
import type { Invocation } from '../arguments/command.ts'
import { pretty, tabbed } from '../terminal/text.ts'

export async function deliveries({ args, options, io, api }: Invocation): Promise<number> {
  const failed = options.flag('failed') === true
  const call: Call = {
    query: { limit: options.number('limit'), status: failed ? 'failed' : undefined },
  }
  const [webhook_id] = args
  const listed = await (webhook_id === undefined
    ? callJson<{ deliveries: Delivery[] }>(await api(), 'GET /v1/webhook-deliveries', call)
    : callJson<{ deliveries: Delivery[] }>(await api(), 'GET /v1/webhooks/{webhook_id}/deliveries', {
        ...call,
        path: { webhook_id },
      }))
  if (options.json) {
    io.out(pretty(listed))
    return 0
  }
  io.out(listed.deliveries.map(deliveryLine).join(''))
  if (listed.deliveries.length === 0) io.err(`svc: no ${failed ? 'failed ' : ''}deliveries\n`)
  return 0
}

function deliveryLine(delivery: Delivery): string {
  const { delivery_id, status, event, webhook_id, attempts, response_code, duration_ms, created_at } =
    delivery
  return tabbed([
    delivery_id,
    created_at,
    status,
    event,
    webhook_id,
    attempts,
    response_code,
    duration_ms,
    delivery.problem ?? delivery.response_text,
  ])
}

export async function replay({ args, io, api }: Invocation): Promise<number> {
  const { delivery_id } = await callJson<Delivery>(
    await api(),
    'POST /v1/webhook-deliveries/{delivery_id}/replay',
    { path: { delivery_id: args[0]! } },
  )
  io.out(`${delivery_id} is sent again\n`)
  return 0
}
