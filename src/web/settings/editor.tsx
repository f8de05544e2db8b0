import { signal } from '../signal.ts'
import { useEffect, useId, useState } from 'preact/hooks'
import type { Policy } from '../../models/documents/policy.ts'
import { ChangeForm, Dialog } from '../ui/dialog.tsx'
import { Field, Find, Reason } from '../ui/field.tsx'
import { change, param } from '../route.ts'
import { type Draft, type Keys, type Rule, documentOf, draftOf, isWritten } from './draft.ts'
import {
  FURTHER_FIELDS,
  MAIN_FIELDS,
  type PolicyField,
  type CapabilityRule,
  problemOf,
  textOf,
  unitOf,
  valueOf,
} from './fields.ts'
import { policyChanges } from '../../rules/changes.ts'
import { actorHeader, callApi } from '../api.ts'
import { useAttempt } from '../attempt.ts'
import { Note } from '../ui/note.tsx'
import { get } from '../query.ts'
import { PolicyChanges } from './changes.tsx'
import { Tried } from './tried.tsx'

/** What is being written, kept while the drawer is closed; and the policy that it began from. */
const writing = signal<{ readonly from: Policy; readonly draft: Draft } | undefined>(undefined)

/** Edits the policy in two steps: the fields, then what that would have changed, and why. */
export function PolicyEditor({ current }: { current: Policy }) {
  useEffect(() => {
    writing.value ??= { from: current, draft: draftOf(current) }
  }, [])
  const { from, draft } = writing.value ?? { from: current, draft: draftOf(current) }
  const isReviewing = param('edit') === 'review' && isWritten(draft)
  const close = (): void => change({ edit: null })
  function discard(): void {
    writing.value = undefined
    close()
  }
  return (
    <Dialog title={isReviewing ? 'Review the policy' : 'Edit the policy'} kind="drawer" onClose={close}>
      {isReviewing ? (
        <Review
          from={current}
          policy={documentOf(draft)}
          isBehind={JSON.stringify(from) !== JSON.stringify(current)}
          onBack={() => change({ edit: 'fields' })}
          onSet={discard}
        />
      ) : (
        <form
          class="decision"
          onSubmit={event => {
            event.preventDefault()
            if (isWritten(draft)) change({ edit: 'review' })
          }}
        >
          <Fields
            draft={draft}
            onChange={step => (writing.value = { from, draft: step(writing.value!.draft) })}
          />
          <footer>
            <button type="button" class="button" onClick={discard}>
              Discard
            </button>
            <button type="submit" class="button primary">
              Try it on past decisions
            </button>
          </footer>
        </form>
      )}
    </Dialog>
  )
}

const NO_RULE: Rule = { agent_id: '', environment: '', keys: {} }

type Step<T> = (now: T) => T

