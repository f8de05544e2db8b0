import { whyNoChanges } from '../access.ts'
import type { PlaceAnswer } from '../../models/deploys/place.ts'
import { usePlaceAnswer } from '../reads.ts'
import { href } from '../route.ts'
import { Icon } from '../components/icon.tsx'
import { type Deciding, openDecision } from './open.ts'

const LOOKS = {
  promote: { words: 'Promote…', icon: 'up', kind: 'primary' },
  rollback: { words: 'Roll back…', icon: 'back', kind: 'danger' },
} as const

/** What may be done in a place now, as the service says: one promotion or one approval, an attempt, and the way back. */
export function PlaceActions({ place }: { place: PlaceAnswer }) {
  const { agent_id: agent, environment, live } = place
  return (
    <>
      <PlacePromotion place={place} />
      {live?.before != null && <DecideButton what="rollback" agent={agent} environment={environment} />}
    </>
  )
}

/** The promotion of what is next: blue only where it may be made. */
function PlacePromotion({ place }: { place: PlaceAnswer }) {
  const { agent_id: agent, environment, candidate, allowed } = place
  if (allowed.confirm !== null) {
    return (
      <a class="button primary" href={href('approvals', { agent })}>
        Confirm or reject…
      </a>
    )
  }
  if (candidate === null) return null
  const { words, icon, kind } = PROMOTIONS[allowed.promote ?? 'refused']
  return (
    <button
      type="button"
      class={`button ${kind}`}
      title={whyNoChanges.value ?? allowed.why_not ?? undefined}
      onClick={() => openDecision('promote', agent, environment, candidate.release_id)}
    >
      <Icon name={icon} size={14} />
      {words}
    </button>
  )
}

const PROMOTIONS = {
  now: LOOKS.promote,
  request: { ...LOOKS.promote, words: 'Ask for approval…' },
  refused: { words: 'Record an attempt…', icon: 'block', kind: '' },
} as const

/** The same of any release in its place, against what is live: that of the place where it is next there. */
export function ReleasePromotion({
  agent,
  environment,
  release,
}: {
  agent: string
  environment: string
  release: string
}) {
  const place = usePlaceAnswer(agent, environment).data
  if (place === undefined || place.live?.release_id === release) return null
  if (place.candidate?.release_id === release) return <PlacePromotion place={place} />
  return <DecideButton what="promote" agent={agent} environment={environment} release={release} isPlain />
}

const CLASSES: Readonly<Record<string, string>> = { words: 'quiet', picture: 'copy' }

/** Opens a decision. Not disabled where changes are off, only said so: a disabled button can't say why. */
export function DecideButton({
  what,
  agent,
  environment,
  release = '',
  look = 'button',
  isPlain = false,
}: {
  what: Deciding
  agent: string
  environment: string
  release?: string
  /** One of many has no frame, or is a picture alone; it is named with what it is about. */
  look?: 'button' | 'words' | 'picture'
  /** Whether it is not what the page is about. */
  isPlain?: boolean
}) {
  const { words, icon, kind } = LOOKS[what]
  return (
    <button
      type="button"
      class={CLASSES[look] ?? `button ${isPlain ? '' : kind}`}
      aria-label={look === 'button' ? undefined : `${words} ${agent}, ${environment}`}
      title={whyNoChanges.value ?? (look === 'picture' ? words : undefined)}
      onClick={() => openDecision(what, agent, environment, release)}
    >
      <Icon name={icon} size={14} />
      {look !== 'picture' && words}
    </button>
  )
}
