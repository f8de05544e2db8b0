import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { readClock } from '../../src/ledger/trail/clock.ts'
import type { Clock } from '../../src/rules/clock.ts'
import { examine } from '../../src/ledger/doctor/doctor.ts'

export default endpoint({
  route: 'GET /v1/doctor',
  access: 'read',
  scope: 'ledger',
  raised: { query: 'deep', access: 'write' },
  concurrency: { most: 1, when: ({ query }) => query.deep },
  summary: 'Read-only checks of the ledger',
  description:
    'Migrations and schema, pointers, the newest rows of both hash chains. Always 200: `ok` has the result.',
  takes: 'Doctor',
  answers: { 200: 'DoctorReport' },
  answer: async function doctor({ query }, context) {
    const { sql, workspace, migrations, features, onProgress } = context
    const clock = (): Promise<Clock> => readClock(context)
    return await examine(sql, { migrations, features, workspace, clock, deep: query.deep, onProgress })
  },
})
