import type { AggregatesBody } from '../../src/features/aggregates/import.ts'
import { importAggregates } from '../../src/features/aggregates/import.ts'
import { ServiceError } from '../../src/base/errors.ts'
import { endpoint } from '../../src/http/endpoint/endpoint.ts'

export default endpoint({
  route: 'POST /v1/aggregates',
  access: 'aggregates',
  scope: 'checked',
  summary: 'Import aggregates from a warehouse',
  description:
    'JSON lines, gzip or not: a header, then aggregates. The import replaces each hour that the header covers. Importing the same again changes nothing; of two states of an hour the later one counts. If an aggregate is impossible, the import is refused with its line and field, and nothing is written.',
  takes: 'AggregatesImport',
  body: {
    kind: 'bytes',
    shape: 'Aggregates',
    types: ['application/x-ndjson'],
    read: (bytes, headers): AggregatesBody => {
      const type = (headers.get('content-type') ?? '').split(';')[0]!.trim().toLowerCase()
      if (type !== 'application/x-ndjson' && type !== 'application/json')
        throw new ServiceError(415, 'Aggregates must be sent as application/x-ndjson.')
      return { bytes, encoding: headers.get('content-encoding') }
    },
  },
  recordsActor: true,
  repeatable: true,
  answers: { 200: 'AggregatesImported', 400: 'ErrorText', 413: 'ErrorText', 415: 'ErrorText' },
  answer: async function aggregatesImport({ body, query, actor }, context) {
    const { caller, nextTurn } = context
    const allowFewer = query.allow_fewer
    if (allowFewer && !caller.allows.includes('admin'))
      throw new ServiceError(403, 'allow_fewer needs the role admin: it can remove runs from a comparison.')
    return await importAggregates(context, body, {
      actor,
      scope: caller.scope,
      source: caller.source ?? null,
      allowFewer,
      reason: query.reason ?? null,
      nextTurn,
    })
  },
})
