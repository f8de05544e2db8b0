import { useId } from 'preact/hooks'
import type { ComponentChildren } from 'preact'
import { actor, setActor } from '../access.ts'

/** Who asks, as the audit trail will name them. */
export function ActorField({ label, children }: { label: string; children?: ComponentChildren }) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        autocomplete="username"
        maxLength={200}
        placeholder="http"
        value={actor.value}
        onInput={event => setActor(event.currentTarget.value)}
      />
      {children}
    </div>
  )
}
