import { uncheckedBody } from '../../src/http/endpoint/bodies.ts'
import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { eventsIn, readEvents } from './_events.ts'
import { json } from '../../src/http/message.ts'
import { countEvents } from '../../src/ledger/tally.ts'
import { ingestEvents } from '../../src/ledger/events/ingest.ts'

export default endpoint(
  'POST /v1/events',
  {
    access: 'ingest',
    summary: 'Ingest run events',
    description:
      'The whole request is validated first: a 4xx wrote nothing. Then events go in in order, in atomic chunks ' +
      'of up to 500. An event whose run_id is stored already is skipped, so sending again is safe.',
    body: uncheckedBody('Events'),
    answers: { 200: 'IngestResult', 400: 'ErrorText' },
  },
  async function eventsIngest({ body }, context) {
    const events = await readEvents(body, context).catch((error: unknown) => {
      countEvents(context.tally, 'refused', eventsIn(body))
      throw error
    })
    return json(await ingestEvents(context, events))
  },
)
