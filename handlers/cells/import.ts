import type { CellsBody } from '../../src/features/cells/import.ts'
import { importCells } from '../../src/features/cells/import.ts'
import { ServiceError } from '../../src/base/errors.ts'
import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { json } from '../../src/http/wire/message.ts'

export default endpoint(
  'POST /v1/cells',
  {
    access: 'cells',
    scope: 'checked',
    summary: 'Import sums of runs from an engine that has them',
    description:
      'JSON lines, gzip or not: a header, then cells. Each hour that the header covers becomes what it says; the same again ' +
      'changes nothing, and of two states of an hour the later one wins. Cells that no runs can add up to are refused by ' +
      'line and field, and then nothing was written.',
    takes: 'CellsImport',
    body: {
      kind: 'bytes',
      shape: 'Cells',
      types: ['application/x-ndjson'],
      read: (bytes, headers): CellsBody => {
        const type = (headers.get('content-type') ?? '').split(';')[0]!.trim().toLowerCase()
        if (type !== 'application/x-ndjson' && type !== 'application/json')
          throw new ServiceError(415, 'Cells must be sent as application/x-ndjson.')
        return { bytes, encoding: headers.get('content-encoding') }
      },
    },
    recordsActor: true,
    repeatable: true,
    answers: { 200: 'CellsImported', 400: 'ErrorText', 413: 'ErrorText', 415: 'ErrorText' },
  },
  async function cellsImport({ body, query, actor }, context) {
    const { caller, nextTurn } = context
    const allowFewer = query.allow_fewer
    if (allowFewer && !caller.allows.includes('admin'))
      throw new ServiceError(403, 'allow_fewer takes an admin: it can take runs away from a comparison.')
    return json(
      await importCells(context, body, {
        actor,
        scope: caller.scope,
        source: caller.source ?? null,
        allowFewer,
        reason: query.reason ?? null,
        nextTurn,
      }),
    )
  },
)
