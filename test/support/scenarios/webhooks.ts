// The ids that the test's service gives, in the order of the story.
export const WEBHOOK = 'whk_000000000010'
const DELIVERY = '00000000-0018-8001-8000-000000000010'

/** The part of the story of the scenario of the API that is about webhooks; `decided` is what they are told of. */
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
    { route: 'PATCH /v1/webhooks/{webhook_id}', path: { webhook_id: WEBHOOK }, body: { enabled: true } },
    {
      route: 'POST /v1/webhooks/{webhook_id}/rotate',
      path: { webhook_id: WEBHOOK },
      body: { overlap_s: 60 },
    },
    { route: 'POST /v1/webhooks/{webhook_id}/test', path: { webhook_id: WEBHOOK } },
    { route: 'POST /v1/webhooks/{webhook_id}/test', path: { webhook_id: 'whk_unknown' } },
    decided,
    {
      route: 'GET /v1/webhooks/{webhook_id}/deliveries',
      path: { webhook_id: WEBHOOK },
      query: { limit: 10 },
    },
    { route: 'GET /v1/webhooks/{webhook_id}/deliveries', path: { webhook_id: 'whk_unknown' } },
    { route: 'GET /v1/webhook-deliveries', query: { status: 'pending', limit: 10 } },
    { route: 'POST /v1/webhook-deliveries/{delivery_id}/replay', path: { delivery_id: DELIVERY } },
    { route: 'POST /v1/webhook-deliveries/{delivery_id}/replay', path: { delivery_id: 'unknown' } },
  ] as const
