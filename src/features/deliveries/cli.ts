import { oneOf } from '../../base/text.ts'
import { WEBHOOK_EVENTS as EVENTS } from '../../models/names.ts'
import type { CommandSpec } from '../../cli/arguments/command.ts'
import { HEADER, LIMIT, OUTPUT, PROFILE_OPTION, TARGET } from '../../cli/arguments/options.ts'

/** `svc webhook …`: changes of a webhook, and its deliveries */
export const DELIVERIES_COMMANDS: readonly CommandSpec[] = [
  {
    name: 'webhook update',
    args: '<WEBHOOK_ID>',
    summary: 'Change a webhook (name a remote service by --profile or SERVICE_URL)',
    options: [
      { flags: '--url <URL>', description: 'Send to this URL, waiting deliveries too' },
      {
        flags: '--event <EVENT>',
        description: `Replace its events by these: ${oneOf(EVENTS)}`,
        values: EVENTS,
        many: true,
      },
      { flags: '--description <TEXT>', description: 'What it is for', mayBeEmpty: true },
      { flags: '--enable', description: 'Resume sending' },
      { flags: '--disable', description: 'Stop sending; keep waiting deliveries' },
      { flags: '--end-rotation', description: 'Stop signing with the old secret' },
      OUTPUT,
      PROFILE_OPTION,
    ],
    example: 'svc webhook update whk_0123456789ab --disable',
    load: async () => (await import('./cli_deliveries.ts')).update,
  },
  {
    name: 'webhook rotate',
    args: '<WEBHOOK_ID>',
    summary: 'Give a webhook a new secret and print it, this once; the old one also signs for a while',
    options: [
      {
        flags: '--overlap, --overlap-s <SECONDS>',
        description:
          'How long the old one also signs: seconds, or such as 1h (default 86400, a day; 0 ends it now)',
      },
      OUTPUT,
      ...TARGET,
    ],
    example: 'svc webhook rotate whk_0123456789ab',
    load: async () => (await import('./cli_deliveries.ts')).rotate,
  },
  {
    name: 'webhook deliveries',
    args: '[WEBHOOK_ID]',
    summary: 'List deliveries, newest first',
    lists: 'delivery',
    options: [
      { flags: '--failed', description: 'Only failed ones' },
      { ...LIMIT, description: 'At most N (default 50, at most 500)' },
      HEADER,
      OUTPUT,
      ...TARGET,
    ],
    example: 'svc webhook deliveries --failed',
    load: async () => (await import('./cli_deliveries.ts')).deliveries,
  },
  {
    name: 'webhook replay',
    args: '<DELIVERY_ID>',
    summary: 'Send a delivery again, under the same id',
    options: [OUTPUT, ...TARGET],
    example: 'svc webhook replay 01234567-89ab-8001-8000-ba9876543210',
    load: async () => (await import('./cli_deliveries.ts')).replay,
  },
]
