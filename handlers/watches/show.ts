import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { showWatch } from '../../src/features/watch/rows.ts'

export default endpoint({
  route: 'GET /v1/watches/{watch_id}',
  access: 'read',
  scope: 'checked',
  summary: 'One watch with its last checks',
  takes: 'WatchesShow',
  answers: { 200: 'WatchDetail', 404: 'ErrorText' },
  answer: function watchesShow({ path }, { sql, caller }) {
    return showWatch(sql, path.watch_id, caller.scope)
  },
})
