import { oneOf } from '../../base/text.ts'
import { WEBHOOK_EVENTS as EVENTS, WEBHOOK_FORMATS } from '../../models/names.ts'
import { OUTPUT, PROFILE_OPTION, ANSWER, LISTED } from '../../cli/arguments/options.ts'
import { among, commands, maybeEmpty, required } from '../../cli/arguments/records.ts'
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
    load: async () => (await import('../../cli/webhook/webhook.ts')).add,
  },
  'webhook list': {
    summary: 'List webhooks',
    lists: 'webhook',
    options: LISTED,
    example: 'svc webhook list',
    load: async () => (await import('../../cli/webhook/webhook.ts')).list,
  },
  'webhook remove <WEBHOOK_ID>': {
    summary: 'Remove a webhook and its deliveries',
    options: { '--yes': 'Do not ask', ...ANSWER },
    example: 'svc webhook remove whk_0123456789ab --yes',
    load: async () => (await import('../../cli/webhook/webhook.ts')).remove,
  },
  'webhook test <WEBHOOK_ID>': {
    summary: 'Send a test.ping to a webhook; exit 1 if it does not arrive',
    options: ANSWER,
    example: 'svc webhook test whk_0123456789ab',
    load: async () => (await import('../../cli/webhook/webhook.ts')).test,
  },
})
