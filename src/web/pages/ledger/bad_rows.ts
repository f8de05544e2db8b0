import { useEffect, useState } from 'preact/hooks'
import type { ActionPage } from '../../../models/answers/action.ts'
import { sha256 } from './hash.ts'
import { recorded } from './recorded.ts'

type Entry = ActionPage['actions'][number]

/** The actions of a page whose columns or hash are not what their record says; of what came with its records. */
export function useBadRows(actions: readonly Entry[] | undefined): ReadonlySet<string> {
  const [bad, setBad] = useState<ReadonlySet<string>>(new Set())
  useEffect(() => {
    let isWanted = true
    void badRows(actions ?? []).then(found => isWanted && setBad(found))
    return () => {
      isWanted = false
    }
  }, [actions])
  return bad
}

async function badRows(actions: readonly Entry[]): Promise<ReadonlySet<string>> {
  const bad = new Set<string>()
  for (const action of actions) {
    const { record_json, hash } = action
    if (record_json == null) continue
    const own = await sha256(record_json)
    if (recorded(action).forged.length > 0 || (own !== undefined && own !== hash)) bad.add(action.action_id)
  }
  return bad
}
