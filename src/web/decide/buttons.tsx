import { whyNoChanges } from '../access.ts'
import { Icon } from '../components/icon.tsx'
import { type Deciding, openDecision } from './open.ts'

const LOOKS = {
  promote: { words: 'Promote…', icon: 'up', kind: 'primary' },
  rollback: { words: 'Roll back…', icon: 'back', kind: 'danger' },
} as const

/** Opens a decision. Not disabled where changes are off, only said so: a disabled button can't say why. */
export function DecideButton({
  what,
  agent,
  environment,
  release = '',
  quiet = false,
}: {
  what: Deciding
  agent: string
  environment: string
  release?: string
  /** One of many: as words without a frame, distinguished by what it is about. */
  quiet?: boolean
}) {
  const { words, icon, kind } = LOOKS[what]
  return (
    <button
      type="button"
      class={quiet ? 'quiet' : `button ${kind}`}
      aria-label={quiet ? `${words} ${agent}, ${environment}` : undefined}
      title={whyNoChanges.value}
      onClick={() => openDecision(what, agent, environment, release)}
    >
      <Icon name={icon} size={14} />
      {words}
    </button>
  )
}
