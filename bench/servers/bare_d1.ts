import { listStored } from '../../src/features/segments/sums.ts'
import { type EventRow, ingestQuery } from '../../src/ledger/events/ingest_sql.ts'
import type { Interned } from '../../src/ledger/events/interning.ts'
import { type D1Like, openD1 } from '../../src/sql/d1.ts'
import type { Statement } from '../../src/sql/port.ts'

/** What a request to the bare Worker brings: rows, and what their ids stand for, which the statements check. */
export interface BareRequest {
  readonly rows: readonly EventRow[]
  readonly ids: Pick<Interned, 'scopes' | 'variants'>
}

/** A Worker that sends the rows it is given to D1 by the ledger's statements, and does nothing else. */
export default {
  async fetch(request: Request, { DB }: { readonly DB: D1Like }): Promise<Response> {
    const { rows, ids } = (await request.json()) as BareRequest
    const db = openD1(DB)
    const further = (added: Statement): Statement[] => [listStored(db, added)]
    await db.batch(ingestQuery({ dialect: 'sqlite' }, rows, ids, { further }).statements)
    return Response.json({ inserted: rows.length })
  },
}
