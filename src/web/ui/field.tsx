import type { ComponentChildren, FunctionComponent, TargetedEvent } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { parseWindow } from '../../rules/window.ts'
import { change, param } from '../route.ts'

interface FieldProps {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
}

/** A label and what it names, which takes the id that it is given. */
export function Field({
  label,
  kind = 'field',
  children,
}: {
  label: string
  /** A word of a sentence has no visible label. */
  kind?: 'field' | 'field wide' | 'in-words'
  children: (id: string) => ComponentChildren
}) {
  const id = useId()
  return (
    <div class={kind}>
      <label for={id} class={kind === 'in-words' ? 'hidden' : ''}>
        {label}
      </label>
      {children(id)}
    </div>
  )
}

/** A text filter, applied on Enter or when it is left; the values that exist are suggested. */
export function Filter({
  label,
  value,
  onChange,
  options = [],
  placeholder = 'any',
}: FieldProps & { options?: readonly string[]; placeholder?: string }) {
  return (
    <Field label={label}>
      {id => (
        <>
          <input
            id={id}
            type="search"
            list={`${id}-options`}
            key={value}
            defaultValue={value}
            placeholder={placeholder}
            autocomplete="off"
            spellcheck={false}
            onChange={event => onChange(event.currentTarget.value.trim())}
          />
          <datalist id={`${id}-options`}>
            {options.map(option => (
              <option key={option} value={option} />
            ))}
          </datalist>
        </>
      )}
    </Field>
  )
}

export function Select({
  label,
  value,
  onChange,
  options,
  kind = 'field',
}: FieldProps & {
  kind?: 'field' | 'in-words'
  /** Values, or values with their labels. */
  options: readonly (string | readonly [value: string, text: string])[]
}) {
  const pairs = options.map(option => (typeof option === 'string' ? ([option, option] as const) : option))
  const isKnown = pairs.some(([option]) => option === value)
  return (
    <Field label={label} kind={kind}>
      {id => (
        <select
          id={id}
          class={kind === 'field' ? '' : 'word'}
          value={value}
          onChange={event => onChange(event.currentTarget.value)}
        >
          {!isKnown && <option value={value}>{value === '' ? 'choose…' : value}</option>}
          {pairs.map(([option, text]) => (
            <option key={option} value={option}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}

/** One of a few, as buttons in a row. */
export function Segments<V extends string>({
  label,
  value,
  options,
  onChange,
}: {
  label: string
  value: V
  options: readonly (readonly [value: V, text: string])[]
  onChange: (value: V) => void
}) {
  return (
    <div class="segments" role="group" aria-label={label}>
      {options.map(([option, text]) => (
        <button key={option} type="button" aria-pressed={option === value} onClick={() => onChange(option)}>
          {text}
        </button>
      ))}
    </div>
  )
}

/** The same as a field, with its label above. */
export function Choice<V extends string>(props: Parameters<typeof Segments<V>>[0]) {
  return (
    <div class="field">
      <span class="label">{props.label}</span>
      <Segments {...props} />
    </div>
  )
}

/** What an input, or a text of several lines, has of its own. */
type Own = Readonly<
  Partial<
    Record<'name' | 'type' | 'placeholder' | 'inputMode' | 'min' | 'step', string> &
      Record<'size' | 'maxLength' | 'rows', number> & { required: boolean }
  >
>

/** A text that counts with every key; of several lines where it has `rows`. */
export function Text({
  label,
  value,
  onChange,
  kind,
  hint,
  problem,
  ...own
}: FieldProps & {
  kind?: 'field' | 'field wide'
  hint?: string | undefined
  /** What is wrong with it; empty where nothing is. */
  problem?: string
} & Own) {
  const Shown = (own.rows === undefined ? 'input' : 'textarea') as unknown as FunctionComponent<
    Readonly<Record<string, unknown>>
  >
  const isAbout = (hint ?? problem) !== undefined
  return (
    <Field label={label} {...(kind === undefined ? {} : { kind })}>
      {id => (
        <>
          <Shown
            id={id}
            value={value}
            autocomplete="off"
            spellcheck={false}
            aria-invalid={problem === undefined ? undefined : problem !== ''}
            aria-describedby={isAbout ? `${id}-about` : undefined}
            onInput={(event: TargetedEvent<HTMLInputElement>) => onChange(event.currentTarget.value)}
            {...own}
          />
          {isAbout && (
            <div id={`${id}-about`}>
              {problem !== undefined && (
                <p class="problem" role="alert">
                  {problem}
                </p>
              )}
              {hint !== undefined && <p class="hint">{hint}</p>}
            </div>
          )}
        </>
      )}
    </Field>
  )
}

/** A choice between yes and no. */
export function Check({
  checked,
  onChange,
  children,
}: {
  checked: boolean
  onChange: (checked: boolean) => void
  children: ComponentChildren
}) {
  return (
    <label class="check">
      <input type="checkbox" checked={checked} onChange={event => onChange(event.currentTarget.checked)} />
      {children}
    </label>
  )
}

/** How long nobody types before a list is drawn again, ms. */
const PAUSE_MS = 100

/** Finds in the list of a page, by its address. Keys are shown at once: the list is drawn when nobody types. */
export function FindHere() {
  const [typed, setTyped] = useState<string>()
  useEffect(() => {
    if (typed === undefined) return undefined
    const timer = setTimeout(() => {
      change({ find: typed }, { replace: true })
      // Effects end after the next key is shown: it must not be lost.
      setTyped(latest => (latest === typed ? undefined : latest))
    }, PAUSE_MS)
    return () => clearTimeout(timer)
  }, [typed])
  return <Text label="Find" type="search" value={typed ?? param('find')} onChange={setTyped} />
}

const USUAL_WINDOWS = ['1h', '24h', '7d', '30d']

/** How far back: one of the usual windows, or any other as text. */
export function WindowField({ value, onChange }: Omit<FieldProps, 'label'>) {
  const id = useId()
  const [problem, setProblem] = useState('')
  function take(text: string): void {
    const window = parseWindow(text, Date.now())
    setProblem(typeof window === 'string' ? window : '')
    if (typeof window !== 'string') onChange(text.trim())
  }
  return (
    <fieldset class="field">
      <legend>Window</legend>
      <div class="segments">
        {USUAL_WINDOWS.map(text => (
          <button key={text} type="button" aria-pressed={text === value} onClick={() => take(text)}>
            {text}
          </button>
        ))}
        <input
          id={id}
          aria-label="Another window"
          aria-invalid={problem !== ''}
          aria-describedby={`${id}-problem`}
          key={value}
          defaultValue={USUAL_WINDOWS.includes(value) ? '' : value}
          placeholder="36h"
          size={5}
          onChange={event => {
            if (event.currentTarget.value.trim() !== '') take(event.currentTarget.value)
          }}
        />
      </div>
      <p id={`${id}-problem`} class="problem" role="alert">
        {problem}
      </p>
    </fieldset>
  )
}

/** What has to be written before something is done; it has the focus from the start. */
export function Reason({
  label = 'Reason',
  hint = 'Recorded in the audit log as written.',
  ...props
}: Omit<FieldProps, 'label'> & { label?: string; hint?: string }) {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => place.current?.querySelector('textarea')?.focus(), [])
  return (
    <div ref={place}>
      <Text {...props} label={label} hint={hint} kind="field wide" rows={2} required maxLength={4000} />
    </div>
  )
}
