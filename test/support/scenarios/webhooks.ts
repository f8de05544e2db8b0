import { LATEST } from './latest.ts'

/** The part of the story of the scenario of the API that is about webhooks; `decided` is what they announce. */
export const webhookSteps = <const T>(decided: T) =>
  [
    {
      route: 'POST /v1/webhooks',
      body: {
        url: 'https://hooks.example.com/releases',
        events: ['promote.succeeded', 'promote.blocked'],
        description: 'release channel',
      },
    },
    { route: 'POST /v1/webhooks', body: { url: 'hooks.example.com', events: ['promoted'] } },
    { route: 'GET /v1/webhooks' },
    { route: 'PATCH /v1/webhooks/{webhook_id}', path: { webhook_id: LATEST }, body: { enabled: true } },
    {
      route: 'POST /v1/webhooks/{webhook_id}/rotate',
      path: { webhook_id: LATEST },
      body: { overlap_s: 60 },
    },
    { route: 'POST /v1/webhooks/{webhook_id}/test', path: { webhook_id: LATEST } },
    { route: 'POST /v1/webhooks/{webhook_id}/test', path: { webhook_id: 'whk_unknown' } },
    decided,
    {
      route: 'GET /v1/webhooks/{webhook_id}/deliveries',
      path: { webhook_id: LATEST },
      query: { limit: 10 },
    },
    { route: 'GET /v1/webhooks/{webhook_id}/deliveries', path: { webhook_id: 'whk_unknown' } },
    { route: 'GET /v1/webhook-deliveries', query: { status: 'pending', limit: 10, payload: 'true' } },
    { route: 'POST /v1/webhook-deliveries/{delivery_id}/replay', path: { delivery_id: LATEST } },
    { route: 'POST /v1/webhook-deliveries/{delivery_id}/replay', path: { delivery_id: 'unknown' } },
  ] as const
