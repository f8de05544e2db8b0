import type { ActionDetail } from '../../models/answers/action.ts'
import { type Api, callJson } from '../service/api.ts'
import { type Invocation, outputFormat } from '../arguments/command.ts'
import { pretty, tabbed } from '../terminal/text.ts'

/** Prints all matching actions, newest first, page by page: the trail has no limit. */
export async function history({ options, io, api }: Invocation): Promise<number> {
  const format = outputFormat(options)
  const opened = await api()
  const filter = { agent: options.text('agent'), env: options.text('env') }
  if (format === 'json') {
    const actions: ActionDetail[] = []
    for await (const page of pagesOf(opened, { ...filter, evidence: 'true' })) actions.push(...page)
    io.out(pretty({ actions }))
    return 0
  }
  let printed = 0
  for await (const page of pagesOf(opened, filter)) {
    io.out(page.map(historyLine).join(''))
    printed += page.length
  }
  if (printed === 0) io.err('svc: no actions yet; promote a release with `svc release promote`\n')
  return 0
}

async function* pagesOf(
  api: Api,
  filter: Record<string, string | undefined>,
): AsyncGenerator<ActionDetail[]> {
  let after: number | undefined
  do {
    const page = await callJson<{ actions: ActionDetail[]; next_after: number | null }>(
      api,
      'GET /v1/actions',
      {
        query: { ...filter, limit: 500, after },
      },
    )
    yield page.actions
    after = page.next_after ?? undefined
  } while (after !== undefined)
}

function historyLine(action: ActionDetail): string {
  return tabbed([
    action.audit_seq,
    action.created_at,
    action.action,
    action.policy_passed ? 'passed' : 'blocked',
    action.release_id,
    action.agent_id,
    action.environment,
    action.baseline_release_id,
    action.actor,
    action.reason,
    action.policy_passed ? null : action.policy_reasons.join('; '),
  ])
}
