import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { cancelWatch } from '../../src/features/watch/start.ts'

export default endpoint({
  route: 'POST /v1/watches/{watch_id}/cancel',
  access: 'write',
  scope: 'checked',
  summary: 'End a watch',
  description: 'It ends inconclusive, and records who ended it and why.',
  takes: 'WatchesCancel',
  recordsActor: true,
  answers: { 200: 'Watch', 400: 'ErrorText', 404: 'ErrorText' },
  answer: async function watchesCancel({ path, body, actor }, context) {
    const { scope } = context.caller
    return await cancelWatch(context, { ...body, watch_id: path.watch_id, actor, scope })
  },
})
