import { endpoint } from '../../src/http/endpoint/endpoint.ts'
import { plain } from '../../src/http/wire/message.ts'
import { askGate, verdictHeaders } from '../../src/features/deploys/gate.ts'
import { gateMarkdown } from '../../src/rules/report/report.ts'

export default endpoint({
  route: 'GET /v1/gate/{agent_id}/{environment}/report',
  access: 'read',
  scope: { kind: 'agent', where: 'path', field: 'agent_id' },
  exact: true,
  summary: 'The answer of the gate as Markdown',
  description: 'For comments and summaries of pipelines. Names are escaped. Writes nothing.',
  takes: 'GateReport',
  answers: {
    200: {
      type: 'text/markdown; charset=utf-8',
      about: 'Verdict, reasons, a table of the metrics, and how to see the same again.',
      headers: { 'X-Service-Verdict': 'pass, block or inconclusive.' },
    },
    400: 'ErrorText',
  },
  handle: async function gateReport({ path, query: { page_url, ...query } }, context) {
    const answer = await askGate(context, { ...path, ...query })
    const named = query.baseline_release_id === undefined ? [] : [`--baseline=${query.baseline_release_id}`]
    return plain(
      gateMarkdown(answer, named, page_url),
      'text/markdown; charset=utf-8',
      verdictHeaders(answer),
    )
  },
})