function Fields({ draft, onChange }: { draft: Draft; onChange: (step: Step<Draft>) => void }) {
  const { overrides } = draft
  function changeRule(index: number, step: Step<Rule>): void {
    onChange(now => ({ ...now, overrides: now.overrides.with(index, step(now.overrides[index]!)) }))
  }
  return (
    <>
      <Field label="Policy">
        {id => (
          <input
            id={id}
            required
            value={draft.policy_id}
            onInput={event => {
              const policy_id = event.currentTarget.value
              onChange(now => ({ ...now, policy_id }))
            }}
          />
        )}
      </Field>
      <KeyFields
        keys={draft.keys}
        always={MAIN_FIELDS}
        onChange={step => onChange(now => ({ ...now, keys: step(now.keys) }))}
      />
      <h3>Overrides</h3>
      <p class="hint">
        Other limits for some agents or environments: exact names, or the beginning of names and one *. The
        most specific one that sets a key counts; an empty field switches its limit off.
      </p>
      {overrides.map((rule, index) => (
        <fieldset key={`${index} of ${overrides.length}`} class="override">
          <legend>Override {index + 1}</legend>
          <div class="fields">
            <Find
              label="Agent"
              placeholder="any"
              value={rule.agent_id}
              onChange={agent_id => changeRule(index, now => ({ ...now, agent_id }))}
            />
            <Find
              label="Environment"
              placeholder="any"
              value={rule.environment}
              onChange={environment => changeRule(index, now => ({ ...now, environment }))}
            />
          </div>
          {(rule.agent_id + rule.environment).trim() === '' && (
            <p class="problem" role="alert">
              Name an agent, an environment, or both.
            </p>
          )}
          <KeyFields
            keys={rule.keys}
            always={[]}
            onChange={step => changeRule(index, now => ({ ...now, keys: step(now.keys) }))}
          />
          <button
            type="button"
            class="button small"
            onClick={() => onChange(now => ({ ...now, overrides: now.overrides.toSpliced(index, 1) }))}
          >
            Remove override {index + 1}
          </button>
        </fieldset>
      ))}
      <div>
        <button
          type="button"
          class="button small"
          onClick={() => onChange(now => ({ ...now, overrides: [...now.overrides, NO_RULE] }))}
        >
          Add an override
        </button>
      </div>
    </>
  )
}

/** What a draft changes, and would have changed, before it is set. */
function Review({
  from,
  policy,
  isBehind,
  onBack,
  onSet,
}: {
  from: Policy
  policy: Policy
  /** Whether another policy was set since the draft was begun. */
  isBehind: boolean
  onBack: () => void
  onSet: () => void
}) {
  const changes = policyChanges(from, policy)
  const [reason, setReason] = useState('')
  const [isTried, setTried] = useState(false)
  const attempting = useAttempt()

  async function set(): Promise<void> {
    const { path } = get('v1/policy', { reason: reason.trim() })
    await callApi({ method: 'PUT', path, body: policy, headers: actorHeader() })
    onSet()
  }

  return (
    <ChangeForm
      label="Set this policy"
      back="Back to the fields"
      isReady={isTried && changes.length > 0 && reason.trim() !== ''}
      attempting={attempting}
      onBack={onBack}
      onSubmit={() => void attempting.attempt(set)}
    >
      {isBehind && (
        <Note>Another policy was set since you began. Below is what yours changes of that one.</Note>
      )}
      <PolicyChanges changes={changes} sides={['In force', 'Yours']} />
      <Tried policy={policy} onTried={() => setTried(true)} />
      <Reason label="Why" hint="Kept in the history of policies." value={reason} onChange={setReason} />
    </ChangeForm>
  )
}

/** The keys of a policy or of an override as fields; those that need not be there can be added and taken out. */
function KeyFields({
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
  if (field.kind === 'capabilities')
    return <CapabilityInput value={value as CapabilityRule} onChange={onChange} />
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

/** A number, keys, or lines of scores. The field keeps what is typed: `1.` is a number, but would be written as another. */
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
              <input {...own} inputMode={field.kind === 'keys' ? 'text' : 'decimal'} autocomplete="off" />
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
          checked={value.on_unusable === 'exclude'}
          onChange={event =>
            onChange({ ...value, on_unusable: event.currentTarget.checked ? 'exclude' : 'refuse' })
          }
        />
        leave out runs of another agent or without a price, up to 5 %
      </label>
    </fieldset>
  )
}

/** What becomes of a release with new capabilities, and what none may have: a line each, kept as it is typed. */
function CapabilityInput({ value, onChange }: { value: CapabilityRule; onChange: (value: unknown) => void }) {
  const id = useId()
  const [text, setText] = useState(() => (value.forbid ?? []).join('\n'))
  return (
    <fieldset class="field">
      <legend>Capabilities</legend>
      <label class="check">
        <input
          type="checkbox"
          checked={value.widened === 'block'}
          onChange={event => onChange({ ...value, widened: event.currentTarget.checked ? 'block' : 'warn' })}
        />
        block a release with new capabilities, until somebody acknowledges them
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
