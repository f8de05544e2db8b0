import type { PlaceState } from '../../models/answers/place_parts.ts'
import type { IconName } from '../ui/icon.tsx'
import type { Tone } from '../ui/badge.tsx'

type State = typeof PlaceState.infer

/** How the state of a place is drawn: red is what is proven to be worse or blocked, amber what somebody has to see to. */
export const STATE_TONES: Readonly<Record<State, Tone>> = {
  worse: 'bad',
  frozen: 'warn',
  rolling_out: 'plain',
  awaiting_approval: 'warn',
  no_price: 'warn',
  blocked: 'bad',
  needs_runs: 'warn',
  can_promote: 'ok',
  watched: 'plain',
  quiet: 'plain',
}

export const STATE_ICONS: Readonly<Record<State, IconName>> = {
  worse: 'block',
  frozen: 'lock',
  rolling_out: 'steps',
  awaiting_approval: 'approvals',
  no_price: 'warn',
  blocked: 'block',
  needs_runs: 'waiting',
  can_promote: 'pass',
  watched: 'eye',
  quiet: 'same',
}
