import { useEffect, useState } from 'preact/hooks'
import type { ActionPage } from '../../models/answers/action.ts'
import { callApi } from '../api.ts'
import { Badge, Reasons } from '../ui/badge.tsx'
import { count, counted, exactTime, zone } from '../format.ts'
import { get } from '../query.ts'
import { useDoctor } from '../reads.ts'
import { change } from '../route.ts'
import { sha256 } from './action.tsx'
import { recorded } from './recorded.ts'
import { Button } from '../ui/button.tsx'

type Entry = ActionPage['actions'][number]

/** How far the chain has been recomputed in this browser. */
interface Walk {
  readonly verified: number
  readonly all: number
  /** The first number that does not hold, or why the walk has ended. */
  readonly problem?: string
  readonly bad: ReadonlySet<string>
  /** Hash of the newest decision. */
  readonly head?: string
  readonly isDone: boolean
}

const NOTHING: Walk = { verified: 0, all: 0, bad: new Set(), isDone: false }

/** Recomputes all hashes here, from the newest to the first, so that nobody has to take the service's word for it. */
export function useWalk(isWanted: boolean): Walk {
  const [walk, setWalk] = useState(NOTHING)
  useEffect(() => {
    if (!isWanted) return setWalk(NOTHING)
    const stop = new AbortController()
    void walkDown(known => {
      if (!stop.signal.aborted) setWalk(known)
      return stop.signal.aborted
    })
    return () => stop.abort()
  }, [isWanted])
  return walk
}

/** Rows that are read at a time: as many as the service gives. */
const PAGE = 500

async function walkDown(report: (walk: Walk) => boolean): Promise<void> {
  const bad = new Set<string>()
  let [verified, all]: [number, number] = [0, 0]
  let head: string | undefined
  let newer: Entry | undefined
  const say = (isDone: boolean, problem?: string): boolean =>
    report({
      verified,
      all,
      bad,
      isDone,
      ...(head === undefined ? {} : { head }),
      ...(problem === undefined ? {} : { problem }),
    })
  if (!isSecureContext) {
    say(true, 'a browser recomputes hashes over HTTPS only: use svc doctor --deep')
    return
  }
  try {
    for (let after: number | null | undefined; after !== null;) {
      const page: ActionPage = await callApi<ActionPage>(
        get('v1/actions', { limit: PAGE, evidence: 'true', after }),
      )
      for (const action of page.actions) {
        if (newer === undefined) [all, head] = [action.audit_seq, action.hash ?? undefined]
        if (!(await holds(action, newer))) bad.add(action.action_id)
        verified += 1
        newer = action
      }
      if (say(false)) return
      after = page.next_after
    }
    say(true, bad.size > 0 ? `${counted(bad.size, 'decision')} that do not hold` : undefined)
  } catch (error) {
    say(true, (error as Error).message)
  }
}

/** Whether a decision is what was hashed, and is the one that the next newer one names. */
async function holds(action: Entry, newer: Entry | undefined): Promise<boolean> {
  const { record_json, hash, audit_seq } = action
  if (newer !== undefined && newer.audit_seq !== audit_seq + 1) return false
  if (record_json == null || hash == null) return false
  if (newer?.record_json != null && recorded(newer).action.prev_hash !== hash) return false
  return recorded(action).forged.length === 0 && (await sha256(record_json)) === hash
}

/** What was verified, of how much: the whole chain in this browser, and what the service checks of itself. */
export function Verification({ walk, isWanted }: { walk: Walk; isWanted: boolean }) {
  const { data, error, at } = useDoctor(isWanted)
  if (!isWanted) {
    return <Button onClick={() => change({ verify: 'all' })}>Verify the chain</Button>
  }
  const { verified, all, problem, isDone, head } = walk
  const failed = data?.checks.filter(check => !check.ok) ?? []
  const warnings = data?.checks.filter(check => check.ok && check.warning === true) ?? []
  return (
    <div class="chain" role="status">
      {!isDone && (
        <>
          <progress max={all || 1} value={verified} aria-label="Verified" /> {count(verified)} of{' '}
          {all === 0 ? '…' : count(all)} verified
        </>
      )}
      {isDone && problem === undefined && (
        <Badge tone="ok">chain holds: all {counted(verified, 'decision')} recomputed here</Badge>
      )}
      {problem !== undefined && (
        <Badge tone="bad">
          <bdi>
            {count(verified)} of {count(all)} verified: {problem}
          </bdi>
        </Badge>
      )}
      {error !== undefined && <Badge tone="warn">the service did not check itself: {error.message}</Badge>}
      {failed.map(({ name, detail }) => (
        <Badge key={name} tone="bad">
          <bdi>
            {name}: {detail}
          </bdi>
        </Badge>
      ))}
      <p class="hint figures">
        {[
          ...(data?.ok === true ? ['the service found nothing wrong with its tables'] : []),
          ...(head === undefined ? [] : [`head ${head.slice(0, 12)}`]),
          ...(at === undefined ? [] : [`${exactTime(at)} ${zone(at)}`]),
        ].join(', ')}
      </p>
      {warnings.length > 0 && (
        <details class="raw">
          <summary>{counted(warnings.length, 'warning')}: what was refused, and what will be</summary>
          <Reasons reasons={[]} warnings={warnings.map(({ detail }) => detail)} />
        </details>
      )}
    </div>
  )
}
