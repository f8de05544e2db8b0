import { call, list } from '../service/run.ts'
import { ServiceError } from '../../base/errors.ts'
import type { TestedWebhook, Webhook } from '../../models/answers/webhook.ts'
import { callJson } from '../service/api.ts'
import type { Invocation } from '../arguments/command.ts'
import { confirmed } from '../terminal/io.ts'
import { timeColumn } from '../terminal/table.ts'
import { safe } from '../terminal/text.ts'
import { oneOf } from '../../base/text.ts'
import { WEBHOOK_EVENTS as EVENTS, WEBHOOK_FORMATS } from '../../models/names.ts'
import { OUTPUT, PROFILE_OPTION, ANSWER, LISTED } from '../arguments/options.ts'
import { among, commands, maybeEmpty, required } from '../arguments/records.ts'
/** `svc webhook …` */
export const COMMANDS = commands({
  'webhook add': {
    summary:
      'Add a webhook and print its secret, this once (name a remote service by --profile or SERVICE_URL)',
    task: 'Run the service',
    options: {
      '--to, --url <URL>': required('Where to send to, http or https'),
      '--event <EVENT>': required(`${oneOf(EVENTS)}; repeatable`, { values: EVENTS, many: true }),
      '--description <TEXT>': maybeEmpty('What it is for'),
      '--format <FORMAT>': among(
        WEBHOOK_FORMATS,
        'json (default), or a message for an incoming webhook of slack or teams',
      ),
      ...OUTPUT,
      ...PROFILE_OPTION,
    },
    example:
      'svc webhook add --to https://hooks.example.com/releases --event promote.succeeded --event rollback.succeeded --event rollback.forced',
    run: call('POST /v1/webhooks', {
      as: { event: 'events' },
      takes: ({ options }) => ({ url: options.text('url') }),
      text: ({ webhook_id, secret }) => `${safe(webhook_id)}\n${safe(secret)}\n`,
      note: (_, { options }) =>
        `deliveries are signed with ${options.json ? '`secret`' : 'the second line'}; it is not shown again`,
    }),
  },
  'webhook list': {
    summary: 'List webhooks',
    lists: 'webhook',
    options: LISTED,
    example: 'svc webhook list',
    run: list(
      'GET /v1/webhooks',
      'webhooks',
      [
        { heading: 'webhook', cell: row => row.webhook_id, whole: true },
        { heading: 'url', cell: row => row.url },
        { heading: 'events', cell: row => row.events.join(',') },
        { heading: 'secret', cell: row => row.secret_preview, rank: 5 },
        timeColumn('added', row => row.created_at),
        { heading: 'description', cell: row => row.description, rank: 3 },
        { heading: 'state', cell: stateOf, rank: 4 },
      ],
      { empty: 'no webhooks yet; add one with `svc webhook add --to URL --event EVENT`' },
    ),
  },
  'webhook remove <WEBHOOK_ID>': {
    summary: 'Remove a webhook and its deliveries',
    options: { '--yes': "Don't ask for confirmation", ...ANSWER },
    example: 'svc webhook remove whk_0123456789ab --yes',
    run: call('DELETE /v1/webhooks/{webhook_id}', {
      as: { yes: null },
      asks: mayRemove,
      text: (_, { args }) => `${safe(args[0]!)} removed\n`,
    }),
  },
  'webhook test <WEBHOOK_ID>': {
    summary: 'Send a test.ping to a webhook; exit 1 if it does not arrive',
    options: ANSWER,
    example: 'svc webhook test whk_0123456789ab',
    run: call('POST /v1/webhooks/{webhook_id}/test', {
      text: testedText,
      note: ({ problem }) => (problem === null ? undefined : safe(problem)),
      exits: ({ status }) => (status === 'delivered' ? 0 : 1),
    }),
  },
})

function stateOf({ enabled, previous_secret_until }: Webhook): string {
  if (!enabled) return 'disabled'
  return previous_secret_until === undefined ? 'enabled' : `rotating until ${previous_secret_until}`
}

async function mayRemove({ args, options, io, api }: Invocation): Promise<string | undefined> {
  if (options.flag('yes') === true) return undefined
  const webhookId = args[0]!
  const { webhooks } = await callJson(await api(), 'GET /v1/webhooks')
  const webhook = webhooks.find(({ webhook_id }) => webhook_id === webhookId)
  if (webhook === undefined) throw new ServiceError(404, `Unknown webhook: ${webhookId}`)
  const isMeant = await confirmed(`Remove ${webhookId} (${safe(webhook.url)}) and its deliveries?`, io)
  return isMeant ? undefined : 'nothing was removed'
}

function testedText({ status, response_code, duration_ms, response_text }: TestedWebhook): string {
  const said = response_text === null || response_text === '' ? '' : `${safe(response_text)}\n`
  return `${safe(status)}  ${response_code ?? 'no answer'}  ${duration_ms} ms\n${said}`
}
