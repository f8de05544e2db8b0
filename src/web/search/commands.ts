import type { ActionRecord } from '../../models/answers/action.ts'
import type { BoardEntry } from '../../models/answers/board.ts'
import type { Hit } from '../components/panels.tsx'
import { type View, href } from '../route.ts'

/** A page by its name in the sidebar. */
export type NamedPage = readonly [view: View, label: string]

/** Most hits of a kind. */
const MOST = 5

/** Whether each word of what was typed is in a text. */
function hasWords(text: string, typed: string): boolean {
  const lower = text.toLowerCase()
  return typed.split(/\s+/).every(word => lower.includes(word))
}

/** Pages, and what can be done on them; all of them before something is typed. */
export function commandHits(
  typed: string,
  pages: readonly NamedPage[],
  board: readonly BoardEntry[],
): readonly Hit[] {
  const going = pages.map(([view, label]) => ({ kind: 'Page', text: label, about: '', link: href(view) }))
  const has = (view: View): boolean => pages.some(([known]) => known === view)
  const doing = [
    ['ledger', 'Verify the chain', href('ledger', { verify: 'all' })],
    ['policy', 'Edit the policy', href('policy', { edit: 'policy' })],
    ['policy', 'Import prices', href('policy', { prices: 'import' })],
    ['approvals', 'Approve or reject requests', href('approvals')],
    ['webhooks', 'Add a webhook', href('webhooks', { add: 'webhook' })],
  ] as const
  return [
    ...(typed === '' ? [] : board.flatMap(decisions)),
    ...doing.filter(([view]) => has(view)).map(([, text, link]) => ({ kind: 'Do', text, about: '', link })),
    ...going,
  ].filter(({ text }) => hasWords(text, typed))
}

function decisions({ agent_id, environment, promoted }: BoardEntry): Hit[] {
  const place = { decide_agent: agent_id, decide_env: environment }
  const hit = (decide: 'promote' | 'rollback', words: string): Hit => ({
    kind: 'Do',
    text: `${words} ${agent_id} in ${environment}`,
    about: '',
    link: href('board', { decide, ...place }),
  })
  return [hit('promote', 'Promote'), ...(promoted === null ? [] : [hit('rollback', 'Roll back')])]
}

/** Decisions by the beginning of their id, people, and reasons, among the newest decisions. */
export function actionHits(typed: string, actions: readonly ActionRecord[]): Hit[] {
  const people = [...new Set(actions.map(({ actor }) => actor))].filter(actor => hasWords(actor, typed))
  const found = actions.filter(
    ({ action_id, reason }) => action_id.startsWith(typed) || hasWords(reason, typed),
  )
  return [
    ...people.slice(0, MOST).map(actor => ({
      kind: 'Person',
      text: actor,
      about: 'decisions in the ledger',
      link: href('ledger', { by: actor }),
    })),
    ...found.slice(0, MOST).map(({ action_id, action, agent_id, environment, reason }) => ({
      kind: action === 'promote' ? 'Promotion' : 'Rollback',
      text: reason,
      about: `${agent_id} in ${environment}, ${action_id}`,
      link: href('ledger', { action: action_id }),
    })),
  ]
}
