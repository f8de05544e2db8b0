import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { rebuildRollups } from '../../src/ledger/events/rebuild.ts'

export default endpoint({
  route: 'POST /v1/rollups/rebuild',
  access: 'admin',
  scope: 'ledger',
  summary: 'Rebuild rollups and counters from the raw events',
  description:
    'Use it if `doctor --deep` reports differences. Safe while events come in. The audit log lists the differences first.',
  takes: 'RollupsRebuild',
  recordsActor: true,
  repeatable: true,
  answers: { 200: 'Rebuilt' },
  answer: function rollupsRebuild({ actor }, context) {
    return rebuildRollups(context, actor)
  },
})
