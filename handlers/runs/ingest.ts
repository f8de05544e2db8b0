import { ServiceError } from '../../src/base/errors.ts'
import { senderOf } from '../../src/http/access/caller.ts'
import type { Called } from '../../src/http/access/context.ts'
import { type JsonBody, uncheckedBody } from '../../src/http/endpoint/bodies.ts'
import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { checkEvents } from '../../src/ledger/events/check.ts'
import { ingestEvents, skippedTexts } from '../../src/ledger/events/ingest.ts'
import { type SourceNote, noteSources } from '../../src/ledger/events/source_notes.ts'
import { countEvents } from '../../src/ledger/world/tally.ts'
import { type ReadEvents, countIn, readEvents } from '../../src/models/all/parse_event.ts'
import { isLimited } from '../../src/ledger/world/scope.ts'
import { undeclaredText } from '../../src/rules/scope.ts'

export default endpoint({
  route: 'POST /v1/events',
  access: 'ingest',
  scope: 'checked',
  summary: 'Ingest run events',
  description:
    'The whole request is validated first: a 4xx wrote nothing. Then events go in in order, in atomic chunks ' +
    'of up to 500. An event whose run_id is stored already is skipped, so sending again is safe. What else is ' +
    'odd is told in warnings, or refused where the workspace is strict. The body is not compressed: gzip is answered with 415.',
  body: uncheckedBody('Events'),
  repeatable: true,
  answers: { 200: 'IngestResult', 400: 'ErrorText' },
  answer: async function eventsIngest({ body }, context) {
    const accepted = await acceptedEvents(body, context)
    const stored = await ingestEvents(context, accepted.events)
    await noteSources(context, droppedNotes(accepted, context))
    const { readsAll } = senderOf(context.caller)
    const all = [...accepted.warnings, ...skippedTexts(stored, { withReleases: readsAll })]
    return {
      inserted: stored.inserted,
      ...(stored.skipped === 0 ? {} : { skipped: stored.skipped }),
      ...(stored.fed.size === 0 ? {} : { fed_by: [...stored.fed.keys()] }),
      ...(all.length === 0 ? {} : { warnings: all }),
    }
  },
})

/** What to note of dropped runs. A token of limited reach speaks of the releases of its events alone. */
function droppedNotes({ dropped, events }: ReadEvents, { caller }: Called): SourceNote[] {
  if (dropped.length === 0) return []
  const sent = new Set(events.map(({ release_id }) => release_id))
  const isLess = isLimited(senderOf(caller).scope)
  return dropped
    .filter(({ release_id }) => !isLess || sent.has(release_id))
    .map(place => ({ kind: 'dropped', text: '', ...place }))
}

/** What a body holds, with all warnings. Counts the events of a refused body. */
async function acceptedEvents(body: JsonBody, context: Called): Promise<ReadEvents> {
  const { workspace, nextTurn } = context
  try {
    const read = await readEvents(body, {
      strict: workspace.strict,
      refuses: environment => undeclaredText(workspace, environment),
      nextTurn,
    })
    const warnings = await checkEvents(context, read.events, senderOf(context.caller))
    return { ...read, warnings: [...read.warnings, ...warnings] }
  } catch (error) {
    if (error instanceof ServiceError) countEvents(context.tally, 'refused', countIn(body.value))
    throw error
  }
}
