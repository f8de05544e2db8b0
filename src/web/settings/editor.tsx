import { signal } from '../signal.ts'
import { useEffect, useId, useState } from 'preact/hooks'
import type { Policy } from '../../models/documents/policy.ts'
import { ChangeForm, Dialog } from '../ui/dialog.tsx'
import { Check, Reason, Select, Text } from '../ui/field.tsx'
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
import { Note } from '../ui/note.tsx'
import { get } from '../query.ts'
import { PolicyChanges } from './changes.tsx'
import { Tried } from './tried.tsx'
import { Button } from '../ui/button.tsx'

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
            <Button onClick={discard}>Discard</Button>
            <Button type="submit" kind="primary">
              Try it on past decisions
            </Button>
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
      <Text
        label="Policy"
        required
        value={draft.policy_id}
        onChange={policy_id => onChange(now => ({ ...now, policy_id }))}
      />
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
            <Text
              type="search"
              label="Agent"
              placeholder="any"
              value={rule.agent_id}
              onChange={agent_id => changeRule(index, now => ({ ...now, agent_id }))}
            />
            <Text
              type="search"
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
          <Button
            kind="small"
            onClick={() => onChange(now => ({ ...now, overrides: now.overrides.toSpliced(index, 1) }))}
          >
            Remove override {index + 1}
          </Button>
        </fieldset>
      ))}
      <div>
        <Button
          kind="small"
          onClick={() => onChange(now => ({ ...now, overrides: [...now.overrides, NO_RULE] }))}
        >
          Add an override
        </Button>
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
      onBack={onBack}
      send={set}
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
            <Button kind="small" onClick={() => onChange(now => without(now, field.key))}>
              Remove<span class="hidden">: {field.label}</span>
            </Button>
          )}
        </div>
      ))}
      {others.length > 0 && (
        <Select
          label="Add a limit"
          value=""
          options={others.map(({ key, label }) => [key, label])}
          onChange={chosen => {
            const { first = null } = others.find(({ key }) => key === chosen)!
            onChange(now => ({ ...now, [chosen]: first }))
          }}
        />
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
    <Select
      label={label}
      value={String(value)}
      options={options.map(([option, words]) => [String(option), words])}
      onChange={chosen => onChange(options.find(([option]) => String(option) === chosen)?.[0])}
    />
  )
}

/** A number, keys, or lines of scores. The field keeps what is typed: `1.` is a number, but would be written as another. */
function TextInput({ field, value, onChange }: InputProps) {
  const [text, setText] = useState(() => textOf(field, value))
  const unit = unitOf(field)
  const isScores = field.kind === 'scores'
  return (
    <Text
      label={unit === '' ? field.label : `${field.label} (${unit})`}
      value={text}
      problem={problemOf(field, value)}
      placeholder={isScores ? 'helpfulness: 0.8' : (field.off ?? 'off')}
      inputMode={field.kind === 'keys' ? 'text' : 'decimal'}
      {...(isScores ? { rows: 3 } : {})}
      onChange={typed => {
        setText(typed)
        onChange(valueOf(field, typed))
      }}
    />
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
      <Check
        checked={value.auto_rollback === true}
        onChange={auto_rollback => onChange({ ...value, auto_rollback })}
      >
        roll back where it regresses
      </Check>
      <Check
        checked={value.on_unusable === 'exclude'}
        onChange={is => onChange({ ...value, on_unusable: is ? 'exclude' : 'refuse' })}
      >
        leave out runs of another agent or without a price, up to 5 %
      </Check>
    </fieldset>
  )
}

/** What becomes of a release with new capabilities, and what none may have: a line each, kept as it is typed. */
function CapabilityInput({ value, onChange }: { value: CapabilityRule; onChange: (value: unknown) => void }) {
  const [text, setText] = useState(() => (value.forbid ?? []).join('\n'))
  return (
    <fieldset class="field">
      <legend>Capabilities</legend>
      <Check
        checked={value.widened === 'block'}
        onChange={is => onChange({ ...value, widened: is ? 'block' : 'warn' })}
      >
        block a release with new capabilities, until somebody acknowledges them
      </Check>
      <Text
        label="Forbidden, a line each"
        rows={3}
        value={text}
        placeholder={'spends\nscope:mail.*'}
        onChange={typed => {
          setText(typed)
          const lines = typed.split('\n').map(line => line.trim())
          onChange({ ...value, forbid: lines.filter(line => line !== '') })
        }}
      />
    </fieldset>
  )
}
