import type { PolicyDiff, PolicySetting, PriceHistory } from './models.ts'
import type { Invocation } from '../../cli/arguments/command.ts'
import { callJson } from '../../cli/service/api.ts'
import { pagesOf } from '../../cli/service/pages.ts'
import { type Column, listing, timeColumn } from '../../cli/terminal/table.ts'
import { pretty, safe } from '../../cli/terminal/text.ts'

type Change = PolicySetting['changes'][number]

const POLICY_COLUMNS: readonly Column<PolicySetting>[] = [
  { heading: 'policy', cell: row => `${row.policy_id}@${row.seq}`, whole: true, rank: 0 },
  timeColumn('when', row => row.created_at, { rank: 1 }),
  { heading: 'actor', cell: row => row.actor, rank: 2 },
  { heading: 'reason', cell: row => row.reason, rank: 3 },
  { heading: 'changes', cell: row => row.changes.map(changeText).join('; '), rank: 4 },
]

/** Prints every policy that was set, newest first; `policy diff` takes the names. */
export async function policies({ options, io, api }: Invocation): Promise<number> {
  const found: PolicySetting[] = []
  const limit = options.number('limit')
  for await (const page of pagesOf(await api(), 'GET /v1/policy/history', {}, limit)) {
    found.push(...page.policies)
  }
  io.out(options.json ? pretty({ policies: found }) : listing(POLICY_COLUMNS, found, io))
  if (found.length === 0 && !options.json) io.err('svc: no policy was ever set; the default is in force\n')
  return 0
}

/** Prints what differs between two policies. With one name, that one is compared with the policy in force. */
export async function diff({ args, options, io, api }: Invocation): Promise<number> {
  const [from, to] = args
  const answer = await callJson(await api(), 'GET /v1/policy/diff', { query: { from, to } })
  if (options.json) {
    io.out(pretty(answer))
    return 0
  }
  const named = ({ policy_id, seq }: PolicyDiff['from']): string =>
    seq === null ? 'the default' : `${safe(policy_id)}@${seq}`
  io.out(`${named(answer.from)} → ${named(answer.to)}\n`)
  for (const change of answer.changes) io.out(`  ${safe(changeText(change))}\n`)
  if (answer.changes.length === 0) io.out('  no difference\n')
  return 0
}

function changeText({ field, from, to }: Change): string {
  return `${field} ${JSON.stringify(from)} → ${JSON.stringify(to)}`
}

type Import = PriceHistory['imports'][number]

const PRICE_COLUMNS: readonly Column<Import>[] = [
  { heading: 'import', cell: row => row.import_id, whole: true, rank: 0 },
  timeColumn('when', row => row.created_at, { rank: 1 }),
  { heading: 'table', cell: row => `${row.provider}/${row.pricing_version}`, rank: 2 },
  { heading: 'action', cell: row => row.action, rank: 3 },
  { heading: 'actor', cell: row => row.actor, rank: 4 },
  { heading: 'reason', cell: row => row.reason, rank: 5 },
  { heading: 'changes', cell: row => row.changes.join('; '), rank: 6 },
]

/** Prints every import of price tables, newest first. */
export async function prices({ options, io, api }: Invocation): Promise<number> {
  const found: Import[] = []
  const query = { provider: options.text('provider'), pricing_version: options.text('version') }
  const limit = options.number('limit')
  for await (const page of pagesOf(await api(), 'GET /v1/pricing/history', query, limit)) {
    found.push(...page.imports)
  }
  io.out(options.json ? pretty({ imports: found }) : listing(PRICE_COLUMNS, found, io))
  if (found.length === 0 && !options.json) io.err('svc: no such price table was ever imported\n')
  return 0
}
