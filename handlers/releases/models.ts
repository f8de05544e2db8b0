import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { usedModels } from '../../src/ledger/registry/priced_models.ts'
import { ofRelease } from '../../src/http/endpoint/scope.ts'

export default endpoint({
  route: 'GET /v1/releases/{release_id}/models',
  access: 'read',
  scope: ofRelease('path', { environment: null }),
  summary: "The models that a release's runs used, and which of them its price table has",
  takes: 'ReleaseModels',
  answers: { 200: 'UsedModels', 400: 'ErrorText' },
  answer: function releaseModels({ path, query }, context) {
    return usedModels(context, { ...path, ...query, scope: context.caller.scope })
  },
})
