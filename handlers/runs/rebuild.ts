import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { json } from '../../src/http/wire/message.ts'
import { rebuildRollups } from '../../src/ledger/events/rebuild.ts'

export default endpoint(
  'POST /v1/rollups/rebuild',
  {
    access: 'admin',
    scope: 'ledger',
    summary: 'Rebuild rollups and counters from the raw events',
    description: 'For the case that `doctor --deep` finds them different. Safe while events come in.',
    takes: 'RollupsRebuild',
    repeatable: true,
    answers: { 200: 'Rebuilt' },
  },
  async function rollupsRebuild(_input, context) {
    return json(await rebuildRollups(context))
  },
)
