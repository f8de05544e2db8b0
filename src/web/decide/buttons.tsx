import { whyNoChanges } from '../access.ts'
import { Icon } from '../components/icon.tsx'
import { openDecision } from './open.ts'

interface DecideProps {
  readonly agent: string
  readonly environment: string
  readonly release?: string
  /** One of many: as words without a frame, told apart by what it is about. */
  readonly quiet?: boolean
}

/** Not disabled where changes are off, only said so: a disabled button can't say why. */
export function PromoteButton({ agent, environment, release = '', quiet = false }: DecideProps) {
  return (
    <button
      type="button"
      class={quiet ? 'quiet' : 'button primary'}
      aria-label={quiet ? `Promote… ${agent}, ${environment}` : undefined}
      title={whyNoChanges.value}
      onClick={() => openDecision('promote', agent, environment, release)}
    >
      <Icon name="up" size={14} />
      Promote…
    </button>
  )
}

export function RollbackButton({ agent, environment, release = '', quiet = false }: DecideProps) {
  return (
    <button
      type="button"
      class={quiet ? 'quiet' : 'button danger'}
      aria-label={quiet ? `Roll back… ${agent}, ${environment}` : undefined}
      title={whyNoChanges.value}
      onClick={() => openDecision('rollback', agent, environment, release)}
    >
      <Icon name="back" size={14} />
      Roll back…
    </button>
  )
}
