import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { plain } from '../../src/http/wire/message.ts'
import { toRunsQuery } from './_query.ts'
import { warningHeaders } from '../../src/http/endpoint/read_input.ts'
import { listRuns } from '../../src/ledger/events/list.ts'
import { ofRelease } from '../../src/http/endpoint/scope.ts'

export default endpoint({
  route: 'GET /v1/runs/export',
  access: 'read',
  scope: ofRelease('query'),
  mayBeLate: true,
  summary: "A page of a release's run events as NDJSON",
  takes: 'RunsExport',
  answers: {
    200: {
      type: 'application/x-ndjson',
      about: 'One StoredEvent per line.',
      headers: {
        'X-Service-Matched-Total': 'Events that match in the window.',
        'X-Service-Returned': 'Lines in the body.',
        'X-Service-Offset': 'The offset that was used.',
        'X-Service-Truncated': 'Whether more matching events follow this page.',
        'X-Service-Warning': 'The runs that pruning removed from the window; absent if there are none.',
      },
    },
    400: 'ErrorText',
  },
  handle: async function runsExport({ query }, context) {
    const { page, events } = await listRuns(context, toRunsQuery(query))
    return plain(lines(events), 'application/x-ndjson', {
      'x-service-matched-total': String(page.matched_total),
      'x-service-returned': String(page.returned),
      'x-service-offset': String(page.offset),
      'x-service-truncated': String(page.truncated),
      ...warningHeaders(page.warnings ?? []),
    })
  },
})

/** Lines leave in pieces: a chunk of its own for each costs more than reading them. */
const PIECE_CHARS = 64 * 1024

async function* lines(events: readonly string[]): AsyncGenerator<string> {
  let piece = ''
  for (const event of events) {
    piece += `${event}\n`
    if (piece.length < PIECE_CHARS) continue
    yield piece
    piece = ''
  }
  if (piece !== '') yield piece
}
