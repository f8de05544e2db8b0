import type { ActionRecord } from '../../../models/answers/action.ts'
import type { PolicySetting } from '../../../models/answers/history.ts'
import type { Watch } from '../../../models/answers/watch.ts'
import type { Mark } from '../../components/charts/series.ts'
import { useActions, useWatches } from '../../reads.ts'
import { nameOfPolicy, usePolicyHistory } from '../policy/reads.ts'

/** Whatever happened to an agent in an environment: decisions, changes of the policy, watches; oldest first. */
export function useMarks(agent: string, env: string): readonly Mark[] {
  const actions = useActions(agent === '' ? null : { agent, env, limit: 100 }).data?.actions ?? []
  const policies = usePolicyHistory('').data?.policies ?? []
  const watches = useWatches(agent === '' ? null : { agent, env }).data?.watches ?? []
  return [...actions.map(ofAction), ...policies.map(ofPolicy), ...watches.flatMap(ofWatch)].sort(
    (a, b) => a.at - b.at,
  )
}

function ofAction({ action, policy_passed, forced, created_at, actor }: ActionRecord): Mark {
  const outcome = forced === true ? 'forced' : policy_passed ? 'passed' : 'blocked'
  return {
    at: Date.parse(created_at),
    label: `${action === 'promote' ? 'promotion' : 'rollback'} ${outcome}, by ${actor}`,
    kind: outcome === 'blocked' ? 'blocked' : action,
  }
}

function ofPolicy(set: PolicySetting): Mark {
  const label = `policy ${nameOfPolicy(set)} set, by ${set.actor}`
  return { at: Date.parse(set.created_at), label, kind: 'policy' }
}

function ofWatch({ started_at, started_by, ended_at, state }: Watch): Mark[] {
  const begun = { at: Date.parse(started_at), label: `watch begun, by ${started_by}`, kind: 'watch' } as const
  if (ended_at === null) return [begun]
  return [
    begun,
    { at: Date.parse(ended_at), label: `watch ended: ${state.replace('_', ' ')}`, kind: 'watch' },
  ]
}
