import type { Rollout } from '../../../models/answers/rollout.ts'
import { Badge, type Tone } from '../../../web/components/badge.tsx'

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
    <Badge tone={TONES[state]} {...(state === 'running' ? { icon: 'rollouts' as const } : {})}>
      {state}
    </Badge>
  )
}
