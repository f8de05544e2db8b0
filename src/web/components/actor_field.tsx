import type { ComponentChildren } from 'preact'
import { actor, setActor } from '../access.ts'
import { Field } from './field.tsx'

/** Who asks, as the audit trail will name them. */
export function ActorField({ label, children }: { label: string; children?: ComponentChildren }) {
  return (
    <Field label={label}>
      {id => (
        <>
          <input
            id={id}
            autocomplete="username"
            maxLength={200}
            placeholder="http"
            value={actor.value}
            onInput={event => setActor(event.currentTarget.value)}
          />
          {children}
        </>
      )}
    </Field>
  )
}
