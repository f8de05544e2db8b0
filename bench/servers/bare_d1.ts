import type { EventRow } from '../../src/ledger/events/ingest_sql.ts'
import { NO_IDS, ingestStatements } from '../../src/ledger/events/ingest_sql.ts'
import { type D1Like, openD1 } from '../../src/sql/d1.ts'

/** A Worker that sends the rows it is given to D1 by the ledger's statements, and does nothing else. */
export default {
  async fetch(request: Request, { DB }: { readonly DB: D1Like }): Promise<Response> {
    const rows = (await request.json()) as EventRow[]
    await openD1(DB).batch(ingestStatements('sqlite', rows, NO_IDS).statements)
    return Response.json({ inserted: rows.length })
  },
}
