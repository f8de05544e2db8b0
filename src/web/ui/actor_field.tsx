import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { actor, setActor, signIn } from '../access.ts'
import { Field } from './field.tsx'
import { Words } from './text.tsx'
import { Button } from './button.tsx'

/** Who acts, as the audit trail will name them: entered once, then only shown. */
export function ActorField({ label, children }: { label: string; children?: ComponentChildren }) {
  const [isEditing, setEditing] = useState(actor.value.trim() === '')
  const person = signIn.value?.person
  if (person !== undefined) {
    return (
      <p class="acting">
        <span>
          You act as{' '}
          <strong>
            <Words>{person}</Words>
          </strong>
          , who has signed in.
        </span>
      </p>
    )
  }
  if (!isEditing) {
    return (
      <p class="acting">
        You act as{' '}
        <strong>
          <Words>{actor.value}</Words>
        </strong>
        <Button kind="small" onClick={() => setEditing(true)}>
          Change the name
        </Button>
      </p>
    )
  }
  return (
    <Field label={label}>
      {id => (
        <>
          <input
            id={id}
            autocomplete="username"
            maxLength={200}
            required
            aria-describedby={`${id}-hint`}
            value={actor.value}
            onInput={event => setActor(event.currentTarget.value)}
          />
          <p id={`${id}-hint`} class="hint">
            Goes on record with what you decide, and is kept in this browser.
          </p>
          {children}
        </>
      )}
    </Field>
  )
}
