import { useId, useState } from 'preact/hooks'
import type { Policy } from '../../../models/documents/policy.ts'
import { Field } from '../../components/field.tsx'
import type { Keys } from './draft.ts'
import {
  type PolicyField,
  type SurfaceRule,
  FURTHER_FIELDS,
  MAIN_FIELDS,
  problemOf,
  textOf,
  unitOf,
  valueOf,
} from './fields.ts'

/** The keys of a policy or of an override as fields; those that need not be there can be added and taken out. */
export function KeyFields({
  keys,
  always,
  onChange,
}: {
  keys: Keys
  always: readonly PolicyField[]
  /** Given as a step from what holds then: leaving one field and changing another can come in one go. */
  onChange: (step: (keys: Keys) => Keys) => void
}) {
  const all = [...MAIN_FIELDS, ...FURTHER_FIELDS]
  const shown = all.filter(field => always.includes(field) || field.key in keys)
  const others = all.filter(field => !shown.includes(field))
  return (
    <div class="key-fields">
      {shown.map(field => (
        <div key={field.key} class="key-field">
          <KeyField
            field={field}
            value={keys[field.key]}
            onChange={value => onChange(now => ({ ...now, [field.key]: value }))}
          />
          {!always.includes(field) && (
            <button
              type="button"
              class="button small"
              onClick={() => onChange(now => without(now, field.key))}
            >
              Remove<span class="hidden">: {field.label}</span>
            </button>
          )}
        </div>
      ))}
      {others.length > 0 && (
        <Field label="Add a limit">
          {id => (
            <select
              id={id}
              value=""
              onChange={event => {
                const field = others.find(({ key }) => key === event.currentTarget.value)
                if (field !== undefined) onChange(now => ({ ...now, [field.key]: field.first ?? null }))
              }}
            >
              <option value="">choose…</option>
              {others.map(({ key, label }) => (
                <option key={key} value={key}>
                  {label}
                </option>
              ))}
            </select>
          )}
        </Field>
      )}
    </div>
  )
}

function without(keys: Keys, key: string): Keys {
  return Object.fromEntries(Object.entries(keys).filter(([other]) => other !== key))
}

interface InputProps {
  readonly field: PolicyField
  readonly value: unknown
  readonly onChange: (value: unknown) => void
}

function KeyField({ field, value, onChange }: InputProps) {
  if (field.kind === 'choice') return <ChoiceInput field={field} value={value} onChange={onChange} />
  if (field.kind === 'watch') return <WatchInput value={value as Watch} onChange={onChange} />
  if (field.kind === 'surface') return <SurfaceInput value={value as SurfaceRule} onChange={onChange} />
  return <TextInput field={field} value={value} onChange={onChange} />
}

function ChoiceInput({ field: { label, options = [] }, value, onChange }: InputProps) {
  return (
    <Field label={label}>
      {id => (
        <select
          id={id}
          value={String(value)}
          onChange={event =>
            onChange(options.find(([option]) => String(option) === event.currentTarget.value)?.[0])
          }
        >
          {options.map(([option, words]) => (
            <option key={String(option)} value={String(option)}>
              {words}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}

/** A number, or lines of scores. The field keeps what is typed: `1.` is a number, but would be written as another. */
function TextInput({ field, value, onChange }: InputProps) {
  const [text, setText] = useState(() => textOf(field, value))
  const problem = problemOf(field, value)
  const unit = unitOf(field)
  return (
    <Field label={unit === '' ? field.label : `${field.label} (${unit})`}>
      {id => {
        const own = {
          id,
          value: text,
          'aria-invalid': problem !== '',
          'aria-describedby': `${id}-problem`,
          placeholder: field.off ?? 'off',
          onInput: (event: { currentTarget: { value: string } }) => {
            setText(event.currentTarget.value)
            onChange(valueOf(field, event.currentTarget.value))
          },
        }
        return (
          <>
            {field.kind === 'scores' ? (
              <textarea {...own} rows={3} placeholder="helpfulness: 0.8" />
            ) : (
              <input {...own} inputMode="decimal" autocomplete="off" />
            )}
            <p id={`${id}-problem`} class="problem" role="alert">
              {problem}
            </p>
          </>
        )
      }}
    </Field>
  )
}

type Watch = NonNullable<Policy['watch']>

function WatchInput({ value, onChange }: { value: Watch; onChange: (value: unknown) => void }) {
  const id = useId()
  return (
    <fieldset class="field">
      <legend>Watch after a promotion</legend>
      <label class="check" for={`${id}-for`}>
        for
        <input
          id={`${id}-for`}
          size={6}
          value={value.for}
          placeholder="2h"
          onInput={event => onChange({ ...value, for: event.currentTarget.value.trim() })}
        />
      </label>
      <label class="check">
        <input
          type="checkbox"
          checked={value.auto_rollback === true}
          onChange={event => onChange({ ...value, auto_rollback: event.currentTarget.checked })}
        />
        roll back where it regresses
      </label>
      <label class="check">
        <input
          type="checkbox"
          checked={value.on_undecidable === 'exclude'}
          onChange={event =>
            onChange({ ...value, on_undecidable: event.currentTarget.checked ? 'exclude' : 'refuse' })
          }
        />
        leave out runs of another agent or without a price, up to 5 %
      </label>
    </fieldset>
  )
}

/** What becomes of a release that may do more, and what none may have: a line each, kept as it is typed. */
function SurfaceInput({ value, onChange }: { value: SurfaceRule; onChange: (value: unknown) => void }) {
  const id = useId()
  const [text, setText] = useState(() => (value.forbid ?? []).join('\n'))
  return (
    <fieldset class="field">
      <legend>What a release may do</legend>
      <label class="check">
        <input
          type="checkbox"
          checked={value.widened === 'block'}
          onChange={event => onChange({ ...value, widened: event.currentTarget.checked ? 'block' : 'tell' })}
        />
        block a release that may do more than the live one, until somebody acknowledges it
      </label>
      <label for={`${id}-forbid`}>Forbidden, a line each</label>
      <textarea
        id={`${id}-forbid`}
        rows={3}
        value={text}
        placeholder={'spends\nscope:mail.*'}
        onInput={event => {
          const { value: typed } = event.currentTarget
          setText(typed)
          const lines = typed.split('\n').map(line => line.trim())
          onChange({ ...value, forbid: lines.filter(line => line !== '') })
        }}
      />
    </fieldset>
  )
}
