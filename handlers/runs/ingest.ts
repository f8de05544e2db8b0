import { uncheckedBody } from '../../src/http/endpoint/bodies.ts'
import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { type ReadEvents, eventsIn, readEvents } from './_events.ts'
import { mayReadAll, requireEventsInScope } from './_scope.ts'
import { strayEvents } from './_stray.ts'
import { json } from '../../src/http/wire/message.ts'
import type { Called } from '../../src/http/access/context.ts'
import type { JsonBody } from '../../src/http/endpoint/json_body.ts'
import { ingestEvents, shadowedText } from '../../src/ledger/events/ingest.ts'
import { countEvents } from '../../src/ledger/world/tally.ts'
import { ServiceError } from '../../src/base/errors.ts'

export default endpoint(
  'POST /v1/events',
  {
    access: 'ingest',
    scope: 'checked',
    summary: 'Ingest run events',
    description:
      'The whole request is validated first: a 4xx wrote nothing. Then events go in in order, in atomic chunks ' +
      'of up to 500. An event whose run_id is stored already is skipped, so sending again is safe. What else is ' +
      'odd is told in warnings, or refused where the workspace is strict.',
    body: uncheckedBody('Events'),
    repeatable: true,
    answers: { 200: 'IngestResult', 400: 'ErrorText' },
  },
  async function eventsIngest({ body }, context) {
    const { events, warnings } = await acceptedEvents(body, context)
    const { inserted, skipped, expired, erased, shadowed } = await ingestEvents(context, events)
    const named = shadowedText(shadowed, { withReleases: mayReadAll(context.caller) })
    const all = [...warnings, ...expiredText(expired - erased), ...erasedText(erased), ...named]
    return json({
      inserted,
      ...(skipped === 0 ? {} : { skipped }),
      ...(all.length === 0 ? {} : { warnings: all }),
    })
  },
)

function expiredText(pruned: number): string[] {
  if (pruned === 0) return []
  const whose = pruned === 1 ? 'event was' : 'events were'
  return [
    `${pruned} ${whose} skipped because run events of that time were pruned; ` +
      '`svc runs restore` puts archived ones back',
  ]
}

function erasedText(erased: number): string[] {
  if (erased === 0) return []
  const whose = erased === 1 ? 'event was' : 'events were'
  return [
    `${erased} ${whose} skipped because run events of these run_ids were erased; the comparisons still count them`,
  ]
}

/** The events of a body, and what is odd about them. Those of one that is refused are counted. */
async function acceptedEvents(body: JsonBody, context: Called): Promise<ReadEvents> {
  try {
    const { events, warnings } = await readEvents(body, context)
    await requireEventsInScope(events, context)
    return { events, warnings: [...warnings, ...(await strayEvents(context, events))] }
  } catch (error) {
    if (error instanceof ServiceError) countEvents(context.tally, 'refused', eventsIn(body))
    throw error
  }
}
