import { ServiceError } from '../../base/errors.ts'
import type { Webhook } from '../../models/answers/webhook.ts'
import { callJson } from '../service/api.ts'
import type { Invocation } from '../arguments/command.ts'
import { confirmed } from '../terminal/io.ts'
import { type Column, listing, timeColumn } from '../terminal/table.ts'
import { pretty, safe } from '../terminal/text.ts'

export async function add({ options, io, api }: Invocation): Promise<number> {
  const [description, format] = [options.text('description'), options.text('format')]
  const created = await callJson(await api(), 'POST /v1/webhooks', {
    body: {
      url: options.required('url'),
      events: options.all('event'),
      ...(description === undefined ? {} : { description }),
      ...(format === undefined ? {} : { format }),
    },
  })
  io.out(options.json ? pretty(created) : `${safe(created.webhook_id)}\n${safe(created.secret)}\n`)
  const secret = options.json ? '`secret`' : 'the second line'
  io.err(`svc: ${secret} is what deliveries are signed with; it is not shown again\n`)
  return 0
}

const COLUMNS: readonly Column<Webhook>[] = [
  { heading: 'webhook', cell: row => row.webhook_id, whole: true },
  { heading: 'url', cell: row => row.url },
  { heading: 'events', cell: row => row.events.join(',') },
  { heading: 'secret', cell: row => row.secret_preview, rank: 5 },
  timeColumn('added', row => row.created_at),
  { heading: 'description', cell: row => row.description, rank: 3 },
  { heading: 'state', cell: stateOf, rank: 4 },
]

function stateOf({ enabled, previous_secret_until }: Webhook): string {
  if (!enabled) return 'disabled'
  return previous_secret_until === undefined ? 'enabled' : `rotating until ${previous_secret_until}`
}

export async function list({ options, io, api }: Invocation): Promise<number> {
  const webhooks = await fetchWebhooks(await api())
  io.out(options.json ? pretty({ webhooks }) : listing(COLUMNS, webhooks, io))
  if (webhooks.length === 0 && !options.json) {
    io.err('svc: no webhooks yet; add one with `svc webhook add --url URL --event EVENT`\n')
  }
  return 0
}

export async function remove({ args, options, io, api }: Invocation): Promise<number> {
  const webhookId = args[0]!
  const opened = await api()
  if (options.flag('yes') !== true) {
    const webhook = (await fetchWebhooks(opened)).find(({ webhook_id }) => webhook_id === webhookId)
    if (webhook === undefined) throw new ServiceError(404, `Unknown webhook: ${webhookId}`)
    if (!(await confirmed(`Remove ${webhookId} (${safe(webhook.url)}) and its deliveries?`, io))) {
      io.err('svc: nothing was removed\n')
      return 1
    }
  }
  const path = { webhook_id: webhookId }
  const removed = await callJson(opened, 'DELETE /v1/webhooks/{webhook_id}', { path })
  io.out(options.json ? pretty(removed) : `${safe(webhookId)} removed\n`)
  return 0
}

async function fetchWebhooks(api: Awaited<ReturnType<Invocation['api']>>): Promise<Webhook[]> {
  return (await callJson(api, 'GET /v1/webhooks')).webhooks
}

export async function test({ args, options, io, api }: Invocation): Promise<number> {
  const tested = await callJson(await api(), 'POST /v1/webhooks/{webhook_id}/test', {
    path: { webhook_id: args[0]! },
  })
  const { status, response_code, duration_ms, response_text, problem } = tested
  const said = response_text === null || response_text === '' ? '' : `${safe(response_text)}\n`
  const text = `${safe(status)}  ${response_code ?? 'no answer'}  ${duration_ms} ms\n${said}`
  io.out(options.json ? pretty(tested) : text)
  if (problem !== null) io.err(`svc: ${safe(problem)}\n`)
  return status === 'delivered' ? 0 : 1
}
