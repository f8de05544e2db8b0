import type { DiffReport } from '../../models/answers/diff.ts'
import { policyLimits } from '../../rules/limits.ts'
import { diffMarkdown } from '../../rules/report/report.ts'
import { type Api, callJson } from '../service/api.ts'
import { fetchRelease } from './release.ts'

/** A diff as Markdown, with the names of the releases and the limits of the policy in force. */
export async function diffReport(report: DiffReport, ids: readonly string[], api: Api): Promise<string> {
  const [baseline, candidate, policy] = await Promise.all([
    fetchRelease(api, ids[0]!),
    fetchRelease(api, ids[1]!),
    callJson(api, 'GET /v1/policy'),
  ])
  return diffMarkdown(report, {
    agent: candidate.agent_id,
    baseline,
    candidate,
    limits: policyLimits(policy),
    url: pageUrl(api),
  })
}

/** Where the web UI is; a ledger of this machine has none. */
export function pageUrl({ target }: Api): string | undefined {
  return /^https?:\/\//.test(target) ? target.replace(/(?<!\/)\/+$/, '') : undefined
}
