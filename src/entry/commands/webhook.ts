import { WEBHOOK_EVENTS as EVENTS, WEBHOOK_FORMATS } from '../../models/names.ts'
import type { CommandSpec } from '../../cli/arguments/command.ts'
import { oneOf } from '../../cli/arguments/help.ts'
import { OUTPUT, PROFILE_OPTION, TARGET } from '../../cli/arguments/options.ts'

/** `svc webhook …` */
export const WEBHOOK_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'webhook add',
    summary:
      'Add a webhook; prints its secret, this once (--profile or SERVICE_URL, not --url, names a remote service)',
    task: 'Run the service',
    options: [
      { flags: '--url <URL>', description: 'Where to send to, http or https', required: true },
      {
        flags: '--event <EVENT>',
        description: `${oneOf(EVENTS)}; say it again for more`,
        values: EVENTS,
        required: true,
        many: true,
      },
      { flags: '--description <TEXT>', description: 'What it is for', mayBeEmpty: true },
      {
        flags: '--format <FORMAT>',
        description: 'json (default), or a message for an incoming webhook of slack or teams',
        values: WEBHOOK_FORMATS,
      },
      OUTPUT,
      PROFILE_OPTION,
    ],
    example:
      'svc webhook add --url https://hooks.example.com/releases --event promote.succeeded --event rollback.succeeded --event rollback.forced',
    load: async () => (await import('../../cli/webhook/webhook.ts')).add,
  },
  {
    name: 'webhook list',
    summary: 'List webhooks; tab-separated but at a terminal',
    options: [OUTPUT, ...TARGET],
    example: 'svc webhook list',
    load: async () => (await import('../../cli/webhook/webhook.ts')).list,
  },
  {
    name: 'webhook remove',
    args: '<WEBHOOK_ID>',
    summary: 'Remove a webhook and its deliveries',
    options: [{ flags: '--yes', description: 'Do not ask' }, OUTPUT, ...TARGET],
    example: 'svc webhook remove whk_0123456789ab --yes',
    load: async () => (await import('../../cli/webhook/webhook.ts')).remove,
  },
  {
    name: 'webhook test',
    args: '<WEBHOOK_ID>',
    summary: 'Send a test.ping to a webhook; exit 1 if it does not arrive',
    options: [OUTPUT, ...TARGET],
    example: 'svc webhook test whk_0123456789ab',
    load: async () => (await import('../../cli/webhook/webhook.ts')).test,
  },
]
