import type { ComponentChildren } from 'preact'
import type { BoardEntry } from '../../../models/answers/board.ts'
import type { Rollout } from '../models.ts'
import { Badge, type Tone } from '../../../web/components/badge.tsx'
import { inWords } from '../../../web/components/text.tsx'
import { ago } from '../../../web/format.ts'
import { href } from '../../../web/route.ts'
import { harmText, leftText, rolloutSentence, stepText } from '../rules_sentence.ts'
import { shareText } from '../../../base/text.ts'
import { useNames, useRolloutOf } from './reads.ts'

/** A rollout on the board: `1.3.0 at 5 %, step 3 of 5, 12 min left`. */
export const Chip = chipOf(chipText)

/** The same where there is only room for its share. */
export const Share = chipOf(({ candidate_release_id, share }, name) => (
  <>
    <span class="hidden">{name(candidate_release_id)} at </span>
    {shareText(share ?? 0)}
  </>
))

type Shown = (rollout: Rollout, name: (id: string) => string) => ComponentChildren

function chipOf(shown: Shown) {
  return function RolloutChip({ entry }: { readonly entry: BoardEntry }) {
    const rollout = useRolloutOf()(entry)
    const name = useNames()
    if (rollout === undefined) return null
    const tone = TONES[rollout.state]
    return (
      <a
        href={href('rollout', { id: rollout.rollout_id })}
        title={rolloutSentence(rollout, name, Date.now())}
      >
        <Badge tone={tone} {...(tone === 'plain' ? { icon: 'steps' as const } : {})}>
          {inWords(shown(rollout, name))}
        </Badge>
      </a>
    )
  }
}

function chipText(rollout: Rollout, name: (id: string) => string): string {
  const { state, share, because, last_check, candidate_release_id, baseline_release_id, hold, ended_at } =
    rollout
  const [candidate, at] = [name(candidate_release_id), shareText(share ?? 0)]
  if (state === 'running')
    return `${candidate} at ${at}, ${stepText(rollout)}, ${leftText(rollout, Date.now())}`
  if (state === 'paused') return `${candidate} paused at ${at}: ${(because ?? '').replace('paused: ', '')}`
  if (hold !== null && share !== null) return `${shareText(hold.share)} stay on ${name(baseline_release_id)}`
  const harm = last_check === null ? '' : harmText(last_check)
  return `${candidate} aborted ${ago(Date.parse(ended_at!), Date.now())}${harm === '' ? '' : `: ${harm}`}`
}

export const TONES = {
  running: 'plain',
  paused: 'warn',
  completed: 'ok',
  aborted: 'bad',
  superseded: 'plain',
  expired: 'warn',
} as const satisfies Readonly<Record<Rollout['state'], Tone>>

export function RolloutState({ state }: Pick<Rollout, 'state'>) {
  return (
    <Badge tone={TONES[state]} {...(state === 'running' ? { icon: 'steps' as const } : {})}>
      {state}
    </Badge>
  )
}
