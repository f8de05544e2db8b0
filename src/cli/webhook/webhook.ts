import { ServiceError } from '../../base/errors.ts'
import type { CreatedWebhook, TestedWebhook, Webhook } from '../../models/answers/webhook.ts'
import { callJson } from '../service/api.ts'
import { type Invocation, outputFormat } from '../arguments/command.ts'
import { confirmed } from '../terminal/confirm.ts'
import { pretty, safe, tabbed } from '../terminal/text.ts'

export async function add({ options, io, api }: Invocation): Promise<number> {
  const description = options.text('description')
  const created = await callJson<CreatedWebhook>(await api(), 'POST /v1/webhooks', {
    body: {
      url: options.required('url'),
      events: options.all('event'),
      ...(description === undefined ? {} : { description }),
    },
  })
  io.out(`${created.webhook_id}\n${created.secret}\n`)
  io.err('svc: the second line is the secret that deliveries are signed with; it is not shown again\n')
  return 0
}

export async function list({ options, io, api }: Invocation): Promise<number> {
  const format = outputFormat(options)
  const webhooks = await fetchWebhooks(await api())
  if (format === 'json') {
    io.out(pretty({ webhooks }))
    return 0
  }
  io.out(
    webhooks
      .map(({ webhook_id, url, events, secret_preview, created_at, description }) =>
        tabbed([webhook_id, url, events.join(','), secret_preview, created_at, description]),
      )
      .join(''),
  )
  if (webhooks.length === 0) {
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
  await callJson(opened, 'DELETE /v1/webhooks/{webhook_id}', { path: { webhook_id: webhookId } })
  io.out(`${safe(webhookId)} removed\n`)
  return 0
}

async function fetchWebhooks(api: Awaited<ReturnType<Invocation['api']>>): Promise<Webhook[]> {
  return (await callJson<{ webhooks: Webhook[] }>(api, 'GET /v1/webhooks')).webhooks
}

export async function test({ args, io, api }: Invocation): Promise<number> {
  const tested = await callJson<TestedWebhook>(await api(), 'POST /v1/webhooks/{webhook_id}/test', {
    path: { webhook_id: args[0]! },
  })
  const { status, response_code, duration_ms, response_text, problem } = tested
  io.out(`${status}  ${response_code ?? 'no answer'}  ${duration_ms} ms\n`)
  if (response_text !== null && response_text !== '') io.out(`${safe(response_text)}\n`)
  if (problem !== null) io.err(`svc: ${safe(problem)}\n`)
  return status === 'delivered' ? 0 : 1
}
