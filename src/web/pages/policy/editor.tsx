import { signal } from '../../signal.ts'
import { useEffect, useState } from 'preact/hooks'
import type { Policy } from '../../../models/documents/policy.ts'
import { ChangeForm, Dialog } from '../../components/dialog.tsx'
import { Field, Find, Reason } from '../../components/field.tsx'
import { change, param } from '../../route.ts'
import { type Draft, type Rule, documentOf, draftOf, isWritten } from './draft.ts'
import { MAIN_FIELDS } from './fields.ts'
import { KeyFields } from './keys.tsx'
import { policyChanges } from '../../../rules/changes.ts'
import { actorHeader, callApi } from '../../api.ts'
import { useAttempt } from '../../attempt.ts'
import { Note } from '../../components/note.tsx'
import { get } from '../../query.ts'
import { PolicyChanges } from './changes.tsx'
import { Panel, isFilled } from '../../components/panels.tsx'

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
  const [isTried, setTried] = useState(!isFilled('draft'))
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
      <Panel slot="draft" policy={policy} onTried={() => setTried(true)} />
      <Reason label="Why" hint="Kept in the history of policies." value={reason} onChange={setReason} />
    </ChangeForm>
  )
}
