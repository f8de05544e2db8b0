import { whyNoChanges } from '../../../web/access.ts'
import { Icon } from '../../../web/components/icon.tsx'
import { usePlace } from '../../../web/reads.ts'
import { change } from '../../../web/route.ts'
import { isOpen } from '../rules_sentence.ts'
import { Chip } from './chip.tsx'
import { useRolloutOf } from './reads.ts'

interface Target {
  readonly agent: string
  readonly environment: string
  readonly release: string
}

/** Opens the dialog; it is in the address, so that Back closes it and a link opens it. */
function openStart({ agent, environment, release }: Target): void {
  change({ decide: 'rollout', decide_agent: agent, decide_env: environment, decide_release: release })
}

/** Next to a promotion, where something is live that a rollout can compare with; or the rollout that is open there. */
export function StartButton({ agent, environment, release }: Target) {
  const place = usePlace(agent, environment)
  const rolloutOf = useRolloutOf()
  if (place?.promoted == null || ['', place.promoted.release_id].includes(release)) return null
  const known = rolloutOf(place)
  if (known !== undefined && isOpen(known)) {
    return (
      <span class="hint">
        A promotion ends this rollout: <Chip entry={place} />
      </span>
    )
  }
  return (
    <button
      type="button"
      class="button"
      title={whyNoChanges.value}
      onClick={() => openStart({ agent, environment, release })}
    >
      <Icon name="steps" size={14} />
      Start a rollout…
    </button>
  )
}
