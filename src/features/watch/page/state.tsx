import type { Watch } from '../../../models/answers/watch.ts'
import { Badge, type Tone } from '../../../web/components/badge.tsx'

const STATES = {
  watching: ['plain', 'watching'],
  passed: ['ok', 'passed'],
  regressed: ['bad', 'regressed'],
  inconclusive: ['warn', 'inconclusive'],
  rolled_back: ['bad', 'rolled back'],
  superseded: ['plain', 'superseded'],
} as const satisfies Readonly<Record<Watch['state'], readonly [Tone, string]>>

/** The state of a watch. */
export function WatchState({ state }: { state: Watch['state'] }) {
  const [tone, words] = STATES[state]
  return (
    <Badge tone={tone} {...(state === 'watching' ? { icon: 'waiting' as const } : {})}>
      {words}
    </Badge>
  )
}
