import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { runSeries } from '../../src/features/explore/series.ts'
import { ofRelease } from '../../src/http/endpoint/scope.ts'

export default endpoint({
  route: 'GET /v1/runs/series',
  access: 'read',
  scope: ofRelease('query'),
  mayBeLate: true,
  summary: "A release's runs, cost, latency and error rate over time",
  takes: 'RunsSeries',
  answers: { 200: 'RunSeries', 400: 'ErrorText' },
  answer: function runsSeries({ query }, context) {
    return runSeries(context, { ...query, environment: query.environment ?? null })
  },
})
