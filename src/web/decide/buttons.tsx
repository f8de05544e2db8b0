import { whyNoChanges } from '../access.ts'
import { judged } from '../../rules/verdict_words.ts'
import { usePolicyVerdict } from '../components/verdict.tsx'
import { type Comparing, useDiff } from '../reads.ts'
import { Icon } from '../components/icon.tsx'
import { type Deciding, openDecision } from './open.ts'

const LOOKS = {
  promote: { words: 'Promote…', icon: 'up', kind: 'primary' },
  rollback: { words: 'Roll back…', icon: 'back', kind: 'danger' },
} as const

/** Opens the promotion of a candidate, and says already what it would be: not blue where the policy blocks it. */
export function PromoteButton({ comparing, agent }: { comparing: Comparing; agent: string }) {
  const { data } = useDiff(comparing, DIFF_OPTIONS)
  const policy = usePolicyVerdict(data, comparing, agent)
  const { but, isBlocked } = judged(policy, data?.statistics)
  const [words, kind] = isBlocked
    ? ['Blocked: attempt it…', '']
    : but === ''
      ? [LOOKS.promote.words, LOOKS.promote.kind]
      : [`Promote although ${but}…`, 'warn']
  return (
    <button
      type="button"
      class={`button ${kind}`}
      title={whyNoChanges.value}
      onClick={() => openDecision('promote', agent, comparing.environment, comparing.candidate)}
    >
      <Icon name={isBlocked ? 'block' : LOOKS.promote.icon} size={14} />
      {words}
    </button>
  )
}

/** As the diff is read on its page, so that it is read once. */
const DIFF_OPTIONS = { tails: true } as const

const CLASSES: Readonly<Record<string, string>> = { words: 'quiet', picture: 'copy' }

/** Opens a decision. Not disabled where changes are off, only said so: a disabled button can't say why. */
export function DecideButton({
  what,
  agent,
  environment,
  release = '',
  look = 'button',
}: {
  what: Deciding
  agent: string
  environment: string
  release?: string
  /** One of many has no frame, or is a picture alone; it is named with what it is about. */
  look?: 'button' | 'words' | 'picture'
}) {
  const { words, icon, kind } = LOOKS[what]
  return (
    <button
      type="button"
      class={CLASSES[look] ?? `button ${kind}`}
      aria-label={look === 'button' ? undefined : `${words} ${agent}, ${environment}`}
      title={whyNoChanges.value ?? (look === 'picture' ? words : undefined)}
      onClick={() => openDecision(what, agent, environment, release)}
    >
      <Icon name={icon} size={14} />
      {look !== 'picture' && words}
    </button>
  )
}
