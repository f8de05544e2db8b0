import { OUTPUT, PROFILE_OPTION, ANSWER, LISTED } from '../../cli/arguments/options.ts'
import { among, commands, maybeEmpty, whole } from '../../cli/arguments/records.ts'
import { oneOf } from '../../base/text.ts'
import { WEBHOOK_EVENTS as EVENTS } from '../../models/names.ts'

/** `svc webhook …`: changes of a webhook, and its deliveries */
export const COMMANDS = commands({
  'webhook update <WEBHOOK_ID>': {
    summary: 'Change a webhook (name a remote service by --profile or SERVICE_URL)',
    options: {
      '--url <URL>': 'Send to this URL, waiting deliveries too',
      '--event <EVENT>': among(EVENTS, `Replace its events by these: ${oneOf(EVENTS)}`, { many: true }),
      '--description <TEXT>': maybeEmpty('What it is for'),
      '--enable': 'Resume sending',
      '--disable': 'Stop sending; keep waiting deliveries',
      '--end-rotation': 'Stop signing with the old secret',
      ...OUTPUT,
      ...PROFILE_OPTION,
    },
    example: 'svc webhook update whk_0123456789ab --disable',
    load: async () => (await import('./cli_deliveries.ts')).update,
  },
  'webhook rotate <WEBHOOK_ID>': {
    summary: 'Give a webhook a new secret and print it, this once; the old one also signs for a while',
    options: {
      '--overlap, --overlap-s <SECONDS>':
        'How long the old one also signs: seconds, or such as 1h (default 86400, a day; 0 ends it now)',
      ...ANSWER,
    },
    example: 'svc webhook rotate whk_0123456789ab',
    load: async () => (await import('./cli_deliveries.ts')).rotate,
  },
  'webhook deliveries [WEBHOOK_ID]': {
    summary: 'List deliveries, newest first',
    lists: 'delivery',
    options: {
      '--failed': 'Only failed ones',
      '--limit <N>': whole('At most N (default 50, at most 500)'),
      ...LISTED,
    },
    example: 'svc webhook deliveries --failed',
    load: async () => (await import('./cli_deliveries.ts')).deliveries,
  },
  'webhook replay <DELIVERY_ID>': {
    summary: 'Send a delivery again, under the same id',
    options: ANSWER,
    example: 'svc webhook replay 01234567-89ab-8001-8000-ba9876543210',
    load: async () => (await import('./cli_deliveries.ts')).replay,
  },
})
